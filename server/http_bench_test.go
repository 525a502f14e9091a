package server

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// discard is a writer that costs nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header             { return d.header }
func (d *discard) Write(b []byte) (int, error)     { return len(b), nil }
func (d *discard) WriteHeader(int)                 {}
func (d *discard) Flush()                          {}
func (d *discard) SetReadDeadline(time.Time) error { return nil }

// BenchmarkModernCall is a small tools/call through the handler, in memory.
func BenchmarkModernCall(b *testing.B) {
	type in struct {
		Text  string `json:"text" doc:"text"`
		Count int    `json:"count" doc:"count"`
	}
	type out struct {
		Length int `json:"length" doc:"length"`
	}
	svc := NewService("")
	Tool(svc, "add", func(_ context.Context, in in) (out, error) { return out{len(in.Text) * in.Count}, nil }, Doc("add"))
	srv, err := New(Config{Info: mcp.Implementation{Name: "bench", Version: "1"}}, svc)
	if err != nil {
		b.Fatal(err)
	}
	h := srv.Handler()
	const body = `{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"add","arguments":{"text":"hello world","count":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"probe","version":"0.1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"add"},
	}
	req.ContentLength = int64(len(body))
	reader := strings.NewReader(body)
	req.Body = nopCloser{reader}
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(body)
		h.ServeHTTP(w, req)
	}
}

type nopCloser struct{ *strings.Reader }

func (nopCloser) Close() error { return nil }

// BenchmarkIdleSession says what a session costs that is opened and kept.
func BenchmarkIdleSession(b *testing.B) {
	srv, err := New(Config{Info: mcp.Implementation{Name: "bench", Version: "1"}, Session: SessionConfig{Max: 1 << 30}})
	if err != nil {
		b.Fatal(err)
	}
	client := caller{info: []byte(`{"name":"probe","version":"0.1"}`), capabilities: []byte(`{}`)}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for b.Loop() {
		if err := srv.edge.sessions.open(newSession(nil, client, &srv.cfg.Session)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "heap-B/session")
	srv.edge.sessions.clear()
}
