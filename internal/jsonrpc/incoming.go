package jsonrpc

import (
	"context"
	"errors"
	"sync"
)

// errCancelled is the cause of the context of a request its sender cancelled.
var errCancelled = errors.New("cancelled by the peer")

// Incoming is a request of the peer. Its methods are safe for concurrent use.
type Incoming struct {
	// Message is the request.
	Message
	conn   *Conn
	batch  *batch
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	closed bool // answered, or cancelled and never to be
	place  place
}

// place is a request's claim to run, and what has to be known to give it up and
// take it back. It is guarded by the request's mu.
type place struct {
	held   bool // among those that run
	waits  int  // calls of Await that wait
	taking bool // one of them takes the place back for all
	over   bool // the handler has returned
	parked bool // nothing of it counts
}

// serve starts the goroutine of a request once there is room for it.
func (c *Conn) serve(m Message, b *batch) {
	req := &Incoming{Message: m, conn: c, batch: b}
	if c.opts.Handle == nil {
		req.write(AppendError(nil, m.ID, -32601, "no requests are taken here", nil))
		return
	}
	if c.opts.Urgent != nil && c.opts.Urgent(c.ctx, req) {
		req.drop()
		return
	}
	select {
	case c.queue <- struct{}{}:
	case <-c.ctx.Done():
		return
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	req.cancel = cancel
	var twice bool
	c.update(func(s *state) {
		if _, twice = s.incoming[m.ID]; !twice {
			s.incoming[m.ID] = req
		}
	})
	c.busy.Add(1)
	c.running.Go(func() {
		defer req.park()
		defer c.release(req, twice)
		select {
		case c.slots <- struct{}{}:
			req.place.held = true // nobody else knows the request yet
			defer req.leave(true)
			c.opts.Handle(ctx, req)
		case <-ctx.Done():
		}
	})
}

// ErrBusy is the error of Await when too many requests wait for the peer.
var ErrBusy = errors.New("too many requests wait for an answer of the peer")

// Await calls wait, which waits for something of the peer's, such as the answer
// to a question. Meanwhile the request gives its place among those that run to
// another one: the peer may need an answer itself before it can give one, and
// with every place taken by a request that waits nothing would move any more.
// Afterwards Await takes a place again, and waits until there is one or ctx ends.
//
// At most half of the requests that are taken may wait; beyond that Await fails
// with ErrBusy and does not call wait, or the reader could not get at the answers.
func (r *Incoming) Await(ctx context.Context, wait func() error) error {
	select {
	case r.conn.awaiting <- struct{}{}:
	default:
		return ErrBusy
	}
	r.mu.Lock()
	r.place.waits++
	r.mu.Unlock()
	r.leave(false)
	err := wait()
	<-r.conn.awaiting
	r.mu.Lock()
	r.place.waits--
	take := r.place.waits == 0 && !r.place.taking
	r.place.taking = r.place.taking || take
	r.mu.Unlock()
	if take {
		r.enter(ctx)
	}
	return err
}

// Park says that the request stays open for as long as the peer likes, and does
// next to nothing from now on. It gives up its places, among the requests that run
// and among those that are taken, and whoever waits for requests that may still be
// answered when the peer has sent its last message does not wait for this one.
func (r *Incoming) Park() {
	r.leave(true)
	r.park()
}

// park gives up the place among those that are taken, once.
func (r *Incoming) park() {
	r.mu.Lock()
	parked := r.place.parked
	r.place.parked = true
	r.mu.Unlock()
	if !parked {
		<-r.conn.queue
		r.conn.busy.Done()
	}
}

// leave gives up the place among those that run, if the request has it; for good
// when its handler has returned.
func (r *Incoming) leave(over bool) {
	r.mu.Lock()
	held := r.place.held
	r.place.held, r.place.over = false, r.place.over || over
	r.mu.Unlock()
	if held {
		<-r.conn.slots
	}
}

// enter takes the place back, unless it is not wanted any more by then. Whoever
// is cancelled ends without one.
func (r *Incoming) enter(ctx context.Context) {
	got := false
	select {
	case r.conn.slots <- struct{}{}:
		got = true
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.place.taking = false
	r.place.held = got && r.place.waits == 0 && !r.place.over
	held := r.place.held
	r.mu.Unlock()
	if got && !held {
		<-r.conn.slots
	}
}

func (c *Conn) release(req *Incoming, twice bool) {
	req.cancel(nil)
	req.drop()
	if !twice {
		c.update(func(s *state) { delete(s.incoming, req.ID) })
	}
}

// Cancel ends the running request that the peer sent under id: its context is
// done, and no answer to it goes out any more (M-STDIO-015). It reports whether
// there was one.
func (c *Conn) Cancel(id ID) bool {
	var req *Incoming
	c.update(func(s *state) { req = s.incoming[id] })
	if req == nil || !req.drop() {
		return false
	}
	req.cancel(errCancelled)
	return true
}

// Cancelled reports whether ctx, of a request, ended because the peer cancelled
// it.
func Cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errCancelled) }

// drop makes the request one that is never answered. It reports whether it was
// open.
func (r *Incoming) drop() bool {
	r.mu.Lock()
	open := !r.closed
	r.closed = true
	r.mu.Unlock()
	if open && r.batch != nil {
		r.batch.add(nil)
	}
	return open
}

// Reply answers the request with an encoded result.
func (r *Incoming) Reply(result []byte) error { return r.write(AppendResult(nil, r.ID, result)) }

// ReplyError answers the request with an error; data is encoded JSON or nil.
func (r *Incoming) ReplyError(code int64, message string, data []byte) error {
	return r.write(AppendError(nil, r.ID, code, message, data))
}

// ReplyRaw answers the request with a whole encoded response.
func (r *Incoming) ReplyRaw(response []byte) error { return r.write(response) }

// Open reports whether the request still waits for its answer. Notifications
// that belong to it may be sent only while it does.
func (r *Incoming) Open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

// Send writes a message that belongs to the request, ahead of its answer. It
// does nothing once the request is answered or cancelled.
func (r *Incoming) Send(ctx context.Context, msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errCancelled
	}
	return r.conn.Write(ctx, msg)
}

// write sends the one answer: the first call wins, later ones do nothing.
func (r *Incoming) write(response []byte) error {
	r.mu.Lock()
	open := !r.closed
	r.closed = true
	r.mu.Unlock()
	switch {
	case !open:
		return nil
	case r.batch != nil:
		return r.batch.add(response)
	default:
		return r.conn.Write(context.WithoutCancel(r.conn.ctx), response)
	}
}

// batch gathers the answers to the requests of one array.
type batch struct {
	conn *Conn

	mu   sync.Mutex
	left int
	out  []byte
}

func newBatch(c *Conn, items []Item) *batch {
	b := &batch{conn: c}
	for _, item := range items {
		if item.Fault != nil || item.Message.Kind == Request {
			b.left++
		}
	}
	return b
}

// add takes one answer, or nil for a request that gets none, and sends the
// array when all are there.
func (b *batch) add(response []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if response != nil {
		if len(b.out) == 0 {
			b.out = append(b.out, '[')
		} else {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, response...)
	}
	b.left--
	if b.left > 0 || len(b.out) == 0 {
		return nil
	}
	return b.conn.Write(context.WithoutCancel(b.conn.ctx), append(b.out, ']'))
}
