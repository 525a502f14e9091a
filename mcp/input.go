package mcp

import "encoding/json"

// Actions of an elicitation's answer.
const (
	// ActionAccept: the user gave the answer, or agreed to open the URL.
	ActionAccept = "accept"
	// ActionDecline: the user said no.
	ActionDecline = "decline"
	// ActionCancel: the user went away without deciding.
	ActionCancel = "cancel"
)

// Modes of an elicitation. The empty mode is a form.
const (
	// ModeForm asks for values of a flat schema.
	ModeForm = "form"
	// ModeURL asks the user to open a URL (from 2025-11-25 on).
	ModeURL = "url"
)

// ElicitParams ask the user something (from 2025-06-18 on).
type ElicitParams struct {
	// Mode is ModeForm, ModeURL or empty.
	Mode string `json:"mode,omitzero"`
	// Message is what the user reads.
	Message string `json:"message"`
	// RequestedSchema is the form: a flat object schema of primitives.
	RequestedSchema json.RawMessage `json:"requestedSchema,omitzero"`
	// URL is what to open, in URL mode.
	URL string `json:"url,omitzero"`
	// ElicitationID names a URL elicitation in 2025-11-25.
	ElicitationID string `json:"elicitationId,omitzero"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ElicitResult is the user's answer.
type ElicitResult struct {
	// Action is ActionAccept, ActionDecline or ActionCancel.
	Action string `json:"action"`
	// Content is the form's values, on an accepted form.
	Content json.RawMessage `json:"content,omitzero"`
	// Meta is the result's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Root is a directory or file the client lets the server know of.
type Root struct {
	// URI is a file: URI.
	URI string `json:"uri"`
	// Name is shown to people.
	Name string `json:"name,omitzero"`
	// Meta is the root's _meta (from 2025-06-18 on).
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ListRootsResult answers roots/list.
type ListRootsResult struct {
	// Roots are the client's roots.
	Roots []Root `json:"roots"`
	// Meta is the result's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Reasons why sampling stopped; others are legal.
const (
	StopEndTurn  = "endTurn"
	StopSequence = "stopSequence"
	StopLength   = "maxTokens"
	StopToolUse  = "toolUse"
)

// Blocks is the content of a sampling message. One block is written as an
// object, several as an array, which only 2025-11-25 and later can read; either
// is read.
type Blocks []Content

// SamplingMessage is one message of a conversation with a model.
type SamplingMessage struct {
	// Role is who says it.
	Role Role `json:"role"`
	// Content is what is said.
	Content Blocks `json:"content"`
	// Meta is the message's _meta (from 2025-11-25 on).
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ModelHint is a name, or a part of one, of a model.
type ModelHint struct {
	// Name is matched as a substring.
	Name string `json:"name,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ModelPreferences guide the choice of a model. Priorities are 0 to 1, nil when
// unsaid.
type ModelPreferences struct {
	// Hints are tried in order; the first match wins.
	Hints []ModelHint `json:"hints,omitempty"`
	// CostPriority is how much price matters.
	CostPriority *float64 `json:"costPriority,omitzero"`
	// SpeedPriority is how much latency matters.
	SpeedPriority *float64 `json:"speedPriority,omitzero"`
	// IntelligencePriority is how much ability matters.
	IntelligencePriority *float64 `json:"intelligencePriority,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ToolChoice says whether the model must call tools: mode auto, required or none.
type ToolChoice struct {
	// Mode is auto when empty.
	Mode string `json:"mode,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CreateMessageParams ask the client to sample a model (deprecated in
// 2026-07-28).
type CreateMessageParams struct {
	// Messages are the conversation.
	Messages []SamplingMessage `json:"messages"`
	// MaxTokens bounds the answer; required.
	MaxTokens int64 `json:"maxTokens"`
	// ModelPreferences guide the choice of a model.
	ModelPreferences *ModelPreferences `json:"modelPreferences,omitzero"`
	// SystemPrompt is advisory.
	SystemPrompt string `json:"systemPrompt,omitzero"`
	// IncludeContext is none when empty; other values are deprecated.
	IncludeContext string `json:"includeContext,omitzero"`
	// Temperature is advisory, nil when unsaid.
	Temperature *float64 `json:"temperature,omitzero"`
	// StopSequences are advisory.
	StopSequences []string `json:"stopSequences,omitempty"`
	// Metadata goes to the model's provider as it is.
	Metadata json.RawMessage `json:"metadata,omitzero"`
	// Tools may be called by the model; needs the client's sampling.tools.
	Tools []Tool `json:"tools,omitempty"`
	// ToolChoice needs the client's sampling.tools.
	ToolChoice *ToolChoice `json:"toolChoice,omitzero"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CreateMessageResult is what the model said.
type CreateMessageResult struct {
	// Role is who says it, the assistant.
	Role Role `json:"role"`
	// Content is what is said.
	Content Blocks `json:"content"`
	// Model is the model that was used.
	Model string `json:"model"`
	// StopReason is why it stopped.
	StopReason string `json:"stopReason,omitzero"`
	// Meta is the result's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// MarshalJSON writes one block as an object, any other number as an array.
func (b Blocks) MarshalJSON() ([]byte, error) {
	if len(b) == 1 {
		return encode(b[0])
	}
	return encode([]Content(b))
}

// UnmarshalJSON reads one block or an array of them.
func (b *Blocks) UnmarshalJSON(raw []byte) error {
	for _, c := range raw {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '[':
			return decode(raw, (*[]Content)(b))
		}
		break
	}
	c, err := parseContent(raw, codec)
	if err != nil {
		return err
	}
	*b = Blocks{c}
	return nil
}
