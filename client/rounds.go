package client

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// Pauses before a request is sent again although nobody was asked anything new.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
)

// rounds is a request that is sent several times, because its server asks
// before it completes it (multi-round-trip requests, 2026-07-28).
type rounds struct {
	// original is the request's own parameters, encoded once it is sent again.
	original json.RawMessage
	// retry is what the next request has beside them, nil in the first round. It
	// belongs to that request alone (M-MRTR-034).
	retry *retry
	n     int // rounds that were answered
	idle  int // the last of them in which nobody was asked anything new
	// opened are the URLs that the user has agreed to open.
	opened map[string]bool
}

// retry is the two members of a request that goes on.
type retry struct {
	answers []byte // the object inputResponses, or nil
	state   []byte // the literal requestState in the server's own bytes, or nil
}

// params is what to send: the whole original request, and the latest answers
// and state in it (M-MRTR-029, M-MRTR-030, M-MRTR-033, T-34).
func (r *rounds) params(p *peer, method string, params any) (any, error) {
	if r.retry == nil {
		return params, nil
	}
	if !p.era.Resumes(method) {
		return nil, fmt.Errorf("%w: %s cannot be sent with answers: the server speaks %s, which has no such requests", mcp.ErrEra, method, p.era.Profile().Version())
	}
	if r.original == nil {
		raw, err := object(params)
		if err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
		raw = jsonx.DeleteMember(objectOr(raw), "inputResponses")
		r.original = jsonx.DeleteMember(raw, "requestState")
	}
	raw := r.original
	if r.retry.answers != nil {
		raw = jsonx.SetMember(raw, "inputResponses", r.retry.answers)
	}
	if r.retry.state != nil {
		raw = jsonx.SetMember(raw, "requestState", r.retry.state)
	}
	return raw, nil
}

// answer has what the server asks answered, so that the request can be sent
// again. All questions are looked at before anybody is bothered with one
// (M-MRTR-027, T-35, T-36, T-60).
func (k *call) answer(p *peer, a *answer, asks *mcp.InputRequiredResult) error {
	r := &k.rounds
	fail := func(err error) error { return &InputRequiredError{Result: asks, Rounds: r.n, Err: err} }
	limit := k.c.cfg.Limits.Questions
	switch n := len(asks.InputRequests); {
	case k.opts.manual:
		return fail(nil)
	case r.n >= k.c.cfg.MaxRounds:
		return fail(fmt.Errorf("server still asks after %d rounds (Config.MaxRounds)", r.n))
	case n > limit:
		return fail(fmt.Errorf("%w: it asks %d questions at once, of which %d are answered at most (Config.Limits.Questions)", mcp.ErrTooLarge, n, limit))
	case n == 0 && asks.RequestState == nil:
		return fail(fmt.Errorf("%w: it asks nothing and has no state", mcp.ErrInvalidResponse))
	}
	keys, questions, err := k.questions(p, a, asks)
	if err != nil {
		return fail(err)
	}
	k.clock.hold()
	defer k.clock.release()
	next := &retry{}
	if state, ok := jsonx.Lookup(a.result, "requestState"); ok && asks.RequestState != nil {
		next.state = state
	}
	fresh := false
	for i, q := range questions {
		raw, err := k.ask(p, q)
		if err != nil {
			if k.ctx.Err() != nil {
				return err
			}
			return fail(fmt.Errorf("answer %q: %w", clip(keys[i]), err))
		}
		fresh = fresh || !q.asker.Again
		next.answers = appendAnswer(next.answers, keys[i], raw)
	}
	if next.answers != nil {
		next.answers = append(next.answers, '}')
	}
	if err := r.pause(k.ctx, fresh); err != nil {
		return err
	}
	r.retry = next
	r.n++
	return nil
}

func appendAnswer(dst []byte, key string, raw []byte) []byte {
	if dst == nil {
		dst = append(dst, '{')
	} else {
		dst = append(dst, ',')
	}
	return append(append(jsonx.AppendString(dst, key), ':'), raw...)
}

// questions are what the server asks, in the order it wrote them.
func (k *call) questions(p *peer, a *answer, asks *mcp.InputRequiredResult) (keys []string, all []*question, err error) {
	can := &k.c.declared[p.era.Profile()].can
	requests, _ := jsonx.Lookup(a.result, "inputRequests")
	for name := range jsonx.Members(objectOr(requests)) {
		key := string(name)
		in := asks.InputRequests[key]
		q := &question{method: in.Method, params: in.Params, asker: k.asker(p)}
		if err := k.c.understand(q, can); err != nil {
			return nil, nil, fmt.Errorf("answer %q: %w", clip(key), err)
		}
		q.asker.Again = k.rounds.opened[q.url]
		keys, all = append(keys, key), append(all, q)
	}
	return keys, all, nil
}

func (k *call) asker(p *peer) Asker {
	return Asker{Target: k.c.target.String(), Server: p.known(), Request: k.method, Tool: k.tool}
}

// ask has one question answered and encodes the answer, which is a bare result
// (T-31).
func (k *call) ask(p *peer, q *question) ([]byte, error) {
	answer, err := k.c.consult(k.ctx, q)
	if err != nil {
		return nil, err
	}
	if r, ok := answer.(*mcp.ElicitResult); ok && q.url != "" && r.Action == mcp.ActionAccept {
		if k.rounds.opened == nil {
			k.rounds.opened = map[string]bool{}
		}
		k.rounds.opened[q.url] = true
	}
	return p.era.AppendResult(nil, answer, nil)
}

// pause waits before a round that brings the server nothing new: it wants to be
// called by somebody else's clock, or waits for something that takes its time
// (M-MRTR-028, T-36, T-38). Each such round waits longer, and not all clients
// equally long.
func (r *rounds) pause(ctx context.Context, fresh bool) error {
	if fresh {
		r.idle = 0
		return nil
	}
	d := min(firstPause<<min(r.idle, 10), longestPause)
	r.idle++
	t := time.NewTimer(d/2 + rand.N(d/2)) //nolint:gosec // it only spreads clients
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
