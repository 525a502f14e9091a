package client

import (
	"context"
	"errors"
	"net"
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

// inMemory serves a script over connections in memory, which a synctest bubble
// can see through, and returns a target for it.
func inMemory(t *testing.T, on map[string][]act) (*script, Target) {
	t.Helper()
	s := &script{t: t, on: on, URL: "http://server.test/mcp"}
	l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: s}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ends with Close
	}()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		<-served
	})
	return s, HTTP(s.URL, HTTPClient(&http.Client{Transport: transport}))
}

type memoryListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *memoryListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// silent is a server that never answers, until the client hangs up.
func silent(ended chan<- string) act {
	return func(_ http.ResponseWriter, s seen) {
		<-s.done
		ended <- s.Method
	}
}

// TestTimeout: a request ends at its limit, the error names it, and the server
// is told as the revision demands (CON-17, INIT-15, M-HTTP-033, L-HTTP-21,
// L-HTTP-22, CAN-01).
func TestTimeout(t *testing.T) {
	for _, tc := range []struct {
		name  string
		on    map[string][]act
		opts  []CallOption
		after time.Duration
		limit string
		sent  []string // after the call
	}{
		{"modern", modern(nil), nil, 60 * time.Second, "(Config.Timeout)", nil},
		{"modern, of the call", modern(nil), []CallOption{Timeout(5 * time.Second)}, 5 * time.Second, "(client.Timeout)", nil},
		{"legacy", legacy("2025-06-18", "S", nil), nil, 60 * time.Second, "(Config.Timeout)", []string{"notifications/cancelled"}},
		{"longer than the maximum", modern(nil), []CallOption{Timeout(time.Hour)}, time.Hour, "(client.Timeout)", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan string, 1)
				tc.on["tools/call"] = []act{silent(ended)}
				s, target := inMemory(t, tc.on)
				c := connected(t, target, config())
				before := len(s.sent())
				start := time.Now()
				_, err := c.Call(t.Context(), "x", nil, tc.opts...)
				if got := time.Since(start); got != tc.after {
					t.Errorf("ended after %v, want %v", got, tc.after)
				}
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tc.limit) {
					t.Errorf("error is %v, want %s in it", err, tc.limit)
				}
				<-ended // the stream is closed in either era
				synctest.Wait()
				got := s.sent()[before+1:]
				if diff := cmp.Diff(tc.sent, slices.Clip(got), cmp.Transformer("none", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
					t.Errorf("sent afterwards (-want +got):\n%s", diff)
				}
				if len(tc.sent) > 0 {
					n := s.got("notifications/cancelled", 0)
					if n.param(t, "requestId") != s.got("tools/call", 0).id() || n.Header.Get(headerSession) != "S" || !strings.Contains(n.param(t, "reason"), "1m0s") {
						t.Errorf("cancelled with %s", n.Body)
					}
				}
			})
		})
	}
}

// TestProgressExtends: progress starts the clock anew, up to the hard limit
// (INIT-16, CON-17).
func TestProgressExtends(t *testing.T) {
	run := func(name string, reports int, want time.Duration, limit string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				do := func(w http.ResponseWriter, s seen) {
					stream(": \n\n")(w, s)
					for range reports {
						select {
						case <-time.After(20 * time.Second):
							stream(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+s.param(t, "_meta", "progressToken")+`,"progress":1}}`+"\n\n")(w, s)
						case <-s.done:
							return
						}
					}
					select {
					case <-time.After(20 * time.Second):
						stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":"+okResult+"}\n\n")(w, s)
					case <-s.done:
					}
				}
				_, target := inMemory(t, modern(map[string][]act{"tools/call": {do}}))
				cfg := config()
				cfg.Timeout, cfg.MaxTimeout = 30*time.Second, 90*time.Second
				c := connected(t, target, cfg)
				start := time.Now()
				_, err := c.Call(t.Context(), "x", nil, OnProgress(func(mcp.ProgressParams) {}))
				if got := time.Since(start); got != want {
					t.Errorf("ended after %v, want %v", got, want)
				}
				switch {
				case limit == "" && err != nil:
					t.Error(err)
				case limit != "" && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), limit)):
					t.Errorf("error is %v, want %s in it", err, limit)
				}
			})
		})
	}
	run("done before the maximum", 3, 80*time.Second, "")
	run("cut by the maximum", 10, 90*time.Second, "(Config.MaxTimeout)")
	run("no progress, cut by the timeout", 0, 20*time.Second, "")
}

// TestCancel: the caller's context ends the request at once, with its own error.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 1)
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"tools/call": {silent(ended)}}))
		c := connected(t, target, config())
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("the user left")) })
		_, err := c.Call(ctx, "x", nil)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the user left") {
			t.Errorf("error is %v", err)
		}
		<-ended
		synctest.Wait()
		if got := s.got("notifications/cancelled", 0).param(t, "reason"); got != `"the user left"` {
			t.Errorf("reason is %s", got)
		}
	})
}

// TestConnectTimeout: Connect has a limit, and initialize is never cancelled
// with a notification (CON-07, INIT-12).
func TestConnectTimeout(t *testing.T) {
	for name, on := range map[string]map[string][]act{
		"server/discover": {},
		"initialize":      {"server/discover": {plainly(400, "", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan string, 1)
				on[name] = []act{silent(ended)}
				s, target := inMemory(t, on)
				_, err := Connect(t.Context(), target, config())
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "30s (Config.ConnectTimeout)") {
					t.Errorf("error is %v", err)
				}
				<-ended
				synctest.Wait()
				if slices.Contains(s.sent(), "notifications/cancelled") {
					t.Errorf("sent %q", s.sent())
				}
				if !target.remembered().IsZero() {
					t.Error("a timeout was remembered")
				}
			})
		})
	}
	t.Run("the caller gives up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan string, 1)
			s, target := inMemory(t, map[string][]act{"server/discover": {plainly(400, "", "")}, "initialize": {silent(ended)}})
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := Connect(ctx, target, config()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
			<-ended
			synctest.Wait()
			if slices.Contains(s.sent(), "notifications/cancelled") {
				t.Errorf("sent %q", s.sent())
			}
		})
	})
}

// TestClose: it ends what is in flight, deletes the session, waits, and is the
// same for all who call it.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 3)
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"tools/call": {silent(ended)}}))
		c, err := Connect(t.Context(), target, config())
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrClosed) {
					t.Errorf("error is %v", err)
				}
			})
		}
		synctest.Wait()
		for range 2 {
			all.Go(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("error after Close is %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		sent := s.sent()
		if got := sent[len(sent)-1]; got != "DELETE" || s.got("DELETE", 0).Header.Get(headerSession) != "S" {
			t.Errorf("sent %q", sent)
		}
		if n := len(slices.DeleteFunc(sent, func(m string) bool { return m != "DELETE" })); n != 1 {
			t.Errorf("the session was deleted %d times", n)
		}
	})
}

// TestCloseBounded: neither a server that never answers DELETE nor a callback
// that never returns holds Close up.
func TestCloseBounded(t *testing.T) {
	t.Run("DELETE", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan string, 1)
			_, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{"DELETE": {silent(ended)}}))
			c, err := Connect(t.Context(), target, config())
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := c.Close(); err != nil || time.Since(start) > 10*time.Second {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			<-ended
		})
	})
	t.Run("DELETE is refused", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "S", map[string][]act{"DELETE": {plainly(405, "", "")}}))
		connected(t, HTTP(s.URL), config())
	})
	t.Run("callback", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			do := func(w http.ResponseWriter, s seen) {
				stream(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+s.param(t, "_meta", "progressToken")+`,"progress":1}}`+"\n\n")(w, s)
				<-s.done
			}
			_, target := inMemory(t, modern(map[string][]act{"tools/call": {do}}))
			c, err := Connect(t.Context(), target, config())
			if err != nil {
				t.Fatal(err)
			}
			release, called := make(chan struct{}), make(chan struct{})
			var call sync.WaitGroup
			call.Go(func() {
				_, _ = c.Call(t.Context(), "x", nil, OnProgress(func(mcp.ProgressParams) { // its end is of no interest
					close(called)
					<-release
				}))
			})
			<-called
			start := time.Now()
			if err := c.Close(); err == nil || !strings.Contains(err.Error(), "Config.CloseTimeout") || time.Since(start) != DefaultCloseTimeout {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			close(release)
			call.Wait()
		})
	})
}
