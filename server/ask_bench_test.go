package server

import (
	"context"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// BenchmarkAsk is a call that asks once: the round that asks, and the round that
// has the answer.
func BenchmarkAsk(b *testing.B) {
	s := NewService("")
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) {
		who, err := Elicit[nameForm](ctx, "who", "Who are you?")
		return who.Name, err
	})
	srv := serverOf(b, s)
	first := []byte(`{"name":"t"}`)
	round := func(params []byte) reply {
		x := request(mcp.MethodToolsCall, string(params))
		x.caller.capabilities = []byte(everything)
		return srv.serve(b.Context(), x)
	}
	b.Run("asked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := round(first); r.failed {
				b.Fatalf("%s", r.body)
			}
		}
	})
	in := calling(mcp.Newest, nil).first(b, srv)
	again := jsonx.SetMember(first, "requestState", stateOf(in))
	again = jsonx.SetMember(again, "inputResponses", []byte(`{"who":`+isAda+`}`))
	b.Run("answered", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := round(again); r.failed {
				b.Fatalf("%s", r.body)
			}
		}
	})
}
