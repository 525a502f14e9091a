package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// readAll takes messages until none comes any more, and says why.
func (c *Conn) readAll() error {
	for {
		text, err := c.t.Read(c.ctx)
		switch {
		case err == nil:
			c.dispatch(text)
		case c.ctx.Err() != nil:
			return context.Cause(c.ctx)
		case isSkipped(err):
			c.malformed(nil, nil, err)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the peer ended it: %w", ErrClosed, err)
		default:
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
	}
}

func (c *Conn) dispatch(text []byte) {
	if IsBatch(text) && c.opts.Batches != nil && c.opts.Batches() {
		c.dispatchBatch(text)
		return
	}
	m, fault := Parse(text, c.opts.MaxDepth)
	if fault != nil {
		c.malformed(text, fault, nil)
		return
	}
	c.take(m, nil)
}

// dispatchBatch takes the members of an array; the answers to its requests go
// out together. A member that is no message is answered too, unless it was meant
// as an answer.
func (c *Conn) dispatchBatch(text []byte) {
	items, fault := ParseBatch(text, c.opts.MaxDepth, c.opts.MaxBatch)
	if fault != nil {
		c.malformed(text, fault, nil)
		return
	}
	b := newBatch(c, items)
	for _, item := range items {
		switch f := item.Fault; {
		case f == nil:
			c.take(item.Message, b)
		case f.Response:
			c.malformed(text, f, nil)
		default:
			_ = b.add(AppendError(nil, f.ID, int64(f.Code), f.Message, nil))
		}
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
		if known := c.answer(m.ID, answer{m: m}); !known && c.opts.Stray != nil {
			c.opts.Stray(m)
		}
	}
}

// malformed reports what is no message. A call that it was meant to answer does
// not wait any longer (RPC-10).
func (c *Conn) malformed(text []byte, fault *Fault, err error) {
	if c.opts.Malformed != nil {
		c.opts.Malformed(text, fault, err)
	}
	if fault != nil && fault.Response && !fault.ID.IsZero() {
		c.answer(fault.ID, answer{err: fmt.Errorf("the response to request %s is malformed: %w; it is %s", shorten([]byte(fault.ID.String())), fault, shorten(text))})
	}
}

// answer ends a call. It reports whether the call was made and not answered
// before, even if nobody waits for it any more.
func (c *Conn) answer(id ID, a answer) (known bool) {
	var ch chan<- answer
	c.update(func(s *state) {
		if ch, known = s.calls[id]; known {
			delete(s.calls, id)
			return
		}
		known = s.late.remove(id)
	})
	if ch != nil {
		ch <- a // has room for one, and gets one
	}
	return known
}
