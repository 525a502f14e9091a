package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

func TestGate(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		g := newGate()
		select {
		case <-g.shut():
		default:
			t.Error("shut, and nobody inside, but not empty")
		}
		if g.enter() {
			t.Error("a shut gate let somebody in")
		}
		g.shut()
	})
	t.Run("waits for the last one", func(t *testing.T) {
		g := newGate()
		for range 2 {
			if !g.enter() {
				t.Fatal("an open gate let nobody in")
			}
		}
		empty := g.shut()
		if g.enter() {
			t.Error("a shut gate let somebody in")
		}
		g.leave()
		select {
		case <-empty:
			t.Error("empty with one inside")
		default:
		}
		if n := g.inside(); n != 1 {
			t.Errorf("%d inside, want 1", n)
		}
		g.leave()
		<-empty
	})
	t.Run("concurrently", func(t *testing.T) {
		g := newGate()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 1000 {
					if g.enter() {
						g.leave()
					}
				}
			})
		}
		<-g.shut()
		wg.Wait()
		if n := g.inside(); n != 0 {
			t.Errorf("%d inside, want 0", n)
		}
	})
}

// HTTP-19: a draining server begins nothing, lets what runs finish, and ends its
// sessions and pipes.
func TestDrain(t *testing.T) {
	svc := newStalls()
	srv := serverOf(t, svc.Service)
	s, h := serveHTTP(t, srv.Handler()), connect(t, srv)
	session := s.open(mcp.Legacy20251125)
	h.initialize(mcp.Legacy20251125)
	replies := make(chan answered, 2)
	body, modern := modernCall("1", "stall", "{}")
	go func() { replies <- s.do(http.MethodPost, body, modern) }()
	go func() { replies <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(session)) }()
	h.send(legacyCall("1", "stall", "{}"))
	for range 3 {
		within(t, svc.began, "call")
	}
	drained := make(chan error, 1)
	go func() { drained <- srv.Drain(t.Context()) }()
	srv.edge.gate.shut() // Drain may not have come as far yet
	for name, h := range map[string]http.Header{"modern": modern, "legacy": legacyHeader(session)} {
		body := legacyCall("5", "quick", "{}")
		if name == "modern" {
			body, _ = modernCall("5", "quick", "{}")
		}
		a := s.do(http.MethodPost, body, h)
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || code(t, a.body) != int(mcp.CodeInternal) || !strings.Contains(a.body, `"id":5`) {
			t.Errorf("%s request while draining: %d %v %s", name, a.status, a.header, a.body)
		}
	}
	for _, line := range []string{legacyCall("5", "quick", "{}"), legacyBody("5", "ping", "{}")} {
		if got := h.ask(line); code(t, got) != int(mcp.CodeInternal) {
			t.Errorf("on a pipe while draining: %s", got)
		}
	}
	select {
	case err := <-drained:
		t.Fatalf("drained with calls in flight: %v", err)
	default:
	}
	close(svc.release)
	for range 2 {
		if a := within(t, replies, "reply"); !strings.Contains(a.body, "released") {
			t.Errorf("call in flight: %d %s", a.status, a.body)
		}
	}
	if got := h.receive(); !strings.Contains(got, "released") {
		t.Errorf("call in flight on a pipe: %s", got)
	}
	if err := within(t, drained, "Drain"); err != nil {
		t.Errorf("drain: %v", err)
	}
	if err := h.end(); err != nil {
		t.Errorf("serve after Drain: %v", err)
	}
	if n := srv.edge.sessions.len(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	if err := srv.Drain(t.Context()); err != nil {
		t.Errorf("second Drain: %v", err)
	}
}

// A drain that runs out of time cancels what sessions and pipes still run, and
// says how much there was.
func TestDrainOutOfTime(t *testing.T) {
	svc := newStalls()
	srv := serverOf(t, svc.Service)
	s, h := serveHTTP(t, srv.Handler()), connect(t, srv)
	session := s.open(mcp.Legacy20251125)
	reply := make(chan answered, 1)
	go func() { reply <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(session)) }()
	h.send(stallLine("1"))
	for range 2 {
		within(t, svc.began, "call")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := srv.Drain(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "2 exchanges") {
		t.Errorf("drain: %v", err)
	}
	for range 2 {
		if err := within(t, svc.ended, "cancellation"); err == nil {
			t.Error("a call was not cancelled")
		}
	}
	within(t, reply, "answer")
	if err := h.end(); err != nil {
		t.Errorf("serve: %v", err)
	}
}
