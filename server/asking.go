package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	s  journal // only through update
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
			a.update(func(now *journal) { now.answers, now.round.Responses = answers, maps.Clone(answers) })
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
	a.update(func(now *journal) {
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

// leaveOpen notes that questions have to be put once the handler has returned.
func (a *asking) leaveOpen(questions []*question) error {
	a.update(func(st *journal) {
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
