package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// headersOf are the protocol's headers of a request; "-" is one that is absent.
func headersOf(s seen) map[string]string {
	got := map[string]string{}
	for _, name := range []string{"Accept", "Content-Type", headerVersion, headerSession, headerMethod, headerName} {
		values := s.Header.Values(name)
		switch len(values) {
		case 0:
			got[name] = "-"
		default:
			got[name] = strings.Join(values, " | ")
		}
	}
	return got
}

// TestHeaders: what each revision puts into headers (M-HTTP-012, M-HTTP-013,
// M-HDR-001, M-HDR-002, M-HDR-008, M-HDR-009, L-HTTP-54, L-HTTP-60, INIT-19, UP-03,
// UP-09, SES-15, MOD-17).
func TestHeaders(t *testing.T) {
	const accept = "application/json, text/event-stream"
	rpc := map[string][]act{
		"tools/call":     {result(`{"content":[]}`)},
		"resources/read": {result(`{"contents":[]}`)},
		"prompts/get":    {result(`{"messages":[]}`)},
		"tools/list":     {result(`{"tools":[]}`)},
	}
	type want map[string]string
	expect := func(version, session, method, name string) want {
		return want{"Accept": accept, "Content-Type": "application/json", headerVersion: version, headerSession: session, headerMethod: method, headerName: name}
	}
	for _, tc := range []struct {
		name string
		on   map[string][]act
		want map[string]want
	}{
		{
			name: "modern",
			on:   modern(rpc),
			want: map[string]want{
				"server/discover": expect("2026-07-28", "-", "server/discover", "-"),
				"tools/call":      expect("2026-07-28", "-", "tools/call", "add"),
				"resources/read":  expect("2026-07-28", "-", "resources/read", "file:///a%20b.txt"),
				"prompts/get":     expect("2026-07-28", "-", "prompts/get", "=?base64?R3LDvMOfZQ==?="),
				"tools/list":      expect("2026-07-28", "-", "tools/list", "-"),
			},
		},
		{
			name: "legacy 2025-11-25 with a session",
			on:   legacy("2025-11-25", "S1", rpc),
			want: map[string]want{
				"initialize":                expect("-", "-", "-", "-"),
				"notifications/initialized": expect("2025-11-25", "S1", "-", "-"),
				"tools/call":                expect("2025-11-25", "S1", "-", "-"),
				"DELETE":                    {"Accept": accept, "Content-Type": "-", headerVersion: "2025-11-25", headerSession: "S1", headerMethod: "-", headerName: "-"},
			},
		},
		{
			name: "legacy 2025-06-18 without a session",
			on:   legacy("2025-06-18", "", rpc),
			want: map[string]want{
				"notifications/initialized": expect("2025-06-18", "-", "-", "-"),
				"resources/read":            expect("2025-06-18", "-", "-", "-"),
			},
		},
		{
			name: "legacy 2025-03-26 has no version header",
			on:   legacy("2025-03-26", "S2", rpc),
			want: map[string]want{
				"notifications/initialized": expect("-", "S2", "-", "-"),
				"tools/list":                expect("-", "S2", "-", "-"),
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, tc.on)
			c := connected(t, HTTP(s.URL), config())
			ctx := t.Context()
			if _, err := c.Call(ctx, "add", nil); err != nil {
				t.Error(err)
			}
			if _, err := c.Read(ctx, "file:///a%20b.txt"); err != nil {
				t.Error(err)
			}
			if _, err := c.Prompt(ctx, "Grüße", nil); err != nil {
				t.Error(err)
			}
			for _, err := range c.Tools(ctx) {
				t.Error(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			for method, want := range tc.want {
				if diff := cmp.Diff(map[string]string(want), headersOf(s.got(method, 0))); diff != "" {
					t.Errorf("headers of %s (-want +got):\n%s", method, diff)
				}
			}
		})
	}
}

// TestBodies: what each era says in _meta (M-META-001, C5, UP-02).
func TestBodies(t *testing.T) {
	for _, tc := range []struct {
		name string
		on   map[string][]act
		want string
	}{
		{
			"modern", modern(map[string][]act{"tools/call": {result(`{"content":[]}`)}}),
			`{"name":"t","arguments":{"big":18446744073709551615,"text":"<&>"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
				`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"com.example/x":1}}`,
		},
		{
			"legacy", legacy("2025-11-25", "", map[string][]act{"tools/call": {result(`{"content":[]}`)}}),
			`{"name":"t","arguments":{"big":18446744073709551615,"text":"<&>"},"_meta":{"com.example/x":1}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, tc.on)
			c := connected(t, HTTP(s.URL), config())
			// JSON-03, JSON-06: raw arguments reach the server as they are.
			_, err := c.Call(t.Context(), "t", json.RawMessage(`{"big":18446744073709551615,"text":"<&>"}`),
				Meta(mcp.Meta{"com.example/x": json.RawMessage("1"), mcp.MetaProtocolVersion: json.RawMessage(`"1999"`)}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(s.got("tools/call", 0).Params)); diff != "" {
				t.Errorf("params (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswers: every way a POST can end, and what its caller sees: never a wait
// (HTTP-02, HTTP-11, RPC-10, T-11, M-HTTP-020).
func TestAnswers(t *testing.T) {
	ok := `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ok"}]}}`
	as := func(contentType, body string) act {
		return func(w http.ResponseWriter, s seen) {
			plainly(200, contentType, strings.ReplaceAll(body, "ID", s.id()))(w, s)
		}
	}
	for _, tc := range []struct {
		name string
		do   act
		err  error  // nil: the call succeeds
		text string // in the error
	}{
		{"JSON with a charset", as("application/json;charset=UTF-8", ok), nil, ""},
		{"JSON in capitals", as("APPLICATION/JSON", ok), nil, ""},
		{"JSON without a type", as("", ok), nil, ""},
		{"stream in capitals", as("TEXT/EVENT-STREAM", "data: "+ok+"\n\n"), nil, ""},
		{"HTML", as("text/html", "<html>log in</html>"), mcp.ErrInvalidResponse, "text/html"},
		{"text that mentions JSON", as("text/plain; a=application/json", ok), mcp.ErrInvalidResponse, "text/plain"},
		{"empty", as("application/json", ""), mcp.ErrInvalidResponse, "without an answer"},
		{"no JSON", as("application/json", "{"), mcp.ErrInvalidResponse, "no message"},
		{"JSON-01 duplicate names", as("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}`), mcp.ErrInvalidResponse, "duplicate"},
		{"no JSON-RPC", as("application/json", `{"ok":true}`), mcp.ErrInvalidResponse, "missing"},
		{"another id", as("application/json", `{"jsonrpc":"2.0","id":4711,"result":{}}`), mcp.ErrInvalidResponse, "request 4711"},
		{"RPC-02 id as a string", as("application/json", `{"jsonrpc":"2.0","id":"ID","result":{}}`), mcp.ErrInvalidResponse, "to request"},
		{"a notification", as("application/json", `{"jsonrpc":"2.0","method":"notifications/x"}`), mcp.ErrInvalidResponse, ""},
		{"a batch outside of 2025-03-26", as("application/json", "["+ok+"]"), mcp.ErrInvalidResponse, ""},
		{"RPC-10 error that is a string", as("application/json", `{"jsonrpc":"2.0","id":ID,"error":"boom"}`), &mcp.Error{Code: mcp.CodeInternal}, "boom"},
		{"RPC-10 error with a word for a code", as("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":"E_FAIL","message":"x"}}`), mcp.ErrInvalidResponse, "E_FAIL"},
		{"error with a null id", as("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}`), &mcp.Error{Code: mcp.CodeInternal}, ""},
		{"JSON-RPC error", fault(-32602, "unknown tool"), &mcp.Error{Code: mcp.CodeInvalidParams}, "unknown tool"},
		{"JSON-RPC error in a 400", faultAt(400, -32602, "params"), &mcp.Error{Code: mcp.CodeInvalidParams}, ""},
		{"M-HDR-005 JSON-RPC error in a 404", faultAt(404, -32601, "no such"), &mcp.Error{Code: mcp.CodeMethodNotFound}, ""},
		{"JSON-RPC error in a 500", faultAt(500, -32603, "broken"), &mcp.Error{Code: mcp.CodeInternal}, ""},
		{"500", plainly(500, "text/plain", "stack\ntrace"), &StatusError{Status: 500}, "stack trace"},
		{"401", plainly(401, "", "", "WWW-Authenticate", `Bearer scope="a"`), &AuthError{Status: 401}, "Bearer scope"},
		{"403 with a JSON-RPC error", faultAt(403, -32600, "origin"), &AuthError{Status: 403}, "origin"},
		{"413", plainly(413, "", ""), &StatusError{Status: 413}, ""},
		{"431", plainly(431, "", ""), &StatusError{Status: 431}, ""},
		{"202", accepted, mcp.ErrInvalidResponse, "202 Accepted"},
		{"stream without the answer", stream(": hello\n\n"), nil, "ended without the answer"},
		{"stream with another answer", stream("data: {\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n\n"), mcp.ErrInvalidResponse, "request 4711"},
		{"reset", func(http.ResponseWriter, seen) { panic(http.ErrAbortHandler) }, nil, "EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {tc.do, result(`{"content":[]}`)}}))
			c := connected(t, HTTP(s.URL), config())
			_, err := c.Call(t.Context(), "x", nil)
			switch {
			case tc.err == nil && tc.text == "":
				if err != nil {
					t.Error(err)
				}
			case err == nil:
				t.Error("no error")
			case tc.err != nil && !errors.Is(err, tc.err) && !sameStatus(err, tc.err):
				t.Errorf("error is %v, want %v in it", err, tc.err)
			case !strings.Contains(err.Error(), tc.text) || !strings.HasPrefix(err.Error(), `call tool "x": `):
				t.Errorf("error is %q, want %q in it", err, tc.text)
			}
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Errorf("the client is of no use afterwards: %v", err)
			}
		})
	}
}

// TestLimits: what a server sends is bounded (SSE-09, T-43).
func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 2<<10)
	answer := `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"` + big + `"}]}}`
	cfg := config()
	cfg.Limits.Message = 1 << 10
	for _, tc := range []struct {
		name string
		do   act
	}{
		{"JSON with its length", func(w http.ResponseWriter, s seen) {
			result(`{"content":[{"type":"text","text":"`+big+`"}]}`)(w, s)
		}},
		{"JSON in chunks", func(w http.ResponseWriter, s seen) {
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, strings.ReplaceAll(answer, "ID", s.id()))
		}},
		{"event", stream("data: " + answer + "\n\n")},
		{"event without an end", stream("data: " + big)},
		{"lines without an end", stream(strings.Repeat("data: x\n", 1<<10))},
		{"id without an end", stream("id: " + big)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {tc.do}}))
			c := connected(t, HTTP(s.URL), cfg)
			_, err := c.Call(t.Context(), "x", nil)
			if !errors.Is(err, mcp.ErrTooLarge) || !strings.Contains(err.Error(), "Config.Limits.Message") {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("depth", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {result(`{"content":[],"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`)}}))
		c := connected(t, HTTP(s.URL), config())
		if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrInvalidResponse) {
			t.Errorf("error is %v", err)
		}
	})
}

// TestReuse: one connection serves many requests, whatever the form of the
// answers.
func TestReuse(t *testing.T) {
	const ok = `{"content":[{"type":"text","text":"ok"}]}`
	acts := []act{
		result(ok),
		stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + ok + "}\n\n"),
		fault(-32602, "x"),
		faultAt(400, -32602, "x"),
		plainly(500, "text/plain", "down"),
		result(ok),
	}
	s := newScript(t, modern(map[string][]act{"tools/call": acts}))
	c := connected(t, HTTP(s.URL), config())
	for range acts {
		_, _ = c.Call(t.Context(), "x", nil) // how each ends is shown elsewhere
		c.peer().link.(*httpLink).background.Wait()
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections were opened for %d requests", n, len(acts)+1)
	}
}
