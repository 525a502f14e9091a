package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed is wrapped by every error that the end of a connection causes.
var ErrClosed = errors.New("connection closed")

// Transport carries messages. It is what package transport's Conn is.
type Transport interface {
	// Read returns the next whole message.
	Read(ctx context.Context) ([]byte, error)
	// Write sends one; it is safe for concurrent use.
	Write(ctx context.Context, msg []byte) error
	// Close unblocks Read and Write.
	Close() error
}

// Defaults of Options.
const (
	// DefaultConcurrency is how many incoming requests run at once.
	DefaultConcurrency = 64
	// DefaultBatch is how many messages a batch may have.
	DefaultBatch = 100
)

// queued is how many requests are taken for each that may run.
const queued = 16

// Options say how a Conn treats what comes in. All functions are optional, must
// not call Close, and, but for Handle, must be quick: the reader waits for them.
type Options struct {
	// Handle runs an incoming request on a goroutine of its own. It must see to
	// it that the request is answered; what it leaves unanswered when it returns
	// never is. Nil refuses every request with -32601.
	Handle func(ctx context.Context, req *Incoming)
	// Urgent takes a request before Handle does: on the reader, in order with all
	// other messages, and whatever runs already. It reports whether it has dealt
	// with the request; then what it left unanswered never is. Nil takes none.
	Urgent func(ctx context.Context, req *Incoming) bool
	// Notify takes an incoming notification, in order with all other messages.
	Notify func(m Message)
	// Malformed takes a text that is no message. When fault is nil, err says why
	// it could not be read at all. Whether to answer is up to the function, which
	// may use Conn.Write.
	Malformed func(text []byte, fault *Fault, err error)
	// Stray takes a response that nobody waits for.
	Stray func(m Message)
	// Batches reports whether arrays are taken now (BATCH-01, BATCH-12). Nil is
	// never.
	Batches func() bool
	// MaxDepth bounds the nesting of messages; 0 is the default.
	MaxDepth int
	// Concurrency bounds the incoming requests that run at once. Sixteen times as
	// many are taken and wait, so that a cancellation behind them is still read;
	// beyond that the reader waits. 0 means DefaultConcurrency.
	Concurrency int
	// MaxBatch bounds the members of a batch; 0 means DefaultBatch.
	MaxBatch int
	// Grace is how long requests that run, or wait to, may still be answered after
	// the peer has sent its last message. 0 cancels them at once.
	Grace time.Duration
}

// Conn is a duplex connection: it matches responses to calls, runs incoming
// requests, and ends in good order. All methods are safe for concurrent use.
type Conn struct {
	t      Transport
	opts   Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	queue  chan struct{} // a place for each request taken, running or waiting
	slots  chan struct{} // a place for each request that runs
	// awaiting has a place for each call of Incoming.Await.
	awaiting chan struct{}
	running  sync.WaitGroup // requests being handled
	busy     sync.WaitGroup // those of them that are not parked
	done     chan struct{}  // closed when the reader and all requests have ended

	mu sync.Mutex
	s  state // only through update
}

// state is what a Conn knows of messages in flight.
type state struct {
	nextID   int64
	calls    map[ID]chan<- Message
	incoming map[ID]*Incoming
	// ended is set once, when no further message can come or go.
	ended error
}

// update is the only door to the state.
func (c *Conn) update(f func(s *state)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

// NewConn starts a connection over t. It owns t from now on, and runs until t
// ends or Close is called.
func NewConn(t Transport, opts Options) *Conn {
	if opts.Concurrency <= 0 {
		opts.Concurrency = DefaultConcurrency
	}
	if opts.MaxBatch <= 0 {
		opts.MaxBatch = DefaultBatch
	}
	c := &Conn{
		t: t, opts: opts, done: make(chan struct{}),
		queue:    make(chan struct{}, queued*opts.Concurrency),
		slots:    make(chan struct{}, opts.Concurrency),
		awaiting: make(chan struct{}, queued/2*opts.Concurrency),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.s.calls = map[ID]chan<- Message{}
	c.s.incoming = map[ID]*Incoming{}
	go c.run()
	return c
}

// run reads until the end, then ends what is in flight and waits for it.
func (c *Conn) run() {
	defer close(c.done)
	cause := c.readAll()
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		c.busy.Wait()
	}()
	if c.opts.Grace > 0 && errors.Is(cause, io.EOF) {
		late := time.NewTimer(c.opts.Grace)
		defer late.Stop()
		select {
		case <-settled:
		case <-late.C:
		case <-c.ctx.Done():
		}
	}
	c.end(cause)
	<-settled
	c.running.Wait()
	// The transport is closed by whoever ended the connection; a second close is
	// harmless and covers a peer that went away.
	_ = c.t.Close()
}

// end fails every pending call and cancels every running request.
func (c *Conn) end(cause error) {
	var calls map[ID]chan<- Message
	c.update(func(s *state) {
		if s.ended == nil {
			s.ended = cause
		}
		cause = s.ended
		calls, s.calls = s.calls, nil
	})
	for _, ch := range calls {
		close(ch)
	}
	c.cancel(cause)
}

func (c *Conn) readAll() error {
	for {
		text, err := c.t.Read(c.ctx)
		switch {
		case err == nil:
			c.dispatch(text)
		case c.ctx.Err() != nil:
			return context.Cause(c.ctx)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the peer ended it: %w", ErrClosed, err)
		case isSkipped(err):
			if c.opts.Malformed != nil {
				c.opts.Malformed(nil, nil, err)
			}
		default:
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
	}
}

// isSkipped reports whether the transport only lost one message.
func isSkipped(err error) bool {
	var s interface{ Skipped() bool }
	return errors.As(err, &s) && s.Skipped()
}

func (c *Conn) dispatch(text []byte) {
	if IsBatch(text) && c.opts.Batches != nil && c.opts.Batches() {
		c.dispatchBatch(text)
		return
	}
	m, fault := Parse(text, c.opts.MaxDepth)
	if fault != nil {
		if c.opts.Malformed != nil {
			c.opts.Malformed(text, fault, nil)
		}
		return
	}
	c.take(m, nil)
}

// dispatchBatch takes the members of an array; the answers to its requests go
// out together.
func (c *Conn) dispatchBatch(text []byte) {
	items, fault := ParseBatch(text, c.opts.MaxDepth, c.opts.MaxBatch)
	if fault != nil {
		if c.opts.Malformed != nil {
			c.opts.Malformed(text, fault, nil)
		}
		return
	}
	b := newBatch(c, items)
	for _, item := range items {
		if item.Fault != nil {
			b.add(AppendError(nil, item.Fault.ID, int64(item.Fault.Code), item.Fault.Message, nil))
			continue
		}
		c.take(item.Message, b)
	}
}

func (c *Conn) take(m Message, b *batch) {
	switch m.Kind {
	case Request:
		c.serve(m, b)
	case Notification:
		if c.opts.Notify != nil {
			c.opts.Notify(m)
		}
	case Response:
		c.answer(m)
	}
}

// answer hands a response to its call.
func (c *Conn) answer(m Message) {
	var ch chan<- Message
	c.update(func(s *state) {
		ch = s.calls[m.ID]
		delete(s.calls, m.ID)
	})
	switch {
	case ch != nil:
		ch <- m // has room for one, and gets one
	case c.opts.Stray != nil:
		c.opts.Stray(m)
	}
}

// Write sends an encoded message as it is.
func (c *Conn) Write(ctx context.Context, msg []byte) error {
	if err := c.Err(); err != nil {
		return err
	}
	if err := c.t.Write(ctx, msg); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return nil
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params []byte) error {
	return c.Write(ctx, AppendNotification(nil, method, params))
}

// Err is nil while the connection lives, and afterwards wraps ErrClosed and
// says why it ended.
func (c *Conn) Err() error {
	var err error
	c.update(func(s *state) { err = s.ended })
	return err
}

// Done is closed when the connection has ended and nothing of it runs any more.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection: pending calls fail, running requests are
// cancelled, and Close returns when all of it has ended. It is idempotent.
func (c *Conn) Close() error {
	c.end(fmt.Errorf("%w: by this side", ErrClosed))
	err := c.t.Close()
	<-c.done
	return err
}
