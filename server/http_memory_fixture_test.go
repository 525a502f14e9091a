package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/diglot-mcp/diglot/mcp"
)

// memory is a client without a network, for tests in which time is not real.
type memory struct {
	t testing.TB
	h http.Handler
}

func (m *memory) do(method, body string, h http.Header) *httptest.ResponseRecorder {
	m.t.Helper()
	w := httptest.NewRecorder()
	m.h.ServeHTTP(w, m.request(context.Background(), method, body, h))
	return w
}

func (m *memory) request(ctx context.Context, method, body string, h http.Header) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header = h
	return r
}

// open opens a session, whose client is ready, and returns its id.
func (m *memory) open(p mcp.Profile) string {
	m.t.Helper()
	id := m.do(http.MethodPost, initializeBody(p.Version()), legacyHeader("")).Header().Get("Mcp-Session-Id")
	if id == "" {
		m.t.Fatal("initialize opened no session")
	}
	m.do(http.MethodPost, ready, legacyHeader(id))
	return id
}

const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// ongoing is a response that is being written. What was flushed is what its client has.
type ongoing struct {
	*httptest.ResponseRecorder

	vanish context.CancelFunc
	// ended is closed when the handler has returned.
	ended chan struct{}

	mu sync.Mutex
	// broken: nothing can be written any more.
	broken bool
	got    strings.Builder
}

// start sends a request whose response takes its time, and waits until nothing
// moves.
func (m *memory) start(method, body string, h http.Header) *ongoing {
	m.t.Helper()
	w := m.begin(method, body, h)
	synctest.Wait()
	return w
}

func (m *memory) begin(method, body string, h http.Header) *ongoing {
	m.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &ongoing{ResponseRecorder: httptest.NewRecorder(), vanish: cancel, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		m.h.ServeHTTP(w, m.request(ctx, method, body, h))
	}()
	m.t.Cleanup(func() { cancel(); <-w.ended })
	return w
}

func (w *ongoing) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		return 0, context.Canceled
	}
	return w.ResponseRecorder.Write(b)
}

func (w *ongoing) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got.WriteString(w.Body.String())
	w.Body.Reset()
	return nil
}

// breaks has writes fail from now on.
func (w *ongoing) breaks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = true
}

// text is what the client has got and not looked at, once nothing moves.
func (w *ongoing) text() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.got.String()
	w.got.Reset()
	return text
}

// over reports whether the response is complete, once nothing moves.
func (w *ongoing) over() bool {
	synctest.Wait()
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// session is the record of a session that is there.
func (s *Server) sessionOf(id string) *session { return s.edge.sessions.find(id, "") }
