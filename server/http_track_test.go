package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// stepper is a service whose tool sends a progress notification for each step it
// is told to take, and replies when there are none left.
type stepper struct {
	*Service
	steps chan float64
	began chan struct{}
	ended chan error
}

func newStepper() *stepper {
	s := &stepper{Service: NewService(""), steps: make(chan float64), began: make(chan struct{}, 100), ended: make(chan error, 100)}
	Tool(s.Service, "step", func(ctx context.Context, _ nothing) (string, error) {
		s.began <- struct{}{}
		for {
			select {
			case n, more := <-s.steps:
				if !more {
					s.ended <- nil
					return "done", nil
				}
				if n < 0 {
					Detach(ctx, time.Duration(-n)*time.Millisecond)
					continue
				}
				Progress(ctx, n, 0, "")
			case <-ctx.Done():
				s.ended <- context.Cause(ctx)
				return "", ctx.Err()
			}
		}
	})
	Tool(s.Service, "quick", says("quick"))
	return s
}

const stepCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"step","_meta":{"progressToken":%d}}}`

func step(id int) string { return fmt.Sprintf(stepCall, id, id) }

// progress is the progress that a message reports, of the call with this token.
func (m spoken) progress(t testing.TB, token int) float64 {
	t.Helper()
	var n float64
	if _, err := fmt.Sscanf(string(m.Params), fmt.Sprintf(`{"progressToken":%d,"progress":%%g}`, token), &n); err != nil {
		t.Fatalf("%s %s is no progress of %d", m.Method, m.Params, token)
	}
	return n
}

// HTTP-17, L-HTTP-36, SES-13: whether streams have ids and begin with an event
// without data is decided by the revision that was negotiated, never by the one
// that was offered.
func TestPrimingIsNegotiated(t *testing.T) {
	for offered, primed := range map[string]bool{
		"2024-11-05": false, "2025-03-26": false, "2025-06-18": false, "2025-11-25": true,
		"9999-12-31": true, "2025-11-25-draft": true, // negotiated down to 2025-11-25
	} {
		t.Run(offered, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := newStepper()
				m := &memory{t, serverOf(t, svc.Service).Handler()}
				opened := m.do(http.MethodPost, initializeBody(offered), legacyHeader(""))
				if ct := opened.Header().Get("Content-Type"); ct != "application/json" {
					t.Errorf("initialize is answered with %q", ct)
				}
				w := m.start(http.MethodPost, step(1), legacyHeader(opened.Header().Get("Mcp-Session-Id")))
				svc.steps <- 1
				close(svc.steps)
				text := w.text()
				if got := strings.HasPrefix(text, "id: 1_0\ndata: \n\nevent: message\nid: 1_1\ndata: {"); got != primed {
					t.Errorf("stream %q", text)
				}
				if !primed && (strings.Contains(text, "id: ") || strings.Contains(text, "data: \n") || strings.Contains(text, "retry")) {
					t.Errorf("stream %q has what the revision does not", text)
				}
				<-svc.ended
			})
		})
	}
}

// A reply that nothing precedes is JSON with a length, in every revision.
func TestTrackedReplyIsJSON(t *testing.T) {
	s := serveHTTP(t, serverOf(t, newStepper().Service).Handler())
	a := s.do(http.MethodPost, legacyCall("1", "quick", "{}"), legacyHeader(s.open(mcp.Legacy20251125)))
	if a.header.Get("Content-Type") != "application/json" || a.header.Get("Content-Length") == "" || !strings.Contains(a.body, "quick") {
		t.Errorf("%v %s", a.header, a.body)
	}
	a = s.do(http.MethodPost, legacyCall("1", "quick", "{}"), legacyHeader(s.open(mcp.Legacy20251125), "Accept", "text/event-stream"))
	if a.header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(a.body, "id: 1_0\ndata: \n\nevent: message\nid: 1_1\ndata: {") {
		t.Errorf("%v %s", a.header, a.body)
	}
}

// L-HTTP-21, L-HTTP-43 to L-HTTP-47: a client that lost the stream of a call comes back
// to it, gets what it missed and nothing twice, then what is new, then the reply;
// and never anything of another stream. The call knows nothing of all that.
func TestResumeCall(t *testing.T) {
	svc, other := newStepper(), newStepper()
	Tool(svc.Service, "other", func(ctx context.Context, _ nothing) (string, error) {
		for n := range other.steps {
			Progress(ctx, n, 0, "")
		}
		return "other", nil
	})
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	session := s.open(mcp.Legacy20251125)
	l := s.listen(http.MethodPost, step(1), legacyHeader(session), func() { svc.steps <- 1 })
	beside := s.listen(http.MethodPost, strings.Replace(step(2), `"step"`, `"other"`, 1), legacyHeader(session, "Accept", "text/event-stream"), func() { other.steps <- 1 })
	ids := map[string]bool{l.primed(): true, beside.primed(): true}
	if got := l.message(); got.progress(t, 1) != 1 || ids[got.event] {
		t.Errorf("first %+v", got)
	}
	svc.steps <- 2
	second := l.message()
	l.leave()
	svc.steps <- 3 // while it is away, or not noticed yet
	other.steps <- 2
	back := s.get(session, "Last-Event-ID", second.event)
	if got := back.message(); got.progress(t, 1) != 3 {
		t.Errorf("missed %s", got.Params)
	}
	svc.steps <- 4
	if got := back.message(); got.progress(t, 1) != 4 {
		t.Errorf("new %s", got.Params)
	}
	back.leave()
	close(svc.steps)
	if err := within(t, svc.ended, "end of the call"); err != nil {
		t.Errorf("the call was ended: %v", err)
	}
	again := s.get(session, "Last-Event-ID", second.event)
	for _, want := range []float64{3, 4} {
		if got := again.message(); got.progress(t, 1) != want {
			t.Errorf("replayed %s, want %v", got.Params, want)
		}
	}
	if got := again.message(); string(got.ID) != "1" || !strings.Contains(string(got.Result), "done") {
		t.Errorf("reply %s", got.Result)
	}
	again.end()
	for _, want := range []float64{1, 2} {
		if got := beside.message(); got.progress(t, 2) != want {
			t.Errorf("the other stream has %s", got.Params)
		}
	}
	close(other.steps)
	if got := beside.message(); string(got.ID) != "2" {
		t.Errorf("the other stream ends with %s", got.ID)
	}
	beside.end()
}

// L-HTTP-48, SES-07: nobody comes back to what was never there, is complete, is
// another session's, or another principal's.
func TestResumeRefused(t *testing.T) {
	svc := newStepper()
	srv := serverOf(t, svc.Service)
	s := serveHTTP(t, principals(srv.Handler()))
	open := func(who string) string {
		return s.do(http.MethodPost, initializeBody("2025-11-25"), legacyHeader("", "X-Who", who)).header.Get("Mcp-Session-Id")
	}
	mine, other := open("a"), open("a")
	l := s.listen(http.MethodPost, step(1), legacyHeader(mine, "X-Who", "a"), func() { svc.steps <- 1 })
	l.primed()
	l.message()
	refused := func(session, who, last string, status int) {
		t.Helper()
		if a := s.do(http.MethodGet, "", legacyHeader(session, "X-Who", who, "Last-Event-ID", last)); a.status != status {
			t.Errorf("%s of %s after %s: %d %s, want %d", who, session, last, a.status, a.body, status)
		}
	}
	refused(mine, "a", "1_2", 400)  // not sent yet
	refused(mine, "a", "2_0", 400)  // no such stream
	refused(other, "a", "1_0", 400) // none of that session's
	refused(mine, "b", "1_0", 404)
	refused(mine, "", "1_0", 404)
	refused("nobody", "a", "1_0", 404)
	close(svc.steps)
	reply := l.message()
	l.end()
	refused(mine, "a", reply.event, 400) // nothing follows
	refused(mine, "b", "1_0", 404)
	if a := s.do(http.MethodDelete, "", legacyHeader(mine, "X-Who", "a")); a.status != http.StatusNoContent {
		t.Errorf("delete: %d", a.status)
	}
	refused(mine, "a", "1_0", 404)
	empty(t, srv.cfg.Session.Events.(*memoryEvents))
}

// L-HTTP-21: a client that stays away loses the call, after Session.Linger; each
// time it comes back it has all of that again. One that never learned an id cannot
// come back.
func TestLingeringCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newStepper()
		srv := configured(t, Config{Session: SessionConfig{Linger: time.Minute}, HTTP: HTTPConfig{KeepAlive: time.Hour}}, svc.Service)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20251125)
		w := m.start(http.MethodPost, step(1), legacyHeader(id))
		svc.steps <- 1
		w.text()
		for range 3 {
			w.vanish()
			time.Sleep(59 * time.Second)
			w = m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1"))
			if got := w.text(); got != ": ok\n\n" {
				t.Fatalf("a client that came back in time got %q", got)
			}
			time.Sleep(time.Hour) // which is no time at all while it listens
		}
		began := time.Now()
		w.vanish()
		if err := <-svc.ended; !errors.Is(err, errLingered) {
			t.Errorf("the call ended with %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("the call lingered for %v", took)
		}
		synctest.Wait()
		if a := m.do(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1")); a.Code != http.StatusBadRequest {
			t.Errorf("afterwards: %d %s", a.Code, a.Body)
		}

		w = m.start(http.MethodPost, step(2), legacyHeader(id)) // and nothing is sent
		w.vanish()
		if !w.over() {
			t.Error("the response outlives its client")
		}
		svc.steps <- 1
		if err := <-svc.ended; !errors.Is(err, errLingered) {
			t.Errorf("the call ended with %v", err)
		}
		if n := len(srv.sessionOf(id).state.tracks); n != 0 {
			t.Errorf("%d streams are left", n)
		}
	})
}

// L-HTTP-31, L-HTTP-32, L-HTTP-34: a call lets go of its client, which is told when to
// come back, and gets everything then.
func TestDetach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newStepper()
		srv := configured(t, Config{Session: SessionConfig{Linger: time.Minute}}, svc.Service)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20251125)
		w := m.start(http.MethodPost, step(1), legacyHeader(id))
		svc.steps <- -1500
		if got := w.text(); got != "id: 1_0\ndata: \n\nretry: 1500\n\n" || !w.over() {
			t.Errorf("the response is %q, over: %v", got, w.over())
		}
		svc.steps <- -1 // nobody to let go of
		svc.steps <- 1
		time.Sleep(time.Minute) // the linger begins when it is expected back
		w = m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_0"))
		if got := w.text(); !strings.Contains(got, `"progress":1`) || w.over() {
			t.Errorf("after it came back: %q, over: %v", got, w.over())
		}
		svc.steps <- -100
		if got := w.text(); got != "retry: 100\n\n" || !w.over() {
			t.Errorf("let go again: %q, over: %v", got, w.over())
		}
		close(svc.steps)
		<-svc.ended
		synctest.Wait()
		w = m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1"))
		if got := w.text(); !strings.HasPrefix(got, "event: message\nid: 1_2\ndata: {") || !strings.Contains(got, "done") || !w.over() {
			t.Errorf("the rest is %q, over: %v", got, w.over())
		}
	})
}

// Detach does nothing where there is no coming back.
func TestDetachIsInertElsewhere(t *testing.T) {
	Detach(t.Context(), time.Second)
	svc := NewService("")
	var late context.Context
	Tool(svc, "detach", func(ctx context.Context, _ nothing) (string, error) {
		late = ctx //nolint:fatcontext // what is left of the call is what is looked at
		Detach(ctx, time.Second)
		return "stays", nil
	})
	srv := serverOf(t, svc)
	s := serveHTTP(t, srv.Handler())
	check := func(name string, a answered) {
		t.Helper()
		if !strings.Contains(a.body, "stays") || strings.Contains(a.body, "retry") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	body, h := modernCall("1", "detach", "{}")
	check("modern", s.do(http.MethodPost, body, h))
	for _, p := range legacyProfiles() {
		if p != mcp.Legacy20251125 {
			check(p.Version(), s.do(http.MethodPost, legacyCall("1", "detach", "{}"), legacyHeader(s.open(p))))
		}
	}
	check("JSON alone", s.do(http.MethodPost, legacyCall("1", "detach", "{}"), legacyHeader(s.open(mcp.Legacy20251125), "Accept", "application/json")))
	c := connect(t, srv)
	c.initialize(mcp.Legacy20251125)
	check("pipe", answered{body: c.ask(legacyCall("1", "detach", "{}"))})
	l := s.listen(http.MethodPost, legacyCall("1", "detach", "{}"), legacyHeader(s.open(mcp.Legacy20251125)))
	l.primed()
	Detach(late, time.Second) // the handler has returned
}

// A question that is asked while the client is away reaches it when it comes back,
// and the answer the handler.
func TestAskWhileTheClientIsAway(t *testing.T) {
	svc := newAsks()
	detached := make(chan struct{})
	Tool(svc.Service, "later", func(ctx context.Context, _ nothing) (string, error) {
		Detach(ctx, time.Millisecond)
		detached <- struct{}{}
		return heardAs(CallFrom(ctx).x.peer.request(ctx, mcp.MethodElicit, []byte(`{"message":"m"}`)))
	})
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	session := s.open(mcp.Legacy20251125)
	l := s.listen(http.MethodPost, legacyCall("1", "later", "{}"), legacyHeader(session))
	last := l.primed()
	if e := l.event(); !e.HasRetry || e.Retry != time.Millisecond {
		t.Errorf("event %+v", e)
	}
	l.end()
	within(t, detached, "detached call")
	back := s.get(session, "Last-Event-ID", last)
	m := back.message()
	if m.Method != mcp.MethodElicit {
		t.Fatalf("asked %+v", m)
	}
	s.reply(session, m.ID, `{"action":"accept"}`)
	if m := back.message(); !strings.Contains(string(m.Result), `accept`) {
		t.Errorf("reply %s", m.Result)
	}
	back.end()
}

// Whoever resumes takes the stream over: the connection before ends.
func TestResumeReplacesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newStepper()
		m := &memory{t, serverOf(t, svc.Service).Handler()}
		id := m.open(mcp.Legacy20251125)
		first := m.start(http.MethodPost, step(1), legacyHeader(id))
		svc.steps <- 1
		second := m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_0"))
		third := m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1"))
		if !first.over() || !second.over() || third.over() {
			t.Errorf("over: %v %v %v", first.over(), second.over(), third.over())
		}
		if got := third.text(); got != ": ok\n\n" {
			t.Errorf("at once %q", got)
		}
		time.Sleep(15 * time.Second)
		if got := third.text(); got != ": keep-alive\n\n" {
			t.Errorf("in silence %q", got)
		}
		close(svc.steps)
		if got := third.text(); !strings.Contains(got, "done") || !third.over() {
			t.Errorf("reply %q", got)
		}
		<-svc.ended
	})
}

// A connection that breaks while something is written loses nothing.
func TestBrokenConnectionLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newStepper()
		m := &memory{t, serverOf(t, svc.Service).Handler()}
		id := m.open(mcp.Legacy20251125)
		w := m.start(http.MethodPost, step(1), legacyHeader(id))
		svc.steps <- 1
		w.text()
		w.breaks()
		svc.steps <- 2
		if !w.over() {
			t.Error("a response that cannot be written goes on")
		}
		close(svc.steps)
		<-svc.ended
		synctest.Wait()
		w = m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1"))
		if got := w.text(); !strings.Contains(got, `"progress":2`) || !strings.Contains(got, "done") {
			t.Errorf("the rest is %q", got)
		}
	})
}

// What has gone from the store is not replayed in part: the client learns that it
// has to ask again.
func TestResumeBeyondTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := newStepper()
		srv := configured(t, Config{Session: SessionConfig{EventMemory: 8 * 2 * (storedOverhead + 200)}}, svc.Service)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20251125)
		m.start(http.MethodPost, step(1), legacyHeader(id))
		for n := 1; n <= 5; n++ {
			svc.steps <- float64(n)
		}
		if a := m.do(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1")); a.Code != http.StatusBadRequest {
			t.Errorf("while it runs: %d", a.Code)
		}
		close(svc.steps)
		<-svc.ended
		synctest.Wait()
		if a := m.do(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_1")); a.Code != http.StatusBadRequest {
			t.Errorf("once it is over: %d", a.Code)
		}
		if a := m.do(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "1_5")); a.Code != http.StatusOK || !strings.Contains(a.Body.String(), "done") {
			t.Errorf("what is still there: %d %s", a.Code, a.Body)
		}
	})
}

// brokenStore is an event store that does not work.
type brokenStore struct{}

var errStore = errors.New("the store is down")

func (brokenStore) Append(context.Context, EventID, []byte) error    { return errStore }
func (brokenStore) After(context.Context, EventID) ([][]byte, error) { return nil, errStore }
func (brokenStore) Forget(context.Context, string) error             { return errStore }

// A store that fails takes nothing but the resumption.
func TestFailingStore(t *testing.T) {
	var log bytes.Buffer
	svc := newStepper()
	srv := configured(t, Config{Session: SessionConfig{Events: brokenStore{}}, Logger: slog.New(slog.NewTextHandler(&log, nil))}, svc.Service)
	s := serveHTTP(t, srv.Handler())
	session := s.open(mcp.Legacy20251125)
	l := s.listen(http.MethodPost, step(1), legacyHeader(session), func() { svc.steps <- 1 })
	last := l.primed()
	l.message()
	svc.steps <- 2
	l.message()
	if a := s.do(http.MethodGet, "", legacyHeader(session, "Last-Event-ID", last)); a.status != http.StatusBadRequest {
		t.Errorf("resume: %d %s", a.status, a.body)
	}
	close(svc.steps)
	if m := l.message(); !strings.Contains(string(m.Result), "done") {
		t.Errorf("reply %s", m.Result)
	}
	l.end()
	if n := strings.Count(log.String(), "cannot be kept"); n != 1 {
		t.Errorf("the log says it %d times: %s", n, log.String())
	}
}

// HTTP-19: Drain waits for a call whose client is away, and ends it when it is out
// of time.
func TestDrainWaitsForDetachedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, patient := range []bool{true, false} {
			svc := newStepper()
			srv := serverOf(t, svc.Service)
			m := &memory{t, srv.Handler()}
			w := m.start(http.MethodPost, step(1), legacyHeader(m.open(mcp.Legacy20251125)))
			svc.steps <- -1000
			if !w.over() {
				t.Error("the response goes on")
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			drained := make(chan error, 1)
			go func() { drained <- srv.Drain(ctx) }()
			if patient {
				synctest.Wait()
				close(svc.steps)
				if err := <-drained; err != nil {
					t.Errorf("drain: %v", err)
				}
				continue
			}
			if err := <-drained; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 exchanges") {
				t.Errorf("drain: %v", err)
			}
			if err := <-svc.ended; !errors.Is(err, errSessionEnded) {
				t.Errorf("the call ended with %v", err)
			}
		}
	})
}

// CON-14: handlers that end in other ways than returning are answered too.
func TestTrackedHandlersThatMisbehave(t *testing.T) {
	svc := NewService("")
	Tool(svc, "panic", func(ctx context.Context, _ nothing) (string, error) { Progress(ctx, 1, 0, ""); panic("secret") })
	Tool(svc, "goexit", func(ctx context.Context, _ nothing) (string, error) {
		Progress(ctx, 1, 0, "")
		runtime.Goexit()
		return "", nil
	})
	srv := serverOf(t, svc)
	s := serveHTTP(t, srv.Handler())
	session := s.open(mcp.Legacy20251125)
	for i, tool := range []string{"panic", "goexit"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"_meta":{"progressToken":1}}}`, i, tool)
		for _, more := range [][]string{nil, {"Accept", "application/json"}} {
			a := s.do(http.MethodPost, body, legacyHeader(session, more...))
			if !strings.Contains(a.body, "-32603") || strings.Contains(a.body, "secret") {
				t.Errorf("%s: %d %s", tool, a.status, a.body)
			}
		}
	}
	if err := srv.Drain(t.Context()); err != nil {
		t.Errorf("drain: %v", err)
	}
}

// The bytes of a request are its call's until the handler returns, wherever the
// client has gone.
func TestDetachedCallsKeepTheirRequests(t *testing.T) {
	svc := NewService("")
	var wrong sync.Map
	release := make(chan struct{})
	detached := make(chan struct{}, 100)
	Tool(svc, "keep", func(ctx context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		Detach(ctx, time.Second)
		detached <- struct{}{}
		<-release
		if params := string(CallFrom(ctx).Params()); !strings.Contains(params, in.Text) {
			wrong.Store(in.Text, params)
		}
		return in.Text, nil
	})
	Tool(svc, "quick", says("quick"))
	srv := serverOf(t, svc)
	s := serveHTTP(t, srv.Handler())
	session := s.open(mcp.Legacy20251125)
	const calls = 20
	for i := range calls {
		s.do(http.MethodPost, legacyCall(fmt.Sprint(i), "keep", fmt.Sprintf(`{"text":"text of %d"}`, i)), legacyHeader(session))
		within(t, detached, "detached call")
	}
	for i := range 50 {
		s.do(http.MethodPost, legacyCall(fmt.Sprint(1000+i), "quick", "{}"), legacyHeader(session))
	}
	close(release)
	if err := srv.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	wrong.Range(func(text, params any) bool {
		t.Errorf("the request with %q became %s", text, params)
		return true
	})
}
