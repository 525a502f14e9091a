package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// config is what tests connect with, unless they say otherwise. Its log is
// silent.
func config() Config {
	return Config{
		Info:   mcp.Implementation{Name: "tester", Version: "1"},
		Logger: slog.New(slog.DiscardHandler),
	}
}

// log is a logger whose text a test can read.
type log struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *log) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// seen is one HTTP request of the client, or one message on a pipe.
type seen struct {
	HTTP   string // the HTTP method
	Header http.Header
	Body   []byte
	done   <-chan struct{} // closed when the client has hung up
	jsonrpc.Message
}

// id is the literal of the request's id.
func (s seen) id() string { return s.ID.String() }

// param is a member of params, dotted.
func (s seen) param(t testing.TB, path ...string) string {
	t.Helper()
	var raw json.RawMessage = s.Params
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			t.Fatalf("params %s of %s: %v", s.Params, s.Method, err)
		}
		raw = object[name]
	}
	return string(raw)
}

// act is what a scripted HTTP server does with a request.
type act func(w http.ResponseWriter, s seen)

// script is an HTTP server that does what it is told for each method, and
// records what it was sent.
type script struct {
	URL   string
	conns atomic.Int64 // connections that were opened

	t  testing.TB
	mu sync.Mutex
	// on maps a JSON-RPC method to what is done, one after the other; the last
	// stays. "" is for methods without an entry, "DELETE" and "GET" for those of
	// HTTP, "response" for answers of the client.
	on       map[string][]act
	requests []seen
}

// overTLS serves the script once more, with TLS and HTTP/2, and returns a client
// for it.
func (s *script) overTLS() *http.Client {
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.StartTLS()
	s.t.Cleanup(server.Close)
	s.URL = server.URL
	return server.Client()
}

func newScript(t testing.TB, on map[string][]act) *script {
	t.Helper()
	s := &script{t: t, on: maps.Clone(on)}
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	s.URL = server.URL + "/mcp"
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	x := seen{HTTP: r.Method, Header: r.Header, Body: body, done: r.Context().Done()}
	key := r.Method
	if r.Method == http.MethodPost {
		m, fault := jsonrpc.Parse(body, 0)
		if fault != nil {
			s.t.Errorf("client sent %q: %v", body, fault)
		}
		x.Message, key = m, m.Method
		if m.Kind == jsonrpc.Response {
			key = "response"
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, x)
	acts, ok := s.on[key]
	if !ok {
		key = ""
		acts = s.on[""]
	}
	do := acts
	if len(acts) > 1 {
		s.on[key] = acts[1:]
	}
	s.mu.Unlock()
	if len(do) == 0 {
		if x.Kind != jsonrpc.Request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		do = []act{fault(-32601, "no such method")}
	}
	do[0](w, x)
}

// sent lists the methods the client has sent so far.
func (s *script) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, r := range s.requests {
		switch {
		case r.Kind == jsonrpc.Response:
			all = append(all, "response "+r.id())
		case r.HTTP == http.MethodPost:
			all = append(all, r.Method)
		default:
			all = append(all, r.HTTP)
		}
	}
	return all
}

// got is the nth request (from 0) of a method.
func (s *script) got(method string, n int) seen {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.Method != method && r.HTTP != method {
			continue
		}
		if n == 0 {
			return r
		}
		n--
	}
	s.t.Fatalf("no request %s was sent", method)
	return seen{}
}

// result answers with a JSON body.
func result(raw string) act {
	return func(w http.ResponseWriter, s seen) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, s.id(), raw)
	}
}

// fault answers 200 with a JSON-RPC error.
func fault(code int, message string, data ...string) act { return faultAt(200, code, message, data...) }

// faultAt answers with a JSON-RPC error in a status.
func faultAt(status, code int, message string, data ...string) act {
	return func(w http.ResponseWriter, s seen) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		more := ""
		if len(data) > 0 {
			more = `,"data":` + data[0]
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q%s}}`, s.id(), code, message, more)
	}
}

// plainly answers with a status, a content type and a body.
func plainly(status int, contentType, body string, header ...string) act {
	return func(w http.ResponseWriter, _ seen) {
		w.Header()["Content-Type"] = nil // no guess from the body
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// stream answers with an event stream; "ID" in it is the request's id.
func stream(text string) act {
	return func(w http.ResponseWriter, s seen) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", s.id()))
		w.(http.Flusher).Flush()
	}
}

// accepted answers a notification.
func accepted(w http.ResponseWriter, _ seen) { w.WriteHeader(http.StatusAccepted) }

// welcome answers initialize with a revision and a session id.
func welcome(version, session string) act {
	return func(w http.ResponseWriter, s seen) {
		if session != "" {
			w.Header().Set("Mcp-Session-Id", session)
		}
		result(`{"protocolVersion":"`+version+`","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"old","version":"1"}}`)(w, s)
	}
}

// discovery answers server/discover.
func discovery(versions ...string) act { return result(discovered_(versions...)) }

func discovered_(versions ...string) string {
	list, _ := json.Marshal(versions)
	return `{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":` + string(list) +
		`,"capabilities":{"tools":{}},"instructions":"be nice","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`
}

// modern is a script of a modern server, legacy of one of the other era.
func modern(on map[string][]act) map[string][]act {
	return merge(map[string][]act{"server/discover": {discovery("2026-07-28")}}, on)
}

func legacy(version, session string, on map[string][]act) map[string][]act {
	return merge(map[string][]act{
		"server/discover": {plainly(400, "text/plain", "what is this")},
		"initialize":      {welcome(version, session)},
	}, on)
}

func merge(a, b map[string][]act) map[string][]act {
	for k, v := range b {
		a[k] = v
	}
	return a
}

// connected is a client of target, closed when the test ends.
func connected(t testing.TB, target Target, cfg Config) *Client {
	t.Helper()
	c, err := Connect(t.Context(), target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// piped is the server's end of a pipe in memory, and what it was sent.
type piped struct {
	t    testing.TB
	conn transport.Conn
	mu   sync.Mutex
	got  []seen
	done chan struct{}
}

// line is what a scripted server writes for a message: texts, one message each.
type line func(s seen) []string

// errHangUp makes a scripted server on a pipe close it.
var errHangUp = []string{"hang up"}

// onPipe is a target that is a scripted server in memory. Each dial starts the
// next of starts; the last stays.
func onPipe(t testing.TB, starts ...map[string]line) (Target, func() []*piped) {
	t.Helper()
	var mu sync.Mutex
	var all []*piped
	target := Dial(func(context.Context) (transport.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		near, far := transport.Pipe()
		p := &piped{t: t, conn: far, done: make(chan struct{})}
		on := starts[min(len(all), len(starts)-1)]
		all = append(all, p)
		go p.serve(on)
		return near, nil
	})
	t.Cleanup(func() {
		for _, p := range all {
			_ = p.conn.Close()
			<-p.done
		}
	})
	return target, func() []*piped {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func (p *piped) serve(on map[string]line) {
	defer close(p.done)
	for {
		text, err := p.conn.Read(context.Background())
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				p.t.Errorf("server reads: %v", err)
			}
			return
		}
		m, fault := jsonrpc.Parse(text, 0)
		if fault != nil {
			p.t.Errorf("client sent %q: %v", text, fault)
		}
		s := seen{Body: bytes.Clone(text), Message: m}
		p.mu.Lock()
		p.got = append(p.got, s)
		p.mu.Unlock()
		do := on[m.Method]
		if do == nil {
			do = on[""]
		}
		if do == nil {
			continue
		}
		for _, out := range do(s) {
			if out == errHangUp[0] {
				_ = p.conn.Close()
				return
			}
			p.write(out)
		}
	}
}

func (p *piped) write(text string) {
	if err := p.conn.Write(context.Background(), []byte(text)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		p.t.Errorf("server writes: %v", err)
	}
}

// sent lists the methods this server was sent.
func (p *piped) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, s := range p.got {
		if s.Kind == jsonrpc.Response {
			all = append(all, "response "+s.id())
			continue
		}
		all = append(all, s.Method)
	}
	return all
}

// nth is the nth message (from 0) of a method.
func (p *piped) nth(method string, n int) seen {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.got {
		if s.Method != method {
			continue
		}
		if n == 0 {
			return s
		}
		n--
	}
	p.t.Fatalf("no message %s was sent", method)
	return seen{}
}

// say answers with a result on a pipe, refuse with an error.
func say(raw string) line {
	return func(s seen) []string {
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, s.id(), raw)}
	}
}

func refuse(code int, message string, data ...string) line {
	return func(s seen) []string {
		more := ""
		if len(data) > 0 {
			more = `,"data":` + data[0]
		}
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q%s}}`, s.id(), code, message, more)}
	}
}

// texts writes what is given, with "ID" for the request's id.
func texts(all ...string) line {
	return func(s seen) []string {
		var out []string
		for _, text := range all {
			out = append(out, strings.ReplaceAll(text, "ID", s.id()))
		}
		return out
	}
}

func hangUp(seen) []string { return errHangUp }

// greets answers initialize on a pipe.
func greets(version string) line {
	return say(`{"protocolVersion":"` + version + `","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"old","version":"1"}}`)
}
