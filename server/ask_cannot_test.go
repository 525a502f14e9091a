package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCannotAsk: a client is not asked for what it did not declare; a handler
// may do without, else the call is refused with what is missing (M-MRTR-009,
// T-08, MOD-12, M-ELI-004, CON-02).
func TestCannotAsk(t *testing.T) {
	type kind struct {
		question Question
		missing  string // with nothing declared
		named    string
	}
	var (
		who   nameForm
		said  mcp.CreateMessageResult
		roots []mcp.Root
	)
	hello := []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("hello")}}}
	kinds := map[string]kind{
		"a form": {AskForm("k", "?", &who), `{"elicitation":{"form":{}}}`, "elicitation by form"},
		"a URL":  {AskURL("k", "?", "https://example.com"), `{"elicitation":{"url":{}}}`, "elicitation by URL"},
		"a model": {AskModel("k", mcp.CreateMessageParams{MaxTokens: 1, Messages: hello}, &said),
			`{"sampling":{}}`, "sampling"},
		"a model with tools (M-SAM-002)": {AskModel("k", mcp.CreateMessageParams{MaxTokens: 1, Messages: hello, Tools: []mcp.Tool{{Name: "x"}}}, &said),
			`{"sampling":{"tools":{}}}`, "sampling with tools"},
		"roots": {AskRoots(&roots), `{"roots":{}}`, "roots"},
	}
	for name, k := range kinds {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { return "", Ask(ctx, k.question) })
		able := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			if err := Ask(ctx, k.question); !errors.Is(err, mcp.ErrCannotAsk) {
				return "", fmt.Errorf("it matches no ErrCannotAsk: %w", err)
			}
			return "done without", nil
		})
		for _, p := range askable {
			t.Run(name+"/"+p.Version(), func(t *testing.T) {
				d := calling(p, func(string, json.RawMessage) string { t.Error("it was asked"); return "" })
				d.capabilities = `{}`
				r := d.run(t, srv)
				switch {
				case p == mcp.Newest && (r.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != int(mcp.CodeMissingCapability) ||
					string(r.Error.Data) != `{"requiredCapabilities":`+k.missing+`}`):
					t.Errorf("got %d %+v", r.status, r.Error)
				case p != mcp.Newest && !strings.HasSuffix(outline(t, r), "; the client does not support: "+k.named): // DN-13
					t.Errorf("got %q", outline(t, r))
				}
				wantOutcome(t, d.run(t, able), "done without")
			})
		}
	}
	t.Run("several, some declared", func(t *testing.T) {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			return "", Ask(ctx, kinds["a form"].question, AskURL("u", "?", "https://example.com"), AskRoots(&roots))
		})
		d := calling(mcp.Newest, nil)
		d.capabilities = `{"elicitation":{}}`
		r := d.run(t, srv)
		wantOutcome(t, r, `-32021 the client lacks a capability to be asked for "u" and "client_roots" `+
			`{"requiredCapabilities":{"roots":{},"elicitation":{"url":{}}}}`)
	})
	t.Run("no other revision's words", func(t *testing.T) {
		var many struct {
			Tags []string `json:"tags" mcp:"enum=a|b"`
		}
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { return "", Ask(ctx, AskForm("k", "?", &many)) })
		r := calling(mcp.Legacy20250618, answers("")).run(t, srv) // DN-18
		if got := outline(t, r); !strings.Contains(got, `cannot be asked for "k"`) || !strings.Contains(got, `the field "tags" takes several choices`) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("nothing leads back", func(t *testing.T) {
		for name, peer := range map[string]requester{
			"no requester": nil,
			"one that knows at once": requesterFunc(func() error {
				return fmt.Errorf("ask: %w: its request accepts no event stream", mcp.ErrCannotAsk)
			}),
		} {
			x := requestIn(mcp.Legacy20251125, mcp.MethodToolsCall, `{"name":"t"}`)
			x.caller.capabilities, x.peer = []byte(everything), peer
			srv := asksTool(t, Config{}, conversant)
			if got := outline(t, ask(t, srv, x)); !strings.HasPrefix(got, `isError the client cannot be asked for "who": `) {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}

// TestAskElsewhere: there are requests that cannot ask, and there is code that
// runs for none (M-MRTR-003, T-59).
func TestAskElsewhere(t *testing.T) {
	if _, err := Elicit[nameForm](t.Context(), "who", "Who?"); !errors.Is(err, mcp.ErrCannotAsk) {
		t.Errorf("outside a call: %v", err)
	}
	var err error
	s := NewService("")
	Prompt(s, "p", func(context.Context, struct {
		A string `json:"a"`
	}) (string, error) {
		return "", nil
	}, Complete("a", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
		_, err = Elicit[nameForm](ctx, "who", "Who?")
		return nil, nil
	}))
	srv := serverOf(t, s)
	for _, p := range askable[1:] {
		d := calling(p, nil)
		d.method, d.params = mcp.MethodComplete, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`
		if err = nil; d.run(t, srv).Error != nil || !errors.Is(err, mcp.ErrCannotAsk) || !strings.Contains(err.Error(), mcp.MethodComplete) {
			t.Errorf("%v: %v", p, err)
		}
	}
	t.Run("after the handler has returned", func(t *testing.T) {
		late := make(chan context.Context, 1)
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { late <- ctx; return "", nil })
		for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
			calling(p, nil).run(t, srv)
			if _, err := Elicit[nameForm](<-late, "who", "Who?"); !errors.Is(err, mcp.ErrCannotAsk) {
				t.Errorf("%v: %v", p, err)
			}
		}
	})
}
