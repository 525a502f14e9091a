package wire

import (
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// elicitFor is a question to the user as p can express it (DN-18, DN-19). The
// error wraps mcp.ErrCannotAsk when it cannot.
func elicitFor(p mcp.Profile, e mcp.ElicitParams) (mcp.ElicitParams, error) {
	url := e.Mode == mcp.ModeURL
	switch {
	case p < sinceElicitation:
		return e, cannotAsk(p, "elicitation")
	case url && p < sinceURLElicitation:
		return e, cannotAsk(p, "elicitation by URL")
	case url && p == sinceURLElicitation && e.ElicitationID == "":
		return e, fmt.Errorf("params: revision %s wants an elicitationId with a URL", p.Version())
	}
	if p != sinceURLElicitation {
		e.ElicitationID = ""
	}
	if p < sinceURLElicitation {
		e.Mode = ""
	}
	if p < sinceFormDefaults && e.RequestedSchema != nil {
		schema, err := plainForm(e.RequestedSchema)
		if err != nil {
			return e, fmt.Errorf("%w: revision %s: %w", mcp.ErrCannotAsk, p.Version(), err)
		}
		e.RequestedSchema = schema
	}
	return e, nil
}

func cannotAsk(p mcp.Profile, what string) error {
	return fmt.Errorf("%w: revision %s has no %s", mcp.ErrCannotAsk, p.Version(), what)
}

// createMessageFor is a sampling request as p can express it (DN-16, DN-17).
func createMessageFor(p mcp.Profile, c mcp.CreateMessageParams) (mcp.CreateMessageParams, error) {
	if p >= sinceToolSampling {
		c.Tools = toolsFor(p, c.Tools)
		return c, nil
	}
	if len(c.Tools) > 0 || c.ToolChoice != nil {
		return c, cannotAsk(p, "tools in sampling")
	}
	// One block a message: several become as many messages of the same role.
	out := make([]mcp.SamplingMessage, 0, len(c.Messages))
	for _, m := range c.Messages {
		for _, b := range m.Content {
			block, lacking := samplingBlock(p, b)
			if lacking != "" {
				return c, cannotAsk(p, lacking)
			}
			out = append(out, mcp.SamplingMessage{Role: m.Role, Content: mcp.Blocks{block}, Extra: m.Extra})
		}
	}
	c.Messages = out
	return c, nil
}

func toolsFor(p mcp.Profile, tools []mcp.Tool) []mcp.Tool {
	var out []mcp.Tool
	for _, t := range tools {
		out = append(out, toolFor(p, t))
	}
	return out
}

// samplingBlock converts a block of a conversation, or says what p lacks for it.
func samplingBlock(p mcp.Profile, b mcp.Content) (block mcp.Content, lacking string) {
	switch b.(type) {
	case *mcp.ToolUseContent, *mcp.ToolResultContent:
		return nil, "tool blocks in sampling"
	case *mcp.AudioContent:
		if p < sinceAudio {
			return nil, "audio in sampling"
		}
	}
	return contentFor(p, b, 0), ""
}

// createdMessageFor is what a model said as p can express it (UP-06).
func createdMessageFor(p mcp.Profile, r mcp.CreateMessageResult) (mcp.CreateMessageResult, error) {
	if p >= sinceToolSampling {
		return r, nil
	}
	var text *mcp.TextContent
	for _, b := range r.Content {
		block, lacking := samplingBlock(p, b)
		if lacking != "" {
			return r, fmt.Errorf("write the answer of %s: revision %s has no %s", mcp.MethodCreateMessage, p.Version(), lacking)
		}
		if len(r.Content) == 1 {
			r.Content = mcp.Blocks{block}
			return r, nil
		}
		t, ok := block.(*mcp.TextContent)
		if !ok {
			return r, fmt.Errorf("write the answer of %s: revision %s takes one block, and %d are not all text",
				mcp.MethodCreateMessage, p.Version(), len(r.Content))
		}
		if text == nil {
			text = &mcp.TextContent{Annotations: t.Annotations, Extra: t.Extra, Text: t.Text}
		} else {
			text.Text += "\n" + t.Text
		}
	}
	if text == nil {
		text = mcp.Text("")
	}
	r.Content = mcp.Blocks{text}
	return r, nil
}

// elicitedFor is a user's answer as p can express it (UP-06).
func elicitedFor(p mcp.Profile, r mcp.ElicitResult) (mcp.ElicitResult, error) {
	if p >= sinceFormDefaults {
		return r, nil
	}
	if p < sinceElicitation {
		return r, fmt.Errorf("write the answer of %s: revision %s has no elicitation", mcp.MethodElicit, p.Version())
	}
	for name, value := range jsonx.Members(r.Content) {
		if jsonx.KindOf(value) == jsonx.Array {
			return r, fmt.Errorf("write the answer of %s: revision %s takes no list, which %q is", mcp.MethodElicit, p.Version(), clip(string(name)))
		}
	}
	return r, nil
}

// rootsFor are a client's roots as p can express them.
func rootsFor(p mcp.Profile, r mcp.ListRootsResult) mcp.ListRootsResult {
	if p >= sinceObjectMeta {
		return r
	}
	roots := make([]mcp.Root, len(r.Roots))
	for i, root := range r.Roots {
		root.Meta = nil
		roots[i] = root
	}
	r.Roots = roots
	return r
}
