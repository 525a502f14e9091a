package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// channel is a client of HTTP+SSE: its stream, and where it posts.
type channel struct {
	*listening

	s    *site
	path string
	who  string
}

// channel opens a stream; the site serves the handler for /sse and /message.
func (s *site) channel(who string) *channel {
	s.t.Helper()
	l := s.at("/sse").listen(http.MethodGet, "", header("Accept", "text/event-stream", "X-Who", who))
	e := l.event()
	if e.Type != "endpoint" || e.HasID || !strings.HasPrefix(string(e.Data), "/message?sessionId=") {
		s.t.Fatalf("the first event is %+v", e) // SSE-02
	}
	return &channel{listening: l, s: s, path: string(e.Data), who: who}
}

// at is the site with another path.
func (s *site) at(path string) *site {
	return &site{t: s.t, url: s.url + path, client: s.client}
}

func (c *channel) post(body string, more ...string) answered {
	c.t.Helper()
	return c.s.at(c.path).do(http.MethodPost, body, header(append([]string{"Content-Type", "application/json", "X-Who", c.who}, more...)...))
}

// send posts a message that must be accepted (SSE-05).
func (c *channel) send(body string) {
	c.t.Helper()
	if a := c.post(body); a.status != http.StatusAccepted || a.body != "" {
		c.t.Fatalf("post: %d %s", a.status, a.body)
	}
}

// initialize opens the session, in a revision.
func (c *channel) initialize(version string) string {
	c.t.Helper()
	c.send(initializeBody(version))
	var result mcp.InitializeResult
	if err := json.Unmarshal(c.message().Result, &result); err != nil {
		c.t.Fatal(err)
	}
	c.send(ready)
	return result.ProtocolVersion
}

// serveSSE serves HTTP+SSE, behind a middleware that believes what callers say.
func serveSSE(t testing.TB, srv *Server) *site {
	return serveHTTP(t, principals(srv.SSEHandler("/sse", "/message")))
}

// SSE-01 to SSE-05, SSE-09, L-SSE-11: two addresses, the second told by the first;
// every answer comes on the stream, and any revision with sessions can be spoken.
func TestSSE(t *testing.T) {
	for offered, spoken := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25",
	} {
		t.Run(offered, func(t *testing.T) {
			svc := newAsks()
			s := serveSSE(t, serverOf(t, svc.Service))
			c := s.channel("")
			if got := c.initialize(offered); got != spoken {
				t.Errorf("negotiated %s", got)
			}
			c.send(legacyCall("1", "quick", "{}"))
			if m := c.message(); string(m.ID) != "1" || !strings.Contains(string(m.Result), "quick") || m.event != "" {
				t.Errorf("reply %+v", m)
			}
			// CON-01: a question, and calls while it is open.
			c.send(legacyCall("2", "ask", "{}"))
			q := c.message()
			c.send(legacyBody("3", mcp.MethodPing, "{}"))
			if m := c.message(); string(m.ID) != "3" {
				t.Errorf("ping meanwhile: %+v", m)
			}
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"a":1}}`, q.ID))
			if m := c.message(); string(m.ID) != "2" || !strings.Contains(string(m.Result), `{\"a\":1}`) {
				t.Errorf("reply %+v", m)
			}
			c.send(legacyCall("4", "nobody", "{}"))
			if m := c.message(); m.Error == nil || m.Error.Code != int(mcp.CodeInvalidParams) {
				t.Errorf("error %+v", m)
			}
		})
	}
}

// SSE-10: the stream is the session, and its end the end of what runs in it.
func TestSSEEnds(t *testing.T) {
	svc := newStalls()
	srv := serverOf(t, svc.Service)
	s := serveSSE(t, srv)
	c, other := s.channel(""), s.channel("")
	c.initialize("2024-11-05")
	other.initialize("2024-11-05")
	c.send(legacyCall("1", "stall", "{}"))
	within(t, svc.began, "call")
	c.leave()
	if err := within(t, svc.ended, "end of the call"); err == nil {
		t.Error("the call was not cancelled")
	}
	for c.post(legacyBody("2", mcp.MethodPing, "{}")).status != http.StatusNotFound {
		// it takes a moment until the server notices
	}
	other.send(legacyCall("1", "stall", "{}"))
	within(t, svc.began, "call")
	drained := make(chan error, 1)
	go func() { drained <- srv.Drain(context.Background()) }()
	close(svc.release)
	if m := other.message(); !strings.Contains(string(m.Result), "released") {
		t.Errorf("reply while draining: %+v", m)
	}
	other.end()
	if err := within(t, drained, "Drain"); err != nil {
		t.Errorf("drain: %v", err)
	}
	if a := s.at("/sse").do(http.MethodGet, "", header("Accept", "text/event-stream")); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("a stream of a server that is closed: %d", a.status)
	}
}

// SSE-05, L-SSE-07, SES-07: what is wrong with a POST, or a GET, is said in its
// answer; nothing of it reaches a session.
func TestSSERefusals(t *testing.T) {
	srv := configured(t, Config{Limits: Limits{Message: 1000}, Session: SessionConfig{Max: 2}}, newAsks().Service)
	s := serveSSE(t, srv)
	mine, theirs := s.channel("a"), s.channel("b")
	mine.initialize("2025-06-18")
	foreign := &channel{listening: mine.listening, s: s, path: mine.path, who: "b"}
	ping := legacyBody("1", mcp.MethodPing, "{}")
	for _, tt := range []struct {
		name   string
		got    answered
		status int
		code   mcp.Code
	}{
		{"a stranger with the key", foreign.post(ping), 404, mcp.CodeInvalidRequest},
		{"an unknown key", s.at("/message?sessionId=x").do("POST", ping, legacyHeader("")), 404, mcp.CodeInvalidRequest},
		{"no key", s.at("/message").do("POST", ping, legacyHeader("")), 400, mcp.CodeInvalidRequest},
		{"two keys", s.at(mine.path+"&sessionId=x").do("POST", ping, legacyHeader("", "X-Who", "a")), 400, mcp.CodeInvalidRequest},
		{"no JSON", mine.post("{"), 400, mcp.CodeParse},
		{"no message", mine.post("{}"), 400, mcp.CodeInvalidRequest},
		{"an empty batch", mine.post("[]"), 400, mcp.CodeInvalidRequest},
		{"too large", mine.post(strings.Repeat(" ", 1001)), 413, mcp.CodeInvalidRequest},
		{"not said to be JSON", mine.post(ping, "Content-Type", "text/plain"), 415, mcp.CodeInvalidRequest},
		{"another page", mine.post(ping, "Origin", "https://evil.example"), 403, mcp.CodeInvalidRequest},
		{"another page's stream", s.at("/sse").do("GET", "", header("Origin", "https://evil.example")), 403, mcp.CodeInvalidRequest},
		{"another host", s.at("/sse").do("GET", "", header("Host", "evil.example")), 403, mcp.CodeInvalidRequest},
		{"no event stream taken", s.at("/sse").do("GET", "", header("Accept", "application/json")), 406, mcp.CodeInvalidRequest},
		{"POST to the stream", s.at("/sse").do("POST", ping, legacyHeader("")), 405, mcp.CodeInvalidRequest},
		{"GET of the address for messages", s.at("/message").do("GET", "", header()), 405, mcp.CodeInvalidRequest},
		{"another address", s.at("/").do("GET", "", header()), 404, mcp.CodeInvalidRequest},
		{"one stream too many", s.at("/sse").do("GET", "", header("Accept", "text/event-stream")), 503, mcp.CodeInternal},
	} {
		if tt.got.status != tt.status || code(t, tt.got.body) != int(tt.code) {
			t.Errorf("%s: %d %s, want %d with %d", tt.name, tt.got.status, tt.got.body, tt.status, tt.code)
		}
		if allow := tt.got.header.Get("Allow"); (tt.status == 405) != (allow != "") {
			t.Errorf("%s: Allow is %q", tt.name, allow)
		}
	}
	mine.send(ping)
	if m := mine.message(); string(m.ID) != "1" {
		t.Errorf("after all that: %+v", m)
	}
	theirs.leave()
	for status := 503; status == 503; { // there is room again, once the server has noticed
		res, err := s.at("/sse").send(t.Context(), http.MethodGet, "", header("Accept", "text/event-stream"))
		if err != nil {
			t.Fatal(err)
		}
		status = res.StatusCode
		_ = res.Body.Close() // which ends a stream
	}
}

// SEC-01, T-58: pages of allowed origins may use both addresses.
func TestSSEForPages(t *testing.T) {
	srv := configured(t, Config{HTTP: HTTPConfig{AllowedOrigins: []string{"https://app.example"}}}, newAsks().Service)
	s := serveSSE(t, srv)
	a := s.at("/message").do(http.MethodOptions, "", header("Origin", "https://app.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type"))
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
	l := s.at("/sse").listen(http.MethodGet, "", header("Origin", "https://app.example"))
	if l.res.Header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("stream: %v", l.res.Header)
	}
	l.event()
}

// SSE-12: silence is filled with comments, before there is a session too.
func TestSSEKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, at("/sse", srv.SSEHandler("/sse", "/m s"))}
		w := m.start(http.MethodGet, "", header("Accept", "text/event-stream"))
		if got := w.text(); !strings.HasPrefix(got, "event: endpoint\ndata: /m%20s?sessionId=") || len(got) < 60 {
			t.Errorf("at once %q", got)
		}
		time.Sleep(31 * time.Second)
		if got := w.text(); got != strings.Repeat(": keep-alive\n\n", 2) {
			t.Errorf("in silence %q", got)
		}
		w.vanish()
		if !w.over() {
			t.Error("the stream outlives its client")
		}
	})
}

// at serves every request as one for path.
func at(path string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = path
		h.ServeHTTP(w, r)
	})
}

// ERA-12, HTTP+SSE has no stateless revision: what describes itself is a request
// of the session like others, and a server without sessions serves nothing.
func TestSSEIsLegacy(t *testing.T) {
	s := serveSSE(t, serverOf(t, newAsks().Service))
	c := s.channel("")
	c.send(modernBody("1", mcp.MethodDiscover, "", ""))
	if m := c.message(); m.Error == nil || m.Error.Code != int(mcp.CodeMethodNotFound) {
		t.Errorf("discover: %+v", m)
	}
	c.send(modernBody("2", mcp.MethodToolsCall, `"name":"quick"`, ""))
	if m := c.message(); m.Error == nil || !strings.Contains(m.Error.Message, "send initialize first") || strings.Contains(m.Error.Message, "_meta") {
		t.Errorf("call before initialize: %+v", m)
	}
	c.initialize("2024-11-05")
	c.send(modernBody("3", mcp.MethodToolsCall, `"name":"quick"`, ""))
	if m := c.message(); !strings.Contains(string(m.Result), "quick") || strings.Contains(string(m.Result), "resultType") {
		t.Errorf("call: %+v", m)
	}
	modern := serveSSE(t, configured(t, Config{Profile: mcp.Newest}))
	if a := modern.at("/sse").do(http.MethodGet, "", header("Accept", "text/event-stream")); a.status != http.StatusNotFound {
		t.Errorf("a server of the stateless revision alone: %d", a.status)
	}
}

// SES-08: many clients at once, each with the ids of the others.
func TestSSEManyClients(t *testing.T) {
	svc := NewService("")
	Tool(svc, "who", func(ctx context.Context, in struct {
		Secret string `json:"secret"`
	}) (string, error) {
		return in.Secret + " " + CallFrom(ctx).Principal() + " " + CallFrom(ctx).Header().Get("X-Who"), nil
	})
	s := serveSSE(t, serverOf(t, svc))
	var clients sync.WaitGroup
	for i := range 10 {
		who := fmt.Sprint("client ", i)
		c := s.channel(who)
		clients.Go(func() {
			c.send(initializeBody("2024-11-05"))
			c.message()
			for id := range 20 {
				c.send(legacyCall(fmt.Sprint(id), "who", fmt.Sprintf(`{"secret":"%s/%d"}`, who, id)))
				if m := c.message(); string(m.ID) != fmt.Sprint(id) || !strings.Contains(string(m.Result), fmt.Sprintf("%s/%d %s %s", who, id, who, who)) {
					t.Errorf("%s got %s %s", who, m.ID, m.Result)
				}
			}
		})
	}
	clients.Wait()
}

// One path may serve both.
func TestSSEOnOnePath(t *testing.T) {
	srv := serverOf(t, newAsks().Service)
	s := serveHTTP(t, srv.SSEHandler("/mcp", "/mcp"))
	l := s.at("/mcp").listen(http.MethodGet, "", header())
	path := string(l.event().Data)
	if a := s.at(path).do(http.MethodPost, initializeBody("2024-11-05"), legacyHeader("")); a.status != http.StatusAccepted {
		t.Errorf("%d %s", a.status, a.body)
	}
	l.message()
	if a := s.at("/mcp").do(http.MethodPut, "", header()); a.header.Get("Allow") != "GET, POST" {
		t.Errorf("PUT: %d %v", a.status, a.header)
	}
}
