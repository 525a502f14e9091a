package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// Round is where a call stands whose handler drives its rounds itself: what the
// round before asked with [InputRequired], answered, and the state it left. In
// the first round it is empty.
type Round struct {
	// Number is how many rounds are over.
	Number int
	// Responses are the client's answers to the round before, by key, as bare
	// results. Each is an answer to the kind of request that was made; whether its
	// values fit is the handler's to judge, and any may be missing. Answers to what
	// was not asked are left out. A first round may have answers too, of a client
	// that knows the keys already, and those can be anything.
	Responses map[string]json.RawMessage
	// State is what InputRequired.State was.
	State string
}

// RoundFrom returns the round of the call that ctx belongs to. It is empty in
// the first round, when the client's state was refused, and outside a call.
func RoundFrom(ctx context.Context) Round {
	a, err := askingFrom(ctx)
	if err != nil {
		return Round{}
	}
	var r Round
	a.update(func(st *journal) { r = st.round })
	r.Responses = maps.Clone(r.Responses)
	return r
}

// InputRequired is the error of a handler that drives its rounds itself: the
// client is asked, and the handler runs again and finds the answers with
// [RoundFrom]. It is the bare form of what [Ask] does by itself, for handlers
// that pass on the questions of others, and it works on every revision too: on
// those with sessions the requests are sent and awaited, 25 rounds at most.
//
// State is sealed on its way, and bound to the request and its caller, as
// [StateConfig] says. [Once] works beside it, and so does Ask, under other keys.
type InputRequired struct { //nolint:errname // what it says is asked, not that something failed
	// Requests are what to ask, by key: elicitation/create, sampling/createMessage
	// or roots/list, with parameters of the newest revision. Without any, the client
	// sends the request again at once.
	Requests map[string]mcp.InputRequest
	// State is the handler's own, for its next round.
	State string
}

// Error says that there is more to come.
func (r *InputRequired) Error() string {
	return fmt.Sprintf("%d answers of the client are required", len(r.Requests))
}

// Is reports whether target is [ErrInputRequired].
func (r *InputRequired) Is(target error) bool { return target == ErrInputRequired }

// rawQuestion is a question that a handler wrote itself.
func rawQuestion(key string, r mcp.InputRequest) (*question, error) {
	q := &question{key: key, method: r.Method, mark: mark{Raw: true}}
	if r.Params != nil {
		q.params = r.Params
	}
	var err error
	switch r.Method {
	case mcp.MethodElicit:
		var p mcp.ElicitParams
		err = jsonx.Unmarshal(r.Params, &p)
		q.params, q.needs.Elicitation = p, new(mcp.ElicitationCapability)
		if p.Mode == mcp.ModeURL {
			q.needs.Elicitation.URL = new(mcp.Settings)
		} else {
			q.needs.Elicitation.Form = new(mcp.Settings)
		}
	case mcp.MethodCreateMessage:
		var p mcp.CreateMessageParams
		err = jsonx.Unmarshal(r.Params, &p)
		q.params, q.needs = p, samplingNeeds(&p)
	case mcp.MethodRootsList:
		q.needs.Roots = new(mcp.RootsCapability)
	default:
		err = fmt.Errorf("a client is not asked for %q; use %s, %s or %s", clip(r.Method), mcp.MethodElicit, mcp.MethodCreateMessage, mcp.MethodRootsList)
	}
	if err != nil {
		return nil, fmt.Errorf("the request %q: %w", clip(key), err)
	}
	return q.ready()
}
