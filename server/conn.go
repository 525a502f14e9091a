package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// Serve serves one client over conn, and closes it. It blocks until the client
// has finished, ctx ends, the server is drained, or conn fails; then it waits for
// everything that belongs to the connection. It returns nil when the client
// finished or the server was drained, ctx's error when ctx ended, and conn's
// error otherwise.
//
// The era is that of each message: a request that names its revision in _meta is
// served by itself; initialize opens the session for all others. Both may be
// used on one connection, in any order, so server/discover decides nothing
// (ERA-14).
//
// When the client has sent its last message, calls in flight have
// Session.Grace to finish and be answered. When ctx ends they are cancelled at
// once. At most Session.MaxInFlight calls run at a time; more wait, and pings
// and cancellations overtake them.
func (s *Server) Serve(ctx context.Context, conn transport.Conn) error {
	p := &pipe{s: s}
	if err := p.serve(ctx, conn); err != nil {
		return fmt.Errorf("serve connection: %w", err)
	}
	return nil
}

// serve is Serve for a pipe whose fields before conn are set.
func (p *pipe) serve(ctx context.Context, conn transport.Conn) error {
	s := p.s
	p.ready, p.opened, p.broken = make(chan struct{}), make(chan struct{}, 1), make(chan error, 1)
	p.conn = jsonrpc.NewConn(conn, jsonrpc.Options{
		Handle:      p.handle,
		Urgent:      p.urgent,
		Notify:      p.notify,
		Stray:       p.stray,
		Malformed:   p.malformed,
		Batches:     p.batches,
		MaxDepth:    s.cfg.Limits.Depth,
		Concurrency: s.cfg.Session.MaxInFlight,
		Grace:       s.cfg.Session.Grace,
	})
	close(p.ready)
	cause := p.wait(ctx)
	p.endSession()
	if err := p.conn.Close(); err != nil && cause == nil && !errors.Is(err, io.ErrClosedPipe) {
		cause = fmt.Errorf("close: %w", err)
	}
	p.outlets.Wait()
	p.endSession() // one that was opened meanwhile
	return cause
}

func (p *pipe) endSession() {
	if sess := p.session.Load(); sess != nil {
		sess.end()
	}
}

// wait blocks until the connection is to end, and returns why, nil when the
// client or the server is done with it.
func (p *pipe) wait(ctx context.Context) error {
	for {
		select {
		case <-p.conn.Done():
			if err := p.conn.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-p.s.edge.closed:
			return nil
		case err := <-p.broken:
			return err
		case <-p.opened:
			p.outlets.Go(p.outlet)
		case <-p.beat:
			if err := p.comment(); err != nil {
				return err
			}
		}
	}
}

// outlet carries what the server says on its own, until the session ends.
func (p *pipe) outlet() {
	sess := p.session.Load()
	out := connSink{p.conn}
	o := newOutlet(sess, out, out)
	defer sess.detach(o)
	ctx := context.Background() // the end of the session ends it
	err := sess.attach(ctx, o)
	if err == nil {
		err = o.run(ctx)
	}
	if err != nil {
		p.fail(err)
	}
}

// fail ends the connection.
func (p *pipe) fail(err error) {
	select {
	case p.broken <- err:
	default: // it ends already
	}
}

// pipe is a client at the other end of a connection.
type pipe struct {
	s *Server
	// legacy: the stateless revision does not exist here. principal is who the
	// client is, header what its connection was opened with.
	legacy    bool
	principal string
	header    http.Header
	// comment is called at each beat, to keep the connection alive; nil for never.
	beat    <-chan time.Time
	comment func() error

	// conn may be used once ready is closed.
	conn  *jsonrpc.Conn
	ready chan struct{}
	// session is what initialize opened, nil before.
	session atomic.Pointer[session]
	// opened gets one when there is a session; outlets is the goroutine that says
	// what the server has to say in it.
	opened  chan struct{}
	outlets sync.WaitGroup
	// broken gets why the connection has to end, the first reason.
	broken chan error
}

// handle answers one request, on a goroutine of its own.
func (p *pipe) handle(ctx context.Context, req *jsonrpc.Incoming) {
	p.answer(ctx, req, func(x *exchange) *mcp.Error {
		if p.isModern(x) {
			return p.admitModern(x)
		}
		return p.admitLegacy(x)
	})
}

// urgent answers what must not wait behind calls, and must be done before the
// next message: initialize and what a session has beside it. It does so on a
// goroutine of its own, since an interceptor might end it.
func (p *pipe) urgent(ctx context.Context, req *jsonrpc.Incoming) bool {
	if !urgent(req.Method) {
		return false
	}
	x := exchange{method: req.Method, params: wire.Scan(req.Params)}
	if p.isModern(&x) {
		return false
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if req.Method == mcp.MethodInitialize {
			p.answer(ctx, req, p.admitInitialize)
		} else {
			p.answer(ctx, req, p.admitLegacy)
		}
	}()
	<-done
	return true
}

// answer runs one request that admit lets in.
func (p *pipe) answer(ctx context.Context, req *jsonrpc.Incoming, admit func(*exchange) *mcp.Error) {
	if !p.s.edge.gate.enter() {
		p.reply(req, failure(req.ID, errClosing, 0))
		return
	}
	defer p.s.edge.gate.leave()
	x := exchange{
		id: req.ID, method: req.Method, params: wire.Scan(req.Params),
		caller: caller{principal: p.principal}, header: p.header,
		sink: pipeSink{req}, abandon: func(r reply) { p.reply(req, r) },
	}
	if err := admit(&x); err != nil {
		p.reply(req, failure(req.ID, err, 0))
		return
	}
	if x.session != nil {
		x.peer = pipePeer{p, req, ctx}
	}
	if x.method == mcp.MethodListen && x.era.Serves(x.method) {
		p.listening(ctx, req, &x)
		return
	}
	r := p.s.serve(ctx, &x)
	opens := req.Method == mcp.MethodInitialize && x.session != nil && !r.failed
	if opens {
		x.session.opened()
		p.session.Store(x.session)
	}
	p.reply(req, r)
	if opens {
		p.opened <- struct{}{}
	}
}

// reply sends a reply, if there is one. A client that cannot be answered is gone
// for good.
func (p *pipe) reply(req *jsonrpc.Incoming, r reply) {
	if r.body == nil {
		return
	}
	if err := req.ReplyRaw(r.body); err != nil {
		p.fail(fmt.Errorf("write reply: %w", err))
	}
}

// isModern decides the era of a request. Before initialize, a request that has
// anything of the stateless revision about it is told what it lacks there.
func (p *pipe) isModern(x *exchange) bool {
	switch {
	case !p.s.speaksLegacy():
		return true
	case p.legacy || !p.s.speaksModern():
		return false
	case x.params.Version != nil:
		return true
	case p.session.Load() != nil:
		return false
	default:
		return x.params.Capabilities != nil || x.params.ClientInfo != nil ||
			!wire.For(p.s.newestLegacy()).Serves(x.method) && wire.For(mcp.Modern20260728).Serves(x.method)
	}
}

func (p *pipe) admitModern(x *exchange) *mcp.Error {
	if x.method == mcp.MethodInitialize && x.params.Version == nil {
		// A client of an older revision: it must be told what is spoken (ERA-15).
		offered, _ := wire.String(lookup(x.params.Raw, "protocolVersion"))
		return p.s.unsupported(mcp.CodeUnsupportedVersion, offered)
	}
	version, err := x.params.DeclaredVersion()
	if err != nil {
		return err
	}
	return p.s.admitModern(x, version)
}

// admitLegacy lets in what belongs to the session. Before there is one that is
// ping alone. After initialize was answered everything is served: a client that
// never sends notifications/initialized, or sends it late, is served too
// (SES-15).
func (p *pipe) admitLegacy(x *exchange) *mcp.Error {
	if sess := p.session.Load(); sess != nil {
		return x.admitLegacy(sess)
	}
	x.era = wire.For(p.s.newestLegacy())
	if x.method == mcp.MethodPing || !x.era.Serves(x.method) {
		return x.era.Check(&x.params)
	}
	if p.s.speaksModern() && !p.legacy {
		return mcp.Errorf(codeNotInitialized, "server not initialized: send initialize first, or name revision %s in params._meta[%q]", mcp.Newest.Version(), mcp.MetaProtocolVersion)
	}
	return mcp.Errorf(codeNotInitialized, "server not initialized: send initialize first")
}

// codeNotInitialized is what this project's ancestors and a few more answer a
// request with that comes before initialize; the protocol fixes no code (INIT-20).
const codeNotInitialized = mcp.Code(-32002)

func (p *pipe) admitInitialize(x *exchange) *mcp.Error {
	if p.session.Load() != nil {
		return errInitialized
	}
	x.era = wire.For(p.s.newestLegacy())
	return x.era.Check(&x.params)
}

// notify takes the notifications that mean something; others are ignored, as is
// what is wrong with them (RPC-12, M-CAN-011).
func (p *pipe) notify(m jsonrpc.Message) {
	if id, ok := cancelledID(m.Params); ok && m.Method == mcp.NotifyCancelled {
		<-p.ready
		p.conn.Cancel(id)
		return
	}
	if sess := p.session.Load(); sess != nil {
		p.s.heard(sess, m)
	}
}

// stray takes a response: the ids of what is asked are the session's.
func (p *pipe) stray(m jsonrpc.Message) {
	if sess := p.session.Load(); sess != nil {
		sess.answered(m)
	}
}

// malformed answers a text that is no message, unless it was meant as a
// response, which has no answer.
func (p *pipe) malformed(_ []byte, fault *jsonrpc.Fault, err error) {
	<-p.ready
	switch {
	case fault == nil:
		fault = &jsonrpc.Fault{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	case fault.Response:
		return
	}
	// A connection that cannot be written to ends by itself.
	_ = p.conn.Write(context.Background(), jsonrpc.AppendError(nil, fault.ID, int64(fault.Code), fault.Message, nil))
}

func (p *pipe) batches() bool {
	sess := p.session.Load()
	return sess != nil && hasBatches(sess.era)
}

// hasBatches reports whether the revision has arrays of messages: one has.
func hasBatches(era wire.Era) bool { return era.Profile() == mcp.Legacy20250326 }

// pipeSink is the sink of a request on a pipe.
type pipeSink struct{ req *jsonrpc.Incoming }

func (m pipeSink) send(ctx context.Context, notification []byte) error {
	return m.req.Send(ctx, notification)
}

// connSink sends what belongs to no request.
type connSink struct{ conn *jsonrpc.Conn }

func (c connSink) send(ctx context.Context, msg []byte) error { return c.conn.Write(ctx, msg) }

// pipePeer asks the client of a pipe while one of its requests runs.
type pipePeer struct {
	p    *pipe
	req  *jsonrpc.Incoming
	call context.Context
}

func (a pipePeer) request(ctx context.Context, method string, params []byte) (answer jsonrpc.Message, err error) {
	sess := a.p.session.Load()
	<-a.p.ready // the request may have come before the connection was known here
	waited := a.req.Await(ctx, func() error {
		answer, err = sess.request(ctx, a.call, connSink{a.p.conn}, method, params)
		return err
	})
	if err == nil && waited != nil {
		err = fmt.Errorf("ask for %s: %w: %w", method, mcp.ErrCannotAsk, waited)
	}
	return answer, err
}

// cancelledID reads the id that a notifications/cancelled names.
func cancelledID(params []byte) (jsonrpc.ID, bool) {
	id, err := jsonrpc.ParseID(lookup(params, "requestId"))
	return id, err == nil
}

// Refusals that do not depend on the request.
var (
	errClosing     = mcp.Errorf(mcp.CodeInternal, "the server is shutting down")
	errInitialized = mcp.Errorf(mcp.CodeInvalidRequest, "initialize: this session is initialized already; a new one needs a new connection, or on HTTP a request without session id")
)

// failure is the reply that says err.
func failure(id jsonrpc.ID, err *mcp.Error, status int) reply {
	return reply{body: jsonrpc.AppendError(nil, id, int64(err.Code), err.Message, err.Data), status: status, failed: true}
}
