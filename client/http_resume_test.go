package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// cutting is a scripted server that answers tools/call on several responses:
// the first text is the POST's, the others those of GETs, and then come acts.
// "ID" is the id of the call.
type cutting struct {
	id   string
	cut  time.Time   // when the POST's response ended
	gets []time.Time // when GETs came, since then
}

// acts are what it does. A response ends with its text.
func (c *cutting) acts(first string, then ...act) map[string][]act {
	var gets []act
	for _, do := range then {
		gets = append(gets, func(w http.ResponseWriter, s seen) {
			c.gets = append(c.gets, time.Now())
			do(w, s)
		})
	}
	return map[string][]act{
		"tools/call": {func(w http.ResponseWriter, s seen) {
			c.id = s.id()
			stream(first)(w, s)
			c.cut = time.Now()
		}},
		"GET": gets,
	}
}

// more is a response to a GET.
func (c *cutting) more(text string) act {
	return func(w http.ResponseWriter, s seen) {
		plainly(200, "text/event-stream", strings.ReplaceAll(text, "ID", c.id))(w, s)
	}
}

// pauses are how long the client waited before each GET.
func (c *cutting) pauses() []time.Duration {
	var all []time.Duration
	at := c.cut
	for _, g := range c.gets {
		all = append(all, g.Sub(at))
		at = g
	}
	return all
}

const (
	primed   = "id: e1\nretry: 1500\ndata:\n\n"
	unpaced  = "id: e1\ndata:\n\n"
	answered = "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + okResult + "}\n\n"
)

// TestResume: a stream that ends before the answer is taken up where it was
// (L-HTTP-33, L-HTTP-34, L-HTTP-45, SSE-04, L-HTTP-54).
func TestResume(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var x cutting
				s, target := inMemory(t, legacy(version, "S", x.acts(primed, x.more(answered))))
				c := connected(t, target, config())
				r, err := c.Call(t.Context(), "x", nil)
				if err != nil || r.Text() != "ok" {
					t.Fatalf("result %v, error %v", r, err)
				}
				if diff := cmp.Diff([]time.Duration{1500 * time.Millisecond}, x.pauses()); diff != "" {
					t.Errorf("pauses (-want +got):\n%s", diff)
				}
				h := s.got("GET", 0).Header
				got := []string{h.Get("Last-Event-ID"), h.Get(headerSession), h.Get("Accept"), h.Get("Content-Type"), h.Get(headerVersion)}
				want := []string{"e1", "S", "text/event-stream", "", version}
				if version == "2025-03-26" {
					want[4] = ""
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("header (-want +got):\n%s", diff)
				}
				if n := len(s.sent()); n != len(handshake)+2 {
					t.Errorf("sent %q", s.sent())
				}
			})
		})
	}
}

// TestResumeOften: what is new on a stream starts the count anew, so a server may
// let itself be polled for long; what comes on the way is seen once, in order
// (L-HTTP-31, L-HTTP-46, CON-09).
func TestResumeOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x cutting
		var then []act
		for i := range 3 * DefaultMaxReconnects {
			then = append(then, x.more(fmt.Sprintf("id: n%d\nretry: 250\ndata:\n\n", i)))
		}
		then = append(then,
			x.more("id: m1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"),
			x.more("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":2}}\n\n"),
			x.more("id: m3\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n"),
			x.more(answered))
		s, target := inMemory(t, legacy("2025-11-25", "S", x.acts(primed, then...)))
		c := connected(t, target, config())
		var logs []string
		r, err := c.Call(t.Context(), "x", nil, OnLog(func(p mcp.LogParams) { logs = append(logs, string(p.Data)) }))
		if err != nil || r.Text() != "ok" {
			t.Fatalf("result %v, error %v", r, err)
		}
		if diff := cmp.Diff([]string{"1", "2"}, logs); diff != "" {
			t.Errorf("logs (-want +got):\n%s", diff)
		}
		n := 3 * DefaultMaxReconnects
		for i, want := range map[int]string{0: "e1", 1: "n0", n: fmt.Sprintf("n%d", n-1), n + 1: "m1", n + 2: "m1", n + 3: "m3"} {
			if got := s.got("GET", i).Header.Get("Last-Event-ID"); got != want {
				t.Errorf("GET %d goes on behind %q, want %q", i, got, want)
			}
		}
		synctest.Wait()
		if !slices.Contains(s.sent(), `response "q"`) {
			t.Errorf("a ping on a resumed stream has no answer: %q", s.sent())
		}
	})
}

// TestResumeBudget: attempts and pauses are exact, and the error says why
// (HTTP-15).
func TestResumeBudget(t *testing.T) {
	for _, tc := range []struct{ max, attempts int }{{-1, 0}, {1, 1}, {3, 3}, {0, DefaultMaxReconnects}} {
		for name, do := range map[string]act{
			"refused":  plainly(503, "text/plain", "busy"),
			"nothing":  plainly(200, "text/event-stream", ""),
			"the same": plainly(200, "text/event-stream", "id: e1\ndata:\n\n"),
		} {
			t.Run(fmt.Sprintf("%d/%s", tc.max, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var x cutting
					_, target := inMemory(t, legacy("2025-11-25", "S", x.acts(primed, do)))
					cfg := config()
					cfg.MaxReconnects = tc.max
					c := connected(t, target, cfg)
					_, err := c.Call(t.Context(), "x", nil)
					if !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Fatalf("error is %v", err)
					}
					want := slices.Repeat([]time.Duration{1500 * time.Millisecond}, tc.attempts)
					if diff := cmp.Diff(want, append([]time.Duration{}, x.pauses()...)); diff != "" {
						t.Errorf("pauses (-want +got):\n%s", diff)
					}
					if says := strings.Contains(err.Error(), fmt.Sprintf("not resumed in %d attempts (Config.MaxReconnects)", tc.attempts)); says != (tc.attempts > 0) {
						t.Errorf("error is %v", err)
					}
					if name == "refused" && tc.attempts > 0 && !strings.Contains(err.Error(), "busy") {
						t.Errorf("error is %v; it does not say why", err)
					}
				})
			})
		}
	}
}

// TestResumePauses: without a word of the server, pauses begin with a second and
// grow; with one it is heeded, within reason, and so is Retry-After.
func TestResumePauses(t *testing.T) {
	between := func(low, high time.Duration) [2]time.Duration { return [2]time.Duration{low, high} }
	second := time.Second
	for _, tc := range []struct {
		name  string
		first string
		do    act
		want  [][2]time.Duration
	}{
		{"nothing said", unpaced, plainly(502, "", ""), [][2]time.Duration{
			between(second, 3*second/2), between(2*second, 3*second), between(4*second, 6*second),
		}},
		{"no number", "id: e1\nretry: soon\ndata:\n\n", plainly(502, "", ""), [][2]time.Duration{between(second, 3*second/2)}},
		{"at once", "id: e1\nretry: 0\ndata:\n\n", plainly(502, "", ""), [][2]time.Duration{between(leastRetry, leastRetry), between(leastRetry, leastRetry)}},
		{"Retry-After", primed, plainly(429, "", "", "Retry-After", "7"), [][2]time.Duration{between(1500*time.Millisecond, 1500*time.Millisecond), between(7*second, 7*second)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var x cutting
				_, target := inMemory(t, legacy("2025-11-25", "S", x.acts(tc.first, tc.do)))
				c := connected(t, target, config())
				if _, err := c.Call(t.Context(), "x", nil); err == nil {
					t.Fatal("no error")
				}
				got := x.pauses()
				for i, want := range tc.want {
					if got[i] < want[0] || got[i] > want[1] {
						t.Errorf("pause %d is %v, want between %v and %v", i, got[i], want[0], want[1])
					}
				}
			})
		})
	}
}

// TestResumeRefused: what will not change ends the request with its reason. The
// request may have run, so it is not sent again, in no session.
func TestResumeRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		do    act
		check func(error) bool
		says  string
	}{
		"405":                     {plainly(405, "", ""), nil, "405"},
		"404 in a session":        {plainly(404, "", ""), func(err error) bool { return errors.Is(err, mcp.ErrSessionLost) }, "404"},
		"L-HTTP-48 event is gone": {plainly(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"event is too old"}}`), nil, "event is too old"},
		"401": {plainly(401, "", "", "WWW-Authenticate", "Bearer x"), func(err error) bool {
			var auth *AuthError
			return errors.As(err, &auth) && len(auth.Challenge) == 1
		}, "401"},
		"501":       {plainly(501, "", ""), nil, "501"},
		"no stream": {plainly(200, "application/json", `{}`), func(err error) bool { return errors.Is(err, mcp.ErrInvalidResponse) }, "not text/event-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var x cutting
				s, target := inMemory(t, legacy("2025-11-25", "S", x.acts(primed, tc.do)))
				c := connected(t, target, config())
				_, err := c.Call(t.Context(), "x", nil)
				if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), tc.says) || tc.check != nil && !tc.check(err) {
					t.Errorf("error is %v", err)
				}
				if diff := cmp.Diff(append(slices.Clone(handshake), "tools/call", "GET"), s.sent()); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestNotResumed: where there is nothing to go on from, the request is lost
// (M-HTTP-032).
func TestNotResumed(t *testing.T) {
	for name, on := range map[string]map[string][]act{
		"M-HTTP-032 modern": modern(map[string][]act{"tools/call": {stream(primed)}}),
		"2024-11-05":        legacy("2024-11-05", "S", map[string][]act{"tools/call": {stream(primed)}}),
		"no id":             legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream("retry: 5\ndata:\n\n")}}),
		"an id taken back":  legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream(primed + "id:\ndata:\n\n")}}),
		"an id that is cut": legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream("id: e1\n")}}),
		"no header's value": legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream(primed + "id: a\x01b\ndata:\n\n")}}),
		"an endless id":     legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream(primed + "id: " + strings.Repeat("e", maxEventID+1) + "\ndata:\n\n")}}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, on)
			c := connected(t, HTTP(s.URL), config())
			if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
			if slices.Contains(s.sent(), "GET") {
				t.Errorf("sent %q", s.sent())
			}
		})
	}
}

// TestResumeBroken: a connection that breaks is a stream that ended.
func TestResumeBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x cutting
		on := x.acts("", x.more(answered))
		on["tools/call"] = []act{func(w http.ResponseWriter, s seen) {
			x.id, x.cut = s.id(), time.Now()
			stream(primed)(w, s)
			panic(http.ErrAbortHandler)
		}}
		_, target := inMemory(t, legacy("2025-11-25", "S", on))
		c := connected(t, target, config())
		if r, err := c.Call(t.Context(), "x", nil); err != nil || r.Text() != "ok" {
			t.Fatalf("result %v, error %v", r, err)
		}
	})
}

// TestResumeInitialize: the answer to initialize may come on another response;
// the session is that of the first, and no version is agreed yet.
func TestResumeInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var id string
		s, target := inMemory(t, legacy("2025-11-25", "", map[string][]act{
			"initialize": {func(w http.ResponseWriter, s seen) {
				id = s.id()
				w.Header().Set(headerSession, "S")
				stream(primed)(w, s)
			}},
			"GET": {func(w http.ResponseWriter, s seen) {
				plainly(200, "text/event-stream", `data: {"jsonrpc":"2.0","id":`+id+`,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}`+"\n\n")(w, s)
			}},
			"ping": {result(`{}`)},
		}))
		c := connected(t, target, config())
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := s.got("GET", 0).Header
		if h.Get(headerSession) != "S" || h.Get(headerVersion) != "" || s.got("ping", 0).Header.Get(headerSession) != "S" {
			t.Errorf("GET has %v", h)
		}
	})
}

// TestResumeBounded: the limits of the request hold while it waits, and Close
// ends the wait (L-HTTP-33, CON-17).
func TestResumeBounded(t *testing.T) {
	const hour = "id: e1\nretry: 3600000\ndata:\n\n"
	t.Run("timeout", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var x cutting
			s, target := inMemory(t, legacy("2025-11-25", "S", x.acts(hour)))
			c := connected(t, target, config())
			start := time.Now()
			_, err := c.Call(t.Context(), "x", nil)
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != DefaultTimeout {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			synctest.Wait()
			if sent := s.sent(); sent[len(sent)-1] != mcp.NotifyCancelled {
				t.Errorf("sent %q", sent)
			}
		})
	})
	t.Run("close", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var x cutting
			_, target := inMemory(t, legacy("2025-11-25", "S", x.acts(hour)))
			c := connected(t, target, config())
			failed := make(chan error, 1)
			go func() {
				_, err := c.Call(t.Context(), "x", nil)
				failed <- err
			}()
			synctest.Wait()
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-failed; !errors.Is(err, mcp.ErrClosed) {
				t.Errorf("error is %v", err)
			}
		})
	})
}
