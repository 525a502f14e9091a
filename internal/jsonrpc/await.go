package jsonrpc

import (
	"context"
	"errors"
)

// place is a request's claim to run, and what has to be known to give it up and
// take it back. It is guarded by the request's mu.
type place struct {
	held   bool // among those that run
	waits  int  // calls of Await that wait
	taking bool // one of them takes the place back for all
	over   bool // the handler has returned
	parked bool // nothing of it counts
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
