package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// noticed sorts a notification. It runs on the reader, so it only hands on.
func (l *pipeLink) noticed(m jsonrpc.Message) {
	switch m.Method {
	case mcp.NotifyProgress:
		token, _ := jsonx.Lookup(m.Params, "progressToken")
		l.tell(m, func(o *outgoing) bool { return o.token != nil && bytes.Equal(o.token, token) })
	case mcp.NotifyMessage:
		// Nothing says which request it belongs to (T-22).
		l.tell(m, func(o *outgoing) bool { return o.logs })
	case mcp.NotifyCancelled:
		l.withdrawn(m)
	default:
		l.route(m)
	}
	if l.notices == nil {
		return
	}
	select {
	case l.notices <- m:
	default:
		l.c.complain(aboutPace, "notification is dropped: Config.Notify does not keep up", "method", m.Method)
	}
}

// tell hands a notification to the requests it concerns.
func (l *pipeLink) tell(m jsonrpc.Message, concerns func(*outgoing) bool) {
	l.update(func(s *pipeState) {
		for _, w := range s.waiting {
			if !concerns(w.o) {
				continue
			}
			select {
			case w.notes <- m:
			default: // the callback is slow, and what it misses is out of date
			}
		}
	})
}

func (w *waiter) hear(m jsonrpc.Message) {
	if w.o.deliver != nil {
		w.o.deliver(m)
	}
}

// drain hears what came before the answer.
func (w *waiter) drain() {
	for {
		select {
		case m := <-w.notes:
			w.hear(m)
		default:
			return
		}
	}
}

// asked answers a request of the server, on a goroutine of its own.
func (l *pipeLink) asked(ctx context.Context, req *jsonrpc.Incoming) {
	p := l.peer.Load()
	if p != nil && !p.manners.answers {
		l.c.complain(aboutRequests, "server sent a request, which the revision does not have", "method", req.Method)
		return
	}
	if err := req.ReplyRaw(l.c.reply(ctx, p, nil, req.Message)); err != nil {
		l.c.log.Debug("answer to the server was not delivered", "server", l.c.target.String(), "method", req.Method, "error", err)
	}
}

// withdrawn ends the question that the server does not need answered any more.
// Before there is a session none is open, and the connection may be so young
// that it is not known here yet.
func (l *pipeLink) withdrawn(m jsonrpc.Message) {
	if l.peer.Load() == nil {
		return
	}
	raw, _ := jsonx.Lookup(m.Params, "requestId")
	id, err := jsonrpc.ParseID(raw)
	if err != nil {
		return
	}
	if !l.finishes(id) {
		l.conn.Cancel(id)
	}
}

// malformed logs what is no message, and goes on (STD-03). A request that it
// was meant to answer is ended by the connection.
func (l *pipeLink) malformed(text []byte, fault *jsonrpc.Fault, err error) {
	if fault == nil {
		l.skipped(err)
		return
	}
	l.c.complain(aboutMessages, "server wrote a line that is no message; it is skipped", "line", oneLine(string(text)), "error", fault)
}

// skipped fails the request whose answer was too large: the one that the
// beginning of the answer names, or the only one there is.
func (l *pipeLink) skipped(err error) {
	l.c.complain(aboutSize, "message of the server is skipped", "error", err)
	var long interface{ Head() []byte }
	var named jsonrpc.ID
	if errors.As(err, &long) {
		named = idIn(long.Head())
	}
	l.update(func(s *pipeState) {
		for id, w := range s.waiting {
			if id == named || named.IsZero() && len(s.waiting) == 1 {
				w.fail(fmt.Errorf("%w: %w", mcp.ErrTooLarge, err))
			}
		}
	})
}

// idIn finds the id in the beginning of a message, zero when it is not there.
// The text is cut anywhere, so nothing in it can be relied on but that the
// scanner gets through.
func idIn(head []byte) jsonrpc.ID {
	s := jsonx.NewScanner(head)
	if s.Kind() != jsonx.Object {
		return jsonrpc.ID{}
	}
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return jsonrpc.ID{}
		}
		value := s.Skip()
		if string(name) != "id" {
			continue
		}
		if jsonx.Check(value, 0) != nil {
			return jsonrpc.ID{}
		}
		id, err := jsonrpc.ParseID(value)
		if err != nil {
			return jsonrpc.ID{}
		}
		return id
	}
}
