package server

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCallFrom: what a handler can know about its caller.
func TestCallFrom(t *testing.T) {
	s := NewService("")
	var params []byte
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) {
		type key struct{}
		c := CallFrom(context.WithValue(ctx, key{}, 1)) // found through contexts made of it
		params = c.Params()
		got := []any{c.Profile(), c.Method(), c.Name(), string(params), c.Client().Name, c.Capabilities().Roots != nil, c.Header().Get("X-A"), c.Principal()}
		want := []any{mcp.Newest, "tools/call", "t", `{"name":"t"}`, "ide", true, "b", "ada"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("call (-want +got):\n%s", diff)
		}
		return "", nil
	})
	srv := serverOf(t, s)
	raw := []byte(`{"name":"t"}`)
	x := request(mcp.MethodToolsCall, string(raw))
	x.caller = caller{info: []byte(`{"name":"ide","version":"1"}`), capabilities: []byte(`{"roots":{}}`), principal: "ada"}
	x.header = header("X-A", "b")
	ask(t, srv, x)
	clear(x.params.Raw)
	if string(params) != string(raw) {
		t.Errorf("params share memory with the message: %q", params)
	}
}

// TestCallOutside: outside a call there is an empty one, never nil.
func TestCallOutside(t *testing.T) {
	c := CallFrom(context.Background())
	if c == nil {
		t.Fatal("nil")
	}
	got := []any{c.Profile(), c.Method(), c.Name(), c.Params() == nil, c.Client().Name, c.Capabilities().Roots == nil, c.Header() == nil, c.Principal()}
	if diff := cmp.Diff([]any{mcp.Auto, "", "", true, "", true, true, ""}, got); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
}

// TestCallBrokenClient: a malformed clientInfo is none (MOD-11).
func TestCallBrokenClient(t *testing.T) {
	c := &Call{x: &exchange{caller: caller{info: []byte(`{"name":7}`), capabilities: []byte(`[]`)}}}
	if c.Client().Name != "" || c.Capabilities().Roots != nil {
		t.Errorf("client %+v", c.Client())
	}
}
