package server

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func storedAt(stream, seq int64) EventID { return EventID{Session: "s", Stream: stream, Seq: seq} }

func appendEvents(t testing.TB, m *memoryEvents, session string, stream, from, to int64) {
	t.Helper()
	for seq := from; seq <= to; seq++ {
		if err := m.Append(t.Context(), EventID{session, stream, seq}, fmt.Appendf(nil, "%s/%d/%d", session, stream, seq)); err != nil {
			t.Fatal(err)
		}
	}
}

func following(t testing.TB, m *memoryEvents, id EventID) string {
	t.Helper()
	events, err := m.After(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = string(e)
	}
	return strings.Join(all, " ")
}

// L-HTTP-46, L-HTTP-47: what follows an event is of its stream, complete, or nothing.
func TestMemoryEvents(t *testing.T) {
	m := newMemoryEvents(1<<20, time.Hour)
	appendEvents(t, m, "s", 1, 1, 3)
	appendEvents(t, m, "s", 2, 1, 1)
	appendEvents(t, m, "other", 1, 1, 2)
	for _, tt := range []struct {
		id   EventID
		want string
	}{
		{storedAt(1, 0), "s/1/1 s/1/2 s/1/3"},
		{storedAt(1, 2), "s/1/3"},
		{storedAt(1, 3), ""},
		{storedAt(1, 4), ""},
		{storedAt(1, -1), ""},
		{storedAt(2, 0), "s/2/1"},
		{storedAt(3, 0), ""},
		{EventID{"nobody", 1, 0}, ""},
		{EventID{"other", 1, 1}, "other/1/2"},
	} {
		if got := following(t, m, tt.id); got != tt.want {
			t.Errorf("after %+v: %q, want %q", tt.id, got, tt.want)
		}
	}
	if err := m.Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := following(t, m, storedAt(1, 0)) + following(t, m, storedAt(2, 0)); got != "" {
		t.Errorf("after Forget: %q", got)
	}
	if got := following(t, m, EventID{"other", 1, 0}); got != "other/1/1 other/1/2" {
		t.Errorf("another session: %q", got)
	}
	if err := m.Forget(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	empty(t, m)
}

// empty fails the test if the store holds anything.
func empty(t testing.TB, m *memoryEvents) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes != 0 || m.all.Len() != 0 || len(m.sessions) != 0 {
		t.Errorf("%d bytes, %d events, %d sessions are left", m.bytes, m.all.Len(), len(m.sessions))
	}
}

// One session has its share, all of them their bound; the oldest events go.
func TestMemoryEventsAreBounded(t *testing.T) {
	const size = storedOverhead + 5 // s/1/1
	t.Run("one session", func(t *testing.T) {
		m := newMemoryEvents(8*3*size, time.Hour)
		appendEvents(t, m, "a", 1, 1, 2)
		appendEvents(t, m, "s", 1, 1, 2)
		appendEvents(t, m, "s", 2, 1, 2)
		if got := following(t, m, storedAt(1, 0)); got != "" {
			t.Errorf("a stream without its first event: %q", got)
		}
		if got := following(t, m, storedAt(1, 1)) + " " + following(t, m, storedAt(2, 0)); got != "s/1/2 s/2/1 s/2/2" {
			t.Errorf("what is left: %q", got)
		}
		if got := following(t, m, EventID{"a", 1, 0}); got != "a/1/1 a/1/2" {
			t.Errorf("another session paid: %q", got)
		}
		if err := m.Append(t.Context(), storedAt(3, 1), make([]byte, 8*3*size)); err != nil {
			t.Fatal(err)
		}
		if got := following(t, m, storedAt(3, 0)); got != "" || m.sessions["s"] != nil {
			t.Error("an event beyond the share of a session was kept")
		}
	})
	t.Run("all of them", func(t *testing.T) {
		m := newMemoryEvents(16*size, time.Hour)
		for i := range 20 {
			appendEvents(t, m, string(rune('a'+i)), 1, 1, 2)
			if m.bytes > m.most {
				t.Fatalf("%d bytes, of %d", m.bytes, m.most)
			}
		}
		if got := following(t, m, EventID{"a", 1, 1}); got != "" {
			t.Errorf("the oldest is still there: %q", got)
		}
		if got := following(t, m, EventID{"t", 1, 0}); got != "t/1/1 t/1/2" {
			t.Errorf("the newest: %q", got)
		}
	})
}

// Events are let go of when they are old, also when nobody uses the store.
func TestMemoryEventsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemoryEvents(1<<20, time.Minute)
		appendEvents(t, m, "s", 1, 1, 1)
		time.Sleep(30 * time.Second)
		appendEvents(t, m, "s", 1, 2, 2)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if a, b := following(t, m, storedAt(1, 0)), following(t, m, storedAt(1, 1)); a != "" || b != "s/1/2" {
			t.Errorf("after a minute: %q and %q", a, b)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		empty(t, m)
		appendEvents(t, m, "s", 1, 3, 3)
		if got := following(t, m, storedAt(1, 2)); got != "s/1/3" {
			t.Errorf("afterwards: %q", got)
		}
	})
}

// TestMemoryEventsConcurrently is for the race detector.
func TestMemoryEventsConcurrently(t *testing.T) {
	m := newMemoryEvents(64*(storedOverhead+20), time.Millisecond)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			session := string(rune('a' + i%4))
			for seq := range int64(200) {
				stream := int64(i)
				if err := m.Append(t.Context(), EventID{session, stream, seq + 1}, []byte("x")); err != nil {
					t.Error(err)
				}
				if _, err := m.After(t.Context(), EventID{session, stream, seq / 2}); err != nil {
					t.Error(err)
				}
				if seq%50 == 0 {
					if err := m.Forget(t.Context(), session); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for i := range 4 {
		if err := m.Forget(t.Context(), string(rune('a'+i))); err != nil {
			t.Error(err)
		}
	}
	empty(t, m)
}

// FuzzEventID: what is read as an event's id is exactly what would be written.
func FuzzEventID(f *testing.F) {
	for _, seed := range []string{"0_0", "1_2", "", "_", "1", "1_", "_1", "01_1", "1_-1", "+1_1", "1_1_1", "9223372036854775807_1", "9223372036854775808_1", "1_1\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		stream, seq, ok := parseEventID(id)
		if ok != (eventID(stream, seq) == id) || stream < 0 || seq < 0 {
			t.Errorf("%q is read as %d, %d, %v", id, stream, seq, ok)
		}
	})
}
