package httpx

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var (
	loopback4 = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8333}
	loopback6 = &net.TCPAddr{IP: net.IPv6loopback, Port: 8333}
	lan       = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8333}
	unix      = &net.UnixAddr{Name: "/run/mcp.sock", Net: "unix"}
)

func guarded(local net.Addr, host string, origins ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	if local != nil {
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	}
	r.Host = host
	for _, o := range origins {
		r.Header.Add("Origin", o)
	}
	return r
}

// SEC-01, M-HTTP-002, M-HTTP-003, M-HTTP-005.
func TestGuard(t *testing.T) {
	none := GuardConfig{}
	listed := GuardConfig{Origins: []string{"https://app.example", "HTTPS://Other.Example:443", "http://port.example:8080", "vscode-webview://abc"}}
	proxied := GuardConfig{Hosts: []string{"MCP.example", "port.example:8443", "[2001:db8::1]"}}
	for _, c := range []struct {
		name    string
		config  GuardConfig
		local   net.Addr
		host    string
		origins []string
		ok      bool
	}{
		{"no origin", none, loopback4, "localhost:8333", nil, true},
		{"IPv4", none, loopback4, "127.0.0.1:8333", nil, true},
		{"all of 127/8", none, loopback4, "127.8.9.10", nil, true},
		{"IPv6", none, loopback6, "[::1]:8333", nil, true},
		{"mapped IPv4", none, loopback6, "[::ffff:127.0.0.1]:1", nil, true},
		{"other port", none, loopback4, "localhost:1", nil, true},
		{"no port", none, loopback4, "localhost", nil, true},
		{"upper case", none, loopback4, "LOCALHOST:8333", nil, true},
		{"root's dot", none, loopback4, "localhost.:8333", nil, true},
		{"foreign host", none, loopback4, "evil.example:8333", nil, false},
		{"host that begins like ours", none, loopback4, "localhost.evil.example:8333", nil, false},
		{"host that ends like ours", none, loopback4, "evil-localhost:8333", nil, false},
		{"user in host", none, loopback4, "localhost@evil.example", nil, false},
		{"short IPv4", none, loopback4, "127.1", nil, false},
		{"decimal IPv4", none, loopback4, "2130706433", nil, false},
		{"zero address", none, loopback4, "0.0.0.0:8333", nil, false},
		{"no host", none, loopback4, "", nil, false},
		{"port alone", none, loopback4, ":8333", nil, false},
		{"bad port", none, loopback4, "localhost:80a", nil, false},
		{"empty port", none, loopback4, "localhost:", nil, false},
		{"unclosed bracket", none, loopback4, "[::1", nil, false},
		{"text behind bracket", none, loopback4, "[::1]x:80", nil, false},
		{"IPv4 in brackets", none, loopback4, "[127.0.0.1]", nil, false},
		{"zone", none, loopback6, "[::1%25lo]", nil, false},

		{"loopback origin", none, loopback4, "localhost:8333", []string{"http://localhost:5173"}, true},
		{"loopback origin by address", none, loopback4, "localhost:8333", []string{"http://127.0.0.1"}, true},
		{"loopback origin by IPv6", none, loopback4, "localhost:8333", []string{"http://[::1]:3000"}, true},
		{"loopback origin with TLS", none, loopback4, "localhost:8333", []string{"https://localhost"}, true},
		{"foreign origin", none, loopback4, "localhost:8333", []string{"http://evil.example"}, false},
		{"rebinding names both", none, loopback4, "evil.example:8333", []string{"http://evil.example:8333"}, false},
		{"null origin", none, loopback4, "localhost:8333", []string{"null"}, false},
		{"empty origin", none, loopback4, "localhost:8333", []string{""}, false},
		{"look-alike origin", none, loopback4, "localhost:8333", []string{"http://localhost.evil.example"}, false},
		{"origin with path", none, loopback4, "localhost:8333", []string{"http://localhost/"}, false},
		{"origin with user", none, loopback4, "localhost:8333", []string{"http://localhost:x@evil.example"}, false},
		{"origin with other scheme", none, loopback4, "localhost:8333", []string{"ftp://localhost"}, false},
		{"two origins in one", none, loopback4, "localhost:8333", []string{"http://localhost http://evil.example"}, false},
		{"two origin lines", none, loopback4, "localhost:8333", []string{"http://localhost", "http://localhost"}, false},
		{"origin in no form", none, loopback4, "localhost:8333", []string{"%zz"}, false},

		{"public connection, any host", none, lan, "mcp.example", nil, true},
		{"public connection, loopback origin", none, lan, "mcp.example", []string{"http://localhost:5173"}, false},
		{"public connection, its own origin", none, lan, "mcp.example", []string{"https://mcp.example"}, false},
		{"socket file, any host", none, unix, "x", nil, true},
		{"unknown connection, any host", none, nil, "x", nil, true},
		{"unknown connection, origin", none, nil, "localhost", []string{"http://localhost"}, false},

		{"listed origin", listed, lan, "mcp.example", []string{"https://app.example"}, true},
		{"listed origin, default port said", listed, lan, "mcp.example", []string{"https://app.example:443"}, true},
		{"listed with default port", listed, lan, "mcp.example", []string{"https://other.example"}, true},
		{"listed with port", listed, lan, "mcp.example", []string{"http://port.example:8080"}, true},
		{"listed with other port", listed, lan, "mcp.example", []string{"http://port.example"}, false},
		{"listed with other scheme", listed, lan, "mcp.example", []string{"http://app.example"}, false},
		{"listed host below", listed, lan, "mcp.example", []string{"https://x.app.example"}, false},
		{"listed scheme of its own", listed, lan, "mcp.example", []string{"vscode-webview://abc"}, true},
		{"listed origin on loopback", listed, loopback4, "localhost", []string{"https://app.example"}, true},
		{"listed origin, foreign host on loopback", listed, loopback4, "app.example", []string{"https://app.example"}, false},

		{"proxied host", proxied, loopback4, "mcp.EXAMPLE", nil, true},
		{"proxied host, any port", proxied, loopback4, "mcp.example:443", nil, true},
		{"proxied host, its port", proxied, loopback4, "port.example:8443", nil, true},
		{"proxied host, other port", proxied, loopback4, "port.example:80", nil, false},
		{"proxied host, IPv6", proxied, loopback4, "[2001:db8::1]:80", nil, true},
		{"loopback name beside them", proxied, loopback4, "localhost", nil, true},
		{"listed hosts are checked everywhere", proxied, lan, "evil.example", nil, false},
		{"listed hosts serve public connections", proxied, lan, "mcp.example", nil, true},
		{"loopback name on a public connection", proxied, lan, "localhost", nil, false},

		{"any origin", GuardConfig{AllowAnyOrigin: true}, lan, "mcp.example", []string{"null"}, true},
		{"any origin, foreign host on loopback", GuardConfig{AllowAnyOrigin: true}, loopback4, "evil.example", []string{"http://evil.example"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := NewGuard(c.config)
			if err != nil {
				t.Fatal(err)
			}
			r := guarded(c.local, c.host, c.origins...)
			err = g.Check(r)
			var refused *RefusedError
			if c.ok != (err == nil) || err != nil && (!errors.As(err, &refused) || refused.Status != http.StatusForbidden) {
				t.Errorf("Check: %v, want ok %t", err, c.ok)
			}
			if c.ok && len(c.origins) == 1 && !g.AllowsOrigin(r, c.origins[0]) {
				t.Error("AllowsOrigin disagrees")
			}
		})
	}
}

func TestGuardConfigFaults(t *testing.T) {
	_, err := NewGuard(GuardConfig{Hosts: []string{"ok.example", "http://x", "*"}, Origins: []string{"*", "null", "app.example", "https://x/", "https://ok.example"}})
	want := `allowed host "http://x": write it as name or name:port
allowed host "*": write it as name or name:port
allowed origin "*": write it as scheme://host or scheme://host:port; AllowAnyOrigin allows all
allowed origin "null": write it as scheme://host or scheme://host:port; AllowAnyOrigin allows all
allowed origin "app.example": write it as scheme://host or scheme://host:port; AllowAnyOrigin allows all
allowed origin "https://x/": write it as scheme://host or scheme://host:port; AllowAnyOrigin allows all`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v, want\n%s", err, want)
	}
}

// The text of a refusal quotes what was sent, and no more than a little of it.
func TestGuardErrorText(t *testing.T) {
	g, err := NewGuard(GuardConfig{})
	if err != nil {
		t.Fatal(err)
	}
	err = g.Check(guarded(loopback4, "localhost", "http://evil.example\x1b[2J"))
	want := `origin "http://evil.example\x1b[2J" is not allowed; add it to the allowed origins if it should be`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := g.Check(guarded(loopback4, strings.Repeat("x", 10_000))); err == nil || len(err.Error()) > 300 {
		t.Errorf("text of %d bytes", len(err.Error()))
	}
}

// The address a server tells is the one the guard reads.
func TestGuardBehindServer(t *testing.T) {
	g, err := NewGuard(GuardConfig{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var refused *RefusedError
		if err := g.Check(r); errors.As(err, &refused) {
			http.Error(w, refused.Error(), refused.Status)
		}
	}))
	defer srv.Close()
	client := srv.Client()
	defer client.CloseIdleConnections()
	for host, want := range map[string]int{"": http.StatusOK, "localhost:1": http.StatusOK, "evil.example": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %q: status %d, want %d", host, resp.StatusCode, want)
		}
	}
}

func BenchmarkGuard(b *testing.B) {
	g, err := NewGuard(GuardConfig{})
	if err != nil {
		b.Fatal(err)
	}
	r := guarded(loopback4, "127.0.0.1:8333")
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Check(r); err != nil {
			b.Fatal(err)
		}
	}
}
