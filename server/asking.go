package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// asking is the side of a call that asks its client: what the rounds before left,
// and what this run of the handler adds. It has two ways of getting answers,
// which are the only difference between the eras: replay looks them up in what
// the client sent, direct sends requests and waits.
type asking struct {
	x *exchange

	loading sync.Once
	fault   error // why what the client sent was refused

	mu sync.Mutex
	s  askingState // only through update
}

// askingState is what changes.
type askingState struct {
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
func (a *asking) update(fn func(*askingState)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fn(&a.s)
}

// askingFrom is the asking side of the call that ctx belongs to, with what the
// client sent.
func askingFrom(ctx context.Context) (*asking, error) {
	c := CallFrom(ctx)
	switch {
	case c.x == nil:
		return nil, outside("this is no call")
	case !c.x.asks:
		return nil, outside("nothing can be asked while %s is answered", c.x.method)
	}
	a := c.asking()
	err := a.load(ctx)
	return a, err
}

// asking is the asking side of the call, made at first use.
func (c *Call) asking() *asking {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asks == nil {
		c.asks = &asking{x: c.x}
		c.asks.s.over = c.returned
	}
	return c.asks
}

// asked is the asking side of the call if it was used, else nil.
func (c *Call) asked() *asking {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks
}

// resume takes over what a retry brings, if the request is one (steps 23 and 24
// of decision table 15.1).
func (x *exchange) resume(ctx context.Context) error {
	if x.params.RequestState == nil && x.params.InputResponses == nil || !x.era.Resumes(x.method) {
		return nil
	}
	return x.call.asking().load(ctx)
}

// load reads what the client sent, once, and waits until the round may begin.
func (a *asking) load(ctx context.Context) error {
	a.loading.Do(func() { a.fault = a.read(ctx) })
	return a.fault
}

func (a *asking) read(ctx context.Context) error {
	x := a.x
	if !x.era.Resumes(x.method) {
		return nil
	}
	answers, err := answersOf(x.call.lent(x.params.InputResponses))
	if err != nil {
		return err
	}
	sealed := x.call.lent(x.params.RequestState)
	if sealed == nil {
		if !x.server.cfg.State.SingleUse { // an answer without a state can be given twice
			a.update(func(now *askingState) { now.answers, now.round.Responses = answers, maps.Clone(answers) })
		}
		return nil
	}
	text, ok := wire.String(sealed)
	if !ok {
		return mcp.Errorf(mcp.CodeInvalidParams, "params.requestState must be a string")
	}
	st, err := x.server.states.open(ctx, x, text)
	if err != nil {
		return err
	}
	round := Round{Number: st.Round}
	if st.Own != nil {
		round.State = *st.Own
	}
	if round.Responses, err = rawAnswers(x.era, st.Asked, answers); err != nil {
		return err
	}
	if err := x.server.states.claim(ctx, x, text, st); err != nil {
		return err
	}
	a.update(func(now *askingState) {
		now.resumed, now.asked, now.answers = true, st.Asked, answers
		now.known, now.round = st.Known, round
	})
	return sleep(ctx, time.Until(time.UnixMilli(st.NotBefore)))
}

// rawAnswers are the answers to what a handler asked that drives its rounds
// itself. They are of the right kind; what was not asked is left out.
func rawAnswers(era wire.Era, asked map[string]mark, answers map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	var raw map[string]json.RawMessage
	for key, answer := range answers {
		m, ok := asked[key]
		if !ok || !m.Raw {
			continue
		}
		if err := readRaw(era, m.Kind, answer); err != nil {
			return nil, badAnswer(key, err)
		}
		if raw == nil {
			raw = make(map[string]json.RawMessage)
		}
		raw[key] = answer
	}
	return raw, nil
}

// badAnswer is the error for something that is no answer to what was asked.
func badAnswer(key string, err error) error {
	return mcp.Errorf(mcp.CodeInvalidParams, "params.inputResponses[%q]: %v", clip(key), err)
}

// ask puts questions. It is Ask without its preparations.
func (a *asking) ask(ctx context.Context, questions []*question) error {
	keys := make([]string, len(questions))
	for i, q := range questions {
		keys[i] = q.key
	}
	release, err := a.claim(keys...)
	if err != nil {
		return err
	}
	defer release()
	var declined []error
	var open []*question
	for _, q := range questions {
		known, err := a.settle(q)
		switch {
		case err == nil && !known:
			open = append(open, q)
		case errors.Is(err, mcp.ErrDeclined):
			declined = append(declined, err)
		case err != nil:
			return a.fail(err)
		}
	}
	if len(open) == 0 {
		return errors.Join(declined...)
	}
	if err := a.x.canAnswer(open); err != nil {
		return err
	}
	if a.x.era.Resumes(a.x.method) {
		return a.leaveOpen(open)
	}
	more, err := a.direct(ctx, open)
	if err != nil {
		return err
	}
	return errors.Join(append(declined, more...)...)
}

// claim takes keys for one use of them at a time. The answer to one use is known
// to the next.
func (a *asking) claim(keys ...string) (release func(), err error) {
	a.update(func(st *askingState) {
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
		a.update(func(st *askingState) {
			for _, key := range keys {
				delete(st.busy, key)
			}
		})
	}, nil
}

// fail ends the call with err, whatever the handler makes of it, and returns it.
func (a *asking) fail(err error) error {
	a.update(func(st *askingState) {
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
	a.update(func(st *askingState) {
		r.known, r.isKnown = st.known[key]
		r.asked, r.wasAsked = st.asked[key]
		if r.wasAsked || !st.resumed { // M-MRTR-022
			r.answer = st.answers[key]
		}
	})
	return r
}

func (a *asking) learn(key string, r record) {
	a.update(func(st *askingState) {
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

// leaveOpen notes that questions have to be put once the handler has returned.
func (a *asking) leaveOpen(questions []*question) error {
	a.update(func(st *askingState) {
		if st.open == nil {
			st.open = make(map[string]*question)
		}
		for _, q := range questions {
			st.open[q.key] = q
		}
	})
	return ErrInputRequired
}

// canAnswer is the error for questions that need more than the client declared.
// It names all that is missing (M-MRTR-009, MOD-12).
func (x *exchange) canAnswer(questions []*question) error {
	have := x.era.ClientCapabilities(x.call.Capabilities())
	var missing mcp.ClientCapabilities
	var lacking []string
	for _, q := range questions {
		if subtract(&missing, &q.needs, &have) {
			lacking = append(lacking, quoted(q.key))
		}
	}
	switch {
	case lacking != nil:
		return &cannotAskError{missingCapability("the client lacks a capability to be asked for "+enumerate(lacking), &missing)}
	case x.peer == nil && !x.era.Resumes(x.method):
		return noWay(questions[0].key, errors.New("nothing leads back to it"))
	}
	return nil
}

// encode writes a question's parameters for the client's revision.
func (x *exchange) encode(q *question) ([]byte, error) {
	params := q.params
	switch p := params.(type) {
	case mcp.ElicitParams:
		params = presented(p, q.remark)
	case mcp.CreateMessageParams:
		params = contextual(p, x.call.Capabilities().Sampling)
	}
	encoded, err := x.era.AppendParams(nil, q.method, params, nil)
	switch {
	case errors.Is(err, mcp.ErrCannotAsk):
		return nil, noWay(q.key, err) // DN-16 to DN-19
	case err != nil:
		return nil, &faulty{"internal error", fmt.Errorf("ask for %q: %w", q.key, err)}
	}
	return encoded, nil
}
