package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// openGET is a GET that is answered with a stream: what is sent on text goes out
// on it, until text is closed or the client hangs up.
func openGET(text <-chan string, ended chan<- struct{}) act {
	return func(w http.ResponseWriter, s seen) {
		defer func() {
			if ended != nil {
				ended <- struct{}{}
			}
		}()
		plainly(200, "text/event-stream", "")(w, s)
		w.(http.Flusher).Flush()
		for {
			select {
			case t, more := <-text:
				if !more {
					return
				}
				_, _ = io.WriteString(w, t)
				w.(http.Flusher).Flush()
			case <-s.done:
				return
			}
		}
	}
}

// heard is a configuration that records notifications.
func heard() (Config, func() []string) {
	var mu sync.Mutex
	var all []string
	cfg := config()
	cfg.Notify = func(method string, params json.RawMessage) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, method+string(params))
	}
	return cfg, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// count is how often a method was sent.
func (s *script) count(method string) int {
	n := 0
	for _, m := range s.sent() {
		if m == method {
			n++
		}
	}
	return n
}

// TestStanding: the stream is open when Connect returns, with the header it
// needs; what comes on it is heard and answered; Close ends it before the session
// (L-HTTP-24, L-HTTP-26, L-HTTP-27, L-HTTP-53, L-HTTP-54, SES-14, CON-01).
func TestStanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, ended := make(chan string), make(chan struct{}, 1)
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"GET": {openGET(text, ended)}}))
		cfg, all := heard()
		var by Asker
		cfg.Elicit = func(ctx context.Context, _ mcp.ElicitParams) (*mcp.ElicitResult, error) {
			by = AskedBy(ctx)
			return &mcp.ElicitResult{Action: mcp.ActionAccept}, nil
		}
		c := connected(t, target, cfg)
		if diff := cmp.Diff(append(slices.Clone(handshake), "GET"), s.sent()); diff != "" {
			t.Fatalf("sent (-want +got):\n%s", diff)
		}
		h := s.got("GET", 0).Header
		got := []string{h.Get(headerSession), h.Get(headerVersion), h.Get("Accept"), h.Get("Content-Type"), h.Get("Last-Event-ID")}
		if diff := cmp.Diff([]string{"S", "2025-11-25", "text/event-stream", "", ""}, got); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}

		text <- ": open\n\nid: 0\ndata:\n\nevent: ping\ndata: {}\n\n"
		text <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
		text <- "data: {oops\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\ndata: [1]\n\n"
		text <- "data: " + question_(`"q"`) + "\n\n"
		synctest.Wait()
		text <- "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/vendor\",\"params\":{\"n\":12345678901234567890}}\n\n"
		synctest.Wait()

		if diff := cmp.Diff([]string{"notifications/tools/list_changed", `notifications/vendor{"n":12345678901234567890}`}, all()); diff != "" {
			t.Errorf("notifications (-want +got):\n%s", diff)
		}
		want := append(slices.Clone(handshake), "GET", `response "q"`, "response 2")
		if diff := cmp.Diff(want, s.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		s.mu.Lock()
		answer := s.requests[len(handshake)+1]
		s.mu.Unlock()
		if string(answer.Body) != `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"ok":true}}}` || answer.Header.Get(headerSession) != "S" {
			t.Errorf("answer %s with %v", answer.Body, answer.Header)
		}
		if by.Server.Info.Name != "old" || by.Request != "" {
			t.Errorf("asked by %+v", by)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		<-ended
		if sent := s.sent(); sent[len(sent)-1] != "DELETE" {
			t.Errorf("sent %q", sent)
		}
	})
}

// TestStandingQuestion: a question on the standing stream belongs to a call that
// waits, whose limits do not count meanwhile; its server can take it back
// (INIT-16, CAN-01).
func TestStandingQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := make(chan string)
		l := newLive(1)
		on := l.acts()
		on["GET"] = []act{openGET(text, nil)}
		_, target := inMemory(t, legacy("2025-11-25", "S", on))
		var mu sync.Mutex
		var ends []error
		c := connected(t, target, answering(func(ctx context.Context, what string) {
			if what != "sure?" {
				<-ctx.Done()
				mu.Lock()
				defer mu.Unlock()
				ends = append(ends, context.Cause(ctx))
				return
			}
			<-time.After(5 * time.Minute)
		}))
		go func() {
			text <- "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n"
			synctest.Wait()
			text <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n\n"
			text <- "data: " + question_("2") + "\n\n"
		}()
		if r, err := c.Call(t.Context(), "x", nil); err != nil || r.Text() != "ok" {
			t.Fatalf("result %v, error %v", r, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(ends) != 1 || !errors.Is(ends[0], errWithdrawn) {
			t.Errorf("the question that was taken back ended with %v", ends)
		}
		if got := l.got(); len(got) != 1 || !strings.Contains(got[0], `"id":2`) {
			t.Errorf("answers %q", got)
		}
	})
}

// TestStandingWanted: the stream is opened when there is something to hear, in
// revisions that have it.
func TestStandingWanted(t *testing.T) {
	can := func(version, capabilities string) map[string][]act {
		return legacy(version, "", map[string][]act{"initialize": {
			result(`{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"serverInfo":{"name":"old","version":"1"}}`),
		}})
	}
	withNotify, _ := heard()
	roots := config()
	roots.Roots = func(context.Context) ([]mcp.Root, error) { return nil, nil }
	for _, tc := range []struct {
		name string
		on   map[string][]act
		cfg  Config
		want bool
	}{
		{"nothing", can("2025-11-25", `{"tools":{},"resources":{},"prompts":{}}`), config(), false},
		{"notifications", can("2025-11-25", `{}`), withNotify, true},
		{"questions", can("2025-03-26", `{}`), answering(nil), true},
		{"roots", can("2025-06-18", `{}`), roots, true},
		{"tools change", can("2025-11-25", `{"tools":{"listChanged":true}}`), config(), true},
		{"prompts change", can("2025-11-25", `{"prompts":{"listChanged":true}}`), config(), true},
		{"resources change", can("2025-11-25", `{"resources":{"listChanged":true}}`), config(), true},
		{"subscriptions", can("2025-11-25", `{"resources":{"subscribe":true}}`), config(), true},
		{"2024-11-05", can("2024-11-05", `{"tools":{"listChanged":true}}`), answering(nil), false},
		{"2026-07-28", modern(nil), withNotify, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.on["GET"] = []act{plainly(405, "", "", "Allow", "POST")}
			s := newScript(t, tc.on)
			connected(t, HTTP(s.URL), tc.cfg)
			if got := slices.Contains(s.sent(), "GET"); got != tc.want {
				t.Errorf("sent %q", s.sent())
			}
		})
	}
}

// TestStandingRefused: whatever a server says to the GET, nothing else follows
// from it, and it is not asked for ever (HTTP-14, L-HTTP-25, SES-14).
func TestStandingRefused(t *testing.T) {
	for _, session := range []string{"", "S"} {
		for name, tc := range map[string]struct {
			do   act
			gets int // in an hour
			// more is what net/http adds: it repeats a GET when a connection that was
			// used before breaks under it.
			more int
		}{
			"405":           {plainly(405, "", ""), 1, 0},
			"404":           {plainly(404, "text/plain", "not found"), 1, 0},
			"400":           {plainly(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session id"}}`), 1, 0},
			"401":           {plainly(401, "", ""), 1, 0},
			"406":           {plainly(406, "", ""), 1, 0},
			"501":           {plainly(501, "", ""), 1, 0},
			"200 and JSON":  {plainly(200, "application/json", `{}`), 1, 0},
			"204":           {plainly(204, "", ""), 1, 0},
			"500":           {plainly(500, "", ""), 1 + standTries, 0},
			"409":           {plainly(409, "", ""), 1 + standTries, 0},
			"always at end": {plainly(200, "text/event-stream", ""), 1 + standTries, 0},
			"hangs up":      {func(http.ResponseWriter, seen) { panic(http.ErrAbortHandler) }, 1 + standTries, 1},
		} {
			t.Run(name+"/"+session, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, target := inMemory(t, legacy("2025-11-25", session, map[string][]act{
						"GET": {tc.do}, "tools/call": {result(okResult)},
					}))
					cfg, _ := heard()
					start := time.Now()
					c := connected(t, target, cfg)
					if time.Since(start) != 0 {
						t.Errorf("connecting took %v", time.Since(start))
					}
					<-time.After(time.Hour)
					if got := s.count("GET"); got != tc.gets+tc.more {
						t.Errorf("%d GETs, want %d", got, tc.gets+tc.more)
					}
					if _, err := c.Call(t.Context(), "x", nil); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					// A server that answers is worth another attempt, if it was never a matter of principle.
					again := tc.gets
					if again > 1 {
						again++
					}
					if got := s.count("GET"); got != again+2*tc.more {
						t.Errorf("%d GETs after a request, want %d", got, again+2*tc.more)
					}
					if s.count("initialize") != 1 {
						t.Errorf("sent %q", s.sent())
					}
				})
			})
		}
	}
}

// TestStandingSilent: a server may not even send a header until it has something
// to say; connecting does not wait for that.
func TestStandingSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		_, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"GET": {silent(ended)}}))
		cfg, _ := heard()
		start := time.Now()
		c := connected(t, target, cfg)
		if took := time.Since(start); took != standFor {
			t.Errorf("connecting took %v", took)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
}

// TestStandingAgain: a stream that ends is taken up where it was, after the
// pause that the server asks for; without one, pauses grow until something new
// comes (L-HTTP-28, L-HTTP-33, L-HTTP-45, L-HTTP-48, SSE-04).
func TestStandingAgain(t *testing.T) {
	note := func(n int) string {
		return fmt.Sprintf("id: n%d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/vendor\",\"params\":{\"n\":%d}}\n\n", n, n)
	}
	ends := func(text string) act { return plainly(200, "text/event-stream", text) }
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		var after []string
		timed := func(do act) act {
			return func(w http.ResponseWriter, s seen) {
				mu.Lock()
				at = append(at, time.Now())
				after = append(after, s.Header.Get("Last-Event-ID"))
				mu.Unlock()
				do(w, s)
			}
		}
		last := openGET(nil, nil)
		_, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"GET": {
			timed(ends(note(1))),                    // then a second
			timed(plainly(503, "", "")),             // then two
			timed(ends("retry: 3000\n" + note(2))),  // then three
			timed(ends(note(3))),                    // then three
			timed(plainly(400, "", "what is this")), // the event is gone
			timed(plainly(503, "", "", "Retry-After", "90")),
			timed(last),
		}}))
		cfg, all := heard()
		connected(t, target, cfg)
		<-time.After(10 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]string{"", "n1", "n1", "n2", "n3", "", ""}, after); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
		for i, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second, 90 * time.Second} {
			if got := at[i+1].Sub(at[i]); got < want || got > want*3/2 {
				t.Errorf("pause %d is %v, want %v to half as much more", i, got, want)
			}
		}
		want := []string{`notifications/vendor{"n":1}`, `notifications/vendor{"n":2}`, `notifications/vendor{"n":3}`}
		if diff := cmp.Diff(want, all()); diff != "" {
			t.Errorf("notifications (-want +got):\n%s", diff)
		}
	})
}

// TestStandingIdle: a stream that an intermediary ends now and then, though there
// was nothing on it, is taken up for ever.
func TestStandingIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"GET": {func(w http.ResponseWriter, s seen) {
			idle := make(chan string)
			timer := time.AfterFunc(time.Minute, func() { close(idle) })
			defer timer.Stop()
			openGET(idle, nil)(w, s)
		}}}))
		cfg, _ := heard()
		connected(t, target, cfg)
		<-time.After(2 * time.Hour)
		if got := s.count("GET"); got < 100 || got > 120 {
			t.Errorf("%d GETs in two hours, want one a minute and some seconds", got)
		}
	})
}

// TestStandingNever: with MaxReconnects below 0 the stream is opened once.
func TestStandingNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{
			"GET": {plainly(200, "text/event-stream", primed)}, "ping": {result(`{}`)},
		}))
		cfg, _ := heard()
		cfg.MaxReconnects = -1
		c := connected(t, target, cfg)
		<-time.After(time.Hour)
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := s.count("GET"); got != 1 {
			t.Errorf("%d GETs", got)
		}
	})
}

// TestStandingSession: the stream of a session that is gone stays away until a
// request has renewed the session, and then is that of the new one (L-HTTP-56,
// HTTP-14, SES-02).
func TestStandingSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, ended := make(chan string), make(chan struct{}, 2)
		s, target := inMemory(t, legacy("2025-11-25", "S1", map[string][]act{
			"initialize": {welcome("2025-11-25", "S1"), welcome("2025-11-25", "S2"), welcome("2025-11-25", "S3")},
			"GET":        {openGET(text, ended), plainly(404, "", ""), openGET(nil, ended)},
			"tools/call": {plainly(404, "", ""), result(okResult), plainly(404, "", ""), result(okResult)},
		}))
		cfg, _ := heard()
		c := connected(t, target, cfg)
		close(text)
		<-ended
		<-time.After(time.Hour)
		if got := s.count("GET"); got != 2 || s.count("initialize") != 1 {
			t.Errorf("sent %q", s.sent())
		}
		for n, session := range []string{"S2", "S3"} {
			// The second time the stream is open, and is replaced.
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if n == 1 {
				<-ended
			}
			if got := s.got("GET", 2+n).Header; got.Get(headerSession) != session || got.Get("Last-Event-ID") != "" {
				t.Errorf("GET %d has %v", 2+n, got)
			}
		}
	})
}

// TestStandingDeaf: a server without such a stream is not asked in a new session
// either.
func TestStandingDeaf(t *testing.T) {
	s := newScript(t, legacy("2025-11-25", "S", map[string][]act{
		"GET":        {plainly(405, "", "")},
		"tools/call": {plainly(404, "", ""), result(okResult)},
	}))
	cfg, _ := heard()
	c := connected(t, HTTP(s.URL), cfg)
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if s.count("GET") != 1 || s.count("initialize") != 2 {
		t.Errorf("sent %q", s.sent())
	}
}

// TestStandingBatches: 2025-03-26 has arrays on this stream, too (BATCH-01).
func TestStandingBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := make(chan string)
		_, target := inMemory(t, legacy("2025-03-26", "S", map[string][]act{"GET": {openGET(text, nil)}}))
		cfg, all := heard()
		connected(t, target, cfg)
		text <- `data: [{"jsonrpc":"2.0","method":"notifications/a"},{"oops":1},{"jsonrpc":"2.0","method":"notifications/b"}]` + "\n\n"
		synctest.Wait()
		if diff := cmp.Diff([]string{"notifications/a", "notifications/b"}, all()); diff != "" {
			t.Errorf("notifications (-want +got):\n%s", diff)
		}
	})
}

// TestStandingBlocked: Close does not wait for ever for a callback, and says for
// which.
func TestStandingBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := make(chan string)
		_, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"GET": {openGET(text, nil)}}))
		cfg := config()
		release := make(chan struct{})
		cfg.Notify = func(string, json.RawMessage) { <-release }
		c, err := Connect(t.Context(), target, cfg)
		if err != nil {
			t.Fatal(err)
		}
		text <- "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n\n"
		synctest.Wait()
		start := time.Now()
		if err := c.Close(); err == nil || !strings.Contains(err.Error(), "Config.Notify has not returned") {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(start); took != DefaultCloseTimeout {
			t.Errorf("Close took %v", took)
		}
		close(release)
	})
}
