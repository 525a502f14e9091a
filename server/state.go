package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/seal"
	"github.com/diglot-mcp/diglot/mcp"
)

// statePurpose keeps keys of requestState apart from others made of the same
// secret.
const statePurpose = "requestState"

// state is what a call knows between two of its rounds.
type state struct {
	// Known are the answers and results so far.
	Known map[string]record `json:"known,omitempty"`
	// Asked is what the round before asked.
	Asked map[string]mark `json:"asked,omitempty"`
	// Own is the state of a handler that drives its rounds itself, nil for none.
	Own *string `json:"own,omitzero"`
	// Round counts the rounds that are over.
	Round int `json:"round"`
	// NotBefore is when the next one may begin, in milliseconds since 1970.
	NotBefore int64 `json:"notBefore,omitzero"`
}

// record is what is known under a key, and what it answers.
type record struct {
	mark
	// Value is the client's answer as it came, or a result as JSON.
	Value json.RawMessage `json:"value"`
}

// mark says what a key stands for, so that an answer is not taken for that to
// another question.
type mark struct {
	// Kind is the method of a question, or once.
	Kind string `json:"kind"`
	// Digest is of the question.
	Digest []byte `json:"digest,omitempty"`
	// Raw: the handler drives the round itself.
	Raw bool `json:"raw,omitzero"`
}

func (m mark) equal(o mark) bool {
	return m.Kind == o.Kind && string(m.Digest) == string(o.Digest) && m.Raw == o.Raw
}

// states seals and opens.
type states struct {
	cfg  StateConfig
	ring *seal.Ring
	// server is the name of the server.
	server string
}

func newStates(cfg *Config) (*states, error) {
	ring, err := seal.NewRing(statePurpose, cfg.State.Keys...)
	if err != nil {
		return nil, fmt.Errorf("server config: State.Keys: %w", err)
	}
	return &states{cfg: cfg.State, ring: ring, server: cfg.Info.Name}, nil
}

// errStateRefused is all that a client learns about a state that is not taken
// (M-MRTR-012, MRT-05).
var errStateRefused = mcp.Errorf(mcp.CodeInvalidParams,
	"params.requestState is not accepted; start anew, without requestState and inputResponses")

// What is sealed begins with where the state is.
const (
	stateHere   = 'h'
	stateStored = 's'
)

// seal makes the requestState of a call. One that is too long goes into the
// store, sealed all the same: who reads the store learns nothing, and who writes
// to it cannot change a call.
func (s *states) seal(ctx context.Context, x *exchange, st *state) (string, error) {
	encoded, err := jsonx.Append([]byte{stateHere}, st)
	if err != nil {
		return "", err
	}
	ttl := st.lifetime(s.cfg.TTL)
	bound, expires := s.binding(x), time.Now().Add(ttl)
	text := s.ring.Seal(encoded, bound, expires)
	if len(text) <= s.cfg.MaxSize {
		return text, nil
	}
	if s.cfg.Store == nil {
		return "", fmt.Errorf("the state of the call has %d bytes, and State.MaxSize is %d; keep less, or set State.Store", len(text), s.cfg.MaxSize)
	}
	id := rand.Text()
	if err := s.cfg.Store.Save(ctx, id, []byte(text), ttl); err != nil {
		return "", fmt.Errorf("save the state of the call: %w", err)
	}
	return s.ring.Seal(append([]byte{stateStored}, id...), bound, expires), nil
}

// lifetime is how long the state is good for.
func (st *state) lifetime(ttl time.Duration) time.Duration {
	return ttl + max(0, time.Until(time.UnixMilli(st.NotBefore)))
}

// open reads the requestState of a retry. The error is for the caller: it is
// errStateRefused whenever the state is at fault, for whatever reason.
func (s *states) open(ctx context.Context, x *exchange, text string) (*state, error) {
	if len(text) > s.cfg.MaxSize {
		return nil, s.refused(x, errors.New("too long"))
	}
	bound := s.binding(x)
	payload, err := s.ring.Open(text, bound, time.Now())
	if err == nil && len(payload) > 0 && payload[0] == stateStored {
		payload, err = s.load(ctx, string(payload[1:]), bound)
	}
	var st state
	switch {
	case errors.Is(err, errStateStore):
		return nil, &faulty{"internal error", err}
	case err != nil:
		return nil, s.refused(x, err)
	case len(payload) == 0 || payload[0] != stateHere:
		return nil, s.refused(x, errors.New("of another make"))
	}
	if err := jsonx.Unmarshal(payload[1:], &st); err != nil {
		return nil, s.refused(x, errors.New("of another make")) // the error would show what is in it
	}
	return &st, nil
}

var errStateStore = errors.New("state store")

func (s *states) load(ctx context.Context, id string, bound []byte) ([]byte, error) {
	if s.cfg.Store == nil {
		return nil, errors.New("kept in a store, and there is none")
	}
	text, err := s.cfg.Store.Load(ctx, id)
	switch {
	case errors.Is(err, mcp.ErrNotFound):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: load: %w", errStateStore, err)
	}
	return s.ring.Open(string(text), bound, time.Now())
}

// claim takes the state for the one retry that may use it (M-MRTR-017).
func (s *states) claim(ctx context.Context, x *exchange, text string, st *state) error {
	if !s.cfg.SingleUse {
		return nil
	}
	first, err := s.cfg.Store.Claim(ctx, seal.ID(text), st.lifetime(s.cfg.TTL))
	switch {
	case err != nil:
		return &faulty{"internal error", fmt.Errorf("%w: claim: %w", errStateStore, err)}
	case !first:
		return s.refused(x, errors.New("used before"))
	}
	return nil
}

// refused logs why, without the state.
func (s *states) refused(x *exchange, why error) error {
	x.server.cfg.Logger.Info("requestState refused", "method", x.method, "name", x.target(), "reason", why)
	return errStateRefused
}

// binding is what a state belongs to: one request of one caller, of the same
// server, in the same revision (M-MRTR-014, M-MRTR-016, M-MRTR-037). Arguments
// count by their value, since clients may write them anew (T-39). What differs
// from round to round (_meta, the answers) does not count.
func (s *states) binding(x *exchange) []byte {
	args := x.call.lent(x.params.Arguments)
	if k := jsonx.KindOf(args); k == jsonx.Null || k == jsonx.Invalid {
		args = []byte("{}") // VAL-01
	}
	digest := sha256.Sum256(jsonx.AppendCanonical(nil, args))
	var bound []byte
	for _, part := range []string{
		s.server, x.era.Profile().Version(), x.caller.principal, x.method, x.call.name, string(digest[:]),
	} {
		bound = append(binary.AppendUvarint(bound, uint64(len(part))), part...)
	}
	return bound
}

// answersOf reads inputResponses: an object from keys to answers, which are not
// judged here (M-MRTR-020, M-MRTR-021).
func answersOf(raw []byte) (map[string]json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	if k := jsonx.KindOf(raw); k != jsonx.Object {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "params.inputResponses must be an object; got %s", describe(k))
	}
	answers := make(map[string]json.RawMessage)
	for key, answer := range jsonx.Members(raw) {
		answers[string(key)] = answer
	}
	return answers, nil
}
