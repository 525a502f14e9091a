package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	// errCancelled is the cause of the context of a request its sender cancelled.
	errCancelled = errors.New("cancelled by the peer")
	errAnswered  = errors.New("the request it belongs to is answered or cancelled")
)

// Incoming is a request of the peer. Its methods are safe for concurrent use.
type Incoming struct {
	// Message is the request.
	Message
	conn   *Conn
	batch  *batch
	cancel context.CancelCauseFunc

	// order has a place for whoever writes a message of the request: none follows
	// its answer. It may be taken for long.
	order chan struct{}
	// mu is held for moments only, so that a cancellation never waits.
	mu     sync.Mutex
	closed bool // answered, or cancelled and never to be
	place  place
}

// serve starts the goroutine of a request once there is room for it.
func (c *Conn) serve(m Message, b *batch) {
	req := &Incoming{Message: m, conn: c, batch: b, order: make(chan struct{}, 1)}
	if c.opts.Urgent != nil && c.opts.Urgent(c.ctx, req) {
		req.drop()
		return
	}
	if c.opts.Handle == nil {
		_ = req.ReplyError(codeMethodNotFound, fmt.Sprintf("method not found: %s", shorten([]byte(m.Method))), nil)
		return
	}
	select {
	case c.queue <- struct{}{}:
	case <-c.ctx.Done():
		return
	}
	var ctx context.Context
	ctx, req.cancel = context.WithCancelCause(c.ctx)
	if !c.register(req) {
		req.cancel(nil)
		<-c.queue
		_ = req.ReplyError(CodeInvalidRequest, fmt.Sprintf("id %s is that of another request which is not answered yet; use each id once", shorten([]byte(m.ID.String()))), nil)
		return
	}
	c.busy.Add(1)
	c.running.Go(func() {
		defer req.park()
		defer req.cancel(nil)
		defer req.drop()
		select {
		case c.slots <- struct{}{}:
			req.place.held = true // nobody else knows the request yet
			defer req.leave(true)
			c.opts.Handle(ctx, req)
		case <-ctx.Done():
		}
	})
}

// register makes the request one that can be cancelled. It reports false when
// its id is in use (M-MSG-003).
func (c *Conn) register(req *Incoming) (free bool) {
	id := req.ID.Key()
	c.update(func(s *state) {
		if free = s.incoming[id] == nil; free {
			s.incoming[id] = req
		}
	})
	return free
}

// Cancel ends the running request that the peer sent under id: its context is
// done, and no answer to it goes out any more (M-STDIO-015). It reports whether
// there was one. It does not wait.
func (c *Conn) Cancel(id ID) bool {
	var req *Incoming
	c.update(func(s *state) { req = s.incoming[id.Key()] })
	if req == nil || !req.drop() {
		return false
	}
	req.cancel(errCancelled)
	return true
}

// Cancelled reports whether ctx, of a request, ended because the peer cancelled
// it.
func Cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errCancelled) }

// close makes the request one that is not to be answered any more, and frees its
// id for the peer. It reports whether it was open.
func (r *Incoming) close() bool {
	r.mu.Lock()
	open := !r.closed
	r.closed = true
	r.mu.Unlock()
	if open {
		id := r.ID.Key()
		r.conn.update(func(s *state) {
			if s.incoming[id] == r {
				delete(s.incoming, id)
			}
		})
	}
	return open
}

// drop makes the request one that is never answered. It reports whether it was
// open.
func (r *Incoming) drop() bool {
	open := r.close()
	if open && r.batch != nil {
		_ = r.batch.add(nil)
	}
	return open
}

// Open reports whether the request still waits for its answer. Notifications
// that belong to it may be sent only while it does.
func (r *Incoming) Open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

// Send writes a message that belongs to the request, ahead of its answer. It
// fails once the request is answered or cancelled, and waits no longer than ctx.
func (r *Incoming) Send(ctx context.Context, msg []byte) error {
	select {
	case r.order <- struct{}{}:
		defer func() { <-r.order }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !r.Open() {
		return errAnswered
	}
	return r.conn.Write(ctx, msg)
}

// Reply answers the request with an encoded result. Of all answers to a request
// the first goes out; the others do nothing, as all do once it is cancelled.
func (r *Incoming) Reply(result []byte) error { return r.ReplyRaw(AppendResult(nil, r.ID, result)) }

// ReplyError answers the request with an error; data is encoded JSON or nil.
func (r *Incoming) ReplyError(code int64, message string, data []byte) error {
	return r.ReplyRaw(AppendError(nil, r.ID, code, message, data))
}

// ReplyRaw answers the request with a whole encoded response.
func (r *Incoming) ReplyRaw(response []byte) error {
	// Whoever has the place is in a write, which ends with the connection.
	r.order <- struct{}{}
	defer func() { <-r.order }()
	switch {
	case !r.close():
		return nil
	case r.batch != nil:
		return r.batch.add(response)
	default:
		return r.conn.Write(context.Background(), response)
	}
}
