package client

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// inbox is the requests of a server that are being answered. The zero value is
// empty.
type inbox struct {
	mu   sync.Mutex
	open map[letter]*opened
}

// letter names a request of a server: ids are those of a session.
type letter struct {
	p  *peer
	id jsonrpc.ID
}

type opened struct {
	of     *outgoing // the request on whose stream it came, or nil
	cancel context.CancelCauseFunc
}

// errWithdrawn is the cause of a question that its server has cancelled.
var errWithdrawn = errors.New("the server cancelled its question")

// take enters a request. It reports false when it is there: streams that are
// resumed may bring it twice.
func (b *inbox) take(l letter, o *opened) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[l] != nil {
		return false
	}
	if b.open == nil {
		b.open = map[letter]*opened{}
	}
	b.open[l] = o
	return true
}

func (b *inbox) done(l letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, l)
}

// withdraw ends a request that its server has cancelled.
func (b *inbox) withdraw(l letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.open[l]; o != nil {
		o.cancel(errWithdrawn)
	}
}

// abandon ends the requests that belong to one that was given up.
func (b *inbox) abandon(of *outgoing, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.open {
		if o.of == of {
			o.cancel(cause)
		}
	}
}

// asked answers a request of p's server, which came on a stream that is read
// under ctx and belongs to of, nil for a stream of its own. The response is a
// POST; the stream is read on meanwhile (CON-01). What waits for a handler has
// places of its own, so asked waits at most for a place to send a response from.
func (l *httpLink) asked(ctx context.Context, p *peer, of *outgoing, m jsonrpc.Message) {
	select {
	case l.answering <- struct{}{}:
	case <-ctx.Done():
		return
	}
	m.Params = bytes.Clone(m.Params)
	asked, cancel := context.WithCancelCause(l.life)
	it := letter{p, m.ID}
	if !l.inbox.take(it, &opened{of: of, cancel: cancel}) {
		cancel(nil)
		<-l.answering
		return
	}
	leave := func() {
		l.inbox.done(it)
		cancel(nil)
		<-l.answering
	}
	started := l.run(func() {
		defer leave()
		response := l.c.reply(asked, p, of, m)
		if l.life.Err() != nil || errors.Is(context.Cause(asked), errWithdrawn) {
			return // there is nobody who waits for it
		}
		if err := l.respond(p, m.Method, response); err != nil {
			l.c.log.Debug("answer to the server was not delivered", "server", l.target.name, "method", m.Method, "error", err)
		}
	})
	if !started {
		leave()
	}
}

// respond POSTs a response.
func (l *httpLink) respond(p *peer, method string, response []byte) error {
	ctx, cancel := context.WithTimeout(l.life, courtesy)
	defer cancel()
	header, err := l.requestHeader(p, method, nil, false)
	if err != nil {
		return err
	}
	return l.send(ctx, header, response)
}

// withdrawn ends the question that the server does not need answered any more.
func (l *httpLink) withdrawn(p *peer, m jsonrpc.Message) {
	raw, _ := jsonx.Lookup(m.Params, "requestId")
	if id, err := jsonrpc.ParseID(raw); err == nil {
		l.inbox.withdraw(letter{p, id})
	}
}
