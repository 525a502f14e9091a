package server

import (
	"net/http"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// batchWidth is how many requests of a batch run at once, unless the session
// allows fewer.
const batchWidth = 16

// batch answers an array of messages, which revision 2025-03-26 alone has: all
// replies in one array, when the last one is there (BATCH-01 to BATCH-13).
func (p *post) batch(text []byte) {
	if !p.e.legacy || p.e.modern && p.headerIsModern() {
		p.refuse(jsonrpc.ID{}, http.StatusBadRequest, errNoBatches)
		return
	}
	sess, status, err := p.session()
	switch {
	case err != nil:
		p.refuse(jsonrpc.ID{}, status, err)
		return
	case !hasBatches(sess.era):
		p.refuse(jsonrpc.ID{}, http.StatusBadRequest, errNoBatches)
		return
	}
	items, fault := jsonrpc.ParseBatch(text, p.e.s.cfg.Limits.Depth, jsonrpc.DefaultBatch)
	if fault != nil {
		p.refuse(fault.ID, http.StatusBadRequest, faultError(fault))
		return
	}
	requests := 0
	for _, item := range items {
		if item.Message.Method == mcp.MethodInitialize {
			p.refuse(jsonrpc.ID{}, http.StatusBadRequest, invalid("initialize cannot be part of a batch")) // BATCH-09
			return
		}
		if item.Fault == nil && item.Message.Kind == jsonrpc.Request {
			requests++
		}
	}
	p.reply.typ = sse.Message
	if requests > 0 {
		p.reply.begin()
	}
	p.finishBatch(p.runBatch(items, sess), requests)
}

// runBatch runs the members, and returns the replies to them. It waits for all.
func (p *post) runBatch(items []jsonrpc.Item, sess *session) [][]byte {
	var (
		mu      sync.Mutex
		replies [][]byte
		running sync.WaitGroup
		slots   = make(chan struct{}, min(batchWidth, sess.cfg.MaxInFlight))
	)
	add := func(r reply) {
		if r.body != nil {
			mu.Lock()
			defer mu.Unlock()
			replies = append(replies, r.body)
		}
	}
	for _, item := range items {
		switch {
		case item.Fault != nil:
			if !item.Fault.Response {
				add(failure(item.Fault.ID, faultError(item.Fault), 0))
			}
		case item.Message.Kind != jsonrpc.Request:
			p.e.s.heard(sess, item.Message)
		default:
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				x := exchange{
					id: item.Message.ID, method: item.Message.Method, params: wire.Scan(item.Message.Params),
					caller: p.x.caller, header: p.r.Header, abandon: add,
				}
				if p.reply.events {
					x.sink = &p.reply
				}
				add(p.call(&x, sess))
			})
		}
	}
	running.Wait()
	return replies
}

// finishBatch answers with the array. A batch without a request in it has no
// answer when it was accepted (BATCH-04).
func (p *post) finishBatch(replies [][]byte, requests int) {
	switch {
	case len(replies) == 0 && requests == 0:
		p.reply.accepted()
		return
	case len(replies) == 0:
		p.reply.finish(reply{})
		return
	}
	body := []byte{'['}
	for i, r := range replies {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, r...)
	}
	r := reply{body: append(body, ']'), status: http.StatusOK}
	if requests == 0 {
		r.status = http.StatusBadRequest
	}
	p.reply.finish(r)
}

var errNoBatches = mcp.Errorf(mcp.CodeInvalidRequest, "the message is an array; batches exist in revision 2025-03-26 alone, send one message")
