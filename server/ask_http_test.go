package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// postTool is one round of a call over HTTP, by a client that can do what caps
// say.
func postTool(s *site, caps, members string, more ...string) answered {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"%s,"_meta":{"progressToken":1,%q:%q,%q:%s}}}`,
		members, mcp.MetaProtocolVersion, mcp.Newest.Version(), mcp.MetaClientCapabilities, caps)
	return s.do(http.MethodPost, body, modernHeader(mcp.MethodToolsCall, "t", more...))
}

// message is the last message of an answer, be it a body or a stream.
func (a answered) message(t *testing.T) response {
	t.Helper()
	body := a.body
	if i := strings.LastIndex(body, "data:"); i >= 0 {
		body = body[i+len("data:"):]
	}
	var r response
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%q: %v", a.body, err)
	}
	r.status = a.status
	return r
}

// TestAskOverHTTP: statuses and forms of the answers (T-10, M-MRTR-025, CON-02).
func TestAskOverHTTP(t *testing.T) {
	loud := false
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		if loud {
			Progress(ctx, 1, 2, "half")
		}
		return conversant(ctx)
	})
	s := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		srv.Handler().ServeHTTP(w, r.WithContext(asPrincipal(r.Context(), r.Header.Get("X-Who"))))
	}))
	t.Run("a question is a JSON body", func(t *testing.T) {
		a := postTool(s, everything, "")
		if got := a.header.Get("Content-Type"); a.status != http.StatusOK || got != "application/json" || required(t, a.message(t)) == nil {
			t.Errorf("%d %s %s", a.status, got, a.body)
		}
	})
	t.Run("a capability is missing", func(t *testing.T) {
		a := postTool(s, `{}`, "")
		if r := a.message(t); a.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != -32021 ||
			string(r.Error.Data) != `{"requiredCapabilities":{"elicitation":{"form":{}}}}` {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("another user's state", func(t *testing.T) {
		in := required(t, postTool(s, everything, "", "X-Who", "ada").message(t))
		retry := fmt.Sprintf(`,"requestState":%s,"inputResponses":{"who":%s}`, stateOf(in), isAda)
		for who, want := range map[string]string{"bob": "-32602 " + errStateRefused.Message + " ", "": "-32602 " + errStateRefused.Message + " ", "ada": "asks sure"} {
			a := postTool(s, everything, retry, "X-Who", who)
			if got := sketch(t, a.message(t)); a.status != http.StatusOK || got != want {
				t.Errorf("%q: %d %q, want %q", who, a.status, got, want)
			}
		}
	})
	t.Run("after something was sent", func(t *testing.T) {
		loud = true
		defer func() { loud = false }()
		for caps, want := range map[string]string{everything: "asks who", `{}`: "-32021 the client lacks"} {
			a := postTool(s, caps, "")
			if got := sketch(t, a.message(t)); a.status != http.StatusOK || a.header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(got, want) {
				t.Errorf("%d %s", a.status, a.body)
			}
			if strings.Contains(a.body, `"method":"elicitation/create","id"`) || strings.Count(a.body, "data:") != 2 {
				t.Errorf("the stream is %s", a.body)
			}
		}
	})
}
