package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

func note(n int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/n","params":{"n":%d}}`, n)
}

// notes are the numbers of the notes in a part of a stream.
func notes(text string) []int {
	var all []int
	for line := range strings.Lines(text) {
		var n int
		if _, err := fmt.Sscanf(line, `data: {"jsonrpc":"2.0","method":"notifications/n","params":{"n":%d}}`, &n); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// L-HTTP-25, L-HTTP-26, HTTP-05: GET opens a stream, whose header is out at once, and
// on which comes what the server says on its own. L-HTTP-30, L-HTTP-36: it begins with
// an event to come back to where clients know of such, and nowhere else has an
// event without data.
func TestGetOpensAStream(t *testing.T) {
	for _, p := range legacyProfiles() {
		t.Run(p.Version(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := serverOf(t)
				m := &memory{t, srv.Handler()}
				id := m.open(p)
				w := m.start(http.MethodGet, "", legacyHeader(id, "Accept", "text/event-stream"))
				head, event := ": ok\n\n", "event: message\ndata: %s\n\n"
				if p == mcp.Legacy20251125 {
					head, event = "id: 0_0\ndata: \n\n", "event: message\nid: 0_1\ndata: %s\n\n"
				}
				if got := w.text(); got != head {
					t.Errorf("at once %q, want %q", got, head)
				}
				if ct := w.Header().Get("Content-Type"); ct != "text/event-stream" {
					t.Errorf("content type %q", ct)
				}
				srv.sessionOf(id).tell(note(1))
				if got, want := w.text(), fmt.Sprintf(event, note(1)); got != want {
					t.Errorf("then %q, want %q", got, want)
				}
				time.Sleep(31 * time.Second) // SSE-03, CON-17: twice the interval
				if got, want := w.text(), strings.Repeat(": keep-alive\n\n", 2); got != want {
					t.Errorf("in silence %q, want %q", got, want)
				}
				w.vanish()
				if !w.over() {
					t.Error("the stream outlives its client")
				}
			})
		})
	}
}

// L-HTTP-24: what is asked for has to be an event stream.
func TestGetAccept(t *testing.T) {
	s := serveHTTP(t, serverOf(t).Handler())
	session := s.open(mcp.Legacy20251125)
	for accept, status := range map[string]int{
		"text/event-stream": 200, "*/*": 200, "text/*": 200, "application/json, text/event-stream;q=0.5": 200,
		"application/json": 406, "text/event-stream;q=0": 406, "text/html": 406,
	} {
		res, err := s.send(t.Context(), http.MethodGet, "", legacyHeader(session, "Accept", accept))
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != status {
			t.Errorf("Accept %s: %d, want %d", accept, res.StatusCode, status)
		}
		_ = res.Body.Close() // which ends a stream
	}
}

// INIT-10, SES-15: before the client is ready the server begins nothing.
func TestGetBeforeInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, srv.Handler()}
		id := m.do(http.MethodPost, initializeBody("2025-06-18"), legacyHeader("")).Header().Get("Mcp-Session-Id")
		w := m.start(http.MethodGet, "", legacyHeader(id))
		srv.sessionOf(id).tell(note(1))
		if got := w.text(); got != ": ok\n\n" {
			t.Errorf("before: %q", got)
		}
		m.do(http.MethodPost, ready, legacyHeader(id))
		if got := notes(w.text()); len(got) != 1 {
			t.Errorf("after: notes %v", got)
		}
	})
}

// What is said while no stream is open waits for one, in order, and in a bounded
// number; and what a lost connection did not take waits for the next.
func TestGetBacklog(t *testing.T) {
	for _, p := range []mcp.Profile{mcp.Legacy20250618, mcp.Legacy20251125} {
		t.Run(p.Version(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := configured(t, Config{Session: SessionConfig{Backlog: 4}})
				m := &memory{t, srv.Handler()}
				id := m.open(p)
				sess := srv.sessionOf(id)
				for n := range 6 {
					sess.tell(note(n))
				}
				w := m.start(http.MethodGet, "", legacyHeader(id))
				text := w.text()
				if got := fmt.Sprint(notes(text)); got != "[2 3 4 5]" {
					t.Errorf("notes %v", got)
				}
				w.breaks()
				sess.tell(note(6))
				if !w.over() {
					t.Error("a stream that cannot be written goes on")
				}
				sess.tell(note(7))
				h := legacyHeader(id)
				if p == mcp.Legacy20251125 {
					h.Set("Last-Event-ID", "0_4")
				}
				next := m.start(http.MethodGet, "", h)
				if got := fmt.Sprint(notes(next.text())); got != "[6 7]" {
					t.Errorf("notes on the next stream: %v", got)
				}
			})
		})
	}
}

// L-HTTP-29, L-HTTP-41: a session has one stream beside its requests. The newest
// replaces the one before, and each message is sent on one alone.
func TestGetReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20250618)
		first := m.start(http.MethodGet, "", legacyHeader(id))
		srv.sessionOf(id).tell(note(1))
		told := notes(first.text())
		second := m.start(http.MethodGet, "", legacyHeader(id))
		srv.sessionOf(id).tell(note(2))
		if !first.over() {
			t.Error("the first stream is still open")
		}
		told = append(told, notes(first.text())...)
		if got := fmt.Sprint(told, notes(second.text())); got != "[1] [2]" {
			t.Errorf("notes %s", got)
		}
		third := m.start(http.MethodGet, "", legacyHeader(m.open(mcp.Legacy20250618)))
		if second.over() {
			t.Error("a stream of another session ended this one")
		}
		if got := notes(third.text()); got != nil {
			t.Errorf("another session was told %v", got)
		}
	})
}

// SES-01, HTTP-19: streams end with their session, and with the server.
func TestGetEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, srv.Handler()}
		id, other := m.open(mcp.Legacy20251125), m.open(mcp.Legacy20241105)
		w, o := m.start(http.MethodGet, "", legacyHeader(id)), m.start(http.MethodGet, "", legacyHeader(other))
		if got := m.do(http.MethodDelete, "", legacyHeader(id)).Code; got != http.StatusNoContent {
			t.Errorf("delete: %d", got)
		}
		if !w.over() || o.over() {
			t.Errorf("after DELETE: the session's stream is over: %v, another's: %v", w.over(), o.over())
		}
		if got := m.do(http.MethodGet, "", legacyHeader(id)).Code; got != http.StatusNotFound {
			t.Errorf("GET afterwards: %d", got)
		}
		srv.edge.gate.shut()
		if got := m.do(http.MethodGet, "", legacyHeader(other)); got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
			t.Errorf("GET while the server drains: %d", got.Code)
		}
		if err := srv.Drain(t.Context()); err != nil {
			t.Errorf("drain: %v", err)
		}
		if !o.over() {
			t.Error("a stream outlives the server")
		}
	})
}

// L-HTTP-45, L-HTTP-46, L-HTTP-48, SES-07: a client of 2025-11-25 that comes back gets
// what it missed beside its requests, as far as it is kept; ids of nothing are
// refused, and another principal finds nothing.
func TestGetResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20251125)
		w := m.start(http.MethodGet, "", legacyHeader(id))
		for n := 1; n <= 3; n++ {
			srv.sessionOf(id).tell(note(n))
		}
		w.text()
		w.vanish() // nobody knows how much of it arrived
		for last, want := range map[string]string{"0_0": "[1 2 3]", "0_1": "[2 3]", "0_3": "[]"} {
			w := m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", last))
			if got := fmt.Sprint(notes(w.text())); got != want {
				t.Errorf("after %s: notes %s, want %s", last, got, want)
			}
			w.vanish()
			<-w.ended
		}
		w = m.start(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "0_2"))
		srv.sessionOf(id).tell(note(4))
		if got := w.text(); fmt.Sprint(notes(got)) != "[3 4]" || !strings.Contains(got, "id: 0_4\n") {
			t.Errorf("goes on with %q", got)
		}
		for _, last := range []string{"0_5", "1_0", "x", "0_-1", "00_0", "0_00", "0_1_", "_", "0", "99999999999999999999_0"} {
			if a := m.do(http.MethodGet, "", legacyHeader(id, "Last-Event-ID", last)); a.Code != http.StatusBadRequest {
				t.Errorf("after %q: %d", last, a.Code)
			}
		}
		if a := m.do(http.MethodGet, "", legacyHeader(m.open(mcp.Legacy20250618), "Last-Event-ID", "0_0")); a.Code != http.StatusBadRequest {
			t.Errorf("in a revision without: %d", a.Code)
		}
		stranger := m.request(asPrincipal(t.Context(), "b"), http.MethodGet, "", legacyHeader(id, "Last-Event-ID", "0_0"))
		a := newTape()
		m.h.ServeHTTP(a, stranger)
		if a.Code != http.StatusNotFound {
			t.Errorf("a stranger: %d %s", a.Code, a.Body)
		}
	})
}

// SES-05: a session with an open stream is in use; when its client has vanished
// it ends as others do, also when nobody uses the server.
func TestStreamsOfClientsThatVanish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := configured(t, Config{HTTP: HTTPConfig{KeepAlive: time.Hour}})
		m := &memory{t, srv.Handler()}
		var streams []*ongoing
		for range 2000 {
			streams = append(streams, m.begin(http.MethodGet, "", legacyHeader(m.open(mcp.Legacy20251125))))
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := srv.edge.sessions.len(); n != 2000 {
			t.Fatalf("%d sessions, while 2000 listen", n)
		}
		for _, w := range streams {
			w.vanish()
			<-w.ended
		}
		time.Sleep(29 * time.Minute)
		synctest.Wait()
		if n := srv.edge.sessions.len(); n != 2000 {
			t.Errorf("%d sessions before the idle time", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := srv.edge.sessions.len(); n != 0 {
			t.Errorf("%d sessions after the idle time", n)
		}
		empty(t, srv.cfg.Session.Events.(*memoryEvents))
	})
}

// At the cap a session without a stream makes room before one with, and one with
// a call in flight never does.
func TestListeningSessionsMakeRoomLast(t *testing.T) {
	store := testSessions(3, 0)
	listening, idle, busy := openSession(t, store, ""), openSession(t, store, ""), openSession(t, store, "")
	o := newOutlet(listening, new(recorder), new(recorder))
	if err := listening.attach(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := busy.begin(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	next := openSession(t, store, "")
	if store.find(idle.id, "") != nil || store.find(listening.id, "") == nil {
		t.Error("the wrong session made room")
	}
	if _, err := next.begin(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	openSession(t, store, "")
	select {
	case <-o.gone:
	default:
		t.Error("the stream of the session that made room is still open")
	}
	if store.find(busy.id, "") == nil || store.find(next.id, "") == nil {
		t.Error("a busy session made room")
	}
	listening.detach(o)
}

// PING-03, CON-13: a client is asked whether it is there, on the stream beside its
// requests. Any answer will do, even to an earlier question; no answers end the
// stream, and one that the method is unknown ends the questions.
func TestServerPings(t *testing.T) {
	type client func(n int, id string) string // the message in answer to the nth ping
	result := func(_ int, id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	failure := func(code int) client {
		return func(_ int, id string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code)
		}
	}
	var before string
	for _, tt := range []struct {
		name   string
		client client
		pings  int // in ten intervals
		over   bool
	}{
		{"answers", result, 10, false},
		{"answers with an error", failure(-32000), 10, false},
		{"answers one interval late", func(n int, id string) string {
			late := before
			before = id
			return result(n, late)
		}, 10, false},
		{"does not know ping", failure(int(mcp.CodeMethodNotFound)), 1, false},
		{"loses two of three", func(n int, id string) string {
			if n%3 != 0 {
				return ""
			}
			return result(n, id)
		}, 10, false},
		{"never answers", func(int, string) string { return "" }, 3, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before = "0"
				srv := configured(t, Config{Session: SessionConfig{Ping: time.Minute}, HTTP: HTTPConfig{KeepAlive: time.Hour}})
				m := &memory{t, srv.Handler()}
				id := m.open(mcp.Legacy20250618)
				w := m.start(http.MethodGet, "", legacyHeader(id))
				pings := 0
				for range 10 {
					time.Sleep(time.Minute)
					text := w.text()
					_, text, found := strings.Cut(text, `{"jsonrpc":"2.0","id":`)
					if !found {
						continue
					}
					pings++
					number, rest, _ := strings.Cut(text, ",")
					if !strings.HasPrefix(rest, `"method":"ping"}`) {
						t.Fatalf("asked %q", text)
					}
					if answer := tt.client(pings, number); answer != "" {
						m.do(http.MethodPost, answer, legacyHeader(id))
					}
				}
				if pings != tt.pings || w.over() != tt.over {
					t.Errorf("%d pings, over: %v; want %d, %v", pings, w.over(), tt.pings, tt.over)
				}
				if open := srv.sessionOf(id).state.asked; w.over() && len(open) > 0 {
					t.Errorf("%d pings wait for an answer", len(open))
				}
			})
		})
	}
}

// A caller whose credentials end is told nothing any more (T-53).
func TestGetWhileCredentialsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t)
		m := &memory{t, srv.Handler()}
		id := m.open(mcp.Legacy20250618)
		open := func(s standing) *ongoing {
			inner := m.h
			defer func() { m.h = inner }()
			m.h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inner.ServeHTTP(w, r.WithContext(asStanding(r.Context(), s)))
			})
			return m.start(http.MethodGet, "", legacyHeader(id))
		}
		w := open(standing{until: time.Now().Add(time.Hour)})
		time.Sleep(time.Hour)
		if !w.over() {
			t.Error("the stream outlives the credentials")
		}
		revoked := false
		w = open(standing{still: func() bool { return !revoked }})
		srv.sessionOf(id).tell(note(1))
		if got := notes(w.text()); len(got) != 1 {
			t.Errorf("notes %v", got)
		}
		revoked = true
		srv.sessionOf(id).tell(note(2))
		if got := notes(w.text()); got != nil || !w.over() {
			t.Errorf("after they were revoked: notes %v, over: %v", got, w.over())
		}
	})
}

// ROOT-04, ROOT-07: roots are kept until the client says that they changed, if it
// is one that says so; the application hears of it, with a call that says whose
// they are.
func TestRootsAreKept(t *testing.T) {
	changed := make(chan *Call, 1)
	cfg := Config{Session: SessionConfig{RootsChanged: func(ctx context.Context) { changed <- CallFrom(ctx) }}}
	srv := configured(t, cfg)
	client := func(capabilities string) (*session, *int) {
		sess := newSession(wire.For(mcp.NewestLegacy), caller{capabilities: []byte(capabilities), info: []byte(`{"name":"c","version":"1"}`)}, &srv.cfg.Session)
		asked := 0
		return sess, &asked
	}
	ask := func(sess *session, asked *int) string {
		t.Helper()
		m, err := sess.request(t.Context(), t.Context(), answering(func(id string) {
			*asked++
			srv.heard(sess, jsonrpc.Message{Kind: jsonrpc.Response, ID: parsedID(t, id), Result: fmt.Appendf(nil, `{"roots":[{"uri":"file:///%d"}]}`, *asked)})
		}), mcp.MethodRootsList, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(m.Result)
	}
	sess, asked := client(`{"roots":{"listChanged":true}}`)
	first := ask(sess, asked)
	if again := ask(sess, asked); again != first || *asked != 1 {
		t.Errorf("asked %d times: %s", *asked, again)
	}
	srv.heard(sess, jsonrpc.Message{Kind: jsonrpc.Notification, Method: mcp.NotifyRootsListChanged})
	if c := <-changed; c.Client().Name != "c" || c.Method() != mcp.NotifyRootsListChanged {
		t.Errorf("hook called for %v %v", c.Client(), c.Method())
	}
	if again := ask(sess, asked); again == first {
		t.Errorf("after a change: %s", again)
	}
	silent, asked := client(`{"roots":{}}`)
	ask(silent, asked)
	if ask(silent, asked); *asked != 2 {
		t.Errorf("asked a client that tells of no changes %d times", *asked)
	}
}

// A hook that panics, or ends its goroutine, is no concern of the client's.
func TestRootsChangedMisbehaves(t *testing.T) {
	for name, hook := range map[string]func(context.Context){
		"panic": func(context.Context) { panic("hook") },
		"asks":  func(ctx context.Context) { _, _ = Roots(ctx) }, // which is not the moment
	} {
		t.Run(name, func(t *testing.T) {
			s := serveHTTP(t, configured(t, Config{Session: SessionConfig{RootsChanged: hook}}).Handler())
			session := s.open(mcp.Legacy20251125)
			if a := s.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, legacyHeader(session)); a.status != http.StatusAccepted {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

// answering is a client that answers at once.
type answering func(id string)

func (f answering) send(_ context.Context, msg []byte) error {
	_, rest, _ := strings.Cut(string(msg), `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	f(id)
	return nil
}

func parsedID(t testing.TB, text string) jsonrpc.ID {
	t.Helper()
	id, err := jsonrpc.ParseID([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}
