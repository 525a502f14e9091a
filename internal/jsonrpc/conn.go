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
	nextID int64
	// calls are those without an answer.
	calls map[ID]chan<- answer
	// late are calls that were given up, and may be answered all the same. They
	// need not be: only the latest are known.
	late recent
	// incoming are the requests of the peer that may be cancelled, by Key.
	incoming map[ID]*Incoming
	// deaf is set once, when no further message can come.
	deaf error
	// ended is set once, when none can come or go.
	ended error
}

// answer is how a call ended.
type answer struct {
	m   Message
	err error
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
	c := &Conn{t: t, opts: opts.withDefaults(), done: make(chan struct{})}
	c.slots = make(chan struct{}, c.opts.Concurrency)
	c.queue = make(chan struct{}, queued*c.opts.Concurrency)
	c.awaiting = make(chan struct{}, queued/2*c.opts.Concurrency)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.s.calls = map[ID]chan<- answer{}
	c.s.incoming = map[ID]*Incoming{}
	go c.run()
	return c
}

// run reads until the end, then ends what is in flight and waits for it.
func (c *Conn) run() {
	defer close(c.done)
	cause := c.readAll()
	c.deafen(cause)
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
	// Handlers may be blocked in a write to a peer that is gone. Closing twice is
	// harmless.
	_ = c.t.Close()
	<-settled
	c.running.Wait()
}

// deafen fails every pending call: no answer can come any more.
func (c *Conn) deafen(cause error) {
	var calls map[ID]chan<- answer
	c.update(func(s *state) {
		if s.deaf == nil {
			s.deaf = cause
		}
		cause = s.deaf
		calls, s.calls = s.calls, nil
	})
	for _, ch := range calls {
		ch <- answer{err: cause} // has room for one, and gets one
	}
}

// end is deafen, and cancels every running request: no answer can go any more.
func (c *Conn) end(cause error) {
	c.deafen(cause)
	c.update(func(s *state) {
		if s.ended == nil {
			s.ended = cause
		}
		cause = s.ended
	})
	c.cancel(cause)
}

// Write sends an encoded message as it is.
func (c *Conn) Write(ctx context.Context, msg []byte) error {
	if err := c.Err(); err != nil {
		return err
	}
	err := c.t.Write(ctx, msg)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()), isSkipped(err):
		return err
	case c.Err() != nil: // the transport was closed, and says no more than that
		return c.Err()
	default:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
}

// isSkipped reports whether only one message is lost.
func isSkipped(err error) bool {
	var s interface{ Skipped() bool }
	return errors.As(err, &s) && s.Skipped()
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
