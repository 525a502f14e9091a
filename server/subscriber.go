package server

import (
	"sync"
	"time"
)

// A subscriber is somebody who is told of changes: a listen, or a session. What
// is to be told is a state and no queue: of what changes again before it was told,
// nothing is kept. It is safe for concurrent use.
type subscriber struct {
	// lists are those it is told of.
	lists lists
	// wake is called when there is something to take, and must not block. It runs
	// under the bus's lock.
	wake func()

	// These are the bus's, under its lock: whether the subscriber is there, and
	// where, or was; what it watches, and what it holds for that, nil when nothing.
	joined, gone bool
	at           int
	uris         map[string]*watch

	mu sync.Mutex
	// changed is to be told, told is being told.
	changed, told news
	pace          pace
	// timer wakes the subscriber when the pace allows more, nil while it does.
	timer *time.Timer
	// hurried: the pace does not matter any more.
	hurried bool
}

// tell marks what changed.
func (s *subscriber) tell(c change) {
	s.mu.Lock()
	// Whoever has not taken what is there was woken for it, or is about to look.
	wake := s.changed.empty() && s.timer == nil
	s.changed.add(c)
	s.mu.Unlock()
	if wake {
		s.wake()
	}
}

// take returns the next change to tell: one list, or one resource. It reports
// false when there is none, or none may be told yet; then wake is called in time.
func (s *subscriber) take() (change, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told.empty() {
		if s.changed.empty() {
			return change{}, false
		}
		now := time.Now()
		if wait := s.pace.wait(now); wait > 0 && !s.hurried {
			if s.timer == nil {
				s.timer = time.AfterFunc(wait, s.resume)
			}
			return change{}, false
		}
		s.pace.step(now)
		s.told, s.changed = s.changed, news{}
	}
	return s.told.next(), true
}

// resume is the timer.
func (s *subscriber) resume() {
	s.mu.Lock()
	s.timer = nil
	s.mu.Unlock()
	s.wake()
}

// hurry has everything told at once that is still to tell.
func (s *subscriber) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurried = true
	s.rest()
}

// silence forgets what was to be told.
func (s *subscriber) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed, s.told = news{}, news{}
	s.rest()
}

// rest stops the timer, under mu.
func (s *subscriber) rest() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// forget forgets what was to be told of a resource.
func (s *subscriber) forget(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.forget(uri)
	s.told.forget(uri)
}

// maxParts is how many parts of resources are told by name at once. More are told
// as the resources that they are parts of, so that what is to be told is no more
// than what is watched.
const maxParts = 64

// news is what changed, each once.
type news struct {
	lists lists
	// resources are those that changed, in the order they did so first. known are
	// their URIs, nil while there are few.
	resources []change
	known     map[string]struct{}
	parts     int
}

// few is how many resources are looked through without a map.
const few = 16

func (n *news) empty() bool { return n.lists == noLists && len(n.resources) == 0 }

func (n *news) add(c change) {
	n.lists |= c.lists
	if c.uri == "" {
		return
	}
	if c.uri != c.of && n.parts >= maxParts {
		c.uri = c.of
	}
	if n.has(c.uri) {
		return
	}
	n.resources = append(n.resources, c)
	if c.uri != c.of {
		n.parts++
	}
	switch {
	case n.known != nil:
		n.known[c.uri] = struct{}{}
	case len(n.resources) > few:
		n.known = make(map[string]struct{}, 2*few)
		for i := range n.resources {
			n.known[n.resources[i].uri] = struct{}{}
		}
	}
}

func (n *news) has(uri string) bool {
	if n.known != nil {
		_, there := n.known[uri]
		return there
	}
	for i := range n.resources {
		if n.resources[i].uri == uri {
			return true
		}
	}
	return false
}

// next takes a change out. There is one.
func (n *news) next() change {
	if n.lists != noLists {
		first := n.lists & -n.lists
		n.lists &^= first
		return change{lists: first}
	}
	c := n.resources[0]
	if n.resources = n.resources[1:]; len(n.resources) == 0 {
		*n = news{}
	}
	return c
}

// forget takes out what concerns a resource.
func (n *news) forget(of string) {
	kept := n.resources[:0]
	for _, c := range n.resources {
		if c.of != of {
			kept = append(kept, c)
			continue
		}
		delete(n.known, c.uri)
		if c.uri != c.of {
			n.parts--
		}
	}
	clear(n.resources[len(kept):])
	n.resources = kept
}

// How far apart the notifications of one subscriber are while changes come
// faster.
const (
	minGap = 10 * time.Millisecond
	maxGap = 250 * time.Millisecond
)

// A pace makes few notifications of many changes. The first goes out at once. As
// long as others want to follow right behind, the gap before each is twice as
// long as the one before, so that a storm of changes becomes a handful of
// notifications, and a change on a quiet day waits for nothing (CON-12).
type pace struct {
	last time.Time
	gap  time.Duration
}

// wait is how long the next notifications have to wait.
func (p *pace) wait(now time.Time) time.Duration { return p.gap - now.Sub(p.last) }

// step notes that some go out.
func (p *pace) step(now time.Time) {
	if now.Sub(p.last) < 2*p.gap {
		p.gap = min(2*p.gap, maxGap)
	} else {
		p.gap = minGap
	}
	p.last = now
}
