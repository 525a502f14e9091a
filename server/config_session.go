package server

import (
	"errors"
	"fmt"
	"time"
)

// SessionConfig bounds what a client of a legacy revision can hold: a session
// between initialize and its end, and the calls that run in it. The zero value
// is safe. Clients of the stateless revision have no session, and are bounded by
// their connections alone, except that MaxInFlight also holds on pipes.
type SessionConfig struct {
	// Stateless opens no sessions on HTTP: initialize is answered without a
	// session id, every other request is served by itself in the revision its
	// MCP-Protocol-Version names (2025-03-26 when it names none), session ids are
	// ignored, and GET and DELETE are refused. Such clients are known by nothing
	// but their request: no capabilities, log level, or cancellation. Any replica
	// can answer.
	Stateless bool
	// Max is how many sessions live at once on HTTP; 0 means 10,000. When one
	// more is asked for, the session unused for longest ends; while every session
	// has a call in flight, initialize is refused with 503.
	Max int
	// Idle is how long a session lives without a request; 0 means 30 minutes. It
	// does not end while a call is in flight.
	Idle time.Duration
	// MaxInFlight is how many requests run at once in one session, or on one
	// pipe; 0 means 64. More are refused with 429 on HTTP, and wait on a pipe.
	MaxInFlight int
	// Linger is how long a call goes on after its HTTP client disconnected, which
	// in the legacy revisions is no cancellation (L-HTTP-21); 0 means 5 minutes.
	Linger time.Duration
	// Grace is how long calls in flight may still finish after a pipe's client
	// closed its side; 0 means 2 seconds. Then they are cancelled.
	Grace time.Duration
}

func (c SessionConfig) withDefaults() SessionConfig {
	defaultTo(&c.Max, 10_000)
	defaultTo(&c.Idle, 30*time.Minute)
	defaultTo(&c.MaxInFlight, 64)
	defaultTo(&c.Linger, 5*time.Minute)
	defaultTo(&c.Grace, 2*time.Second)
	return c
}

func (c SessionConfig) validate() error {
	return errors.Join(
		notNegative("Session.Max", c.Max),
		notNegative("Session.Idle", c.Idle),
		notNegative("Session.MaxInFlight", c.MaxInFlight),
		notNegative("Session.Linger", c.Linger),
		notNegative("Session.Grace", c.Grace),
	)
}

func defaultTo[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func notNegative[T int | int64 | time.Duration](name string, value T) error {
	if value < 0 {
		return fmt.Errorf("server config: %s is \"%v\"; use 0 for the default, or a positive value", name, value)
	}
	return nil
}
