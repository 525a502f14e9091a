package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/rs/cors"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

// SSEHandler serves the HTTP+SSE transport of 2024-11-05, for clients that speak
// nothing newer. A GET of streamPath opens a stream, whose first event names the
// address to POST messages to; every answer comes on the stream. The stream is
// the session: its end ends everything in it.
//
// The paths are those that clients see, absolute and without a query, and may be
// the same; mount the handler where requests for both reach it with these paths,
// for example at "/". Nothing else is served. Every revision that opens with
// initialize may be spoken; a server that is pinned to the stateless one answers
// 404.
//
// Who opened the stream is the only one who may post to it. Origin and Host are
// checked as [Server.Handler] does, and HTTPConfig and SessionConfig hold as they
// do there, except that more calls than Session.MaxInFlight wait instead of being
// refused, and that nothing lingers. It shares no session with Handler.
func (s *Server) SSEHandler(streamPath, messagePath string) http.Handler {
	e := &sseEndpoint{
		s: s, streamPath: streamPath, messagePath: messagePath,
		address: (&url.URL{Path: messagePath}).EscapedPath(),
		streams: make(map[string]*sseConn),
	}
	e.browsers = cors.New(cors.Options{
		AllowOriginVaryRequestFunc: func(r *http.Request, origin string) (bool, []string) {
			return s.edge.guard.AllowsOrigin(r, origin), nil
		},
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"Content-Type", "Accept", "Authorization", headerVersion, headerLastEvent},
		ExposedHeaders: []string{"Www-Authenticate"},
		MaxAge:         600,
	}).Handler(http.HandlerFunc(e.serve))
	return e
}

// sseEndpoint is the handler of HTTP+SSE.
type sseEndpoint struct {
	s                       *Server
	streamPath, messagePath string
	// address is what the first event says, up to the key.
	address string
	// browsers answers requests with an Origin.
	browsers http.Handler

	mu sync.Mutex
	// streams are the open ones, by their keys.
	streams map[string]*sseConn
}

// ServeHTTP answers one request; a GET as long as its stream is open.
func (e *sseEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.s.edge.guard.Check(r); err != nil {
		httpx.AbandonBody(w)
		writeJSON(w, unread(err), 0)
		return
	}
	if r.Method == http.MethodOptions || len(r.Header["Origin"]) > 0 {
		e.browsers.ServeHTTP(w, r)
		return
	}
	e.serve(w, r)
}

func (e *sseEndpoint) serve(w http.ResponseWriter, r *http.Request) {
	streams, messages := r.URL.Path == e.streamPath, r.URL.Path == e.messagePath
	switch {
	case !streams && !messages || !e.s.speaksLegacy():
		refuseUnread(w, http.StatusNotFound, "there is nothing at "+quoted(clip(r.URL.Path)))
	case streams && r.Method == http.MethodGet:
		e.open(w, r)
	case messages && r.Method == http.MethodPost:
		e.post(w, r)
	default:
		allow := "GET"
		switch {
		case streams && messages:
			allow = "GET, POST"
		case messages:
			allow = "POST"
		}
		w.Header().Set("Allow", allow)
		refuseUnread(w, http.StatusMethodNotAllowed, "method "+clip(r.Method)+" is not served here; use "+either(allow))
	}
}

// refuseUnread answers a request whose body was not read.
func refuseUnread(w http.ResponseWriter, status int, reason string) {
	httpx.AbandonBody(w)
	writeJSON(w, unread(refused(status, reason)), 0)
}

// open serves a stream until it ends, as a pipe.
func (e *sseEndpoint) open(w http.ResponseWriter, r *http.Request) {
	if _, events := httpx.Accepts(r.Header); !events {
		refuseUnread(w, http.StatusNotAcceptable, "Accept does not allow text/event-stream, which is all there is to get; accept it")
		return
	}
	if !e.s.edge.gate.enter() {
		w.Header().Set("Retry-After", retryAfter)
		writeJSON(w, failure(jsonrpc.ID{}, errClosing, http.StatusServiceUnavailable), 0)
		return
	}
	e.s.edge.gate.leave() // a stream that is open holds nobody up
	stream, err := sse.Open(r.Context(), w, e.s.cfg.HTTP.WriteTimeout)
	if err != nil {
		e.s.cfg.Logger.Error("no event stream: a middleware around the server hides how to flush", "error", err)
		writeJSON(w, failure(jsonrpc.ID{}, errNoStream, http.StatusInternalServerError), 0)
		return
	}
	defer stream.Close()
	c := &sseConn{key: rand.Text(), principal: principalOf(r.Context()), stream: stream, in: make(chan []byte), closed: make(chan struct{})}
	if !e.enter(c) {
		w.Header().Set("Retry-After", "60")
		writeJSON(w, failure(jsonrpc.ID{}, mcp.Errorf(mcp.CodeInternal, "%v; try again later", errSessionsFull), http.StatusServiceUnavailable), 0)
		return
	}
	defer e.leave(c)
	if stream.Send(sse.Event{Type: "endpoint", Data: []byte(e.address + "?sessionId=" + c.key)}) != nil {
		return
	}
	beat, stop := ticker(e.s.cfg.HTTP.KeepAlive)
	defer stop()
	p := &pipe{
		s: e.s, legacy: true, principal: c.principal, header: r.Header,
		beat: beat, comment: func() error { return stream.Comment("keep-alive") },
	}
	if err := p.serve(r.Context(), c); err != nil && r.Context().Err() == nil {
		e.s.cfg.Logger.Warn("event stream closed", "error", err)
	}
}

// enter keeps a stream, if there is room.
func (e *sseEndpoint) enter(c *sseConn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.streams) >= e.s.cfg.Session.Max {
		return false
	}
	e.streams[c.key] = c
	return true
}

func (e *sseEndpoint) leave(c *sseConn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, c.key)
	if len(e.streams) == 0 {
		e.streams = make(map[string]*sseConn) // a map keeps the room it once took
	}
}

// find returns the open stream with this key, if it is principal's.
func (e *sseEndpoint) find(key, principal string) *sseConn {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.streams[key]; c != nil && c.principal == principal {
		return c
	}
	return nil
}

// post takes one message, or one batch, of the client of a stream.
func (e *sseEndpoint) post(w http.ResponseWriter, r *http.Request) {
	refuse := func(err error) {
		httpx.AbandonBody(w)
		writeJSON(w, unread(err), 0)
	}
	if err := bodyType(r.Header); err != nil {
		refuse(err)
		return
	}
	keys := r.URL.Query()["sessionId"]
	if len(keys) != 1 || keys[0] == "" {
		refuse(refused(http.StatusBadRequest, "the query has no sessionId, or more than one; post to the address that the endpoint event of the stream names"))
		return
	}
	c := e.find(keys[0], principalOf(r.Context()))
	if c == nil {
		refuse(refused(http.StatusNotFound, "session not found: its stream has ended, or never was; open one with GET "+e.streamPath))
		return
	}
	body, err := httpx.ReadBody(w, r, e.s.cfg.Limits.Message, e.s.cfg.HTTP.BodyTimeout)
	if err != nil {
		writeJSON(w, unread(err), 0)
		return
	}
	text := bytes.Clone(body.Bytes()) // it is needed after this request has ended
	body.Free()
	if fault := checkText(text, e.s.cfg.Limits.Depth); fault != nil {
		writeJSON(w, failure(fault.ID, faultError(fault), http.StatusBadRequest), 0)
		return
	}
	switch err := c.take(r.Context(), text, e.s.cfg.HTTP.BodyTimeout); {
	case err == nil:
		w.WriteHeader(http.StatusAccepted)
	case errors.Is(err, io.EOF):
		writeJSON(w, unread(refused(http.StatusNotFound, "session not found: its stream has ended; open one with GET "+e.streamPath)), 0)
	default:
		w.Header().Set("Retry-After", retryAfter)
		writeJSON(w, unread(refused(http.StatusServiceUnavailable, "too many messages of this session wait; wait for some of the answers")), 0)
	}
}

// checkText finds what is wrong with a text that ought to be a message. Whether a
// batch is allowed is seen when its turn comes: the one before may decide it.
func checkText(text []byte, depth int) *jsonrpc.Fault {
	if jsonrpc.IsBatch(text) {
		_, fault := jsonrpc.ParseBatch(text, depth, jsonrpc.DefaultBatch)
		return fault
	}
	_, fault := jsonrpc.Parse(text, depth)
	return fault
}

// sseConn is a stream and the messages that are posted to it, as a connection.
type sseConn struct {
	// key is what messages name the stream by; who else may post is principal.
	key, principal string
	stream         *sse.Stream
	in             chan []byte
	closed         chan struct{}
	closing        sync.Once
}

// take hands a message on. It fails with io.EOF when the stream has ended, and
// with another error when nobody takes the message in time.
func (c *sseConn) take(ctx context.Context, text []byte, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case c.in <- text:
		return nil
	case <-c.closed:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Read returns the next message that was posted.
func (c *sseConn) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-c.in:
		return text, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message on the stream.
func (c *sseConn) Write(_ context.Context, msg []byte) error {
	return c.stream.Send(sse.Event{Type: sse.Message, Data: msg})
}

// Close ends the connection. The stream is closed by who opened it.
func (c *sseConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}
