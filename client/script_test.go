package client

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
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
	maps.Copy(a, b)
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
