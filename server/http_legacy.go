package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// legacy answers a request of a revision that opens with initialize.
func (p *post) legacy() {
	p.reply.typ = sse.Message
	if p.x.method == mcp.MethodInitialize {
		p.initialize()
		return
	}
	sess, status, err := p.session()
	if err != nil {
		p.refuse(p.x.id, status, err)
		return
	}
	if sess.id != "" && resumes(sess.era) && p.reply.events && !urgent(p.x.method) {
		p.follow(sess)
		return
	}
	p.reply.begin()
	p.reply.finish(p.call(&p.x, sess))
}

// session finds the session of a message: by the id it names, and in the
// revision it was opened with. Ping needs none, and nothing does when the server
// keeps none; then the session is a nameless one that ends with the request.
func (p *post) session() (_ *session, status int, _ *mcp.Error) {
	version, err := p.version()
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	id, present, repeated := httpx.Single(p.r.Header, headerSession)
	switch {
	case !p.e.sessions || !present && p.x.method == mcp.MethodPing:
		return newSession(wire.For(p.assumed(version)), p.x.caller, &p.e.s.cfg.Session), 0, nil
	case repeated != nil:
		return nil, http.StatusBadRequest, invalid("%v", repeated)
	case !present:
		return nil, http.StatusBadRequest, invalid("Mcp-Session-Id is missing; send initialize, and repeat the id it is answered with")
	}
	sess := p.e.s.edge.sessions.find(id, p.x.caller.principal)
	if sess == nil {
		return nil, http.StatusNotFound, errUnknownSession
	}
	if own := sess.era.Profile(); version != mcp.Auto && version != own {
		return nil, http.StatusBadRequest, invalid("MCP-Protocol-Version is %q, and the session speaks %q", version.Version(), own.Version()) // L-HTTP-65
	}
	return sess, 0, nil
}

// version is the revision that the version header names, Auto if there is no
// such header (L-HTTP-63).
func (p *post) version() (mcp.Profile, *mcp.Error) {
	named, present, err := httpx.Single(p.r.Header, headerVersion)
	switch {
	case err != nil:
		return mcp.Auto, invalid("%v", err)
	case !present:
		return mcp.Auto, nil
	}
	version, known := mcp.ProfileOf(named)
	if version.Modern() && p.e.modern {
		return mcp.Auto, invalid("MCP-Protocol-Version is %q, and what was sent exists in older revisions alone", named)
	}
	if !known || !version.Legacy() || !slices.Contains(p.e.s.speaks(), version) {
		return mcp.Auto, p.e.s.unsupported(mcp.CodeInvalidRequest, named)
	}
	return version, nil
}

// assumed is the revision of a request that no session tells about: what its
// header names, else 2025-03-26, which had no such header (L-HTTP-62).
func (p *post) assumed(version mcp.Profile) mcp.Profile {
	switch {
	case version != mcp.Auto:
		return version
	case slices.Contains(p.e.s.speaks(), mcp.Legacy20250326):
		return mcp.Legacy20250326
	default:
		return p.e.s.newestLegacy()
	}
}

// initialize opens a session, unless the request comes in one. Its version
// header is not looked at (L-HTTP-65).
func (p *post) initialize() {
	x, s := &p.x, p.e.s
	if p.e.sessions && len(p.r.Header[headerSession]) > 0 {
		if _, status, err := p.session(); err != nil {
			p.refuse(x.id, status, err) // a stale id opens nothing (SES-01)
			return
		}
		p.refuse(x.id, http.StatusBadRequest, errInitialized)
		return
	}
	x.era = wire.For(s.newestLegacy())
	if err := x.era.Check(&x.params); err != nil {
		p.refuse(x.id, x.era.Status(err), err)
		return
	}
	x.passing = !p.e.sessions
	r := s.serve(context.WithoutCancel(p.r.Context()), x) // INIT-12
	if p.e.sessions && x.session != nil && !r.failed {
		if err := s.edge.sessions.open(x.session); err != nil {
			full := failure(x.id, mcp.Errorf(mcp.CodeInternal, "initialize: %v; try again later", err), http.StatusServiceUnavailable)
			p.reply.finish(full.retry("60"))
			return
		}
		x.session.opened()
		p.reply.w.Header().Set(headerSession, x.session.id)
	}
	p.reply.finish(r)
}

// call runs one request in its session. The client may disconnect meanwhile,
// which is no cancellation (L-HTTP-21); notifications/cancelled is one, and so is
// the end of the session. A cancelled call has no reply.
func (p *post) call(x *exchange, sess *session) reply {
	ctx, refusal := p.begin(x, sess)
	if refusal != nil {
		return *refusal
	}
	x.peer = p.peer(ctx, sess)
	if urgent(x.method) {
		return p.e.s.serve(ctx, x)
	}
	return p.run(ctx, x, sess, linger(p.r.Context(), sess.cfg.Linger, func() { sess.abort(x.id.Key().String(), errLingered) }))
}

// follow runs one request in its session, for a client that may leave and come
// back: see [track]. The call has a goroutine of its own, since the response may
// be over before it is.
func (p *post) follow(sess *session) {
	x, s := &p.x, p.e.s
	ctx, refusal := p.begin(x, sess)
	if refusal != nil {
		p.reply.finish(*refusal)
		return
	}
	c := newConnection(p.r.Context(), p.reply.w, p.reply.json)
	t := &track{sess: sess, cfg: &s.cfg.HTTP, log: s.cfg.Logger, ctx: ctx, call: x.id.Key().String(), on: c}
	x.sink, x.peer = t, t
	x.abandon = func(r reply) {
		sess.finish(t.call) // before the client knows that it may use the id again
		t.finish(r)
	}
	p.handed = true
	go func() {
		defer p.release()
		defer t.finish(reply{}) // for a handler that ended its goroutine after all
		t.finish(p.run(ctx, x, sess, t.settle))
	}()
	t.serve(c)
}

// begin lets a request into its session, or returns what it is answered with.
func (p *post) begin(x *exchange, sess *session) (context.Context, *reply) {
	err := x.admitLegacy(sess)
	if sess.id == "" {
		x.session = nil
	}
	if err != nil {
		r := failure(x.id, err, x.era.Status(err))
		return nil, &r
	}
	ctx := context.WithoutCancel(p.r.Context())
	if urgent(x.method) {
		return ctx, nil
	}
	ctx, refusal := sess.begin(ctx, x.id.Key().String())
	if refusal != nil {
		r := p.notBegun(x, sess, refusal)
		return nil, &r
	}
	return ctx, nil
}

// run serves a request that has begun. settle is called when nothing can end it
// early any more.
func (p *post) run(ctx context.Context, x *exchange, sess *session, settle func()) reply {
	defer sess.finish(x.id.Key().String())
	defer p.e.s.edge.sessions.use(sess) // while the call still keeps the session
	defer settle()
	r := p.e.s.serve(ctx, x)
	if ctx.Err() != nil {
		return reply{}
	}
	return r
}

// peer is how the client of a session is asked while its request runs, in ctx.
func (p *post) peer(ctx context.Context, sess *session) requester {
	switch {
	case sess.id == "":
		return muteStateless
	case !p.reply.events:
		return muteJSON
	default:
		return &postPeer{call: ctx, sess: sess, out: &p.reply}
	}
}

// postPeer asks a client on the stream that carries the reply to its POST.
type postPeer struct {
	call context.Context
	sess *session
	out  sink
}

func (a *postPeer) request(ctx context.Context, method string, params []byte) (jsonrpc.Message, error) {
	return a.sess.request(ctx, a.call, a.out, method, params)
}

// notBegun is the reply to a request that a session did not let in.
func (p *post) notBegun(x *exchange, sess *session, refusal error) reply {
	switch {
	case errors.Is(refusal, errSessionBusy):
		return failure(x.id, mcp.Errorf(mcp.CodeInternal, "%d requests of this session are in flight, which is the most; wait for one of them", sess.cfg.MaxInFlight), http.StatusTooManyRequests).retry("1")
	case errors.Is(refusal, errIDInFlight):
		return failure(x.id, invalid("a request with id %s is in flight; ids are not used twice in a session", x.id), http.StatusBadRequest)
	default:
		return failure(x.id, errUnknownSession, http.StatusNotFound)
	}
}

// linger calls late when request has been over for limit, unless the function it
// returns was called before. It has a goroutine only while it waits for late.
func linger(request context.Context, limit time.Duration, late func()) (done func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(request, func() {
		defer close(ended)
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-timer.C:
			late()
		case <-over:
		}
	})
	return func() {
		close(over)
		if !stop() {
			<-ended
		}
	}
}

// legacyOneWay takes a notification or response of a session.
func (p *post) legacyOneWay() {
	sess, status, err := p.session()
	if err != nil {
		p.refuse(jsonrpc.ID{}, status, err)
		return
	}
	m := jsonrpc.Message{Kind: jsonrpc.Notification, Method: p.x.method, Params: p.x.params.Raw}
	if p.response != nil {
		m = *p.response
	}
	p.e.s.heard(sess, m)
	p.reply.accepted()
}

// delete ends a session (L-HTTP-53). Nothing of it is known afterwards.
func (e *endpoint) delete(w http.ResponseWriter, r *http.Request) {
	p := e.newPost(w, r)
	sess, status, err := p.session()
	if err != nil {
		p.refuse(jsonrpc.ID{}, status, err)
		return
	}
	e.s.edge.sessions.remove(sess.id, sess.principal)
	w.WriteHeader(http.StatusNoContent)
}

// invalid is a message that is wrong for where it was sent.
func invalid(format string, args ...any) *mcp.Error {
	return mcp.Errorf(mcp.CodeInvalidRequest, format, args...)
}

var errUnknownSession = mcp.Errorf(mcp.CodeInvalidRequest, "session not found: it ended, or never was; send initialize without a session id")
