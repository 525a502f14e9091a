package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// CON-01, HTTP-17: what a handler asks goes out on the stream of the request, and
// the answer that is posted reaches it, in every revision with sessions, one
// question after another, while the client calls on.
func TestAskOnTheStreamOfTheRequest(t *testing.T) {
	for _, p := range legacyProfiles() {
		t.Run(p.Version(), func(t *testing.T) {
			svc := newAsks()
			Tool(svc.Service, "chat", func(ctx context.Context, _ nothing) (string, error) {
				var all []string
				for _, method := range []string{mcp.MethodElicit, mcp.MethodCreateMessage, mcp.MethodRootsList, mcp.MethodPing} {
					text, err := heardAs(CallFrom(ctx).x.peer.request(ctx, method, nil))
					if err != nil {
						return "", err
					}
					all = append(all, text)
				}
				return strings.Join(all, " "), nil
			})
			s := serveHTTP(t, serverOf(t, svc.Service).Handler())
			session := s.open(p)
			l := s.listen(http.MethodPost, legacyCall("1", "chat", "{}"), legacyHeader(session))
			if p == mcp.Legacy20251125 {
				l.primed()
			}
			for i, method := range []string{mcp.MethodElicit, mcp.MethodCreateMessage, mcp.MethodRootsList, mcp.MethodPing} {
				m := l.message()
				if m.Method != method || m.ID == nil {
					t.Fatalf("question %d is %+v", i, m)
				}
				// A client may need the server before it can answer.
				if a := s.do(http.MethodPost, legacyCall(fmt.Sprint(10+i), "quick", "{}"), legacyHeader(session)); !strings.Contains(a.body, "quick") {
					t.Errorf("call meanwhile: %d %s", a.status, a.body)
				}
				if a := s.reply(session, m.ID, fmt.Sprintf(`{"n":%d}`, i)); a.status != http.StatusAccepted || a.body != "" {
					t.Errorf("answer: %d %s", a.status, a.body) // HTTP-13
				}
			}
			if m := l.message(); string(m.ID) != "1" || !strings.Contains(string(m.Result), `{\"n\":0} {\"n\":1} {\"n\":2} {\"n\":3}`) {
				t.Errorf("reply %s", m.Result)
			}
			l.end()
		})
	}
}

// SES-09: ids of questions are unique in the session, whatever stream they are
// on, and each answer reaches its own handler.
func TestAskedIDsAreTheSessions(t *testing.T) {
	for _, p := range []mcp.Profile{mcp.Legacy20250618, mcp.Legacy20251125} {
		t.Run(p.Version(), func(t *testing.T) {
			svc := newAsks()
			s := serveHTTP(t, serverOf(t, svc.Service).Handler())
			session := s.open(p)
			const calls = 8
			var (
				streams [calls]*listening
				asked   [calls]spoken
				seen    = map[string]bool{}
			)
			for i := range calls {
				streams[i] = s.listen(http.MethodPost, legacyCall(fmt.Sprint(i), "ask", "{}"), legacyHeader(session))
				if p == mcp.Legacy20251125 {
					streams[i].primed()
				}
				asked[i] = streams[i].message()
				if seen[string(asked[i].ID)] {
					t.Fatalf("id %s is used twice", asked[i].ID)
				}
				seen[string(asked[i].ID)] = true
			}
			for i := calls - 1; i >= 0; i-- {
				s.reply(session, asked[i].ID, fmt.Sprintf(`{"for":%d}`, i))
			}
			for i, l := range streams {
				if m := l.message(); string(m.ID) != fmt.Sprint(i) || !strings.Contains(string(m.Result), fmt.Sprintf(`{\"for\":%d}`, i)) {
					t.Errorf("reply to %d: %s %s", i, m.ID, m.Result)
				}
				l.end()
			}
		})
	}
}

// CAN-07, SES-07, SES-09: answers that nobody waits for are accepted and ignored;
// those of another session or of a stranger reach nobody.
func TestStrayAnswers(t *testing.T) {
	svc := newAsks()
	srv := serverOf(t, svc.Service)
	s := serveHTTP(t, principals(srv.Handler()))
	open := func(who string) string {
		a := s.do(http.MethodPost, initializeBody(mcp.Legacy20250618.Version()), legacyHeader("", "X-Who", who))
		return a.header.Get("Mcp-Session-Id")
	}
	mine, other := open("a"), open("a")
	l := s.listen(http.MethodPost, legacyCall("1", "ask", "{}"), legacyHeader(mine, "X-Who", "a"))
	m := l.message()
	for _, tt := range []struct {
		name, session, who, id string
		status                 int
	}{
		{"unknown id", mine, "a", "77", 202},
		{"id of another type", mine, "a", `"` + string(m.ID) + `"`, 202},
		{"another session of the same client", other, "a", string(m.ID), 202},
		{"a stranger with the session id", mine, "b", string(m.ID), 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"from":"wrong"}}`, tt.id)
			if a := s.do(http.MethodPost, body, legacyHeader(tt.session, "X-Who", tt.who)); a.status != tt.status {
				t.Errorf("%d %s, want %d", a.status, a.body, tt.status)
			}
		})
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no","data":{"why":1}}}`, m.ID)
	for range 2 { // the second one is late
		if a := s.do(http.MethodPost, answer, legacyHeader(mine, "X-Who", "a")); a.status != http.StatusAccepted {
			t.Errorf("answer: %d %s", a.status, a.body)
		}
	}
	if m := l.message(); !strings.Contains(string(m.Result), `error -1 no {\"why\":1}`) {
		t.Errorf("reply %s", m.Result)
	}
}

// principals is a middleware that believes what a request says about its caller.
func principals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(asPrincipal(r.Context(), r.Header.Get("X-Who"))))
	})
}

// CON-02: where there is no way to ask, that is known at once.
func TestNoWayToAsk(t *testing.T) {
	svc := newAsks()
	for _, tt := range []struct {
		name string
		cfg  SessionConfig
		more []string
	}{
		{"the client takes JSON alone", SessionConfig{}, []string{"Accept", "application/json"}},
		{"there are no sessions", SessionConfig{Stateless: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveHTTP(t, configured(t, Config{Session: tt.cfg}, svc.Service).Handler())
			session := ""
			if !tt.cfg.Stateless {
				session = s.open(mcp.Legacy20251125)
			}
			a := s.do(http.MethodPost, legacyCall("1", "ask", "{}"), legacyHeader(session, tt.more...))
			if a.status != http.StatusOK || !strings.Contains(a.body, "cannot be asked") {
				t.Errorf("%d %s", a.status, a.body)
			}
			if err := within(t, svc.got, "error"); !errors.Is(err, mcp.ErrCannotAsk) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("the writer cannot flush", func(t *testing.T) {
		srv := serverOf(t, svc.Service)
		s := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			srv.Handler().ServeHTTP(struct{ http.ResponseWriter }{w}, r)
		}))
		for _, p := range []mcp.Profile{mcp.Legacy20250618, mcp.Legacy20251125} {
			a := s.do(http.MethodPost, legacyCall("1", "ask", "{}"), legacyHeader(s.open(p)))
			if a.status != http.StatusOK || !strings.Contains(a.body, "cannot be asked") {
				t.Errorf("%v: %d %s", p, a.status, a.body)
			}
			if err := within(t, svc.got, "error"); !errors.Is(err, mcp.ErrCannotAsk) {
				t.Errorf("%v: error %v", p, err)
			}
		}
	})
}

// CAN-01: a client is told that its answer is not needed any more, by the id of
// the question, and nothing else comes.
func TestAskEnds(t *testing.T) {
	for _, p := range []mcp.Profile{mcp.Legacy20250326, mcp.Legacy20251125} {
		begin := func(t *testing.T, cfg Config) (*asks, *site, string, *listening, spoken) {
			svc := newAsks()
			s := serveHTTP(t, configured(t, cfg, svc.Service).Handler())
			session := s.open(p)
			l := s.listen(http.MethodPost, legacyCall("1", "ask", "{}"), legacyHeader(session))
			if p == mcp.Legacy20251125 {
				l.primed()
			}
			return svc, s, session, l, l.message()
		}
		retracted := func(t *testing.T, l *listening, id json.RawMessage, reason string) {
			t.Helper()
			var params mcp.CancelledParams
			m := l.message()
			if err := json.Unmarshal(m.Params, &params); err != nil || m.Method != mcp.NotifyCancelled || string(params.RequestID) != string(id) || params.Reason != reason {
				t.Errorf("got %s %s (%v), want the end of %s", m.Method, m.Params, err, id)
			}
		}
		t.Run(p.Version()+" the call is cancelled", func(t *testing.T) {
			svc, s, session, l, m := begin(t, Config{})
			s.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, legacyHeader(session))
			if err := within(t, svc.got, "end of the question"); !errors.Is(err, errCancelled) || !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			retracted(t, l, m.ID, "the answer is not needed any more")
			l.end()
		})
		t.Run(p.Version()+" nobody answers", func(t *testing.T) {
			svc, _, _, l, m := begin(t, Config{Session: SessionConfig{AnswerTimeout: time.Millisecond}})
			if err := within(t, svc.got, "end of the question"); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errUnanswered) {
				t.Errorf("error %v", err)
			}
			retracted(t, l, m.ID, "there was no answer in time")
			if m := l.message(); !strings.Contains(string(m.Result), "did not answer") {
				t.Errorf("reply %s", m.Result)
			}
		})
		t.Run(p.Version()+" the call has no time left", func(t *testing.T) {
			svc, _, _, l, m := begin(t, Config{Limits: Limits{Call: 20 * time.Millisecond}})
			if err := within(t, svc.got, "end of the question"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			retracted(t, l, m.ID, "there was no answer in time")
		})
		t.Run(p.Version()+" the session ends", func(t *testing.T) {
			svc, s, session, l, _ := begin(t, Config{})
			s.do(http.MethodDelete, "", legacyHeader(session))
			if err := within(t, svc.got, "end of the question"); !errors.Is(err, errSessionEnded) {
				t.Errorf("error %v", err)
			}
			l.end()
		})
	}
}

// A session has a bounded number of open questions; the one too many fails.
func TestAskedAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sess := newSession(wire.For(mcp.Legacy20250618), caller{}, inFlight(2))
		out := new(recorder)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 8)
		for range 8 {
			go func() {
				_, err := sess.request(ctx, ctx, out, mcp.MethodElicit, nil)
				ended <- err
			}()
		}
		synctest.Wait()
		if _, err := sess.request(ctx, ctx, out, mcp.MethodElicit, nil); !errors.Is(err, errTooManyAsked) || !errors.Is(err, mcp.ErrCannotAsk) {
			t.Errorf("one too many: %v", err)
		}
		cancel()
		for range 8 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("question ended with %v", err)
			}
		}
		if n := len(out.all()); n != 16 {
			t.Errorf("%d messages, want 8 questions and 8 ends of them", n)
		}
		if len(sess.state.asked) != 0 {
			t.Errorf("%d questions are left", len(sess.state.asked))
		}
	})
}
