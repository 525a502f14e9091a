package jsonrpc

import "context"

// Call sends a request and blocks for its response. The error says why none
// came: it is ctx's, wraps ErrClosed, or wraps a [*Fault] when the response was
// malformed. An error response is a Message with an Error.
//
// abandoned, when not nil, is called when ctx ends before the response is
// there, with the request's id: the place to tell the peer. The call is
// forgotten by then, and a response that still comes is dropped. It is not
// called for a request that did not go out.
func (c *Conn) Call(ctx context.Context, method string, params []byte, abandoned func(ID)) (Message, error) {
	return c.CallFunc(ctx, method, func(ID) []byte { return params }, abandoned)
}

// CallFunc is Call with parameters that are made once the request's id is
// known.
func (c *Conn) CallFunc(ctx context.Context, method string, params func(ID) []byte, abandoned func(ID)) (Message, error) {
	if err := ctx.Err(); err != nil {
		return Message{}, err
	}
	ch := make(chan answer, 1)
	var id ID
	var deaf error
	c.update(func(s *state) {
		if deaf = s.deaf; deaf == nil {
			s.nextID++
			id = IntID(s.nextID)
			s.calls[id] = ch
		}
	})
	if deaf != nil {
		return Message{}, deaf
	}
	if err := c.Write(ctx, AppendRequest(nil, id, method, params(id))); err != nil {
		c.forget(id, false)
		return Message{}, err
	}
	select {
	case a := <-ch:
		return a.m, a.err
	case <-ctx.Done():
		if !c.forget(id, true) {
			// The response won the race.
			a := <-ch
			return a.m, a.err
		}
		if abandoned != nil {
			abandoned(id)
		}
		return Message{}, ctx.Err()
	}
}

// mostLate is how many calls that were given up are known at a time.
const mostLate = 1024

// forget drops a pending call and reports whether it was still pending. Of one
// that was sent an answer may still come.
func (c *Conn) forget(id ID, sent bool) (pending bool) {
	c.update(func(s *state) {
		if _, pending = s.calls[id]; !pending {
			return
		}
		delete(s.calls, id)
		if !sent {
			return
		}
		s.late.add(id)
	})
	return pending
}

// recent is a set of the ids that were added last, mostLate at most.
type recent struct {
	set  map[ID]struct{}
	ring []ID // in the order they came, from next on
	next int
}

func (r *recent) add(id ID) {
	if r.set == nil {
		r.set = map[ID]struct{}{}
	}
	r.set[id] = struct{}{}
	if len(r.ring) < mostLate {
		r.ring = append(r.ring, id)
		return
	}
	delete(r.set, r.ring[r.next])
	r.ring[r.next] = id
	r.next = (r.next + 1) % mostLate
}

// remove reports whether id was in the set.
func (r *recent) remove(id ID) bool {
	_, there := r.set[id]
	delete(r.set, id)
	return there
}
