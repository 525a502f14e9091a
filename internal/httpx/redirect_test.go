package httpx

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// HTTP-09: what a client does with the redirects of a server.
func TestRedirect(t *testing.T) {
	var leaked atomic.Int32
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	defer foreign.Close()
	var status int
	var location string
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/final" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			io.WriteString(w, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
			return
		}
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}))
	defer home.Close()
	for _, c := range []struct {
		name, method string
		status       int
		location     string
		want, fault  string
	}{
		{"307 at home", "POST", 307, "/final", "POST Bearer s3cret {}", ""},
		{"308 at home", "POST", 308, home.URL + "/final", "POST Bearer s3cret {}", ""},
		{"301 of GET at home", "GET", 301, "/final", "GET Bearer s3cret ", ""},
		{"307 abroad", "POST", 307, foreign.URL + "/mcp", "", "it is another origin; connect to that address if it is trusted"},
		{"302 of GET abroad", "GET", 302, foreign.URL + "/mcp?key=s3cret", "", "it is another origin"},
		{"other scheme", "POST", 307, strings.Replace(home.URL, "http:", "https:", 1), "", "it is another origin"},
		{"301 of POST", "POST", 301, "/final", "", "it turns POST into GET; the server should answer 307 or 308"},
		{"302 of POST", "POST", 302, "/final", "", "it turns POST into GET"},
		{"303 of POST", "POST", 303, "/final", "", "it turns POST into GET"},
		{"303 of DELETE", "DELETE", 303, "/final", "", "it turns DELETE into GET"},
		{"loop", "POST", 307, "/again", "", "more than 5 redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, location = c.status, c.location
			client := &http.Client{CheckRedirect: Redirect, Transport: home.Client().Transport}
			defer client.CloseIdleConnections()
			var body io.Reader = http.NoBody
			if c.method == http.MethodPost {
				body = strings.NewReader("{}")
			}
			req, err := http.NewRequestWithContext(t.Context(), c.method, home.URL+"/mcp", body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer s3cret")
			resp, err := client.Do(req)
			if resp != nil {
				defer resp.Body.Close()
			}
			if c.fault == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(resp.Body); err != nil || string(got) != c.want {
					t.Errorf("got %q, %v; want %q", got, err, c.want)
				}
				return
			}
			var refused *RedirectError
			if !errors.As(err, &refused) || !strings.Contains(refused.Error(), c.fault) {
				t.Errorf("got %v, want an error with %q", err, c.fault)
			} else if strings.Contains(refused.Error(), "s3cret") {
				t.Errorf("a secret in %q", refused)
			}
		})
	}
	if leaked.Load() != 0 {
		t.Error("the foreign server was called")
	}
}

func TestOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"HTTP://Example.com:80/a?b#c":    "http://example.com",
		"https://u:p@example.com:443":    "https://example.com",
		"https://example.com:8443/":      "https://example.com:8443",
		"http://example.com:443":         "http://example.com:443",
		"http://[2001:DB8::1]:80/":       "http://[2001:db8::1]",
		"http://[::1]":                   "http://[::1]",
		"http://example.com:":            "http://example.com",
		"https://good.example.evil.test": "https://good.example.evil.test",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("Origin(%q) = %q, want %q", in, got, want)
		}
	}
}
