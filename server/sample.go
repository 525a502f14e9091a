package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Sample asks the client's model, and returns what it said. key names the
// question within the call; see [Ask] for how the answer comes, and for errors.
//
// params need messages and MaxTokens. With Tools or ToolChoice the client must
// have declared that its model can call tools; the calls come back as blocks of
// the answer, for the handler to do and to ask again, under another key.
// IncludeContext is left out for clients that did not declare it.
//
// The stateless revision deprecates sampling, and still has it.
func Sample(ctx context.Context, key string, params mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	answer := new(mcp.CreateMessageResult)
	if err := Ask(ctx, AskModel(key, params, answer)); err != nil {
		return nil, err
	}
	return answer, nil
}

// AskModel is the question of [Sample], for [Ask].
func AskModel(key string, params mcp.CreateMessageParams, into *mcp.CreateMessageResult) Question {
	return prepared(func(*Server) (*question, error) {
		if into == nil {
			return nil, fmt.Errorf("the destination of %q is nil", key)
		}
		if err := checkSampling(&params); err != nil {
			return nil, fmt.Errorf("sample %q: %w", key, err)
		}
		q := &question{
			key: key, method: mcp.MethodCreateMessage, params: params,
			needs: samplingNeeds(&params),
		}
		q.read = func(era wire.Era, answer []byte) error { return readMessage(era, answer, into) }
		return q.ready()
	})
}

// samplingNeeds is what a client must have declared for a request (SAMP-09).
func samplingNeeds(p *mcp.CreateMessageParams) mcp.ClientCapabilities {
	need := mcp.ClientCapabilities{Sampling: new(mcp.SamplingCapability)}
	if len(p.Tools) > 0 || p.ToolChoice != nil {
		need.Sampling.Tools = new(mcp.Settings)
	}
	return need
}

func readMessage(era wire.Era, answer []byte, into *mcp.CreateMessageResult) error {
	var r mcp.CreateMessageResult
	if _, err := era.Result(mcp.MethodCreateMessage, answer, &r); err != nil {
		return err
	}
	if r.Role != mcp.RoleUser && r.Role != mcp.RoleAssistant {
		return fmt.Errorf("the role is %q; it is %q or %q", clip(string(r.Role)), mcp.RoleAssistant, mcp.RoleUser)
	}
	*into = r
	return nil
}

// contextual is a request without the context that the client did not offer
// (M-SAM-003, SAMP-08).
func contextual(p mcp.CreateMessageParams, have *mcp.SamplingCapability) mcp.CreateMessageParams {
	if have == nil || have.Context == nil {
		p.IncludeContext = ""
	}
	return p
}

// checkSampling says why a request is none that a client should be sent.
func checkSampling(p *mcp.CreateMessageParams) error {
	switch {
	case len(p.Messages) == 0:
		return errors.New("there are no messages")
	case p.MaxTokens <= 0:
		return fmt.Errorf("MaxTokens is %d; say how long the answer may be", p.MaxTokens)
	}
	var due map[string]bool // uses of tools that the next message answers
	for i := range p.Messages {
		var err error
		if due, err = checkMessage(&p.Messages[i], due); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(due) > 0 {
		return errors.New("the last message uses tools; answer each use with a tool result first")
	}
	return nil
}

// checkMessage checks one message: results of tools stand alone, and follow the
// uses that they answer, all of them (M-SAM-006 to M-SAM-008). It returns the
// uses that the next message has to answer.
func checkMessage(m *mcp.SamplingMessage, due map[string]bool) (next map[string]bool, _ error) {
	if m.Role != mcp.RoleUser && m.Role != mcp.RoleAssistant {
		return nil, fmt.Errorf("the role %q is neither %q nor %q", m.Role, mcp.RoleUser, mcp.RoleAssistant)
	}
	if len(m.Content) == 0 {
		return nil, errors.New("it has no content")
	}
	results := 0
	for i, block := range m.Content {
		switch b := block.(type) {
		case nil:
			return nil, fmt.Errorf("block %d is nil", i)
		case *mcp.ToolUseContent:
			if m.Role != mcp.RoleAssistant {
				return nil, fmt.Errorf("block %d uses a tool, which the assistant does", i)
			}
			if next == nil {
				next = make(map[string]bool)
			}
			next[b.ID] = true
		case *mcp.ToolResultContent:
			if m.Role != mcp.RoleUser || !due[b.ToolUseID] {
				return nil, fmt.Errorf("block %d is the result of %q, which the message before does not use", i, clip(b.ToolUseID))
			}
			delete(due, b.ToolUseID)
			results++
		}
	}
	switch {
	case results > 0 && results < len(m.Content):
		return nil, errors.New("beside results of tools it has other content; put that in a message of its own")
	case len(due) > 0:
		return nil, errors.New("the message before uses tools, and not every use is answered here")
	}
	return next, nil
}
