package server

import (
	"sync"
	"testing"
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
		if !g.enter() || !g.enter() {
			t.Fatal("an open gate let nobody in")
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
