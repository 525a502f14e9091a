package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

// stream reads an event stream up to the answer, also when the server continues on
// another response.
func (x *httpExchange) stream() (*answer, error) {
	for {
		a, err := x.events()
		var cut *cutError
		if x.ctx.Err() != nil || !errors.As(err, &cut) {
			return a, err
		}
		if err := x.resume(cut); err != nil {
			return nil, err
		}
	}
}

// events reads the stream of one response up to the answer, and does not wait
// for its end (M-HTTP-024, T-43). The error is a *cutError when there was none.
func (x *httpExchange) events() (*answer, error) {
	limit := x.l.c.cfg.Limits.Message
	events := sse.NewReader(x.r.Body, limit)
	for {
		e, err := events.Next()
		if err != nil {
			x.r.release()
			return nil, x.cut(err, limit)
		}
		x.pace.note(e)
		// Events of other types, and those without data, are no messages (SSE-04,
		// SSE-05).
		if e.Empty() || e.Type != sse.Message {
			continue
		}
		a, err := x.message(e.Data)
		if err != nil {
			x.r.release()
			return nil, err
		}
		if a != nil {
			x.l.linger(x.r)
			return a, nil
		}
	}
}

// cut says why a stream ended without an answer.
func (x *httpExchange) cut(err error, limit int) error {
	switch {
	case errors.Is(err, sse.ErrTooLarge):
		return tooLarge(limit)
	case !errors.Is(err, io.EOF):
		err = fmt.Errorf("read the stream: %w", err)
	case x.odd != nil:
		err = fmt.Errorf("%w: the stream ended without the answer; on it was %w", mcp.ErrInvalidResponse, x.odd)
	default:
		err = fmt.Errorf("the stream ended without the answer: %w", io.ErrUnexpectedEOF)
	}
	return &cutError{err}
}

// message takes one text of the server, a message or, where the revision has
// them, several. It returns the answer if that is what it was; an error ends the
// exchange.
func (x *httpExchange) message(text []byte) (*answer, error) {
	return x.l.each(x.p, text, func(m jsonrpc.Message, fault *jsonrpc.Fault) (*answer, error) {
		return x.take(text, m, fault)
	})
}

// each has take see every message in a text of p's server, until it fails, and
// returns the last answer it finds.
func (l *httpLink) each(p *peer, text []byte, take func(jsonrpc.Message, *jsonrpc.Fault) (*answer, error)) (*answer, error) {
	depth := l.c.cfg.Limits.Depth
	if !p.manners.batches || !jsonrpc.IsBatch(text) {
		return take(jsonrpc.Parse(text, depth))
	}
	items, fault := jsonrpc.ParseBatch(text, depth, jsonrpc.DefaultBatch)
	if fault != nil {
		return take(jsonrpc.Message{}, fault)
	}
	var found *answer
	for _, item := range items {
		a, err := take(item.Message, item.Fault)
		if err != nil {
			return nil, err
		}
		if a != nil {
			found = a
		}
	}
	return found, nil
}

func (x *httpExchange) take(text []byte, m jsonrpc.Message, fault *jsonrpc.Fault) (*answer, error) {
	if fault != nil {
		odd := fmt.Errorf("%s, which is no message: %w", quoted(text), fault)
		if fault.Response && fault.ID == x.id {
			return nil, fmt.Errorf("%w: %w", mcp.ErrInvalidResponse, odd)
		}
		x.strange(odd)
		return nil, nil
	}
	switch m.Kind {
	case jsonrpc.Response:
		// An error without an id can only be about the one request there is.
		if m.ID == x.id || m.ID.IsZero() {
			return answerOf(m, x.r.StatusCode), nil
		}
		x.strange(fmt.Errorf("an answer to request %s, not to %s", m.ID, x.id))
	case jsonrpc.Notification:
		return nil, x.noticed(m)
	case jsonrpc.Request:
		if !x.p.manners.answers {
			x.strange(fmt.Errorf("a request, %q, which the revision does not have", m.Method))
			break
		}
		x.l.asked(x.ctx, x.p, x.o, m)
	}
	return nil, nil
}

// noticed sorts a notification. The error ends the exchange.
func (x *httpExchange) noticed(m jsonrpc.Message) error {
	if m.Method == mcp.NotifyCancelled {
		x.l.withdrawn(x.p, m)
	}
	x.l.c.notice(m)
	if x.o.deliver != nil {
		x.o.deliver(m)
	}
	switch l := x.o.listens; {
	case l == nil:
		x.l.c.audience.hear(m)
	case l.hears(m):
		l.hear(m)
	case m.Method == mcp.NotifyCancelled && cancels(m, x.id):
		return ErrListenEnded // T-21
	}
	return nil
}

// strange notes what the server should not have sent.
func (x *httpExchange) strange(odd error) {
	x.odd = odd
	x.l.c.complain(aboutMessages, "server sent what the protocol does not allow", "method", x.o.method, "error", odd)
}

// linger reads a stream to its end for a moment after its answer has come, so
// that the connection can serve the next request. A server that keeps the
// stream open loses it.
func (l *httpLink) linger(r *response) {
	r.detach()
	started := r.ProtoMajor < 2 && l.behind(func(ctx context.Context) {
		stop := context.AfterFunc(ctx, r.cancel)
		timer := time.AfterFunc(lingerFor, r.cancel)
		// Whether it ended, was cut or was too long, the exchange is over.
		_, _ = io.CopyN(io.Discard, r.Body, maxLingers)
		timer.Stop()
		stop()
		r.release()
	})
	if !started {
		r.release()
	}
}
