package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/mcp"
)

// journal is what a call knows of its questions: what the rounds before left, and
// what this run of the handler adds. It is reached through [asking.update] alone.
type journal struct {
	// resumed: the client sent a state, so that asked is complete.
	resumed bool
	asked   map[string]mark
	// answers are those the client sent, to whatever was asked.
	answers map[string]json.RawMessage
	// round is what a handler sees that drives its rounds itself.
	round Round
	// known is what is known under each key.
	known map[string]record
	// open are the questions without an answer.
	open map[string]*question
	// busy are the keys that a goroutine of the handler is using.
	busy map[string]bool
	// failure ends the call, whatever the handler makes of it.
	failure error
	// over: the handler has returned.
	over bool
}

// update is the only door to the state. fn must not block.
func (a *asking) update(fn func(*journal)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fn(&a.s)
}

// claim takes keys for one use of them at a time. The answer to one use is known
// to the next.
func (a *asking) claim(keys ...string) (release func(), err error) {
	a.update(func(st *journal) {
		if st.over {
			err = outside("the handler has returned")
			return
		}
		for i, key := range keys {
			if st.busy[key] || slices.Contains(keys[:i], key) {
				err = &faulty{"internal error", fmt.Errorf("ask: the key %q is used twice at once", key)}
				return
			}
		}
		if st.busy == nil {
			st.busy = make(map[string]bool)
		}
		for _, key := range keys {
			st.busy[key] = true
		}
	})
	switch {
	case errors.Is(err, mcp.ErrCannotAsk):
		return nil, err
	case err != nil:
		return nil, a.fail(err)
	}
	return func() {
		a.update(func(st *journal) {
			for _, key := range keys {
				delete(st.busy, key)
			}
		})
	}, nil
}

// fail ends the call with err, whatever the handler makes of it, and returns it.
func (a *asking) fail(err error) error {
	a.update(func(st *journal) {
		if st.failure == nil {
			st.failure = err
		}
	})
	return err
}

// settle answers a question from what is known already, and reports whether it
// could.
func (a *asking) settle(q *question) (known bool, err error) {
	have := a.recall(q.key)
	if have.isKnown {
		if err := unchanged(q.key, have.known.mark, q.mark); err != nil {
			return true, err
		}
		return true, a.taken(q, have.known.Value)
	}
	if have.answer == nil {
		return false, nil // M-MRTR-023
	}
	if have.wasAsked {
		if err := unchanged(q.key, have.asked, q.mark); err != nil {
			return true, err
		}
	}
	err = a.taken(q, have.answer)
	var misfit *misfitError
	switch {
	case errors.As(err, &misfit):
		q.remark = misfit.Error()
		return false, nil
	case err != nil && !errors.Is(err, mcp.ErrDeclined):
		return true, badAnswer(q.key, err)
	}
	a.learn(q.key, record{q.mark, have.answer})
	return true, err
}

// taken gives an answer to its question.
func (a *asking) taken(q *question, answer []byte) error {
	err := q.read(a.x.era, answer)
	if declined := (*DeclinedError)(nil); errors.As(err, &declined) {
		declined.Key = q.key
	}
	return err
}

// recollection is what there is under a key.
type recollection struct {
	known             record
	asked             mark
	isKnown, wasAsked bool
	// answer is the client's, nil when there is none that counts.
	answer json.RawMessage
}

func (a *asking) recall(key string) (r recollection) {
	a.update(func(st *journal) {
		r.known, r.isKnown = st.known[key]
		r.asked, r.wasAsked = st.asked[key]
		if r.wasAsked || !st.resumed { // M-MRTR-022
			r.answer = st.answers[key]
		}
	})
	return r
}

func (a *asking) learn(key string, r record) {
	a.update(func(st *journal) {
		if st.known == nil {
			st.known = make(map[string]record)
		}
		st.known[key] = r
	})
}

// unchanged is the error of a handler that does not ask what it asked before. An
// answer to another question must not count (T-35).
func unchanged(key string, before, now mark) error {
	if before.equal(now) {
		return nil
	}
	what := "asks something else"
	if before.Kind != now.Kind {
		what = fmt.Sprintf("wants %s instead of %s", now.Kind, before.Kind)
	}
	return &faulty{"internal error", fmt.Errorf(
		"the handler %s under the key %q when it runs again; ask the same, and keep what varies with Once", what, key)}
}
