package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// patience bounds every wait of these tests: reaching it is a hang.
const patience = 10 * time.Second

// site is a server on a loopback socket and a client of it.
type site struct {
	t      testing.TB
	url    string
	client *http.Client
}

func serveHTTP(t testing.TB, h http.Handler) *site {
	t.Helper()
	hs := httptest.NewServer(h)
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience}
	t.Cleanup(func() {
		c.CloseIdleConnections()
		hs.Close()
	})
	return &site{t: t, url: hs.URL, client: c}
}

// answered is a response that has been read.
type answered struct {
	status int
	header http.Header
	body   string
}

// do sends a request and reads the whole response.
func (s *site) do(method, body string, h http.Header) answered {
	s.t.Helper()
	res, err := s.send(context.Background(), method, body, h)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.read(res)
}

func (s *site) send(ctx context.Context, method, body string, h http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = h
	if host := h.Get("Host"); host != "" {
		req.Host = host
	}
	return s.client.Do(req)
}

func (s *site) read(res *http.Response) answered {
	s.t.Helper()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answered{status: res.StatusCode, header: res.Header, body: string(body)}
}

// modernHeader is the header of a modern request, with more pairs.
func modernHeader(method, name string, more ...string) http.Header {
	h := header("Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", mcp.Newest.Version(), "Mcp-Method", method)
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	maps.Copy(h, header(more...))
	return h
}

// modernBody is a modern request; members stand in params before _meta, and
// meta in _meta.
func modernBody(id, method, members, meta string) string {
	if members != "" {
		members += ","
	}
	if meta != "" {
		meta += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{%s%q:%q,%q:{}}}}`,
		id, method, members, meta, mcp.MetaProtocolVersion, mcp.Newest.Version(), mcp.MetaClientCapabilities)
}

// call is the modern call of a tool.
func modernCall(id, tool, args string) (string, http.Header) {
	return modernBody(id, mcp.MethodToolsCall, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args), ""), modernHeader(mcp.MethodToolsCall, tool)
}

// legacyHeader is the header of a request in a session, if there is one.
func legacyHeader(session string, more ...string) http.Header {
	h := header("Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if session != "" {
		h.Set("Mcp-Session-Id", session)
	}
	maps.Copy(h, header(more...))
	return h
}

func legacyBody(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func legacyCall(id, tool, args string) string {
	return legacyBody(id, mcp.MethodToolsCall, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

func initializeBody(version string) string {
	return legacyBody("0", mcp.MethodInitialize, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"0"}}`, version))
}

// open opens a session and returns its id.
func (s *site) open(p mcp.Profile) string {
	s.t.Helper()
	a := s.do(http.MethodPost, initializeBody(p.Version()), legacyHeader(""))
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" {
		s.t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return id
}

// code is the error code in a JSON-RPC response, 0 for a result.
func code(t testing.TB, body string) int {
	t.Helper()
	var r response
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("response %q: %v", body, err)
	}
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// raw is a connection that speaks HTTP by hand, to misbehave.
type raw struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func (s *site) dial() *raw {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() }) // the test may have closed it
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	return &raw{t: s.t, Conn: c, in: bufio.NewReader(c)}
}

// post writes a whole request.
func (r *raw) post(body string, h http.Header) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = h
	if err := req.Write(r); err != nil {
		r.t.Fatal(err)
	}
}

// response reads the head of the response.
func (r *raw) response() *http.Response {
	r.t.Helper()
	res, err := http.ReadResponse(r.in, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// stalls is a service with a tool that runs until it is told to end.
type stalls struct {
	*Service
	began, release chan struct{}
	// ended gets the cause of each call's context, nil if it was released.
	ended chan error
}

func newStalls() *stalls {
	s := &stalls{Service: NewService(""), began: make(chan struct{}, 100), release: make(chan struct{}), ended: make(chan error, 100)}
	Tool(s.Service, "stall", func(ctx context.Context, _ nothing) (string, error) {
		Progress(ctx, 1, 0, "began")
		s.began <- struct{}{}
		select {
		case <-s.release:
			s.ended <- nil
			return "released", nil
		case <-ctx.Done():
			s.ended <- context.Cause(ctx)
			return "", ctx.Err()
		}
	})
	Tool(s.Service, "quick", says("quick"))
	return s
}

// within fails the test when ch yields nothing in time.
func within[T any](t testing.TB, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s: nothing happened for %v", what, patience)
		panic("unreachable")
	}
}
