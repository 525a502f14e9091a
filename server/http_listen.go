package server

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/diglot-mcp/diglot/internal/httpx"
)

// listening answers a listen of the stateless revision: always with an event
// stream, which the keep-alive of every answer keeps open (M-SUB-020), or says why
// there is none (T-12). It blocks as long as the stream is open, on net/http's
// goroutine.
func (p *post) listening() {
	if !p.reply.events {
		p.refuse(p.x.id, http.StatusNotAcceptable, invalid("Accept does not allow text/event-stream, which is how changes are told; accept it"))
		return
	}
	var client any
	if principal := p.x.caller.principal; principal != "" {
		client = principal
	}
	all := p.e.s.edge.listens
	if err := all.enter(client); err != nil {
		status, after := http.StatusServiceUnavailable, "60"
		if errors.Is(err, errListensEach) {
			status, after = http.StatusTooManyRequests, "1"
		}
		p.reply.w.Header().Set("Retry-After", after)
		p.refuse(p.x.id, status, busy(err))
		return
	}
	defer all.leave(client)
	p.reply.begin()
	p.reply.finish(p.e.s.serve(p.r.Context(), &p.x))
}

// own makes the request's parameters its own, and lets go of the buffer they were
// read into, which is too good to lie idle for hours.
func (p *post) own() {
	p.x.params.Raw = bytes.Clone(p.x.params.Raw)
	p.body.Free()
	p.body = new(httpx.Body)
}
