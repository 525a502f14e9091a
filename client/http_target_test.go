package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/httpx"
)

// TestStrangers: configured headers never replace the protocol's (HTTP-12).
func TestStrangers(t *testing.T) {
	var text log
	cfg := config()
	cfg.Logger = text.logger()
	s := newScript(t, modern(nil))
	c := connected(t, HTTP(s.URL,
		Header("accept", "application/vnd.gw+json"), Header("content-type", "text/plain"),
		Header("mcp-protocol-version", "1.0"), Header("MCP-Param-X", "y"), Header("Mcp-Session-Id", "z"),
		Header("Authorization", "Basic secret"), Header("X-A", "0"), Header("x-a", "1"), Header("Host", "public.example")), cfg)
	got := s.got("server/discover", 0)
	want := map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json", headerVersion: "2026-07-28", headerSession: "-", headerMethod: "server/discover", headerName: "-"}
	if diff := cmp.Diff(want, headersOf(got)); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got.Header.Get("X-A") != "1" || len(got.Header.Values("X-A")) != 1 || got.Header.Get("Authorization") != "Basic secret" || got.Header.Get("Mcp-Param-X") != "" {
		t.Errorf("headers are %v", got.Header)
	}
	if logged := text.String(); !strings.Contains(logged, "Accept") || strings.Contains(logged, "secret") {
		t.Errorf("log is %q", logged)
	}
	if ua := got.Header.Get("User-Agent"); ua != "tester/1" {
		t.Errorf("user agent is %q", ua)
	}
	_ = c
}

func TestBearer(t *testing.T) {
	n := atomic.Int64{}
	s := newScript(t, modern(map[string][]act{"tools/call": {result(`{"content":[]}`)}}))
	c := connected(t, HTTP(s.URL, Header("Authorization", "Basic x"), BearerFunc(func(context.Context) (string, error) {
		if n.Add(1) == 3 {
			return "", errors.New("vault is sealed")
		}
		return fmt.Sprintf("token-%d", n.Load()), nil
	})), config())
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "vault is sealed") {
		t.Errorf("error is %v", err)
	}
	for i, method := range []string{"server/discover", "tools/call"} {
		if got := s.got(method, 0).Header.Values("Authorization"); len(got) != 1 || got[0] != fmt.Sprintf("Bearer token-%d", i+1) {
			t.Errorf("authorization of %s is %q", method, got)
		}
	}
	const secret = "se cret\n"
	_, err := Connect(t.Context(), HTTP(s.URL, Bearer(secret)), config())
	if err == nil || strings.Contains(err.Error(), "cret") {
		t.Errorf("error is %v", err)
	}
}

// TestRedirects: nothing leaves its origin, and a POST stays one (HTTP-09).
func TestRedirects(t *testing.T) {
	var reached atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer elsewhere.Close()
	for _, tc := range []struct {
		name   string
		status int
		to     string // "" is the script itself
		follow bool
	}{
		{"307 to another origin", 307, elsewhere.URL, false},
		{"308 to another origin", 308, elsewhere.URL, false},
		{"301 within the origin", 301, "", false},
		{"302 within the origin", 302, "", false},
		{"303 within the origin", 303, "", false},
		{"307 within the origin", 307, "", true},
		{"308 within the origin", 308, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {
				func(w http.ResponseWriter, s seen) {
					to := tc.to
					if to == "" {
						to = "/elsewhere"
					}
					plainly(tc.status, "", "", "Location", to)(w, s)
				},
				result(`{"content":[]}`),
			}}))
			c := connected(t, HTTP(s.URL, Bearer("secret")), config())
			_, err := c.Call(t.Context(), "x", nil)
			if tc.follow {
				if err != nil {
					t.Fatal(err)
				}
				if again := s.got("tools/call", 1); again.Header.Get("Authorization") == "" || again.HTTP != http.MethodPost {
					t.Errorf("followed with %s %v", again.HTTP, again.Header)
				}
				return
			}
			if _, ok := errors.AsType[*httpx.RedirectError](err); !ok {
				t.Errorf("error is %v, want a *httpx.RedirectError", err)
			}
		})
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("another origin was reached %d times", n)
	}
	t.Run("loop", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {plainly(307, "", "", "Location", "/mcp")}}))
		c := connected(t, HTTP(s.URL), config())
		if _, err := c.Call(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestTarget: what is wrong with a target is said by Connect, and no secret is.
func TestTarget(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		target     Target
	}{
		{"no scheme", "is no URL of a server", HTTP("host/mcp")},
		{"another scheme", "is no URL of a server", HTTP("ftp://host/mcp")},
		{"no URL", "client.HTTP", HTTP("http://[::1")},
		{"bad header name", `"X A" is no name`, HTTP("http://127.0.0.1:1/", Header("X A", "1"))},
		{"bad header value", "line ends", HTTP("http://127.0.0.1:1/", Header("X-A", "secret\r\nX: y"))},
		{"refused", "refused", HTTP("http://user:secret@127.0.0.1:1/?key=secret")},
		{"nil", "target is nil", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Connect(t.Context(), tc.target, config())
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error is %v, want %q in it", err, tc.want)
			}
		})
	}
	if got := HTTP("https://u:p@host:8443/a/mcp?token=x").String(); got != "https://host:8443/a/mcp" {
		t.Errorf("target is called %q", got)
	}
}
