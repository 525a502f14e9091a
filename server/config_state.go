package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/seal"
)

// StateConfig says how a call that asks its client goes on. In the stateless
// revision such a call ends, and is sent again with the answers; what it knows
// by then travels with the client as its requestState, sealed with AES-256-GCM
// and bound to the server's name, the revision, the caller's principal, the
// method, and the name and arguments of the call. No process has to remember it.
// The zero value is safe for one process.
type StateConfig struct {
	// Keys are secrets of at least 32 random bytes. The first one seals, all of
	// them open, so that keys can be replaced: add the new one last on every
	// replica, then move it to the front, then drop the old one after TTL.
	// Replicas behind one address must share them. None means a random key that
	// ends with the process: a call under way then starts anew.
	Keys [][]byte
	// TTL is how long the client may take for one round; 0 means 10 minutes.
	TTL time.Duration
	// MaxSize is how long a requestState may be, in bytes; 0 means 64 KiB. A call
	// that knows more needs a Store, or fails.
	MaxSize int
	// Store keeps states that are too large to travel, still sealed, and remembers
	// those that were used. Nil: there is none.
	Store StateStore
	// SingleUse takes every state once: a retry that arrives a second time is
	// refused, also when the reply to the first one was lost. It needs a Store that
	// all replicas share. Without it, what a handler does after its last question is
	// done again for each retry with the same state, until the state expires.
	SingleUse bool
	// CheckReplay is for tests: a handler that asks is run once more before its
	// questions go out, and the call fails when it then asks something else.
	CheckReplay bool
}

// StateStore keeps what [StateConfig] describes. Its methods are called
// concurrently, with the context of the call. An error that they return fails
// the call, and goes to the log.
type StateStore interface {
	// Save keeps state under id for at least ttl.
	Save(ctx context.Context, id string, state []byte, ttl time.Duration) error
	// Load returns what Save kept. The error wraps [mcp.ErrNotFound] when there is
	// nothing under id, any more or at all.
	Load(ctx context.Context, id string) ([]byte, error)
	// Claim takes id, which then stays taken for at least ttl, and reports whether
	// it was free. Of several that claim it at once, on whatever replica, one gets
	// true.
	Claim(ctx context.Context, id string, ttl time.Duration) (bool, error)
}

const (
	defaultStateTTL  = 10 * time.Minute
	defaultStateSize = 64 << 10
)

func (c StateConfig) withDefaults() StateConfig {
	defaultTo(&c.TTL, defaultStateTTL)
	defaultTo(&c.MaxSize, defaultStateSize)
	return c
}

func (c StateConfig) validate() error {
	var faults []error
	if _, err := seal.NewRing(statePurpose, c.Keys...); err != nil {
		faults = append(faults, fmt.Errorf("server config: State.Keys: %w", err))
	}
	if c.SingleUse && c.Store == nil {
		faults = append(faults, errors.New("server config: State.SingleUse needs a State.Store that remembers what was used; NewMemoryStates makes one for a single process"))
	}
	return errors.Join(append(faults, notNegative("State.TTL", c.TTL), notNegative("State.MaxSize", c.MaxSize))...)
}
