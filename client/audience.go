package client

import (
	"slices"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// audience is the subscriptions that hear what a session is told, rather than
// the answer to a request of theirs. The zero value has nobody in it. It is safe
// for concurrent use.
type audience struct {
	mu   sync.Mutex
	subs map[*Subscription]mcp.Filter
}

// join has s hear of what f asks for.
func (a *audience) join(s *Subscription, f mcp.Filter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.subs == nil {
		a.subs = map[*Subscription]mcp.Filter{}
	}
	a.subs[s] = f
}

func (a *audience) leave(s *Subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.subs, s)
}

func (a *audience) empty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.subs) == 0
}

// hear takes a notification of the session. It does not block. An update that
// nobody watches by that name is of a part of what somebody does, and nothing
// tells of what.
func (a *audience) hear(m jsonrpc.Message) {
	if a.empty() {
		return
	}
	e, ok := eventOf(m)
	if !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	named := false
	for _, f := range a.subs {
		named = named || slices.Contains(f.Resources, e.URI)
	}
	for s, f := range a.subs {
		if wants(f, e) && (!named || slices.Contains(f.Resources, e.URI)) {
			s.changes.add(e)
		}
	}
}

// missed tells everybody that notifications may have been lost.
func (a *audience) missed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s, f := range a.subs {
		s.missed(f)
	}
}
