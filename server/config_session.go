package server

import (
	"context"
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
	// but their request: no capabilities, log level, or cancellation, and they
	// cannot be asked anything. Any replica can answer.
	Stateless bool
	// Max is how many sessions live at once on HTTP; 0 means 10,000. When one
	// more is asked for, the session unused for longest ends, if there is any
	// without an open stream one of those; while every session has a call in
	// flight, initialize is refused with 503. [Server.SSEHandler], whose sessions
	// are its streams, has as many again, and refuses one more.
	Max int
	// Idle is how long a session lives without a request; 0 means 30 minutes. It
	// does not end while a call is in flight or a stream is open.
	Idle time.Duration
	// MaxInFlight is how many requests run at once in one session, or on one
	// pipe; 0 means 64. More are refused with 429 on HTTP, and wait on a pipe.
	MaxInFlight int
	// Linger is how long a call goes on after its HTTP client disconnected, which
	// in the legacy revisions is no cancellation (L-HTTP-21); 0 means 5 minutes. In
	// 2025-11-25 a client whose stream had begun may come back to it meanwhile.
	Linger time.Duration
	// Events keeps what was sent on streams that clients of 2025-11-25 may come
	// back to. Nil is a store in memory that keeps an event for twice Linger, since
	// it may take a while until a connection is known to be lost.
	Events EventStore
	// EventMemory bounds the store in memory, in bytes; 0 means 32 MiB. One session
	// gets no more than an eighth of it.
	EventMemory int64
	// AnswerTimeout is how long the server waits for the answer of a client that it
	// asks something, be it a person's or a model's; 0 means 10 minutes.
	AnswerTimeout time.Duration
	// Ping is how often the server asks a client whether it is there: on the stream
	// that is open beside its requests, and on pipes. A stream or pipe whose client
	// leaves three in a row without any answer is closed. Zero is never: a
	// connection that breaks is noticed without.
	Ping time.Duration
	// Backlog is how many notifications wait for a client that has no stream open
	// for them; 0 means 64. Then the oldest is dropped.
	Backlog int
	// RootsChanged is told when a client's roots are not what they were. [CallFrom]
	// says whose they are; the new ones can be asked for in the client's next call.
	// It is called on a goroutine of the client's connection, one call at a time for
	// a pipe, and must return soon. Nil is nobody.
	RootsChanged func(ctx context.Context)
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
	defaultTo(&c.EventMemory, 32<<20)
	defaultTo(&c.AnswerTimeout, 10*time.Minute)
	defaultTo(&c.Backlog, 64)
	if c.Events == nil {
		c.Events = newMemoryEvents(c.EventMemory, 2*c.Linger)
	}
	return c
}

func (c SessionConfig) validate() error {
	return errors.Join(
		notNegative("Session.Max", c.Max),
		notNegative("Session.Idle", c.Idle),
		notNegative("Session.MaxInFlight", c.MaxInFlight),
		notNegative("Session.Linger", c.Linger),
		notNegative("Session.Grace", c.Grace),
		notNegative("Session.EventMemory", c.EventMemory),
		notNegative("Session.AnswerTimeout", c.AnswerTimeout),
		notNegative("Session.Ping", c.Ping),
		notNegative("Session.Backlog", c.Backlog),
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
