package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// link carries messages to one server and back. Over HTTP it is an address;
// over a pipe it is the connection, and the process behind it.
type link interface {
	// roundTrip sends one request and blocks for its answer. Notifications that
	// belong to it are given to o.deliver on the calling goroutine. The error
	// says why there is no answer.
	roundTrip(ctx context.Context, p *peer, o *outgoing) (*answer, error)
	// notify sends a notification.
	notify(ctx context.Context, p *peer, method string, params []byte) error
	// settle tells the link which peer it serves from now on.
	settle(p *peer)
	// attend opens what p's server sends on by itself, where that has to be opened,
	// once negotiation has ended. It waits a moment for it, at most until ctx ends.
	attend(ctx context.Context, p *peer)
	// lost is why the link cannot be used any more, nil while it can.
	lost() error
	// over is closed when lost has something to say; nil when it never has.
	over() <-chan struct{}
	// hears reports whether p's server has a way to tell what belongs to no
	// request, as far as that is known. A stream that was given up is taken up
	// again.
	hears(p *peer) bool
	// close ends p's session and the link, and waits for all that belongs to it
	// until ctx ends.
	close(ctx context.Context, p *peer) error
	// kind is the link's column in the negotiation table.
	kind() column
}

// outgoing is one request on its way.
type outgoing struct {
	method string
	// params is the encoded object, with all of _meta.
	params []byte
	// mirror holds the headers that repeat marked arguments.
	mirror http.Header
	// tool is the tool that is called, if it is that.
	tool string
	// clock limits the call it is an exchange of, nil when it is none.
	clock *clock
	// token is the progress token, nil when no progress is wanted.
	token []byte
	// logs says that the request wants log messages.
	logs bool
	// opening is a request before negotiation has ended. It is never cancelled
	// with a notification (INIT-12, CON-07), and no session applies to it.
	opening bool
	// deliver takes the notifications that come before the answer, or is nil.
	deliver func(m jsonrpc.Message)
	// listens is the subscription that the request is to open, or nil. It hears
	// what belongs to it on the goroutine that reads.
	listens *listening
}

// answer is what came back for a request: a result, or the peer's error.
type answer struct {
	result []byte
	fault  *mcp.Error
	// status is the HTTP status, 0 without HTTP.
	status int
	// session is the session id that came with it.
	session string
}

// answerOf reads a response.
func answerOf(m jsonrpc.Message, status int) *answer {
	a := &answer{result: m.Result, status: status}
	if m.Error != nil {
		a.fault = &mcp.Error{Code: mcp.Code(m.Error.Code), Message: m.Error.Message, Data: json.RawMessage(m.Error.Data)}
	}
	return a
}

// sessionGone says that the server no longer knows the session: the request did
// not run (L-HTTP-56).
type sessionGone struct{ err *StatusError }

func (e *sessionGone) Error() string { return "session is gone: " + e.err.Error() }
func (e *sessionGone) Unwrap() []error {
	return []error{e.err, mcp.ErrSessionLost}
}

// call is one request of the application, which may take several exchanges.
type call struct {
	c      *Client
	method string
	opts   *callOptions
	caller context.Context //nolint:containedctx // a call lives as long as its context
	ctx    context.Context //nolint:containedctx // caller, bounded
	end    func()
	clock  *clock

	// tool is the name of the tool being called, for what its definition says.
	tool string
	// used are the remedies that were tried; each helps once.
	used []string
	// rounds is the conversation the request has become.
	rounds rounds
}

// begin starts a request: it is counted, and its clock runs.
func (c *Client) begin(ctx context.Context, method string, opts []CallOption) (*call, error) {
	o, err := gather(opts)
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	k := &call{c: c, method: method, opts: o, caller: ctx}
	limit, name := c.cfg.Timeout, "Config.Timeout"
	if o.timeout > 0 {
		limit, name = o.timeout, "client.Timeout"
	}
	bounded, cancel := context.WithCancelCause(ctx)
	k.ctx = bounded
	k.clock = startClock(limit, max(c.cfg.MaxTimeout, limit), name, cancel)
	c.update(func(s *state) { s.clocks[k.clock] = struct{}{} })
	detach := context.AfterFunc(c.closing, func() { cancel(context.Cause(c.closing)) })
	k.end = func() {
		detach()
		c.update(func(s *state) { delete(s.clocks, k.clock) })
		k.clock.stop()
		cancel(nil)
		c.leave()
	}
	return k, nil
}

// do sends a request, answers what the server asks before it can complete it,
// and reads the result into into, a pointer to one of mcp's result types or to a
// json.RawMessage. It returns the peer that answered.
func (k *call) do(params any, into any) (*peer, error) {
	if k.opts.resume != nil {
		if err := k.resume(); err != nil {
			return nil, err
		}
	}
	for {
		p, a, asks, err := k.once(params, into)
		if err != nil || asks == nil {
			return p, err
		}
		if err := k.answer(p, a, asks); err != nil {
			return p, ended(k.caller, k.ctx, err)
		}
	}
}

// once sends a request of one round, mends what can be mended, and reads the
// result. asks is what the server asks instead, or nil.
func (k *call) once(params any, into any) (p *peer, a *answer, asks *mcp.InputRequiredResult, err error) {
	for {
		p = k.c.peer()
		a, err = k.exchange(p, params)
		if err == nil && a.fault == nil {
			p.proven.Store(true)
			p.learn(a.result)
			asks, err = p.era.Result(k.method, a.result, into)
			return p, a, asks, err
		}
		again, better := false, error(nil)
		if k.ctx.Err() == nil {
			again, better = k.remedy(p, a, err)
		}
		switch {
		case again && better == nil:
			continue
		case better != nil:
			err = better
		case err == nil:
			err = p.era.Failure(k.method, a.fault)
		}
		return p, nil, nil, ended(k.caller, k.ctx, err)
	}
}

// exchange sends the request once.
func (k *call) exchange(p *peer, params any) (*answer, error) {
	params, err := k.rounds.params(p, k.method, params)
	if err != nil {
		return nil, err
	}
	if err := k.c.level(k.ctx, p, k.opts.level); err != nil {
		return nil, err
	}
	o, err := k.c.compose(p, k.method, params, k.opts)
	if err != nil {
		return nil, err
	}
	if p.manners.describes && p.link.kind() == overHTTP && k.tool != "" {
		if o.mirror, err = k.c.tools.mirror(k.tool, o.params); err != nil {
			return nil, err
		}
	}
	o.clock, o.tool = k.clock, k.tool
	o.deliver = func(m jsonrpc.Message) { k.deliver(o, m) }
	return p.link.roundTrip(k.ctx, p, o)
}

// usualParams is room for the parameters of most requests, in bytes.
const usualParams = 512

// compose encodes a request for p.
func (c *Client) compose(p *peer, method string, params any, opts *callOptions) (*outgoing, error) {
	o := &outgoing{method: method, logs: opts.log != nil}
	self := c.self
	self.LogLevel = opts.level
	self.Capabilities = c.declared[p.era.Profile()].raw
	if opts.can != nil {
		d, err := declare(p.era, *opts.can)
		if err != nil {
			return nil, err
		}
		self.Capabilities = d.raw
	}
	if opts.progress != nil {
		o.token = strconv.AppendInt(nil, c.tokens.Add(1), 10)
		self.ProgressToken = o.token
	}
	var err error
	o.params, err = p.era.AppendParams(make([]byte, 0, usualParams), method, params, &self)
	return o, err
}

// level sees to it that log messages of at least want come, where the session
// decides about them. A server that refuses logs as it likes.
func (c *Client) level(ctx context.Context, p *peer, want mcp.LogLevel) error {
	if want == "" || !p.raise(want) {
		return nil
	}
	o, err := c.compose(p, mcp.MethodSetLevel, mcp.SetLevelParams{Level: want}, &callOptions{})
	if err != nil {
		return err
	}
	a, err := p.link.roundTrip(ctx, p, o)
	switch {
	case err != nil:
		return err
	case a.fault != nil:
		c.log.Warn("server refuses the log level", "server", c.target.String(), "level", want, "error", a.fault)
	default:
		p.raised(want)
	}
	return nil
}

// remedy decides whether the request is to be sent again after a failure, and
// does what has to be done before. Each remedy is tried once. better, when not
// nil, is a better reason than the failure. Nothing is repeated that may have
// run: each of these failures says that it did not.
func (k *call) remedy(p *peer, a *answer, failure error) (again bool, better error) {
	var gone *sessionGone
	switch {
	case errors.As(failure, &gone):
		return k.attempt("session", func() (bool, error) {
			_, err := k.c.renew(k.ctx, p)
			return true, err
		})
	case !p.proven.Load() && doubtful(p.link.kind(), a, failure):
		return k.attempt("verdict", func() (bool, error) { return k.doubt(p, a, failure) })
	case a == nil:
		return false, nil
	case a.fault.Code == mcp.CodeUnsupportedVersion && p.manners.describes:
		if !slices.Contains(supportedBy(a.fault), p.era.Profile().Version()) {
			return false, fmt.Errorf("%w: the server speaks %q now: %w", mcp.ErrEra, supportedBy(a.fault), a.fault)
		}
		return k.attempt("version", func() (bool, error) { return true, nil })
	case a.fault.Code == mcp.CodeHeaderMismatch && k.tool != "":
		return k.attempt("definition", func() (bool, error) { return true, k.c.relist(k.ctx) })
	}
	return false, nil
}

// doubt asks the server again what it speaks, and reports whether that is
// something else than was believed. A pin is not for us to doubt, only to
// mention.
func (k *call) doubt(p *peer, a *answer, failure error) (other bool, err error) {
	if k.c.cfg.Profile != mcp.Auto {
		if a != nil && p.link.kind() == overPipe {
			return false, nil // an error of the method's, as far as anybody can tell
		}
		if a != nil {
			failure = a.fault
		}
		return false, fmt.Errorf("%w: the server does not seem to speak %s, which Config.Profile pins: %w", mcp.ErrEra, p.era.Profile().Version(), failure)
	}
	q, err := k.c.renew(k.ctx, p)
	return err == nil && q.era != p.era, err
}

func (k *call) attempt(name string, do func() (bool, error)) (again bool, better error) {
	if slices.Contains(k.used, name) {
		return false, nil
	}
	k.used = append(k.used, name)
	again, better = do()
	return again && better == nil, better
}

// deliver hands a notification to whom it concerns.
func (k *call) deliver(o *outgoing, m jsonrpc.Message) {
	switch m.Method {
	case mcp.NotifyProgress:
		k.progress(o, m)
	case mcp.NotifyMessage:
		k.logged(m)
	}
}
