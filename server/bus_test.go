package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWholes: what a URI may be a part of (L-RES-09, M-SUB-012).
func TestWholes(t *testing.T) {
	for uri, want := range map[string][]string{
		"note://1":             {"note://1", "note://", "note:/", "note:"},
		"note://1/text":        {"note://1/text", "note://1/", "note://1", "note://", "note:/", "note:"},
		"dir://a/b/":           {"dir://a/b/", "dir://a/b", "dir://a/", "dir://a", "dir://", "dir:/", "dir:"},
		"urn:x?page=2#line":    {"urn:x?page=2#line", "urn:x?page=2", "urn:x"},
		"urn:x":                {"urn:x"},
		"/":                    {"/"},
		"":                     {""},
		"urn:x#a/b":            {"urn:x#a/b", "urn:x#a/", "urn:x#a", "urn:x"},
		"file:///é/\U0001f600": {"file:///é/\U0001f600", "file:///é/", "file:///é", "file:///", "file://", "file:/", "file:"},
	} {
		got := slices.Collect(wholes(uri))
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", uri, diff)
		}
		for n := range got { // whoever stops early gets no more
			seen := 0
			for range wholes(uri) {
				if seen++; seen > n {
					break
				}
			}
			if seen != n+1 {
				t.Errorf("%q: %d instead of %d", uri, seen, n+1)
			}
		}
	}
}

// aboard puts a subscriber on the bus that counts how often it is woken.
func aboard(b *bus, l lists) (*subscriber, *int) {
	woken := new(int)
	s := &subscriber{lists: l, wake: func() { *woken++ }}
	b.join(s)
	return s, woken
}

// taken are all changes that may be told now.
func taken(s *subscriber) []string {
	var all []string
	for c, ok := s.take(); ok; c, ok = s.take() {
		switch {
		case c.uri != c.of:
			all = append(all, c.uri+" of "+c.of)
		case c.uri != "":
			all = append(all, c.uri)
		default:
			all = append(all, c.lists.method())
		}
	}
	return all
}

// TestSubscriber: a state and no queue: each change once, lists first, and one
// wake-up for all of them (CON-12).
func TestSubscriber(t *testing.T) {
	b := newBus(10, 100)
	s, woken := aboard(b, toolList|resourceList)
	for _, uri := range []string{"a:1", "a:2", "a:1/x"} {
		if added, err := b.watch(s, uri); err != nil || !added {
			t.Fatal(added, err)
		}
	}
	if added, err := b.watch(s, "a:1"); err != nil || added {
		t.Errorf("watched twice: %v, %v", added, err)
	}
	for range 3 {
		for _, uri := range []string{"a:2", "a:1/y", "a:3", "a:1/x"} {
			b.publish(change{uri: uri})
		}
		b.publish(change{lists: promptList})
		b.publish(change{lists: resourceList})
		b.publish(change{lists: toolList | promptList})
	}
	want := []string{"notifications/tools/list_changed", "notifications/resources/list_changed", "a:2", "a:1/y of a:1", "a:1/x"}
	if diff := cmp.Diff(want, taken(s)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if *woken != 1 {
		t.Errorf("woken %d times", *woken)
	}
	if again := taken(s); again != nil {
		t.Errorf("told again: %v", again)
	}
}

// TestSubscriberForgets: what is not watched any more is not told, though it
// changed before.
func TestSubscriberForgets(t *testing.T) {
	b := newBus(10, 100)
	s, _ := aboard(b, noLists)
	for _, uri := range []string{"a:1", "a:2"} {
		if _, err := b.watch(s, uri); err != nil {
			t.Fatal(err)
		}
	}
	for _, uri := range []string{"a:1", "a:2", "a:1/x"} {
		b.publish(change{uri: uri})
	}
	if c, ok := s.take(); !ok || c.uri != "a:1" {
		t.Fatalf("told %v first", c)
	}
	b.publish(change{uri: "a:1"})
	b.unwatch(s, "a:1")
	b.unwatch(s, "a:1")
	b.publish(change{uri: "a:1"})
	if diff := cmp.Diff([]string{"a:2"}, taken(s)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if s.changed.parts != 0 || len(s.changed.known) != 0 {
		t.Errorf("it remembers %+v", s.changed)
	}
	b.publish(change{uri: "a:2"})
	b.leave(s)
	if all := taken(s); all != nil {
		t.Errorf("told after it left: %v", all)
	}
}

// TestSubscriberBounded: of ever so many parts only some are told by name; for the
// others it is what they are parts of.
func TestSubscriberBounded(t *testing.T) {
	b := newBus(10, 100)
	s, _ := aboard(b, noLists)
	for _, uri := range []string{"a:1", "a:2"} {
		if _, err := b.watch(s, uri); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10_000 {
		b.publish(change{uri: fmt.Sprintf("a:%d/%d", i%2+1, i)})
	}
	all := taken(s)
	if len(all) != maxParts+2 || all[maxParts-1] != "a:2/63 of a:2" || all[maxParts] != "a:1" || all[maxParts+1] != "a:2" {
		t.Errorf("%d are told, the last %v", len(all), all[len(all)-3:])
	}
}

// TestBusLimits: what one subscriber may watch, and all of them, and whoever has
// left.
func TestBusLimits(t *testing.T) {
	b := newBus(2, 3)
	one, _ := aboard(b, toolList)
	two, _ := aboard(b, toolList)
	for _, tt := range []struct {
		s    *subscriber
		uri  string
		want error
	}{
		{one, "a:1", nil}, {one, "a:2", nil}, {one, "a:2", nil}, {one, "a:3", errWatchesEach},
		{two, "a:1", nil}, {two, "a:2", errWatchesTotal},
		{&subscriber{}, "a:1", errOffBus},
	} {
		if _, err := b.watch(tt.s, tt.uri); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.uri, err, tt.want)
		}
	}
	if n, watched := b.size(); n != 2 || watched != 3 {
		t.Errorf("%d watch %d", n, watched)
	}
	w := new(watch)
	if !b.hold(one, "a:1", w) || b.hold(one, "a:9", w) {
		t.Error("hold is for what is watched")
	}
	if held := b.leave(one); !slices.Equal(held, []*watch{w}) {
		t.Errorf("held %v", held)
	}
	if held := b.leave(one); held != nil {
		t.Errorf("held again %v", held)
	}
	b.join(one) // it never comes back
	if _, err := b.watch(one, "a:1"); !errors.Is(err, errOffBus) {
		t.Errorf("watch after leave: %v", err)
	}
	if b.hold(one, "a:1", w) || b.unwatch(one, "a:1") != nil {
		t.Error("it left, and watches")
	}
	if w := b.unwatch(two, "a:1"); w != nil {
		t.Errorf("held %v", w)
	}
	b.leave(two)
	if n, watched := b.size(); n != 0 || watched != 0 || len(b.watching) != 0 {
		t.Errorf("left: %d, %d, %v", n, watched, b.watching)
	}
}

// TestBusOrder: subscribers come and go in any order.
func TestBusOrder(t *testing.T) {
	b := newBus(10, 1000)
	var all []*subscriber
	for range 50 {
		s, _ := aboard(b, toolList)
		if _, err := b.watch(s, "a:1"); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for i := 0; len(all) > 0; i += 7 {
		at := i % len(all)
		b.leave(all[at])
		all = slices.Delete(all, at, at+1)
		b.publish(change{lists: toolList, uri: "a:1"})
		for _, s := range all {
			s.hurry()
			if got := taken(s); len(got) != 2 {
				t.Fatalf("told %v", got)
			}
		}
		if n, watched := b.size(); n != len(all) || watched != len(all) {
			t.Fatalf("%d and %d, want %d", n, watched, len(all))
		}
	}
}

// TestPace: the first change waits for nothing, a storm becomes few notifications,
// and calm is forgotten at once (CON-12).
func TestPace(t *testing.T) {
	for _, tt := range []struct {
		name        string
		every, long time.Duration
		least, most int
	}{
		{"one", time.Hour, time.Minute, 1, 1},
		{"slow enough", 25 * time.Millisecond, 10 * time.Second, 400, 400},
		{"a storm of a tenth of a second", time.Millisecond, 100 * time.Millisecond, 4, 6},
		{"a storm of ten seconds", time.Millisecond, 10 * time.Second, 40, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBus(10, 100)
				var at []time.Time
				woken, stop, done := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
				s := &subscriber{lists: toolList, wake: func() { woken <- struct{}{} }}
				b.join(s)
				go func() {
					defer close(done)
					for {
						select {
						case <-stop:
							return
						case <-woken:
							if len(taken(s)) > 0 {
								at = append(at, time.Now())
							}
						}
					}
				}()
				began := time.Now()
				for time.Since(began) < tt.long {
					b.publish(change{lists: toolList})
					time.Sleep(tt.every)
				}
				last := time.Now()
				time.Sleep(maxGap)
				close(stop)
				<-done
				if len(at) < tt.least || len(at) > tt.most {
					t.Errorf("told %d times", len(at))
				}
				if !at[0].Equal(began) {
					t.Errorf("first told after %v", at[0].Sub(began))
				}
				if late := at[len(at)-1].Sub(last); late > maxGap {
					t.Errorf("last told %v late", late)
				}
			})
		})
	}
}

// TestBusConcurrent: everything at once.
func TestBusConcurrent(t *testing.T) {
	b := newBus(100, 10_000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				var woken sync.WaitGroup
				woken.Add(1)
				var once sync.Once
				s := &subscriber{lists: toolList, wake: func() { once.Do(woken.Done) }}
				b.join(s)
				for k := range 5 {
					if _, err := b.watch(s, fmt.Sprintf("a:%d", (i+j+k)%7)); err != nil {
						t.Error(err)
					}
				}
				b.publish(change{lists: toolList, uri: "a:1/x"})
				woken.Wait()
				if got := taken(s); len(got) == 0 || !strings.HasSuffix(got[0], "list_changed") {
					t.Errorf("told %v", got)
				}
				b.unwatch(s, "a:3")
				b.leave(s)
			}
		})
	}
	all.Wait()
	if n, watched := b.size(); n != 0 || watched != 0 {
		t.Errorf("left: %d, %d", n, watched)
	}
}
