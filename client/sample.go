package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
)

func (c *Client) understandSample(q *question, can *mcp.SamplingCapability) error {
	if can == nil || c.cfg.Sample == nil {
		return unasked(mcp.CodeMethodNotFound, q.method)
	}
	var params mcp.CreateMessageParams
	if err := q.decode(&params); err != nil {
		return err
	}
	if can.Tools == nil && (len(params.Tools) > 0 || params.ToolChoice != nil) {
		return unasked(mcp.CodeInvalidParams, "tools") // SAMP-10
	}
	if err := turns(params.Messages); err != nil {
		return misasked(q.method, err)
	}
	q.answer = func(ctx context.Context) (any, error) {
		r, err := c.cfg.Sample(ctx, params)
		if err != nil {
			return nil, err
		}
		return sampled(r)
	}
	return nil
}

// sampled is a handler's answer as it is sent (SAMP-03, M-SAM-005).
func sampled(r *mcp.CreateMessageResult) (*mcp.CreateMessageResult, error) {
	if r == nil {
		return nil, errors.New("answer is nil; use an *mcp.CreateMessageResult, or an error")
	}
	out := *r
	if out.Role == "" {
		out.Role = mcp.RoleAssistant
	}
	switch {
	case out.Model == "":
		return nil, errors.New("answer has no Model; the server is owed the name of the model that was used")
	case len(out.Content) == 0:
		return nil, errors.New("answer has no Content; the protocol wants at least one block")
	}
	for i, b := range out.Content {
		if b == nil {
			return nil, fmt.Errorf("block %d of the answer is nil", i)
		}
	}
	return &out, nil
}

// turns checks who speaks when: what a tool was called for is answered in the
// very next message, by the user, with nothing else in it (SAMP-12, SAMP-13,
// M-SAM-006 to M-SAM-008).
func turns(messages []mcp.SamplingMessage) error {
	var open map[string]bool // calls of the message before
	for i, m := range messages {
		uses, results, others := map[string]bool{}, 0, 0
		for _, b := range m.Content {
			switch b := b.(type) {
			case *mcp.ToolUseContent:
				uses[b.ID] = true
				others++
			case *mcp.ToolResultContent:
				if !open[b.ToolUseID] {
					return fmt.Errorf("messages[%d] has a result for the tool use %q, which the message before does not have", i, clip(b.ToolUseID))
				}
				delete(open, b.ToolUseID)
				results++
			default:
				others++
			}
		}
		switch {
		case m.Role != mcp.RoleUser && m.Role != mcp.RoleAssistant:
			return fmt.Errorf("messages[%d] has the role %q, which is neither user nor assistant", i, clip(string(m.Role)))
		case results > 0 && (m.Role != mcp.RoleUser || others > 0):
			return fmt.Errorf("messages[%d] mixes tool results with other content; they stand alone in a message of the user", i)
		case len(open) > 0:
			return fmt.Errorf("messages[%d] does not answer all tool uses of the message before", i)
		case len(uses) > 0 && m.Role != mcp.RoleAssistant:
			return fmt.Errorf("messages[%d] has a tool use by the user", i)
		}
		open = uses
	}
	if len(open) > 0 {
		return errors.New("the last message has tool uses that nothing answers")
	}
	return nil
}
