package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

var testInfo = mcp.Implementation{Name: "test", Version: "1"}

// serverOf makes a server of services with a minimal configuration.
func serverOf(tb testing.TB, services ...*Service) *Server {
	tb.Helper()
	return configured(tb, Config{}, services...)
}

// configured makes a server; an empty Info is filled in.
func configured(tb testing.TB, cfg Config, services ...*Service) *Server {
	tb.Helper()
	if cfg.Info.Name == "" {
		cfg.Info = testInfo
	}
	srv, err := New(cfg, services...)
	if err != nil {
		tb.Fatal(err)
	}
	return srv
}

// request makes an exchange of the newest revision.
func request(method, params string) *exchange { return requestIn(mcp.Newest, method, params) }

// requestIn makes an exchange of a revision.
func requestIn(p mcp.Profile, method, params string) *exchange {
	x := &exchange{era: wire.For(p), id: jsonrpc.IntID(1), method: method}
	if params != "" {
		x.params = wire.Scan([]byte(params))
	}
	return x
}

// response is a reply taken apart.
type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
	status int
}

type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// ask serves an exchange and takes the reply apart. The reply must be JSON by
// the strict rules.
func ask(tb testing.TB, srv *Server, x *exchange) response {
	tb.Helper()
	return parsed(tb, srv.serve(tb.Context(), x))
}

func parsed(tb testing.TB, r reply) response {
	tb.Helper()
	if err := jsonx.Check(r.body, 0); err != nil {
		tb.Fatalf("reply %q: %v", r.body, err)
	}
	out := response{status: r.status}
	if err := json.Unmarshal(r.body, &out); err != nil {
		tb.Fatalf("reply %q: %v", r.body, err)
	}
	if (out.Result == nil) == (out.Error == nil) {
		tb.Fatalf("reply %q has not exactly one of result and error", r.body)
	}
	return out
}

// result asks and decodes the result into into.
func result(tb testing.TB, srv *Server, x *exchange, into any) {
	tb.Helper()
	r := ask(tb, srv, x)
	if r.Error != nil {
		tb.Fatalf("%s: %d %s %s", x.method, r.Error.Code, r.Error.Message, r.Error.Data)
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		tb.Fatalf("%s: %v in %s", x.method, err, r.Result)
	}
}

// callTool calls a tool and returns its result.
func callTool(tb testing.TB, srv *Server, name, args string) mcp.CallToolResult {
	tb.Helper()
	params := `{"name":` + quoted(name) + `}`
	if args != "" {
		params = `{"name":` + quoted(name) + `,"arguments":` + args + `}`
	}
	var out mcp.CallToolResult
	result(tb, srv, request(mcp.MethodToolsCall, params), &out)
	return out
}

// wantError asks and compares the error's code, and that its message contains
// every fragment.
func wantError(tb testing.TB, srv *Server, x *exchange, code mcp.Code, fragments ...string) response {
	tb.Helper()
	r := ask(tb, srv, x)
	if r.Error == nil {
		tb.Fatalf("%s %s: got the result %s, want error %d", x.method, x.params.Raw, r.Result, code)
	}
	if r.Error.Code != int(code) {
		tb.Errorf("%s %s: got code %d (%s), want %d", x.method, x.params.Raw, r.Error.Code, r.Error.Message, code)
	}
	for _, f := range fragments {
		if !strings.Contains(r.Error.Message, f) {
			tb.Errorf("%s %s: message %q does not say %q", x.method, x.params.Raw, r.Error.Message, f)
		}
	}
	return r
}

// recorder is a sink that keeps what it is sent.
type recorder struct {
	mu   sync.Mutex
	sent []string
	// closed: the peer is gone.
	closed bool
}

func (r *recorder) send(_ context.Context, notification []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errors.New("the peer is gone")
	}
	r.sent = append(r.sent, string(notification))
	return nil
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.sent...)
}

// header makes an HTTP header of pairs.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// nothing is the In of handlers that take no arguments.
type nothing struct{}

func says(text string) func(context.Context, nothing) (string, error) {
	return func(context.Context, nothing) (string, error) { return text, nil }
}
