package server

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/diglot-mcp/diglot/internal/httpx"
)

// Drain ends the server's work. From its first call on no exchange begins: HTTP
// requests are answered with 503 and Retry-After, requests on pipes with -32603.
// Clients that listen for changes are told that this is the end (M-SUB-015). Drain
// waits for the exchanges that run; then, or when ctx ends before, every
// session ends, which cancels what still runs in it, and every [Server.Serve]
// returns. Calls of the stateless revision that outlast ctx are cancelled by
// closing their connections, with [net/http.Server.Close].
//
// Drain returns nil when nothing runs any more, and else an error that wraps
// ctx's and says how much does. With a context that has ended already it closes
// the server at once. It may be called more than once, and from several
// goroutines.
func (s *Server) Drain(ctx context.Context) error {
	ended := s.edge.gate.shut()
	s.edge.listens.finish()
	defer s.edge.close()
	select {
	case <-ended:
		return nil
	default:
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("drain server: %d exchanges still run: %w", s.edge.gate.inside(), ctx.Err())
	}
}

// edge is what the adapters of a server share, whatever the transport.
type edge struct {
	gate     *gate
	guard    *httpx.Guard
	sessions *sessions
	listens  *listens
	// closed is closed when the server is: pipes end then.
	closed  chan struct{}
	closing sync.Once
}

func newEdge(cfg Config) (*edge, error) {
	guard, err := httpx.NewGuard(cfg.HTTP.guard())
	if err != nil {
		return nil, fmt.Errorf("server config: HTTP: %w", err)
	}
	return &edge{gate: newGate(), guard: guard, sessions: newSessions(cfg.Session), listens: newListens(cfg.Listen), closed: make(chan struct{})}, nil
}

// close ends every session and pipe.
func (e *edge) close() {
	e.sessions.clear()
	e.closing.Do(func() { close(e.closed) })
}

// gate counts the exchanges that run, and lets none in once it is shut. It takes
// no lock, since every request passes it.
type gate struct {
	// state is the number inside, plus shutBit.
	state atomic.Int64
	// empty is closed once the gate is shut and nobody is inside.
	empty   chan struct{}
	emptied sync.Once
}

const shutBit = 1 << 62

func newGate() *gate { return &gate{empty: make(chan struct{})} }

// enter lets an exchange in, which must leave; it reports false when shut.
func (g *gate) enter() bool {
	if g.state.Add(1)&shutBit != 0 {
		g.leave()
		return false
	}
	return true
}

// leave ends what enter began.
func (g *gate) leave() {
	if g.state.Add(-1) == shutBit {
		g.emptied.Do(func() { close(g.empty) })
	}
}

// shut closes the gate, and returns a channel that is closed once nobody is
// inside.
func (g *gate) shut() <-chan struct{} {
	if g.state.Or(shutBit)&^shutBit == 0 {
		g.emptied.Do(func() { close(g.empty) })
	}
	return g.empty
}

// inside is how many exchanges run.
func (g *gate) inside() int64 { return g.state.Load() &^ shutBit }
