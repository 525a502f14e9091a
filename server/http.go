package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rs/cors"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Headers of the protocol, in the spelling net/http keeps them under.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
)

// Handler serves Streamable HTTP, every revision on one endpoint unless
// Config.Profile pins one. Mount it where the endpoint is to be; it looks at
// methods and headers, and leaves paths, TLS and authentication to the mux and
// to middleware around it. Handlers of one server share its sessions.
//
// A request of the stateless revision runs with the request's context, so a
// client that disconnects cancels it. In the older ones a disconnect cancels
// nothing: the call goes on for Session.Linger. A client of 2025-11-25 may come
// back for the rest of a stream meanwhile, so that its calls run on goroutines of
// their own; [Server.Drain] waits for them.
//
// A reply is one JSON body. It becomes an event stream when the handler sends a
// notification or asks the client something, or has not replied after
// HTTP.KeepAlive, if the client takes one. GET opens a session's stream for what
// the server says on its own. A session has one of these: the one opened last.
//
// Clients that listen for changes keep their requests open: end them with
// [Server.Drain] before [net/http.Server.Shutdown], which waits for requests.
func (s *Server) Handler() http.Handler {
	e := &endpoint{s: s, guard: s.edge.guard, allow: "POST", legacy: s.speaksLegacy(), modern: s.speaksModern()}
	e.sessions = e.legacy && !s.cfg.Session.Stateless
	if e.sessions {
		e.allow = "GET, POST, DELETE"
	}
	if e.modern {
		e.modernEra = wire.For(mcp.Newest)
	}
	return e
}

// endpoint is the handler of Streamable HTTP.
type endpoint struct {
	s     *Server
	guard *httpx.Guard
	// legacy and modern say which eras are served, sessions whether the legacy
	// ones keep sessions.
	legacy, modern, sessions bool
	modernEra                wire.Era
	// allow is what a 405 says.
	allow string
	// browsers answers requests with an Origin, for one catalog.
	browsers atomic.Pointer[crossOrigin]
}

// ServeHTTP answers one request. Origin and Host come before all else, for every
// method (SEC-01).
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.guard.Check(r); err != nil {
		e.refuse(w, r, err)
		return
	}
	if r.Method == http.MethodOptions || len(r.Header["Origin"]) > 0 {
		e.crossOrigin().ServeHTTP(w, r)
		return
	}
	e.serve(w, r)
}

// serve picks the method. GET and DELETE are about sessions, and refused where
// there are none.
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		e.post(w, r)
	case r.Method == http.MethodGet && e.sessions:
		e.get(w, r)
	case r.Method == http.MethodDelete && e.sessions:
		e.delete(w, r)
	default:
		w.Header().Set("Allow", e.allow)
		e.refuse(w, r, refused(http.StatusMethodNotAllowed, "method "+clip(r.Method)+" is not served here; use "+either(e.allow)))
	}
}

// either is a list of names for a message.
func either(list string) string {
	if i := strings.LastIndex(list, ", "); i >= 0 {
		return list[:i] + " or " + list[i+2:]
	}
	return list
}

// post reads one message and answers it.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	p := e.newPost(w, r)
	if err := p.negotiate(); err != nil {
		e.refuse(w, r, err)
		return
	}
	body, err := httpx.ReadBody(w, r, e.s.cfg.Limits.Message, e.s.cfg.HTTP.BodyTimeout)
	if err != nil {
		writeJSON(w, unread(err), 0)
		return
	}
	p.body = body
	defer p.end()
	text := body.Bytes()
	batch := jsonrpc.IsBatch(text)
	if !batch {
		msg, fault := jsonrpc.Parse(text, e.s.cfg.Limits.Depth)
		if fault != nil {
			p.refuse(fault.ID, http.StatusBadRequest, faultError(fault))
			return
		}
		p.x.id, p.x.method, p.x.params.Raw = msg.ID, msg.Method, msg.Params
		p.kind = msg.Kind
		if msg.Kind == jsonrpc.Response {
			response := msg
			p.response = &response
		}
	}
	if p.entered = e.s.edge.gate.enter(); !p.entered {
		p.closing()
		return
	}
	switch {
	case batch:
		p.batch(text)
	case p.kind == jsonrpc.Request:
		p.answer()
	default:
		p.oneWay()
	}
}

// post is one POST on its way through the endpoint.
type post struct {
	e *endpoint
	r *http.Request
	// kind is the kind of the message, when it is one message; response is the
	// message, when it is one.
	kind     jsonrpc.Kind
	response *jsonrpc.Message
	// x is the exchange a request becomes.
	x exchange
	// reply is where the answer goes, unless the call is tracked.
	reply answer
	// body is what was read; entered says that the gate was passed.
	body    *httpx.Body
	entered bool
	// handed: another goroutine works on the message, and releases it.
	handed bool
}

// end releases the message, unless another goroutine does.
func (p *post) end() {
	if !p.handed {
		p.release()
	}
}

// release gives back what the message holds.
func (p *post) release() {
	if p.entered {
		p.e.s.edge.gate.leave()
	}
	p.body.Free()
}

func (e *endpoint) newPost(w http.ResponseWriter, r *http.Request) *post {
	p := &post{e: e, r: r, reply: answer{w: w, ctx: r.Context(), cfg: &e.s.cfg.HTTP, log: e.s.cfg.Logger}}
	p.x.caller.principal = principalOf(r.Context())
	return p
}

// negotiate checks what can be said without the body: its announced size, its
// type, and whether the client takes any answer (steps 3 and 5). A client that
// takes only one of the two media types gets that one (T-12, HTTP-01).
func (p *post) negotiate() error {
	if limit := p.e.s.cfg.Limits.Message; p.r.ContentLength > limit {
		return refused(http.StatusRequestEntityTooLarge, "body has "+strconv.FormatInt(p.r.ContentLength, 10)+" bytes; the limit is "+strconv.FormatInt(limit, 10))
	}
	if err := bodyType(p.r.Header); err != nil {
		return err
	}
	p.reply.json, p.reply.events = httpx.Accepts(p.r.Header)
	if !p.reply.json && !p.reply.events {
		return refused(http.StatusNotAcceptable, "Accept allows neither application/json nor text/event-stream; accept both")
	}
	return nil
}

// bodyType checks that a body is said to be JSON. Besides, a page cannot send
// that to another site without asking first.
func bodyType(h http.Header) error {
	typ, present, err := httpx.Single(h, "Content-Type")
	switch {
	case err != nil:
		return refused(http.StatusUnsupportedMediaType, err.Error())
	case !present:
		return refused(http.StatusUnsupportedMediaType, "Content-Type is missing; send application/json")
	case !httpx.IsJSON(typ):
		return refused(http.StatusUnsupportedMediaType, "Content-Type is "+quoted(clip(typ))+"; send application/json")
	}
	return nil
}

func refused(status int, reason string) error {
	return &httpx.RefusedError{Status: status, Reason: reason}
}

// answer answers a request in the era it was asked in.
func (p *post) answer() {
	if p.x.method == mcp.MethodListen {
		p.own()
	}
	p.x.params = wire.Scan(p.x.params.Raw)
	p.x.header = p.r.Header
	p.x.abandon = p.reply.abandon
	if p.reply.events {
		p.x.sink = &p.reply
	}
	if p.isModern() {
		p.modern()
	} else {
		p.legacy()
	}
}

// isModern decides the era: modern is what names its version in _meta, or has a
// version header that names no legacy revision (step 9). A session id decides
// nothing: modern requests ignore it.
func (p *post) isModern() bool {
	switch {
	case !p.e.legacy:
		return true
	case !p.e.modern:
		return false
	default:
		return p.x.params.Version != nil || p.headerIsModern()
	}
}

// headerIsModern reports whether a version header names no legacy revision.
func (p *post) headerIsModern() bool {
	for _, v := range p.r.Header[headerVersion] {
		if named, ok := mcp.ProfileOf(strings.Trim(v, " \t")); !ok || named.Modern() {
			return true
		}
	}
	return false
}

// oneWay takes a notification or a response. A notification needs no session, as
// long as the stateless revision is served, where it means nothing (T-13, T-20);
// in a session it does what it says.
func (p *post) oneWay() {
	p.x.params = wire.Scan(p.x.params.Raw)
	switch {
	case p.kind == jsonrpc.Response && !p.e.legacy:
		p.refuse(jsonrpc.ID{}, http.StatusBadRequest, invalid("the message is a response; a server of this revision asks nothing"))
	case p.kind == jsonrpc.Notification && (p.isModern() || p.e.modern && len(p.r.Header[headerSession]) == 0):
		p.reply.accepted()
	default:
		p.legacyOneWay()
	}
}

// refuse answers with an error before anything was sent.
func (p *post) refuse(id jsonrpc.ID, status int, err *mcp.Error) {
	p.reply.finish(failure(id, err, status))
}

func faultError(f *jsonrpc.Fault) *mcp.Error {
	return &mcp.Error{Code: mcp.Code(f.Code), Message: f.Message}
}

// crossOrigin answers requests of browser pages, for one catalog.
type crossOrigin struct {
	catalog *catalog
	handler http.Handler
}

// crossOrigin is the handler for the catalog of now: the Mcp-Param headers that
// pages may send are those of its tools (T-58).
func (e *endpoint) crossOrigin() http.Handler {
	now := e.s.catalog.Load()
	if c := e.browsers.Load(); c != nil && c.catalog == now {
		return c.handler
	}
	c := &crossOrigin{catalog: now, handler: e.cors(now).Handler(http.HandlerFunc(e.serve))}
	e.browsers.Store(c)
	return c.handler
}

// cors is the CORS protocol for the origins that the guard lets through.
func (e *endpoint) cors(c *catalog) *cors.Cors {
	headers := []string{
		"Content-Type", "Accept", "Authorization", headerVersion, headerMethod, headerName, headerSession, headerLastEvent,
	}
	for _, tool := range c.tools {
		for _, m := range tool.tool.mirrors {
			headers = append(headers, m.header)
		}
	}
	methods := []string{http.MethodPost}
	if e.sessions {
		methods = append(methods, http.MethodGet, http.MethodDelete)
	}
	return cors.New(cors.Options{
		AllowOriginVaryRequestFunc: func(r *http.Request, origin string) (bool, []string) {
			return e.guard.AllowsOrigin(r, origin), nil
		},
		AllowedMethods: methods,
		AllowedHeaders: headers,
		ExposedHeaders: []string{headerSession, "Www-Authenticate"},
		MaxAge:         600,
	})
}
