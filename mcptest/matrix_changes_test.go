package mcptest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

// TestChangesHeard: what a legacy server says by itself reaches Config.Notify,
// on a pipe and on the stream that the client opens for it (HTTP-26).
func TestChangesHeard(t *testing.T) {
	heard := make(chan string, 16)
	cfg := client.Config{Notify: func(method string, _ json.RawMessage) { heard <- method }}
	var srv *server.Server
	build := func(t testing.TB) *server.Server {
		srv = changing(t)
		return srv
	}
	mcptest.Eras(t, build, cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		if cell.Spoken.Modern() || cell.Transport == mcptest.HTTP && cell.Spoken == mcp.Legacy20241105 {
			return // changes are asked for, or on a transport of their own
		}
		more := server.NewService("more")
		server.Tool(more, "more", func(context.Context, struct{}) (string, error) { return "", nil }, server.Doc("one more"))
		if err := srv.Add(more); err != nil {
			t.Fatal(err)
		}
		select {
		case method := <-heard:
			if method != mcp.NotifyToolsListChanged {
				t.Errorf("heard %q", method)
			}
		case <-time.After(20 * time.Second):
			t.Error("heard nothing")
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// changing is a server with a tool that takes until release, after it has said
// that it works.
func changing(t testing.TB, release ...<-chan struct{}) *server.Server {
	t.Helper()
	s := server.NewService("s")
	server.Tool(s, "slow", func(ctx context.Context, _ struct{}) (string, error) {
		server.Progress(ctx, 1, 2, "working")
		for _, r := range release {
			select {
			case <-r:
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		server.Progress(ctx, 2, 2, "done")
		return "done", nil
	}, server.Doc("takes a while"))
	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "changing", Version: "1"}}, s)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// breaker is a connection that breaks after the first event with data on it.
type breaker struct {
	http.ResponseWriter

	broken atomic.Bool
	end    context.CancelFunc
}

// Unwrap is for http.ResponseController.
func (b *breaker) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// Write breaks the connection behind what it writes.
func (b *breaker) Write(text []byte) (int, error) {
	if b.broken.Load() {
		return 0, io.ErrClosedPipe
	}
	n, err := b.ResponseWriter.Write(text)
	if strings.Contains(string(text), "working") {
		err = http.NewResponseController(b.ResponseWriter).Flush()
		b.broken.Store(true)
		b.end()
	}
	return n, err
}

// FlushError fails once the connection is broken.
func (b *breaker) FlushError() error {
	if b.broken.Load() {
		return io.ErrClosedPipe
	}
	return http.NewResponseController(b.ResponseWriter).Flush()
}

// TestConnectionBreaks: the connection of a call breaks, and the call ends as if
// it had not, with all that was said on the way, once (HTTP-34, HTTP-45, HTTP-46).
func TestConnectionBreaks(t *testing.T) {
	release := make(chan struct{})
	var once sync.Once
	serve := changing(t, release).Handler()
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "" {
			once.Do(func() { close(release) })
		}
		if r.Method != http.MethodPost {
			serve.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		b := &breaker{ResponseWriter: w, end: cancel}
		serve.ServeHTTP(b, r.WithContext(ctx))
		if b.broken.Load() {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(hs.Close)
	c, err := client.Connect(t.Context(), client.HTTP(hs.URL), client.Config{
		Info: mcp.Implementation{Name: "tester", Version: "1"}, Profile: mcp.Legacy20251125,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	var steps []string
	r, err := c.Call(t.Context(), "s_slow", nil, client.OnProgress(func(p mcp.ProgressParams) { steps = append(steps, p.Message) }))
	if err != nil || r.Text() != "done" {
		t.Fatalf("result %v, error %v", r, err)
	}
	if got := strings.Join(steps, " "); got != "working done" {
		t.Errorf("progress %q", got)
	}
}
