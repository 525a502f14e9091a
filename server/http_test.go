package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// HTTP-01, HTTP-02, T-12: media types are compared as types.
func TestMediaTypes(t *testing.T) {
	svc := NewService("")
	Tool(svc, "echo", says("hi"))
	s := serveHTTP(t, serverOf(t, svc).Handler())
	body, _ := modernCall("1", "echo", "{}")
	const json, stream = "application/json", "text/event-stream"
	for _, tt := range []struct {
		name         string
		header       string
		values       []string
		status       int
		contentTypes string
	}{
		{"any", "Accept", []string{"*/*"}, 200, json},
		{"wildcards", "Accept", []string{"application/*, text/*"}, 200, json},
		{"weights and parameters", "Accept", []string{"application/json;q=0.9, text/event-stream; charset=utf-8"}, 200, json},
		{"two lines", "Accept", []string{json, stream}, 200, json},
		{"JSON excluded", "Accept", []string{"application/json;q=0, text/event-stream"}, 200, stream},
		{"streams alone", "Accept", []string{stream}, 200, stream},
		{"JSON alone", "Accept", []string{json}, 200, json},
		{"none", "Accept", nil, 200, json},
		{"neither", "Accept", []string{"text/html, image/*"}, 406, json},
		{"charset", "Content-Type", []string{"application/json; charset=utf-8"}, 200, json},
		{"another case", "Content-Type", []string{"Application/JSON"}, 200, json},
		{"empty parameter", "Content-Type", []string{"application/json;"}, 200, json},
		{"JSON in a parameter", "Content-Type", []string{"text/plain; a=application/json"}, 415, json},
		{"JSON patch", "Content-Type", []string{"application/json-patch+json"}, 415, json},
		{"no type", "Content-Type", nil, 415, json},
		{"a list", "Content-Type", []string{"application/json, text/plain"}, 415, json},
		{"twice", "Content-Type", []string{json, json}, 415, json},
	} {
		t.Run(tt.header+" "+tt.name, func(t *testing.T) {
			h := modernHeader(mcp.MethodToolsCall, "echo")
			delete(h, tt.header)
			if tt.values != nil {
				h[tt.header] = tt.values
			}
			a := s.do(http.MethodPost, body, h)
			if a.status != tt.status || a.header.Get("Content-Type") != tt.contentTypes {
				t.Errorf("%d %s %s; want %d %s", a.status, a.header.Get("Content-Type"), a.body, tt.status, tt.contentTypes)
			}
		})
	}
}

// SEC-01: Origin and Host, on every method, before anything else.
func TestOriginAndHost(t *testing.T) {
	s := serveHTTP(t, configured(t, Config{HTTP: HTTPConfig{AllowedOrigins: []string{"https://app.example.com"}}}).Handler())
	port := s.url[strings.LastIndex(s.url, ":")+1:]
	for _, tt := range []struct {
		name, header string
		values       []string
		allowed      bool
	}{
		{"no origin", "Origin", nil, true},
		{"configured", "Origin", []string{"https://app.example.com"}, true},
		{"local page", "Origin", []string{"http://localhost:5173"}, true},
		{"local page by address", "Origin", []string{"http://127.0.0.1"}, true},
		{"local page by IPv6", "Origin", []string{"http://[::1]:3000"}, true},
		{"evil", "Origin", []string{"http://evil.example"}, false},
		{"null", "Origin", []string{"null"}, false},
		{"look-alike", "Origin", []string{"http://localhost.evil.example"}, false},
		{"another scheme of a configured one", "Origin", []string{"http://app.example.com"}, false},
		{"empty", "Origin", []string{""}, false},
		{"two", "Origin", []string{"http://localhost:1", "http://localhost:1"}, false},
		{"localhost", "Host", []string{"localhost:" + port}, true},
		{"localhost in capitals", "Host", []string{"LOCALHOST:" + port}, true},
		{"IPv6", "Host", []string{"[::1]:" + port}, true},
		{"rebound", "Host", []string{"evil.example:" + port}, false},
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				h := modernHeader(mcp.MethodDiscover, "")
				if tt.values != nil {
					h[tt.header] = tt.values
				}
				a := s.do(method, modernBody("1", mcp.MethodDiscover, "", ""), h)
				if (a.status == http.StatusForbidden) == tt.allowed {
					t.Errorf("%d %s; allowed is %v", a.status, a.body, tt.allowed)
				}
				if tt.allowed && method == http.MethodPost && a.status != http.StatusOK {
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
	}
}

// T-58: a page of an allowed origin may send the headers of the protocol, those
// of the tools of now included, and read those it needs.
func TestCORS(t *testing.T) {
	type located struct {
		Region string `json:"region" mcp:"header=Region"`
	}
	srv := configured(t, Config{HTTP: HTTPConfig{AllowedOrigins: []string{"https://app.example.com"}}})
	s := serveHTTP(t, srv.Handler())
	preflight := func(headers string) answered {
		return s.do(http.MethodOptions, "", header("Origin", "https://app.example.com",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", headers))
	}
	const usual = "accept,authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
	a := preflight(usual)
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" ||
		a.header.Get("Access-Control-Allow-Headers") != usual || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
	if a := preflight("mcp-param-region"); a.header.Get("Access-Control-Allow-Headers") != "" {
		t.Errorf("preflight for a header of no tool: %v", a.header)
	}
	svc := NewService("geo")
	Tool(svc, "locate", func(context.Context, located) (string, error) { return "here", nil })
	if err := srv.Add(svc); err != nil {
		t.Fatal(err)
	}
	if a := preflight("mcp-method,mcp-param-region"); a.header.Get("Access-Control-Allow-Headers") != "mcp-method,mcp-param-region" {
		t.Errorf("preflight after the tool was added: %v", a.header)
	}
	h := modernHeader(mcp.MethodDiscover, "", "Origin", "https://app.example.com")
	a = s.do(http.MethodPost, modernBody("1", mcp.MethodDiscover, "", ""), h)
	if a.status != http.StatusOK || a.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" ||
		a.header.Get("Access-Control-Expose-Headers") != "Mcp-Session-Id, Www-Authenticate" {
		t.Errorf("request: %d %v", a.status, a.header)
	}
}

// SEC-03: bodies are bounded, whatever they announce, in size and in time.
func TestBodiesAreBounded(t *testing.T) {
	s := serveHTTP(t, configured(t, Config{Limits: Limits{Message: 1000}, HTTP: HTTPConfig{BodyTimeout: 50 * time.Millisecond}}).Handler())
	head := "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	for _, tt := range []struct {
		name, request string
		status        int
		says          string
	}{
		{"announced", head + "Content-Length: 10000000000\r\n\r\n", 413, "limit is 1000"},
		{"chunked", head + "Transfer-Encoding: chunked\r\n\r\n1000\r\n" + strings.Repeat("x", 0x1000), 413, "1000"},
		{"never complete", head + "Content-Length: 100\r\n\r\n{", 408, "within"},
		{"refused and never complete", strings.Replace(head, "application/json", "text/plain", 1) + "Content-Length: 100\r\n\r\n{", 415, "text/plain"},
		{"long and chunked", head + "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + strings.Repeat("x", 0x100000) + "\r\n", 413, "1000"},
		{"exactly the limit", head + "Content-Length: 1000\r\n\r\n" + strings.Repeat(" ", 1000), 400, "unexpected end"},
		{"one more", head + "Content-Length: 1001\r\n\r\n" + strings.Repeat(" ", 1001), 413, "limit is 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial()
			if _, err := c.Write([]byte(tt.request)); err != nil {
				t.Fatal(err)
			}
			a := s.read(c.response())
			if a.status != tt.status || !strings.Contains(a.body, tt.says) || strings.Contains(a.body, `"id"`) {
				t.Errorf("%d %s; want %d, %q", a.status, a.body, tt.status, tt.says)
			}
		})
	}
}

// SES-08, RPC-02: many clients with the same ids, in both eras at once, each get
// their own answers.
func TestManyClients(t *testing.T) {
	type in struct {
		Secret string `json:"secret"`
	}
	svc := NewService("")
	Tool(svc, "echo", func(ctx context.Context, in in) (string, error) {
		Progress(ctx, 1, 0, "got "+in.Secret)
		return "echo " + in.Secret, nil
	})
	s := serveHTTP(t, serverOf(t, svc).Handler())
	var wg sync.WaitGroup
	for c := range 20 {
		wg.Go(func() {
			var session string
			if c%2 == 0 {
				session = s.open(mcp.Profiles()[1+c%4])
			}
			for i := range 20 {
				secret, id := fmt.Sprintf("s%d-%d", c, i), fmt.Sprint(i)
				args := fmt.Sprintf(`{"secret":%q}`, secret)
				body, h := modernCall(id, "echo", args)
				if session != "" {
					body, h = legacyBody(id, mcp.MethodToolsCall, fmt.Sprintf(`{"name":"echo","arguments":%s,"_meta":{"progressToken":%s}}`, args, id)), legacyHeader(session)
				}
				a := s.do(http.MethodPost, body, h)
				if a.status != http.StatusOK || !strings.Contains(a.body, `"id":`+id+`,`) || !strings.Contains(a.body, "echo "+secret) {
					t.Errorf("client %d, call %d: %d %s", c, i, a.status, a.body)
				}
			}
		})
	}
	wg.Wait()
}

// SES-07: a session belongs to the principal that opened it; nobody else learns
// that it exists.
func TestSessionIsBoundToItsPrincipal(t *testing.T) {
	svc := NewService("")
	Tool(svc, "who", func(ctx context.Context, _ nothing) (string, error) {
		return "you are " + CallFrom(ctx).Principal(), nil
	})
	inner := serverOf(t, svc).Handler()
	s := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r.WithContext(asPrincipal(r.Context(), r.Header.Get("X-User"))))
	}))
	session := s.do(http.MethodPost, initializeBody("2025-11-25"), legacyHeader("", "X-User", "a")).header.Get("Mcp-Session-Id")
	for _, attempt := range []struct{ name, method, body string }{
		{"call", http.MethodPost, legacyCall("1", "who", "{}")},
		{"response", http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"cancel", http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
		{"initialize", http.MethodPost, initializeBody("2025-11-25")},
		{"delete", http.MethodDelete, ""},
	} {
		for _, user := range []string{"b", ""} {
			if a := s.do(attempt.method, attempt.body, legacyHeader(session, "X-User", user)); a.status != http.StatusNotFound || a.header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s as %q: %d %s", attempt.name, user, a.status, a.body)
			}
		}
	}
	if a := s.do(http.MethodPost, legacyCall("1", "who", "{}"), legacyHeader(session, "X-User", "a")); !strings.Contains(a.body, "you are a") {
		t.Errorf("owner: %d %s", a.status, a.body)
	}
	body, h := modernCall("1", "who", "{}")
	h.Set("X-User", "m")
	if a := s.do(http.MethodPost, body, h); !strings.Contains(a.body, "you are m") {
		t.Errorf("modern: %d %s", a.status, a.body)
	}
}

// SES-15: a client is served once initialize was answered, whether it says
// initialized late, twice, or never.
func TestInitializedIsNotWaitedFor(t *testing.T) {
	svc := NewService("")
	Tool(svc, "echo", says("hi"))
	s := serveHTTP(t, serverOf(t, svc).Handler())
	session := s.open(mcp.Legacy20250618)
	call := func(when string) {
		t.Helper()
		if a := s.do(http.MethodPost, legacyCall("1", "echo", "{}"), legacyHeader(session)); a.status != http.StatusOK || code(t, a.body) != 0 {
			t.Errorf("call %s: %d %s", when, a.status, a.body)
		}
	}
	call("before initialized")
	for range 2 {
		if a := s.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, legacyHeader(session)); a.status != http.StatusAccepted {
			t.Errorf("initialized: %d %s", a.status, a.body)
		}
		call("after initialized")
	}
}

// SES-04: an initialize that fails, or comes in a session, leaves all as it was.
func TestFailedInitializeKeepsNothing(t *testing.T) {
	refuse := func(ctx context.Context, call *Call, next Next) (any, error) {
		result, err := next(ctx, call)
		if call.Method() == mcp.MethodInitialize && call.Client().Name == "evil" {
			return nil, mcp.Errorf(mcp.CodeInternal, "no")
		}
		return result, err
	}
	srv := configured(t, Config{Interceptors: []Interceptor{refuse}})
	s := serveHTTP(t, srv.Handler())
	session := s.open(mcp.Legacy20251125)
	for _, tt := range []struct {
		name, body string
		header     http.Header
		code       mcp.Code
	}{
		{"no params", legacyBody("2", mcp.MethodInitialize, "{}"), legacyHeader(""), mcp.CodeInvalidParams},
		{"version a number", legacyBody("2", mcp.MethodInitialize, `{"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"t","version":"0"}}`), legacyHeader(""), mcp.CodeInvalidParams},
		{"refused by an interceptor", strings.Replace(initializeBody("2025-11-25"), `"t"`, `"evil"`, 1), legacyHeader(""), mcp.CodeInternal},
		{"in a session", strings.Replace(initializeBody("2024-11-05"), `"t"`, `"evil"`, 1), legacyHeader(session), mcp.CodeInvalidRequest},
	} {
		a := s.do(http.MethodPost, tt.body, tt.header)
		if code(t, a.body) != int(tt.code) || a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %v %s", tt.name, a.status, a.header, a.body)
		}
	}
	if n := srv.edge.sessions.len(); n != 1 {
		t.Errorf("%d sessions are kept, want 1", n)
	}
}

// SES-05: over HTTP, a session that nobody uses is unknown after a while, and
// beyond the cap the one unused for longest is.
func TestIdleSessionsOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := configured(t, Config{Session: SessionConfig{Idle: time.Minute, Max: 2}})
		h := srv.Handler()
		do := func(body, session string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, postRequest(t, body, legacyHeader(session)))
			return w
		}
		open := func() string { return do(initializeBody("2025-11-25"), "").Header().Get("Mcp-Session-Id") }
		ping := func(session string) int { return do(legacyBody("1", "ping", "{}"), session).Code }
		a := open()
		time.Sleep(59 * time.Second)
		if got := ping(a); got != 200 {
			t.Errorf("in use: %d", got)
		}
		time.Sleep(59 * time.Second)
		if got := ping(a); got != 200 {
			t.Errorf("still in use: %d", got)
		}
		time.Sleep(time.Minute)
		if got := ping(a); got != 404 {
			t.Errorf("idle: %d", got)
		}
		b, c := open(), open()
		ping(b)
		d := open()
		if ping(b) != 200 || ping(c) != 404 || ping(d) != 200 {
			t.Errorf("after the cap: %d %d %d", ping(b), ping(c), ping(d))
		}
	})
}

// INIT-04: when every session is in use there is no room for another.
func TestSessionsInUseMakeNoRoom(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, configured(t, Config{Session: SessionConfig{Max: 1}}, svc.Service).Handler())
	id := s.open(mcp.Legacy20251125)
	done := make(chan answered, 1)
	go func() { done <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(id)) }()
	within(t, svc.began, "call")
	a := s.do(http.MethodPost, initializeBody("2025-11-25"), legacyHeader(""))
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || a.header.Get("Mcp-Session-Id") != "" || code(t, a.body) != int(mcp.CodeInternal) {
		t.Errorf("initialize: %d %v %s", a.status, a.header, a.body)
	}
	close(svc.release)
	within(t, done, "call")
	s.open(mcp.Legacy20251125)
}

// LOG-04, LOG-08: each session has its own level, info at first.
func TestLogLevelOfASession(t *testing.T) {
	svc := NewService("")
	Tool(svc, "log", func(ctx context.Context, _ nothing) (string, error) {
		Log(ctx).Debug("fine")
		Log(ctx).Info("news")
		Log(ctx).Error("bad")
		return "logged", nil
	})
	s := serveHTTP(t, serverOf(t, svc).Handler())
	levels := func(session string) string {
		t.Helper()
		var got []string
		for line := range strings.Lines(s.do(http.MethodPost, legacyCall("1", "log", "{}"), legacyHeader(session)).body) {
			for _, text := range []string{"fine", "news", "bad"} {
				if strings.Contains(line, text) {
					got = append(got, text)
				}
			}
		}
		return strings.Join(got, " ")
	}
	a, b := s.open(mcp.Legacy20251125), s.open(mcp.Legacy20241105)
	if got := levels(a); got != "news bad" {
		t.Errorf("at first: %q", got)
	}
	s.do(http.MethodPost, legacyBody("1", mcp.MethodSetLevel, `{"level":"error"}`), legacyHeader(a))
	s.do(http.MethodPost, legacyBody("1", mcp.MethodSetLevel, `{"level":"debug"}`), legacyHeader(b))
	if got, other := levels(a), levels(b); got != "bad" || other != "fine news bad" {
		t.Errorf("then: %q and %q", got, other)
	}
}
