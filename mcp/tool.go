package mcp

import "encoding/json"

// Tool describes something a model can call (schema type Tool).
type Tool struct {
	// Name identifies the tool within its server: 1 to 128 characters of
	// A-Z a-z 0-9 _ - . (revision 2026-07-28, "Tool Names").
	Name string `json:"name"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description tells the model what the tool does.
	Description string `json:"description,omitzero"`
	// InputSchema is the JSON Schema of the arguments, an object schema.
	InputSchema json.RawMessage `json:"inputSchema"`
	// OutputSchema is the JSON Schema of structuredContent, nil when there is none.
	OutputSchema json.RawMessage `json:"outputSchema,omitzero"`
	// Annotations are hints about behaviour; not to be trusted unless the server is.
	Annotations *ToolAnnotations `json:"annotations,omitzero"`
	// Icons are pictures of it.
	Icons []Icon `json:"icons,omitempty"`
	// Execution belongs to the experimental tasks of 2025-11-25, kept as it came.
	Execution json.RawMessage `json:"execution,omitzero"`
	// Meta is the tool's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// DisplayName is the name to show people: Title, else the annotations' title,
// else Name.
func (t Tool) DisplayName() string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil && t.Annotations.Title != "":
		return t.Annotations.Title
	default:
		return t.Name
	}
}

// ToolAnnotations are a server's hints about a tool (schema type
// ToolAnnotations). Nil pointers mean the protocol's defaults: not destructive
// only when said so, open to the world unless said otherwise.
type ToolAnnotations struct {
	// Title is a display name, older than Tool.Title.
	Title string `json:"title,omitzero"`
	// ReadOnlyHint: the tool changes nothing. Default false.
	ReadOnlyHint *bool `json:"readOnlyHint,omitzero"`
	// DestructiveHint: its changes may destroy. Default true.
	DestructiveHint *bool `json:"destructiveHint,omitzero"`
	// IdempotentHint: calling twice is as calling once. Default false.
	IdempotentHint *bool `json:"idempotentHint,omitzero"`
	// OpenWorldHint: it reaches beyond a closed set of things. Default true.
	OpenWorldHint *bool `json:"openWorldHint,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ReadOnly is ReadOnlyHint with its default. It is safe on nil.
func (a *ToolAnnotations) ReadOnly() bool { return a != nil && hint(a.ReadOnlyHint, false) }

// Destructive is DestructiveHint with its default. It is safe on nil.
func (a *ToolAnnotations) Destructive() bool { return a == nil || hint(a.DestructiveHint, true) }

// Idempotent is IdempotentHint with its default. It is safe on nil.
func (a *ToolAnnotations) Idempotent() bool { return a != nil && hint(a.IdempotentHint, false) }

// OpenWorld is OpenWorldHint with its default. It is safe on nil.
func (a *ToolAnnotations) OpenWorld() bool { return a == nil || hint(a.OpenWorldHint, true) }

func hint(p *bool, otherwise bool) bool {
	if p == nil {
		return otherwise
	}
	return *p
}

// CallToolParams are the parameters of tools/call.
type CallToolParams struct {
	// Name is the tool.
	Name string `json:"name"`
	// Arguments is a JSON object, nil when absent.
	Arguments json.RawMessage `json:"arguments,omitzero"`
	Retry
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CallToolResult is the result of tools/call.
type CallToolResult struct {
	Result
	// Content is the result's blocks, for the model.
	Content []Content `json:"content"`
	// StructuredContent is the result as JSON, for programs; nil when absent.
	// The JSON value null is a value.
	StructuredContent json.RawMessage `json:"structuredContent,omitzero"`
	// IsError: the tool failed, and Content says how.
	IsError bool `json:"isError,omitzero"`
}

// Text joins the text blocks of the result with newlines.
func (r *CallToolResult) Text() string { return joinText(r.Content) }

func joinText(blocks []Content) string {
	var s []byte
	first := true
	for _, c := range blocks {
		t, ok := c.(*TextContent)
		if !ok {
			continue
		}
		if !first {
			s = append(s, '\n')
		}
		first = false
		s = append(s, t.Text...)
	}
	return string(s)
}

type (
	plainTool       Tool
	plainCallParams CallToolParams
	plainCallResult CallToolResult
)

// MarshalJSON writes the tool.
func (t Tool) MarshalJSON() ([]byte, error) { return encode(plainTool(t)) }

// UnmarshalJSON reads a tool.
func (t *Tool) UnmarshalJSON(b []byte) error { return decode(b, (*plainTool)(t)) }

// MarshalJSON writes the parameters.
func (p CallToolParams) MarshalJSON() ([]byte, error) { return encode(plainCallParams(p)) }

// UnmarshalJSON reads parameters.
func (p *CallToolParams) UnmarshalJSON(b []byte) error { return decode(b, (*plainCallParams)(p)) }

// MarshalJSON writes the result.
func (r CallToolResult) MarshalJSON() ([]byte, error) { return encode(plainCallResult(r)) }

// UnmarshalJSON reads a result.
func (r *CallToolResult) UnmarshalJSON(b []byte) error { return decode(b, (*plainCallResult)(r)) }
