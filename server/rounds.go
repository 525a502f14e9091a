package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// maxRounds is how often a handler that drives its rounds itself may ask on a
// line that stays open, where no client counts.
const maxRounds = 25

// demand is what a run of a handler ended with that has to be had before the
// call can go on.
type demand struct {
	// open are the questions, by key.
	open map[string]*question
	// own is what a handler said that drives its rounds itself, nil for none.
	own *InputRequired
	// later is how long the call was put off.
	later time.Duration
}

// rounds runs the handler until the call has its outcome: a result, an error, or,
// where requests resume, the result that asks for input. A call that asks nothing
// runs once.
func (s *Server) rounds(ctx context.Context, x *exchange) (any, error) {
	for round := 0; ; round++ {
		result, err := s.run(ctx, x.call)
		d, fault := x.demanded(ctx, result, err)
		switch {
		case fault != nil:
			return nil, fault
		case d == nil || gone(ctx):
			return result, err
		case x.era.Resumes(x.method):
			return s.inputRequired(ctx, x, d)
		case d.own != nil && round >= maxRounds:
			return nil, &faulty{"internal error", fmt.Errorf("the handler asked its client in %d rounds, which is the most", round)}
		}
		if err := x.call.asking().satisfy(ctx, d); err != nil {
			return nil, err
		}
	}
}

// demanded is what a run of the handler leaves to be had, nil for nothing. What
// was asked counts, whatever the handler made of the error it got (MRT-09); what
// the client sent wrong does too.
func (x *exchange) demanded(ctx context.Context, result any, err error) (*demand, error) {
	own := ownRound(result, err)
	later, isLater := putOff(err)
	if own == nil && !isLater && x.call.asked() == nil {
		return nil, nil
	}
	if !x.asks {
		if own == nil && !isLater {
			return nil, nil
		}
		return nil, &faulty{"internal error", fmt.Errorf("%s cannot end by asking for input", x.method)}
	}
	a := x.call.asking()
	if err := a.load(ctx); err != nil {
		return nil, err
	}
	d := &demand{own: own, later: later}
	var failure error
	a.update(func(st *journal) { d.open, failure = maps.Clone(st.open), st.failure })
	switch {
	case failure != nil:
		return nil, failure
	case d.open == nil && own == nil && !isLater:
		return nil, nil
	case own != nil:
		if err := d.add(own); err != nil {
			return nil, &faulty{"internal error", err}
		}
		if err := x.canAnswer(d.raw()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// ownRound is what a handler returned that drives its rounds itself. An
// interceptor may return the result itself.
func ownRound(result any, err error) *InputRequired {
	if err != nil {
		own, _ := errors.AsType[*InputRequired](err)
		return own
	}
	r, ok := result.(*mcp.InputRequiredResult)
	if !ok || r == nil {
		return nil
	}
	own := &InputRequired{Requests: r.InputRequests}
	if r.RequestState != nil {
		own.State = *r.RequestState
	}
	return own
}

// add adds what a handler asks in its own words.
func (d *demand) add(own *InputRequired) error {
	if d.open == nil {
		d.open = make(map[string]*question)
	}
	for key, r := range own.Requests {
		q, err := rawQuestion(key, r)
		if err != nil {
			return err
		}
		if d.open[key] != nil {
			return fmt.Errorf("the key %q is used twice at once", key)
		}
		d.open[key] = q
	}
	return nil
}

// raw are the questions of a handler that drives its rounds itself.
func (d *demand) raw() []*question {
	var raw []*question
	for _, q := range d.open {
		if q.mark.Raw {
			raw = append(raw, q)
		}
	}
	return raw
}

// satisfy has on a line that stays open what a handler demands that is to run
// again.
func (a *asking) satisfy(ctx context.Context, d *demand) error {
	var next Round
	defer a.update(func(st *journal) {
		next.Number = st.round.Number + 1
		st.round = next
	})
	if d.own == nil {
		return sleep(ctx, d.later)
	}
	next.State = d.own.State
	raw := d.raw()
	if len(raw) == 0 {
		return sleep(ctx, max(d.later, soonest))
	}
	responses := make([]json.RawMessage, len(raw))
	for i, q := range raw {
		q.read = func(era wire.Era, answer []byte) error {
			responses[i] = answer
			return readRaw(era, q.method, answer)
		}
	}
	declined, err := a.direct(ctx, raw)
	if err != nil {
		return err
	}
	next.Responses = make(map[string]json.RawMessage, len(raw))
	for i, q := range raw {
		switch {
		case responses[i] != nil:
		case q.method == mcp.MethodElicit:
			responses[i] = json.RawMessage(`{"action":"cancel"}`)
		default:
			return errors.Join(declined...) // there are no words for it
		}
		next.Responses[q.key] = responses[i]
	}
	return nil
}

// inputRequired is the result that asks for what a run left open, with what is
// known so far as its state (M-MRTR-008, M-MRTR-023, M-MRTR-024).
func (s *Server) inputRequired(ctx context.Context, x *exchange, d *demand) (any, error) {
	if s.cfg.State.CheckReplay {
		var err error
		if d, err = s.checkReplay(ctx, x, d); err != nil {
			return nil, err
		}
	}
	r := new(mcp.InputRequiredResult)
	st := &state{Asked: d.marks()}
	x.call.asking().update(func(now *journal) { st.Round, st.Known = now.round.Number+1, maps.Clone(now.known) })
	if d.own != nil {
		st.Own = &d.own.State
	}
	if d.later > 0 {
		st.NotBefore = time.Now().Add(d.later).UnixMilli()
	}
	for key, q := range d.open {
		params, err := x.encode(q)
		if err != nil {
			return nil, err
		}
		if r.InputRequests == nil {
			r.InputRequests = make(map[string]mcp.InputRequest, len(d.open))
		}
		r.InputRequests[key] = mcp.InputRequest{Method: q.method, Params: params}
	}
	sealed, err := s.states.seal(ctx, x, st)
	if err != nil {
		return nil, &faulty{"internal error", err}
	}
	r.RequestState = &sealed
	return r, nil
}

func (d *demand) marks() map[string]mark {
	if len(d.open) == 0 {
		return nil
	}
	marks := make(map[string]mark, len(d.open))
	for key, q := range d.open {
		marks[key] = q.mark
	}
	return marks
}

// checkReplay runs the handler again, as a retry without the answers would, and
// fails when it demands something else than before.
func (s *Server) checkReplay(ctx context.Context, x *exchange, before *demand) (*demand, error) {
	x.call.asking().update(func(st *journal) { st.answers, st.open = nil, nil })
	result, err := s.run(ctx, x.call)
	after, fault := x.demanded(ctx, result, err)
	if fault != nil {
		return nil, fault
	}
	if why := before.differs(after); why != "" {
		s.cfg.Logger.Error("handler cannot be replayed", "method", x.method, "name", x.target(), "difference", why)
		return nil, mcp.Errorf(mcp.CodeInternal, "replay of %s %q: %s", x.call.kind, x.call.name, why)
	}
	return after, nil
}

// differs says what a second run demands differently, empty for nothing.
func (d *demand) differs(again *demand) string {
	if again == nil {
		return "it asks nothing when it runs again"
	}
	for key, q := range d.open {
		switch o := again.open[key]; {
		case o == nil:
			return fmt.Sprintf("it does not ask for %q when it runs again", key)
		case !o.mark.equal(q.mark):
			return fmt.Sprintf("it asks something else for %q when it runs again", key)
		}
	}
	for key := range again.open {
		if d.open[key] == nil {
			return fmt.Sprintf("it asks for %q only when it runs again", key)
		}
	}
	switch {
	case (d.own == nil) != (again.own == nil) || d.own != nil && d.own.State != again.own.State:
		return "its own state is another one when it runs again"
	case (d.later == 0) != (again.later == 0):
		return "it is put off only one time of two"
	}
	return ""
}
