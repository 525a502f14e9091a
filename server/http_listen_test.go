package server

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

func listenHeader(more ...string) http.Header { return modernHeader(mcp.MethodListen, "", more...) }

// hears reads events and compares their data; each is one line without a name or
// an id (M-HTTP-030).
func (l *listening) hears(want ...string) {
	l.t.Helper()
	for _, w := range want {
		if e := l.event(); string(e.Data) != w || e.HasID || e.HasRetry {
			l.t.Errorf("got  %s (%+v)\nwant %s", e.Data, e, w)
		}
	}
}

// TestListenOverHTTP: an event stream whose first event is the acknowledgement, and
// whose last one is the result when the server ends it (M-SUB-003, M-SUB-015,
// M-SUB-020, M-SUB-022, M-HTTP-024, M-HTTP-027).
func TestListenOverHTTP(t *testing.T) {
	srv := serverOf(t, offering())
	site := serveHTTP(t, srv.Handler())
	const filter = `{"toolsListChanged":true,"resourceSubscriptions":["note://1"]}`
	l := site.listen(http.MethodPost, listenBody("7", filter), listenHeader())
	for name, want := range map[string]string{"X-Accel-Buffering": "no", "Cache-Control": "no-cache", "Mcp-Session-Id": ""} {
		if got := l.res.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	other := site.listen(http.MethodPost, listenBody("7", `{"promptsListChanged":true}`), listenHeader("Accept", "text/event-stream"))
	l.hears(acknowledged("7", filter))
	other.hears(acknowledged("7", `{"promptsListChanged":true}`))
	offer(t, srv, more("m"))
	l.hears(changed("7", "tools"))
	other.hears(changed("7", "prompts"))
	srv.Updated("note://1")
	l.hears(updated("7", "note://1"))
	// T-20: ids are each client's own, and no notification cancels over HTTP.
	if a := site.do(http.MethodPost, cancelBody("7"), legacyHeader("")); a.status != http.StatusAccepted {
		t.Errorf("notification: %d %s", a.status, a.body)
	}
	offer(t, srv, oneTool("b"))
	l.hears(changed("7", "tools"))
	if err := srv.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	for _, l := range []*listening{l, other} {
		l.hears(ended("7"))
		l.end()
	}
	emptied(t, srv)
	a := site.do(http.MethodPost, listenBody("8", filter), listenHeader())
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("after the end: %d %s", a.status, a.body)
	}
}

// TestListenNeedsEvents: a client that takes no event stream cannot be told
// anything (T-12); what else is wrong is said as JSON (T-10).
func TestListenNeedsEvents(t *testing.T) {
	srv := serverOf(t, offering())
	site := serveHTTP(t, srv.Handler())
	for _, tt := range []struct {
		name   string
		filter string
		header http.Header
		status int
		code   mcp.Code
	}{
		{"JSON alone", toolsAsk, listenHeader("Accept", "application/json"), http.StatusNotAcceptable, mcp.CodeInvalidRequest},
		{"neither", toolsAsk, listenHeader("Accept", "text/plain"), http.StatusNotAcceptable, mcp.CodeInvalidRequest},
		{"events refused", toolsAsk, listenHeader("Accept", "*/*, text/event-stream;q=0"), http.StatusNotAcceptable, mcp.CodeInvalidRequest},
		{"no filter", `null`, listenHeader(), http.StatusOK, mcp.CodeInvalidParams},
		{"another Mcp-Method", toolsAsk, modernHeader(mcp.MethodDiscover, ""), http.StatusBadRequest, mcp.CodeHeaderMismatch},
		{"another version", toolsAsk, listenHeader("MCP-Protocol-Version", "2025-11-25"), http.StatusBadRequest, mcp.CodeHeaderMismatch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := site.do(http.MethodPost, listenBody("7", tt.filter), tt.header)
			if a.status != tt.status || code(t, a.body) != int(tt.code) || !strings.Contains(a.body, `"id":7`) && tt.name != "neither" {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
	for _, accept := range []string{"*/*", "text/*", "text/event-stream", ""} {
		h := listenHeader("Accept", accept)
		if accept == "" {
			h.Del("Accept")
		}
		site.listen(http.MethodPost, listenBody("7", toolsAsk), h).hears(acknowledged("7", toolsAsk))
	}
	t.Run("a writer that cannot flush", func(t *testing.T) {
		w := httptest.NewRecorder()
		srv.Handler().ServeHTTP(struct{ http.ResponseWriter }{w}, postRequest(t, listenBody("7", toolsAsk), listenHeader()))
		if w.Code != http.StatusOK || code(t, w.Body.String()) != int(mcp.CodeInternal) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

// TestListenKeepAlive: a quiet stream gets a comment for each interval, never data
// (SUB-06, M-HTTP-028, M-SUB-020).
func TestListenKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t, offering())
		w := newTape()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			srv.Handler().ServeHTTP(w, postRequest(t, listenBody("7", toolsAsk), listenHeader()).WithContext(ctx))
		}()
		time.Sleep(50 * time.Second)
		offer(t, srv, oneTool("a"))
		time.Sleep(20 * time.Second) // 15 s after that
		cancel()
		<-done
		const comment = ": keep-alive\n\n"
		event := func(data string) string { return "data: " + data + "\n\n" }
		want := []string{event(acknowledged("7", toolsAsk)), comment, comment, comment, event(changed("7", "tools")), comment}
		got := w.all()
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		emptied(t, srv)
	})
}

// TestListensAreDropped: clients that vanish leave nothing behind, however many do
// (SUB-06, M-SUB-014, M-HTTP-033).
func TestListensAreDropped(t *testing.T) {
	released := make(chan struct{}, 100)
	srv := serverOf(t, offering(OnSubscribe(func(context.Context, string) (func(), error) {
		return func() { released <- struct{}{} }, nil
	})))
	site := serveHTTP(t, srv.Handler())
	const filter = `{"resourceSubscriptions":["note://1"]}`
	for range 100 {
		l := site.listen(http.MethodPost, listenBody("7", filter), listenHeader())
		l.hears(acknowledged("7", filter))
		l.leave()
		within(t, released, "release")
	}
	waitUntil(t, func() bool { return srv.edge.listens.len() == 0 })
	emptied(t, srv)
}

// TestListenerThatDoesNotRead is ended when a write to it takes too long; others
// are told meanwhile (M-SUB-020).
func TestListenerThatDoesNotRead(t *testing.T) {
	released := make(chan struct{}, 1)
	s := offering()
	Resource(s, "big://1", says(""), OnSubscribe(func(context.Context, string) (func(), error) {
		return func() { close(released) }, nil
	}))
	srv := configured(t, Config{HTTP: HTTPConfig{WriteTimeout: 50 * time.Millisecond}}, s)
	site := serveHTTP(t, srv.Handler())
	stuck := site.dial()
	stuck.post(listenBody("1", `{"resourceSubscriptions":["big://1"]}`), listenHeader())
	stuck.response()
	reader := site.listen(http.MethodPost, listenBody("2", `{"resourceSubscriptions":["note://1"]}`), listenHeader())
	reader.hears(acknowledged("2", `{"resourceSubscriptions":["note://1"]}`))
	// More than any socket holds, in one go.
	for i := range maxParts {
		srv.Updated(fmt.Sprintf("big://1/%d/%s", i, strings.Repeat("x", 500<<10)))
	}
	srv.Updated("note://1")
	reader.hears(updated("2", "note://1"))
	within(t, released, "the end of who does not read")
	waitUntil(t, func() bool { return srv.edge.listens.len() == 1 })
	srv.Updated("note://1")
	reader.hears(updated("2", "note://1"))
}

// TestListenLimits: one principal has no more listens than others leave it, nor all
// clients more than the server allows; both are told when to come again.
func TestListenLimits(t *testing.T) {
	srv := configured(t, Config{Listen: ListenConfig{Max: 3, PerClient: 1}}, offering())
	h := srv.Handler()
	site := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(asPrincipal(r.Context(), r.Header.Get("Authorization"))))
	}))
	open := func(principal string) *listening {
		t.Helper()
		l := site.listen(http.MethodPost, listenBody("7", toolsAsk), listenHeader("Authorization", principal))
		l.hears(acknowledged("7", toolsAsk))
		return l
	}
	refused := func(principal string, status int, says string) {
		t.Helper()
		a := site.do(http.MethodPost, listenBody("7", toolsAsk), listenHeader("Authorization", principal))
		if a.status != status || a.header.Get("Retry-After") == "" || code(t, a.body) != int(mcp.CodeInternal) || !strings.Contains(a.body, says) {
			t.Errorf("%q: %d %s", principal, a.status, a.body)
		}
	}
	ada := open("ada")
	refused("ada", http.StatusTooManyRequests, "as many listens open as it may")
	open("bob")
	open("")
	refused("", http.StatusServiceUnavailable, "too many listens are open on this server")
	refused("cleo", http.StatusServiceUnavailable, "too many listens are open on this server")
	ada.leave()
	waitUntil(t, func() bool { return srv.edge.listens.len() == 2 })
	open("ada")
}

// TestListenKeepsNoBuffer: what the request was read into is used again while the
// listen is open, and its own parameters stay what they were.
func TestListenKeepsNoBuffer(t *testing.T) {
	saw := make(chan mcp.Implementation, 100)
	s := NewService("")
	Resource(s, "note://1", says(""), Visible(func(ctx context.Context, _ Entry) bool {
		saw <- CallFrom(ctx).Client()
		return true
	}))
	Tool(s, "echo", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	})
	srv := serverOf(t, s)
	site := serveHTTP(t, srv.Handler())
	body := modernBody("7", mcp.MethodListen, `"notifications":{"resourceSubscriptions":["note://1"]}`,
		fmt.Sprintf("%q:%s", mcp.MetaClientInfo, `{"name":"the listener","version":"7"}`))
	l := site.listen(http.MethodPost, body, listenHeader())
	l.hears(acknowledged("7", `{"resourceSubscriptions":["note://1"]}`))
	for range 20 {
		call, h := modernCall("1", "echo", `{"text":"`+strings.Repeat("garbage", 100)+`"}`)
		if a := site.do(http.MethodPost, call, h); a.status != http.StatusOK {
			t.Fatalf("call: %d %s", a.status, a.body)
		}
	}
	<-saw
	srv.Updated("note://1")
	l.hears(updated("7", "note://1"))
	if info := <-saw; info.Name != "the listener" {
		t.Errorf("the predicate saw %+v", info)
	}
}

// TestListenRawBytes: what is on the wire.
func TestListenRawBytes(t *testing.T) {
	srv := configured(t, Config{HTTP: HTTPConfig{KeepAlive: 5 * time.Millisecond}}, offering())
	site := serveHTTP(t, srv.Handler())
	c := site.dial()
	c.post(listenBody("7", toolsAsk), listenHeader())
	in := bufio.NewReader(c.response().Body)
	for _, want := range []string{"data: " + acknowledged("7", toolsAsk) + "\n", "\n", ": keep-alive\n", "\n", ": keep-alive\n", "\n"} {
		if line, err := in.ReadString('\n'); err != nil || line != want {
			t.Errorf("got %q (%v), want %q", line, err, want)
		}
	}
}
