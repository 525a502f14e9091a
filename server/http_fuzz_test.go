package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// FuzzHTTP: whatever is posted with whatever headers, the endpoint answers once,
// with a status it knows, and with JSON-RPC or nothing.
func FuzzHTTP(f *testing.F) {
	body, _ := modernCall("1", "echo", "{}")
	f.Add([]byte(body), "2026-07-28", "tools/call", "echo", false)
	f.Add([]byte(body), "", "tools/call", "=?base64?ZWNobw==?=", false)
	f.Add([]byte(legacyCall("1", "echo", "{}")), "2025-03-26", "", "", true)
	f.Add([]byte("["+legacyBody("1", "ping", "null")+`,{"foo":1},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`), "", "", "", true)
	f.Add([]byte(initializeBody("2025-11-25")), "", "", "", false)
	f.Add([]byte(initializeBody("9")), "draft", "initialize", "", true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), "", "", "", true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1.0,"method":"\u0000","params":[[[]]]}`), "\x00", "\t", " ", false)
	svc := NewService("")
	Tool(svc, "echo", says("hi"))
	srv, err := New(Config{Info: testInfo}, svc)
	if err != nil {
		f.Fatal(err)
	}
	h := srv.Handler()
	session := func() string {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(initializeBody("2025-03-26")))
		r.Header = legacyHeader("")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Header().Get("Mcp-Session-Id")
	}()
	known := []int{200, 202, 400, 404, 413}
	f.Fuzz(func(t *testing.T, body []byte, version, method, name string, inSession bool) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.Header = legacyHeader("")
		for k, v := range map[string]string{"Mcp-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name} {
			if v != "" {
				r.Header[k] = []string{v}
			}
		}
		if inSession {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !slices.Contains(known, w.Code) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if w.Body.Len() == 0 {
			if w.Code != http.StatusAccepted {
				t.Fatalf("status %d without a body", w.Code)
			}
			return
		}
		if err := jsonx.Check(w.Body.Bytes(), 0); err != nil {
			t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
		}
		if strings.Contains(w.Body.String(), mcp.MetaServerInfo) && w.Header().Get("Mcp-Session-Id") != "" {
			t.Fatalf("a modern result with a session id: %s", w.Body)
		}
	})
}
