package wire

import "github.com/diglot-mcp/diglot/mcp"

// promptFor is q as p can express it (DN-03, DN-04).
func promptFor(p mcp.Profile, q mcp.Prompt) mcp.Prompt {
	if p < sinceIcons {
		q.Icons = nil
	}
	if p < sinceObjectMeta {
		q.Meta = nil
	}
	if p >= sinceTitles {
		return q
	}
	q.Title = ""
	args := make([]mcp.PromptArgument, len(q.Arguments))
	for i, a := range q.Arguments {
		a.Title = ""
		args[i] = a
	}
	q.Arguments = args
	return q
}
