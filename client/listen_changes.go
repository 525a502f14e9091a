package client

import "sync"

// maxUpdated is how many resources are remembered as updated.
const maxUpdated = 1024

// changes is what a subscription has not reported yet. It remembers each thing
// once, so that it does not grow with what happens while nobody reads. It is
// safe for concurrent use.
type changes struct {
	// more has a token in it when there is something to take.
	more chan struct{}

	mu      sync.Mutex
	lists   [ResourcesChanged + 1]bool
	lagged  bool
	updated map[string]struct{}
	order   []string // of updated
}

// add remembers events, all at once.
func (c *changes) add(events ...Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.note(e)
	}
	c.wake()
}

// note is called with the lock.
func (c *changes) note(e Event) {
	_, known := c.updated[e.URI]
	switch {
	case e.Change != ResourceUpdated:
		c.lists[e.Change] = true
	case known || c.lagged:
		return // that says it already
	case len(c.updated) == maxUpdated:
		c.updated, c.order, c.lagged = nil, nil, true
	default:
		if c.updated == nil {
			c.updated = map[string]struct{}{}
		}
		c.updated[e.URI] = struct{}{}
		c.order = append(c.order, e.URI)
	}
}

// wake is called with the lock.
func (c *changes) wake() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// take is the next event: lists before resources, and those in the order in
// which they came.
func (c *changes) take() (e Event, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for change := range c.lists {
		if c.lists[change] {
			c.lists[change] = false
			c.wake() // for another reader
			return Event{Change: Change(change)}, true
		}
	}
	switch {
	case c.lagged:
		c.lagged = false
		return Event{Change: Lagged}, true
	case len(c.order) > 0:
		e = Event{Change: ResourceUpdated, URI: c.order[0]}
		delete(c.updated, e.URI)
		c.order = c.order[1:]
		if len(c.order) > 0 {
			c.wake()
		}
		return e, true
	}
	return Event{}, false
}
