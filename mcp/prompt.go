package mcp

// Prompt describes a message template a user can choose (schema type Prompt).
type Prompt struct {
	// Name identifies the prompt within its server.
	Name string `json:"name"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description says what it is for.
	Description string `json:"description,omitzero"`
	// Arguments are what it takes; values are strings.
	Arguments []PromptArgument `json:"arguments,omitempty"`
	// Icons are pictures of it.
	Icons []Icon `json:"icons,omitempty"`
	// Meta is the prompt's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// PromptArgument describes one argument of a prompt.
type PromptArgument struct {
	// Name identifies the argument.
	Name string `json:"name"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description says what it means.
	Description string `json:"description,omitzero"`
	// Required: the prompt cannot do without it.
	Required bool `json:"required,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// PromptMessage is one message of a prompt: a role and one block.
type PromptMessage struct {
	// Role is who says it.
	Role Role `json:"role"`
	// Content is what is said.
	Content Content `json:"content"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// UserText is a user's message of one text block.
func UserText(s string) PromptMessage { return PromptMessage{Role: RoleUser, Content: Text(s)} }

// AssistantText is an assistant's message of one text block.
func AssistantText(s string) PromptMessage {
	return PromptMessage{Role: RoleAssistant, Content: Text(s)}
}

// GetPromptParams are the parameters of prompts/get.
type GetPromptParams struct {
	// Name is the prompt.
	Name string `json:"name"`
	// Arguments are its arguments.
	Arguments map[string]string `json:"arguments,omitzero"`
	Retry
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// GetPromptResult is the result of prompts/get.
type GetPromptResult struct {
	Result
	// Description says what the messages are for.
	Description string `json:"description,omitzero"`
	// Messages are the prompt.
	Messages []PromptMessage `json:"messages"`
}

type (
	plainPrompt        Prompt
	plainPromptMessage PromptMessage
	plainPromptResult  GetPromptResult
)

// MarshalJSON writes the prompt.
func (p Prompt) MarshalJSON() ([]byte, error) { return encode(plainPrompt(p)) }

// UnmarshalJSON reads a prompt.
func (p *Prompt) UnmarshalJSON(b []byte) error { return decode(b, (*plainPrompt)(p)) }

// MarshalJSON writes the message.
func (m PromptMessage) MarshalJSON() ([]byte, error) { return encode(plainPromptMessage(m)) }

// UnmarshalJSON reads a message.
func (m *PromptMessage) UnmarshalJSON(b []byte) error { return decode(b, (*plainPromptMessage)(m)) }

// MarshalJSON writes the result.
func (r GetPromptResult) MarshalJSON() ([]byte, error) { return encode(plainPromptResult(r)) }

// UnmarshalJSON reads a result.
func (r *GetPromptResult) UnmarshalJSON(b []byte) error { return decode(b, (*plainPromptResult)(r)) }
