package client

import (
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
)

func (l *pipeLink) over() <-chan struct{} { return l.conn.Done() }

func (*pipeLink) hears(*peer) bool { return true }

// route hands a notification to the subscription it belongs to (M-SUB-009).
func (l *pipeLink) route(m jsonrpc.Message) {
	id, ok := subscriptionOf(m)
	if !ok {
		l.c.audience.hear(m)
		return
	}
	l.update(func(s *pipeState) {
		if w := s.waiting[id]; w != nil && w.o.listens != nil {
			w.o.listens.hear(m)
		}
	})
}

// finishes ends the subscription that was opened with request id, which the
// server has cancelled (M-SUB-016), and reports whether there is one.
func (l *pipeLink) finishes(id jsonrpc.ID) bool {
	found := false
	l.update(func(s *pipeState) {
		if w := s.waiting[id]; w != nil && w.o.listens != nil {
			found = true
			w.fail(ErrListenEnded)
		}
	})
	return found
}

// cancels reports whether m, a cancellation, names the request id.
func cancels(m jsonrpc.Message, id jsonrpc.ID) bool {
	raw, _ := jsonx.Lookup(m.Params, "requestId")
	named, err := jsonrpc.ParseID(raw)
	return err == nil && named == id
}
