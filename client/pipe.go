package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/proc"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

const (
	// noteRoom is how many notifications wait for one request's callbacks.
	noteRoom = 256
	// noticeRoom is how many notifications wait for Config.Notify.
	noticeRoom = 1024
	// lastWords is how long the end of a child is waited for after the end of its
	// output, so that errors can say how it ended (STD-08).
	lastWords = time.Second
)

// pipeLink is a connection that both sides write to, and the child process
// behind it if there is one.
type pipeLink struct {
	c     *Client
	conn  *jsonrpc.Conn
	child *proc.Process // nil when the application made the connection
	// peer is what was agreed on, nil before.
	peer atomic.Pointer[peer]
	// broken is why the pipe ended, nil while it lives.
	broken atomic.Pointer[error]

	notices    chan jsonrpc.Message // for Config.Notify; nil without
	background sync.WaitGroup

	mu sync.Mutex
	s  pipeState // only through update
}

type pipeState struct {
	closed  bool // no more background work
	waiting map[jsonrpc.ID]*waiter
}

// waiter is a request that waits for its answer.
type waiter struct {
	o *outgoing
	// notes are its notifications, for its callbacks; nil when it has none.
	notes chan jsonrpc.Message
	// fail ends the wait with a reason.
	fail context.CancelCauseFunc
}

var _ link = (*pipeLink)(nil)

func newPipe(c *Client, conn transport.Conn, child *proc.Process) *pipeLink {
	l := &pipeLink{c: c, child: child}
	l.s.waiting = map[jsonrpc.ID]*waiter{}
	if c.cfg.Notify != nil {
		l.notices = make(chan jsonrpc.Message, noticeRoom)
		l.background.Go(func() {
			for m := range l.notices {
				c.notice(m)
			}
		})
	}
	l.conn = jsonrpc.NewConn(conn, jsonrpc.Options{
		Handle:    l.asked,
		Notify:    l.noticed,
		Malformed: l.malformed,
		Stray: func(m jsonrpc.Message) {
			c.log.Debug("server answered what nobody waits for", "server", c.target.String(), "id", m.ID.String())
		},
		Batches:  func() bool { p := l.peer.Load(); return p != nil && p.manners.batches },
		MaxDepth: c.cfg.Limits.Depth,
		// What waits for a handler never keeps what does not from being answered.
		Concurrency: c.cfg.Limits.Questions + jsonrpc.DefaultConcurrency,
	})
	return l
}

func (l *pipeLink) update(f func(s *pipeState)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.s)
}

func (*pipeLink) kind() column { return overPipe }

func (l *pipeLink) settle(p *peer) { l.peer.Store(p) }

// attend does nothing: a pipe is open in both directions.
func (*pipeLink) attend(context.Context, *peer) {}

// lost is why the pipe ended, nil while it lives.
func (l *pipeLink) lost() error {
	if err := l.broken.Load(); err != nil {
		return *err
	}
	if err := l.conn.Err(); err != nil {
		return l.end(context.Background(), err)
	}
	return nil
}

// errPipeEnded matches the errors of a pipe that ended.
var errPipeEnded = errors.New("the server hung up")

// pipeError says why a pipe ended. It matches mcp.ErrClosed.
type pipeError struct{ why error }

func (e *pipeError) Error() string   { return e.why.Error() }
func (e *pipeError) Unwrap() []error { return []error{e.why, errPipeEnded, mcp.ErrClosed} }

// end says why the pipe ended: how the child did, if there is one and it did.
// What cannot be written to, or has said its last, is of no further use.
func (l *pipeLink) end(ctx context.Context, why error) error {
	if l.child != nil {
		patience := time.NewTimer(lastWords)
		defer patience.Stop()
		select {
		case <-l.child.Done():
			why = l.child.ExitError()
		case <-patience.C:
			why = fmt.Errorf("server process has closed its pipes but still runs: %w", why)
		case <-ctx.Done():
			return &pipeError{why: why}
		}
	}
	var err error = &pipeError{why: why}
	l.broken.CompareAndSwap(nil, &err)
	return err
}

// reply is how a request on a pipe ended.
type reply struct {
	m   jsonrpc.Message
	err error
}

// roundTrip sends a request and waits for its answer.
func (l *pipeLink) roundTrip(ctx context.Context, p *peer, o *outgoing) (*answer, error) {
	inner, fail := context.WithCancelCause(ctx)
	w := &waiter{o: o, fail: fail}
	if o.token == nil && !o.logs {
		defer fail(nil)
		return l.finish(ctx, inner, l.call(inner, p, w))
	}
	// Callbacks run here, so waiting has a goroutine of its own.
	w.notes = make(chan jsonrpc.Message, noteRoom)
	got := make(chan reply, 1)
	started := l.behind(func() {
		defer fail(nil)
		got <- l.call(inner, p, w)
	})
	if !started {
		fail(nil)
		return nil, &pipeError{why: fmt.Errorf("connection is %w", mcp.ErrClosed)}
	}
	for {
		select {
		case m := <-w.notes:
			w.hear(m)
		case r := <-got:
			w.drain()
			return l.finish(ctx, inner, r)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// finish reads how a request ended.
func (l *pipeLink) finish(ctx, inner context.Context, r reply) (*answer, error) {
	var fault *jsonrpc.Fault
	switch {
	case r.err == nil:
		return answerOf(r.m, 0), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(r.err, jsonrpc.ErrClosed):
		return nil, l.end(ctx, r.err)
	case errors.As(r.err, &fault):
		return nil, fmt.Errorf("%w: %w", mcp.ErrInvalidResponse, r.err)
	case inner.Err() != nil:
		return nil, context.Cause(inner)
	default:
		return nil, r.err
	}
}

// call sends the request and waits.
func (l *pipeLink) call(ctx context.Context, p *peer, w *waiter) reply {
	var id jsonrpc.ID
	defer func() { l.update(func(s *pipeState) { delete(s.waiting, id) }) }()
	register := func(given jsonrpc.ID) []byte {
		id = given
		if w.o.listens != nil {
			w.o.listens.id = id
		}
		l.update(func(s *pipeState) { s.waiting[id] = w })
		return w.o.params
	}
	var abandoned func(jsonrpc.ID)
	if !w.o.opening {
		abandoned = func(id jsonrpc.ID) { l.abandon(ctx, p, id) }
	}
	m, err := l.conn.CallFunc(ctx, w.o.method, register, abandoned)
	return reply{m, err}
}

// abandon tells the server that nobody waits any more (M-STDIO-013), unless its
// answer came and was too large.
func (l *pipeLink) abandon(ctx context.Context, p *peer, id jsonrpc.ID) {
	cause := context.Cause(ctx)
	if errors.Is(cause, mcp.ErrTooLarge) || errors.Is(cause, ErrListenEnded) {
		return
	}
	params, err := p.era.AppendParams(nil, mcp.NotifyCancelled, mcp.CancelledParams{RequestID: id.Append(nil), Reason: cause.Error()}, nil)
	if err != nil {
		l.c.log.Debug("cancellation cannot be written", "server", l.c.target.String(), "error", err)
		return
	}
	l.behind(func() {
		bounded, cancel := context.WithTimeout(context.Background(), courtesy)
		defer cancel()
		if err := l.conn.Notify(bounded, mcp.NotifyCancelled, params); err != nil {
			l.c.log.Debug("cancellation was not delivered", "server", l.c.target.String(), "error", err)
		}
	})
}

// behind runs do in the background. It reports false, and does not, when the
// link is closed.
func (l *pipeLink) behind(do func()) bool {
	open := false
	l.update(func(s *pipeState) {
		if open = !s.closed; open {
			l.background.Go(do)
		}
	})
	return open
}

// notify sends a notification.
func (l *pipeLink) notify(ctx context.Context, _ *peer, method string, params []byte) error {
	err := l.conn.Notify(ctx, method, params)
	if errors.Is(err, jsonrpc.ErrClosed) {
		return l.end(ctx, err)
	}
	return err
}

// close ends the child, if there is one, and the connection.
func (l *pipeLink) close(ctx context.Context, _ *peer) error {
	again := false
	l.update(func(s *pipeState) { again, s.closed = s.closed, true })
	if again {
		return nil
	}
	var errs []error
	if l.child != nil {
		// Its input ends first, and its output is read until it is gone.
		errs = append(errs, l.child.Stop(ctx))
	}
	if err := l.conn.Close(); err != nil && l.child == nil {
		errs = append(errs, err)
	}
	if l.notices != nil {
		close(l.notices)
	}
	done := make(chan struct{})
	go func() {
		l.background.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		errs = append(errs, errors.New("Config.Notify has not returned"))
	}
	return errors.Join(errs...)
}
