package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// tape is a response writer that keeps what was flushed when.
type tape struct {
	*httptest.ResponseRecorder
	mu      sync.Mutex
	flushed []string
}

func newTape() *tape { return &tape{ResponseRecorder: httptest.NewRecorder()} }

func (t *tape) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flushed = append(t.flushed, t.Body.String())
	t.Body.Reset()
}

func (t *tape) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.flushed...)
}

func postRequest(t testing.TB, body string, h http.Header) *http.Request {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = h
	return r
}

// M-HTTP-028, SUB-06, CON-17: a stream on which nothing happens gets comments,
// one for each interval of silence, and a call that takes long becomes one.
func TestKeepAlive(t *testing.T) {
	comment := ": keep-alive\n\n"
	for _, tt := range []struct {
		name   string
		tool   func(ctx context.Context)
		accept string
		want   []string // flushes before the reply
	}{
		{"a quiet call", func(context.Context) { time.Sleep(35 * time.Second) }, "", []string{comment, comment}},
		{"a short call", func(context.Context) { time.Sleep(14 * time.Second) }, "", nil},
		{"silence after a notification", func(ctx context.Context) {
			time.Sleep(10 * time.Second)
			Progress(ctx, 1, 0, "")
			time.Sleep(20 * time.Second) // the next comment is due 15 s after the notification
		}, "", []string{`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n\n", comment}},
		{"no event stream taken", func(context.Context) { time.Sleep(time.Minute) }, "application/json", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := NewService("")
				Tool(svc, "slow", func(ctx context.Context, _ nothing) (string, error) {
					tt.tool(ctx)
					return "done", nil
				})
				h := modernHeader(mcp.MethodToolsCall, "slow")
				if tt.accept != "" {
					h.Set("Accept", tt.accept)
				}
				w := newTape()
				serverOf(t, svc).Handler().ServeHTTP(w, postRequest(t, modernBody("1", mcp.MethodToolsCall, `"name":"slow"`, `"progressToken":1`), h))
				got := w.all()
				if len(tt.want) == 0 {
					if len(got) != 0 || w.Header().Get("Content-Length") == "" || !strings.Contains(w.Body.String(), "done") {
						t.Errorf("flushed %q, then %v %q; want one JSON body", got, w.Header(), w.Body)
					}
					return
				}
				if len(got) != len(tt.want)+1 || !strings.Contains(got[len(got)-1], "done") {
					t.Fatalf("flushed %q, want %q and the reply", got, tt.want)
				}
				for i, want := range tt.want {
					if got[i] != want {
						t.Errorf("flush %d is %q, want %q", i, got[i], want)
					}
				}
				if ct := w.Header().Get("Content-Type"); ct != "text/event-stream" {
					t.Errorf("content type %q", ct)
				}
			})
		})
	}
}

// HTTP-05: events are flushed one by one, through wrapped writers too; without
// any way to flush the reply is JSON, and the log says why.
func TestFlushing(t *testing.T) {
	svc := NewService("")
	step := make(chan struct{})
	Tool(svc, "steps", func(ctx context.Context, _ nothing) (string, error) {
		Progress(ctx, 1, 0, "")
		<-step
		return "done", nil
	})
	body := modernBody("1", mcp.MethodToolsCall, `"name":"steps"`, `"progressToken":1`)
	h := modernHeader(mcp.MethodToolsCall, "steps")
	t.Run("wrapped", func(t *testing.T) {
		inner := serverOf(t, svc).Handler()
		s := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(struct{ wrapped }{wrapped{w}}, r)
		}))
		res, err := s.send(t.Context(), http.MethodPost, body, h)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		first := make([]byte, 20)
		if _, err := io.ReadFull(res.Body, first); err != nil || !strings.HasPrefix(string(first), "data: ") {
			t.Errorf("before the reply: %q, %v", first, err)
		}
		step <- struct{}{}
		if rest, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(rest), "done") {
			t.Errorf("then: %q, %v", rest, err)
		}
	})
	t.Run("impossible", func(t *testing.T) {
		var log bytes.Buffer
		srv := configured(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, svc)
		w := httptest.NewRecorder()
		go func() { step <- struct{}{} }()
		srv.Handler().ServeHTTP(struct{ http.ResponseWriter }{w}, postRequest(t, body, h))
		if !strings.Contains(w.Body.String(), "done") || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("answer: %v %s", w.Header(), w.Body)
		}
		if !strings.Contains(log.String(), "flush") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// wrapped is a middleware's writer that can only be unwrapped.
type wrapped struct{ inner http.ResponseWriter }

func (w wrapped) Header() http.Header         { return w.inner.Header() }
func (w wrapped) Write(b []byte) (int, error) { return w.inner.Write(b) }
func (w wrapped) WriteHeader(status int)      { w.inner.WriteHeader(status) }
func (w wrapped) Unwrap() http.ResponseWriter { return w.inner }

// CON-11, M-PROG-009: notifications come before the reply, all of them, in
// order, and none after it.
func TestNotificationsPrecedeTheReply(t *testing.T) {
	svc := NewService("")
	late := make(chan context.Context, 1)
	Tool(svc, "count", func(ctx context.Context, _ nothing) (string, error) {
		for i := range 100 {
			Progress(ctx, float64(i+1), 100, "")
		}
		late <- ctx
		return "done", nil
	})
	s := serveHTTP(t, serverOf(t, svc).Handler())
	a := s.do(http.MethodPost, modernBody("1", mcp.MethodToolsCall, `"name":"count"`, `"progressToken":1`), modernHeader(mcp.MethodToolsCall, "count"))
	ctx := <-late
	Progress(ctx, 1000, 0, "") // too late: it must go nowhere, and hurt nobody
	if p := CallFrom(ctx).Params(); p != nil {
		t.Errorf("after the reply the request is still %s", p)
	}
	events := strings.Split(strings.TrimSuffix(a.body, "\n\n"), "\n\n")
	if len(events) != 101 {
		t.Fatalf("%d events, want 101", len(events))
	}
	for i, e := range events[:100] {
		if !strings.Contains(e, fmt.Sprintf(`"progress":%d,`, i+1)) {
			t.Errorf("event %d: %s", i, e)
		}
	}
	if !strings.Contains(events[100], `"id":1`) {
		t.Errorf("the last event is %s", events[100])
	}
}

// CON-11: a client that stops reading hurts itself alone: its stream ends after
// the write limit, and others are served meanwhile.
func TestSlowReader(t *testing.T) {
	svc := NewService("")
	ended := make(chan error, 1)
	Tool(svc, "flood", func(ctx context.Context, _ nothing) (string, error) {
		text := strings.Repeat("x", 1<<20)
		for i := 0; ctx.Err() == nil && i < 1000; i++ {
			Progress(ctx, float64(i), 0, text)
			if c := CallFrom(ctx); func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.over }() {
				ended <- nil
				return "", errors.New("nobody listens")
			}
		}
		ended <- ctx.Err()
		return "", nil
	})
	Tool(svc, "quick", says("quick"))
	s := serveHTTP(t, configured(t, Config{HTTP: HTTPConfig{WriteTimeout: 50 * time.Millisecond}}, svc).Handler())
	c := s.dial()
	c.post(modernBody("1", mcp.MethodToolsCall, `"name":"flood"`, `"progressToken":1`), modernHeader(mcp.MethodToolsCall, "flood"))
	for range 50 {
		body, h := modernCall("2", "quick", "{}")
		if a := s.do(http.MethodPost, body, h); a.status != http.StatusOK {
			t.Fatalf("beside a slow reader: %d %s", a.status, a.body)
		}
	}
	within(t, ended, "flood")
}

// A large reply to a client that stops reading is given up as well.
func TestSlowReaderOfAReply(t *testing.T) {
	svc := NewService("")
	Tool(svc, "big", says(strings.Repeat("x", 64<<20)))
	srv := configured(t, Config{HTTP: HTTPConfig{WriteTimeout: 50 * time.Millisecond}}, svc)
	inner := srv.Handler()
	returned := make(chan struct{}, 1)
	s := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		returned <- struct{}{}
	}))
	c := s.dial()
	body, h := modernCall("1", "big", "{}")
	c.post(body, h)
	within(t, returned, "handler")
}

// CON-14: whatever a handler does ends as an answer to its own request.
func TestHandlersThatMisbehave(t *testing.T) {
	svc := NewService("")
	Tool(svc, "panic", func(context.Context, nothing) (string, error) { panic("secret") })
	Tool(svc, "goexit", func(context.Context, nothing) (string, error) { runtime.Goexit(); return "", nil })
	Tool(svc, "quick", says("quick"))
	s := serveHTTP(t, serverOf(t, svc).Handler())
	session := s.open(mcp.Legacy20250326)
	for i, tool := range []string{"panic", "goexit"} {
		first, second, third := fmt.Sprint(3*i), fmt.Sprint(3*i+1), fmt.Sprint(3*i+2) // ids are used once (L-RPC-03)
		body, h := modernCall("1", tool, "{}")
		if a := s.do(http.MethodPost, body, h); code(t, a.body) != int(mcp.CodeInternal) || strings.Contains(a.body, "secret") {
			t.Errorf("modern %s: %d %s", tool, a.status, a.body)
		}
		if a := s.do(http.MethodPost, legacyCall(first, tool, "{}"), legacyHeader(session)); code(t, a.body) != int(mcp.CodeInternal) {
			t.Errorf("legacy %s: %d %s", tool, a.status, a.body)
		}
		batch := "[" + legacyCall(second, tool, "{}") + "," + legacyCall(third, "quick", "{}") + "]"
		if a := s.do(http.MethodPost, batch, legacyHeader(session)); a.status != http.StatusOK || !strings.Contains(a.body, "-32603") || !strings.Contains(a.body, "quick") {
			t.Errorf("batch with %s: %d %s", tool, a.status, a.body)
		}
	}
}
