package mcp

// Reference types of completion.
const (
	// RefPrompt: the reference's Name is a prompt.
	RefPrompt = "ref/prompt"
	// RefResource: the reference's URI is a resource or a template.
	RefResource = "ref/resource"
)

// MaxCompletions is how many values a completion may carry.
const MaxCompletions = 100

// Reference says what is being completed: a prompt by name, or a resource
// template by URI.
type Reference struct {
	// Type is RefPrompt or RefResource.
	Type string `json:"type"`
	// Name is the prompt.
	Name string `json:"name,omitzero"`
	// Title is the prompt's display name (from 2025-06-18 on).
	Title string `json:"title,omitzero"`
	// URI is the resource or template.
	URI string `json:"uri,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CompleteArgument is the argument being typed.
type CompleteArgument struct {
	// Name is the argument.
	Name string `json:"name"`
	// Value is what has been typed so far.
	Value string `json:"value"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CompleteContext is what has been chosen before (from 2025-06-18 on).
type CompleteContext struct {
	// Arguments are the arguments already filled in.
	Arguments map[string]string `json:"arguments,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CompleteParams are the parameters of completion/complete.
type CompleteParams struct {
	// Ref says what is being completed.
	Ref Reference `json:"ref"`
	// Argument is the argument being typed.
	Argument CompleteArgument `json:"argument"`
	// Context is what has been chosen before, or nil.
	Context *CompleteContext `json:"context,omitzero"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Completion is a list of suggestions, best first.
type Completion struct {
	// Values are at most MaxCompletions suggestions.
	Values []string `json:"values"`
	// Total is how many there are, nil when unknown.
	Total *int64 `json:"total,omitzero"`
	// HasMore: there are more than Values. It is written even when false.
	HasMore bool `json:"hasMore"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CompleteResult is the result of completion/complete.
type CompleteResult struct {
	Result
	// Completion is the suggestions.
	Completion Completion `json:"completion"`
}
