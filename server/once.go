package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// kindOnce is the kind of a record that no client was asked for.
const kindOnce = "once"

// Once runs fn and keeps its result under key for as long as the call goes on:
// when the handler runs again, because it asked its client, fn does not, and its
// result is there. It is for what must not happen twice, such as an entry in a
// database, and for what must stay the same, such as a random number in a
// question.
//
//	draft, err := server.Once(ctx, "draft", func(ctx context.Context) (Draft, error) {
//		return drafts.Create(ctx, in.Title)
//	})
//
// The result travels as JSON with the client, sealed, in the stateless revision;
// Once returns what the JSON says, also the first time, so that every run sees
// the same. Keep it small, and keep out what the call can do without. An error of
// fn is returned as it is, and not kept.
//
// What was kept is lost when fn's run ends without a question, or its client does
// not come back: Once is no transaction. A retry that is sent twice runs what
// comes after the last question twice, unless Config.State.SingleUse.
//
// In requests that cannot ask, and outside a call, Once runs fn. It may be used
// concurrently, with different keys.
func Once[T any](ctx context.Context, key string, fn func(ctx context.Context) (T, error)) (T, error) {
	var none T
	c := CallFrom(ctx)
	if c.x == nil || !c.x.asks {
		return fn(ctx)
	}
	a := c.asking()
	if err := a.load(ctx); err != nil {
		return none, err
	}
	value, err := a.once(key, func() (json.RawMessage, error) {
		result, err := fn(ctx)
		if err != nil {
			return nil, err
		}
		encoded, err := jsonx.Marshal(result)
		if err != nil {
			return nil, &faulty{"internal error", fmt.Errorf("once %q: %w", key, err)}
		}
		return encoded, nil
	})
	if err != nil {
		return none, err
	}
	var result T
	if err := jsonx.Unmarshal(value, &result); err != nil {
		return none, &faulty{"internal error", fmt.Errorf("once %q: what was kept does not fit %T: %w", key, result, err)}
	}
	return result, nil
}

// once is what is known under key, else what fn returns.
func (a *asking) once(key string, fn func() (json.RawMessage, error)) (json.RawMessage, error) {
	if err := checkKey(key); err != nil {
		return nil, &faulty{"internal error", fmt.Errorf("once: %w", err)}
	}
	release, err := a.claim(key)
	if err != nil {
		return nil, err
	}
	defer release()
	now := mark{Kind: kindOnce}
	switch have := a.recall(key); {
	case have.isKnown:
		if err := unchanged(key, have.known.mark, now); err != nil {
			return nil, a.fail(err)
		}
		return have.known.Value, nil
	case have.wasAsked:
		return nil, a.fail(unchanged(key, have.asked, now))
	}
	value, err := fn()
	if err != nil {
		return nil, err
	}
	a.learn(key, record{now, value})
	return value, nil
}

// used reports whether the call knows anything that was not in its request.
func (c *Call) used() bool {
	a := c.asked()
	if a == nil {
		return false
	}
	used := false
	a.update(func(st *journal) {
		used = st.resumed || len(st.round.Responses) > 0
		for _, r := range st.known {
			used = used || r.Kind != kindOnce
		}
	})
	return used
}

// uncached is the hint for results that came about by asking: they are nobody
// else's, and good for one time (M-MRTR-036).
func uncached() mcp.CacheHint { return mcp.Cache(0, mcp.CachePrivate) }
