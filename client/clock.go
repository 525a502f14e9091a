package client

import (
	"sync"
	"time"
)

// clock ends a call that takes too long: when the server has been silent for
// limit, and at last whatever happens. While somebody thinks about a question of
// the server it is held, and only last counts. All methods are safe for
// concurrent use.
type clock struct {
	limit   time.Duration // how long the server may be silent
	name    string        // what set limit
	longest time.Duration
	last    time.Time // beyond which nothing is extended

	mu       sync.Mutex
	timer    *time.Timer
	extended bool // the first limit does not hold any more
	held     int
	stopped  bool
}

// startClock starts a clock, which calls end at most once.
func startClock(limit, longest time.Duration, name string, end func(error)) *clock {
	c := &clock{limit: limit, name: name, longest: longest, last: time.Now().Add(longest)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(limit, func() { end(c.reason()) })
	return c
}

// reason is the limit that was reached.
func (c *clock) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extended && !time.Now().Before(c.last) {
		return &timeoutError{limit: "Config.MaxTimeout", after: c.longest}
	}
	return &timeoutError{limit: c.name, after: c.limit}
}

// extend starts the limit anew, but not beyond the last (INIT-16).
func (c *clock) extend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set()
}

// set winds the timer for the state the clock is in.
func (c *clock) set() {
	left := time.Until(c.last)
	if left <= 0 || c.stopped {
		return
	}
	c.extended = true
	if c.held == 0 {
		left = min(left, c.limit)
	}
	c.timer.Reset(left)
}

// hold leaves only the last limit until release, which starts the other anew.
func (c *clock) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held++
	c.set()
}

func (c *clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held--
	c.set()
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.timer.Stop()
}
