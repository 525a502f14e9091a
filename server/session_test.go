package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

func testSessions(most int, idle time.Duration) *sessions {
	return newSessions(SessionConfig{Max: most, Idle: idle}.withDefaults())
}

func inFlight(n int) *SessionConfig {
	cfg := SessionConfig{MaxInFlight: n}.withDefaults()
	return &cfg
}

func openSession(t *testing.T, store *sessions, principal string) *session {
	t.Helper()
	s := newSession(nil, caller{principal: principal}, inFlight(4))
	if err := store.open(s); err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

// L-HTTP-51: ids are unguessable and visible ASCII.
func TestSessionIDs(t *testing.T) {
	store := testSessions(0, 0)
	seen := map[string]bool{}
	for range 1000 {
		id := openSession(t, store, "").id
		if len(id)*5 < 128 {
			t.Fatalf("id %q has fewer than 128 bits", id)
		}
		for _, c := range []byte(id) {
			if c < 0x21 || c > 0x7e {
				t.Fatalf("id %q has byte %#x", id, c)
			}
		}
		if seen[id] {
			t.Fatalf("id %q was given twice", id)
		}
		seen[id] = true
	}
}

// SES-05: a session nobody uses ends; one that is used, or has a call in flight,
// does not.
func TestSessionsEndWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := testSessions(0, time.Minute)
		idle, used, busy := openSession(t, store, ""), openSession(t, store, ""), openSession(t, store, "")
		if _, err := busy.begin(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second) // the clock of the bubble
		if store.find(used.id, "") != used {
			t.Fatal("session ended before its time")
		}
		time.Sleep(time.Second)
		if store.find(idle.id, "") != nil {
			t.Error("idle session is still there")
		}
		if store.find(used.id, "") != used || store.find(busy.id, "") != busy {
			t.Error("a session in use ended")
		}
		if _, err := idle.begin(t.Context(), "1"); !errors.Is(err, errSessionEnded) {
			t.Errorf("begin in an ended session: %v", err)
		}
		time.Sleep(time.Hour)
		store.use(busy) // a long call is a use until its end
		busy.finish("1")
		time.Sleep(59 * time.Second)
		if store.find(busy.id, "") != busy {
			t.Error("session ended right after its long call")
		}
		time.Sleep(time.Minute)
		if n := func() int { store.find("", ""); return store.len() }(); n != 0 {
			t.Errorf("%d sessions left", n)
		}
	})
}

// SES-05: at the cap the session unused for longest makes room, never a busy one.
func TestSessionsAreCapped(t *testing.T) {
	store := testSessions(2, 0)
	a, b := openSession(t, store, ""), openSession(t, store, "")
	store.find(a.id, "")
	c := openSession(t, store, "")
	if store.find(b.id, "") != nil || store.find(a.id, "") != a || store.find(c.id, "") != c {
		t.Error("the wrong session made room")
	}
	for _, s := range []*session{a, c} {
		if _, err := s.begin(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.open(newSession(nil, caller{}, inFlight(1))); !errors.Is(err, errSessionsFull) {
		t.Errorf("open beside busy sessions: %v", err)
	}
	a.finish("1")
	openSession(t, store, "")
	if store.find(a.id, "") != nil {
		t.Error("the idle session did not make room")
	}
	if n := store.len(); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
}

// SES-07: another principal finds nothing, and ends nothing.
func TestSessionBelongsToItsPrincipal(t *testing.T) {
	store := testSessions(0, 0)
	s := openSession(t, store, "a")
	for _, who := range []string{"b", ""} {
		if store.find(s.id, who) != nil || store.remove(s.id, who) {
			t.Errorf("principal %q reached a session of another", who)
		}
	}
	if store.find(s.id, "a") != s || !store.remove(s.id, "a") || store.remove(s.id, "a") {
		t.Error("the owner cannot use or end the session exactly once")
	}
}

func TestSessionCalls(t *testing.T) {
	s := newSession(nil, caller{}, inFlight(2))
	first, err := s.begin(t.Context(), `"1"`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(t.Context(), `"1"`); !errors.Is(err, errIDInFlight) {
		t.Errorf("begin with an id in flight: %v", err)
	}
	second, err := s.begin(t.Context(), "1") // RPC-02: another id
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(t.Context(), "3"); !errors.Is(err, errSessionBusy) {
		t.Errorf("begin beyond the limit: %v", err)
	}
	s.abort("4", errCancelled) // CAN-06: unknown
	s.abort("1", errCancelled)
	if !errors.Is(context.Cause(second), errCancelled) {
		t.Errorf("cancelled call's cause: %v", context.Cause(second))
	}
	if first.Err() != nil {
		t.Error("cancelling 1 cancelled \"1\"")
	}
	s.finish("1")
	s.finish("1")
	s.abort("1", errCancelled)
	if _, err := s.begin(t.Context(), "3"); err != nil {
		t.Errorf("begin after one finished: %v", err)
	}
	s.end()
	if !errors.Is(context.Cause(first), errSessionEnded) {
		t.Errorf("cause after the end: %v", context.Cause(first))
	}
}

// LOG-08: a session starts at info, for itself alone.
func TestSessionLogLevel(t *testing.T) {
	a, b := newSession(nil, caller{}, inFlight(1)), newSession(nil, caller{}, inFlight(1))
	a.update(func(st *sessionState) { st.level = mcp.LevelError })
	if a.caller().logLevel != mcp.LevelError || b.caller().logLevel != mcp.LevelInfo {
		t.Errorf("levels are %q and %q", a.caller().logLevel, b.caller().logLevel)
	}
}

// TestSessionsConcurrently is for the race detector.
func TestSessionsConcurrently(t *testing.T) {
	store := testSessions(8, time.Millisecond)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				s := newSession(nil, caller{}, inFlight(2))
				if store.open(s) != nil {
					continue
				}
				id := fmt.Sprint(i)
				if _, err := s.begin(context.Background(), id); err == nil {
					s.abort(id, errCancelled)
					s.finish(id)
				}
				store.use(s)
				store.find(s.id, "")
				if i%3 == 0 {
					store.remove(s.id, "")
				}
			}
		})
	}
	wg.Wait()
	store.clear()
	if n := store.len(); n != 0 {
		t.Errorf("%d sessions left", n)
	}
}
