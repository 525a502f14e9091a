package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Manual makes a request to which the server answers with questions end with an
// *[InputRequiredError] that holds them, whatever handlers [Config] has; [Resume]
// sends the answers. The server is told that can is what can be asked for; the
// zero value stands for what Config has handlers for. Only requests in rounds
// (2026-07-28) can be manual: in legacy revisions questions are requests of the
// server, go to the handlers of Config, and Manual says nothing.
func Manual(can mcp.ClientCapabilities) CallOption {
	return func(o *callOptions) {
		o.manual = true
		raw, err := jsonx.Marshal(can)
		if err != nil {
			o.errs = append(o.errs, fmt.Errorf("client.Manual: %w", err))
		}
		if string(raw) != "{}" {
			o.can = &can
		}
	}
}

// Answers are answers to the questions of an mcp.InputRequiredResult, by their
// keys. Each is an *mcp.ElicitResult, *mcp.CreateMessageResult or
// *mcp.ListRootsResult, as its question demands, or a json.RawMessage that holds
// an object and is sent as it is.
type Answers map[string]any

// Resume goes on with a request that ended with asks: the request, which must be
// the same as before, is sent again with the answers and the state of asks. There
// must be an answer for each question. A form's answer is completed and checked
// as one of Config.Elicit is.
func Resume(asks *mcp.InputRequiredResult, answers Answers) CallOption {
	return func(o *callOptions) {
		r, err := newResumption(asks, answers)
		if err != nil {
			o.errs = append(o.errs, fmt.Errorf("client.Resume: %w", err))
		}
		o.resume = r
	}
}

// resumption is answers that fit their questions.
type resumption struct {
	state   *string
	keys    []string
	answers map[string]any
}

func newResumption(asks *mcp.InputRequiredResult, answers Answers) (*resumption, error) {
	if asks == nil {
		return nil, errors.New("there is nothing to resume: asks is nil; it is the Result of an *InputRequiredError")
	}
	for key := range answers {
		if _, asked := asks.InputRequests[key]; !asked {
			return nil, fmt.Errorf("there is no question %q; there are %q", clip(key), slices.Sorted(maps.Keys(asks.InputRequests)))
		}
	}
	r := &resumption{state: asks.RequestState, keys: slices.Sorted(maps.Keys(asks.InputRequests)), answers: map[string]any{}}
	for _, key := range r.keys {
		v, given := answers[key]
		if !given {
			return nil, fmt.Errorf("question %q has no answer; a question to the user can be declined or cancelled", clip(key))
		}
		var err error
		if r.answers[key], err = fitting(asks.InputRequests[key], v); err != nil {
			return nil, fmt.Errorf("answer %q: %w", clip(key), err)
		}
	}
	return r, nil
}

// fitting is an answer that is one to its question.
func fitting(q mcp.InputRequest, v any) (any, error) {
	if raw, ok := v.(json.RawMessage); ok {
		if raw, err := object(raw); err != nil || raw == nil {
			return nil, errors.Join(errors.New("it is no object"), err)
		}
		return raw, nil
	}
	switch q.Method {
	case mcp.MethodElicit:
		r, ok := v.(*mcp.ElicitResult)
		if !ok {
			return nil, fmt.Errorf("it is a %T; an *mcp.ElicitResult is needed", v)
		}
		return fittingElicit(q, r)
	case mcp.MethodCreateMessage:
		r, ok := v.(*mcp.CreateMessageResult)
		if !ok {
			return nil, fmt.Errorf("it is a %T; an *mcp.CreateMessageResult is needed", v)
		}
		return sampled(r)
	case mcp.MethodRootsList:
		r, ok := v.(*mcp.ListRootsResult)
		if !ok || r == nil {
			return nil, fmt.Errorf("it is a %T; an *mcp.ListRootsResult is needed", v)
		}
		return rooted(r)
	}
	return nil, fmt.Errorf("question %q is unknown here; answer it with a json.RawMessage", clip(q.Method))
}

func fittingElicit(q mcp.InputRequest, r *mcp.ElicitResult) (any, error) {
	var params mcp.ElicitParams
	if err := jsonx.Unmarshal(objectOr(q.Params), &params); err != nil {
		return nil, fmt.Errorf("question cannot be read: %w", err)
	}
	if params.Mode == mcp.ModeURL {
		return elicited(nil, r)
	}
	f, err := parseForm(params.RequestedSchema)
	if err != nil {
		return nil, fmt.Errorf("question cannot be answered: %w", err)
	}
	return elicited(f, r)
}

// resume makes the first request one of a later round.
func (k *call) resume() error {
	era := k.c.peer().era
	if era.Resumes(mcp.MethodToolsCall) && !era.Resumes(k.method) {
		return fmt.Errorf("client.Resume: %s cannot be resumed; only %s, %s and %s ask for input",
			k.method, mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet)
	}
	r, next := k.opts.resume, &retry{}
	for _, key := range r.keys {
		raw, err := encodeAnswer(era, r.answers[key])
		if err != nil {
			return fmt.Errorf("client.Resume: answer %q: %w", clip(key), err)
		}
		next.answers = appendAnswer(next.answers, key, raw)
	}
	if next.answers != nil {
		next.answers = append(next.answers, '}')
	}
	if r.state != nil {
		next.state = jsonx.AppendString(nil, *r.state)
	}
	k.rounds.retry = next
	return nil
}

func encodeAnswer(era wire.Era, answer any) ([]byte, error) {
	if raw, ok := answer.(json.RawMessage); ok {
		return raw, nil
	}
	return era.AppendResult(nil, answer, nil)
}
