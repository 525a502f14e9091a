package server

import "errors"

// ListenConfig bounds what clients that wait for changes can hold: the requests
// subscriptions/listen of the stateless revision, which stay open, and the
// resources that they and legacy sessions watch. A zero field is its default.
type ListenConfig struct {
	// Max is how many listens are open at once; 0 means 10,000. One more is refused,
	// on HTTP with 503.
	Max int
	// PerClient is how many of them one client has, which is one pipe, or on HTTP
	// one principal; 0 means 100. One more is refused, on HTTP with 429. Clients of
	// HTTP that nobody knows are bounded by Max alone.
	PerClient int
	// Resources is how many resources one listen or one session watches; 0 means
	// 1,000.
	Resources int
	// Watched is how many resources all of them watch together, one that is watched
	// twice counted twice; 0 means 100,000.
	Watched int
}

func (c ListenConfig) withDefaults() ListenConfig {
	defaultTo(&c.Max, 10_000)
	defaultTo(&c.PerClient, 100)
	defaultTo(&c.Resources, 1_000)
	defaultTo(&c.Watched, 100_000)
	return c
}

func (c ListenConfig) validate() error {
	return errors.Join(
		notNegative("Listen.Max", c.Max),
		notNegative("Listen.PerClient", c.PerClient),
		notNegative("Listen.Resources", c.Resources),
		notNegative("Listen.Watched", c.Watched),
	)
}
