package jsonrpc

import (
	"context"
)

// Call sends a request and blocks for its response. The error says why none
// came: it is ctx's, or wraps ErrClosed. An error response is a Message with an
// Error.
//
// abandoned, when not nil, is called when ctx ends before the response is
// there, with the request's id: the place to tell the peer. The call is
// forgotten by then, and a response that still comes is dropped.
func (c *Conn) Call(ctx context.Context, method string, params []byte, abandoned func(ID)) (Message, error) {
	return c.CallFunc(ctx, method, func(ID) []byte { return params }, abandoned)
}

// CallFunc is Call with parameters that are made once the request's id is
// known.
func (c *Conn) CallFunc(ctx context.Context, method string, params func(ID) []byte, abandoned func(ID)) (Message, error) {
	if err := ctx.Err(); err != nil {
		return Message{}, err
	}
	ch := make(chan Message, 1)
	var id ID
	var ended error
	c.update(func(s *state) {
		if ended = s.ended; ended == nil {
			s.nextID++
			id = IntID(s.nextID)
			s.calls[id] = ch
		}
	})
	if ended != nil {
		return Message{}, ended
	}
	if err := c.Write(ctx, AppendRequest(nil, id, method, params(id))); err != nil {
		c.forget(id)
		return Message{}, err
	}
	select {
	case m, ok := <-ch:
		if !ok {
			return Message{}, c.Err()
		}
		return m, nil
	case <-ctx.Done():
		if !c.forget(id) {
			// The response won the race.
			if m, ok := <-ch; ok {
				return m, nil
			}
			return Message{}, c.Err()
		}
		if abandoned != nil {
			abandoned(id)
		}
		return Message{}, ctx.Err()
	}
}

// forget drops a pending call and reports whether it was still pending.
func (c *Conn) forget(id ID) bool {
	there := false
	c.update(func(s *state) {
		_, there = s.calls[id]
		delete(s.calls, id)
	})
	return there
}
