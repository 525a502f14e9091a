package mcp

import (
	"encoding/json"
	"time"
)

// ResultType says what a result is (2026-07-28). Older servers send none, which
// means complete.
type ResultType string

// The result types of the core protocol; extensions add theirs.
const (
	// ResultComplete: the request is done.
	ResultComplete ResultType = "complete"
	// ResultInputRequired: the request must be sent again with answers.
	ResultInputRequired ResultType = "input_required"
)

// Result is what every result has.
type Result struct {
	// ResultType is written by the server's engine; handlers leave it empty.
	ResultType ResultType `json:"resultType,omitzero"`
	// Meta is the result's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CacheScope says who may keep a result (2026-07-28, "Caching").
type CacheScope string

// The two scopes.
const (
	// CachePublic: anybody may keep it and give it to anybody.
	CachePublic CacheScope = "public"
	// CachePrivate: never across authorization contexts.
	CachePrivate CacheScope = "private"
)

// CacheHint says how long and for whom a result may be kept. Absent members
// mean: not at all, private.
type CacheHint struct {
	// TTLMs is the time to live in milliseconds, nil when absent.
	TTLMs *int64 `json:"ttlMs,omitzero"`
	// CacheScope is who may keep it, empty when absent.
	CacheScope CacheScope `json:"cacheScope,omitzero"`
}

// TTL is how long the result is fresh after its arrival: 0 when the hint is
// absent or negative.
func (h CacheHint) TTL() time.Duration {
	if h.TTLMs == nil || *h.TTLMs < 0 {
		return 0
	}
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(*h.TTLMs, most)) * time.Millisecond
}

// Public reports whether the result may be shared across authorization
// contexts. Anything but the word public is private.
func (h CacheHint) Public() bool { return h.CacheScope == CachePublic }

// Cache makes a hint from a duration, rounded down to milliseconds.
func Cache(ttl time.Duration, scope CacheScope) CacheHint {
	ms := max(ttl.Milliseconds(), 0)
	return CacheHint{TTLMs: &ms, CacheScope: scope}
}

// Retry is what a client adds when it sends a request again after
// [ResultInputRequired] (2026-07-28, multi-round-trip requests).
type Retry struct {
	// InputResponses maps the keys of the input requests to bare results.
	InputResponses map[string]json.RawMessage `json:"inputResponses,omitzero"`
	// RequestState is the server's opaque state, echoed; nil when there was none.
	RequestState *string `json:"requestState,omitzero"`
}

// InputRequest is one question inside an [InputRequiredResult].
type InputRequest struct {
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string `json:"method"`
	// Params are the method's parameters.
	Params json.RawMessage `json:"params,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// InputRequiredResult ends a request that needs answers first (2026-07-28).
// At least one of its two members is present.
type InputRequiredResult struct {
	Result
	// InputRequests maps keys to questions.
	InputRequests map[string]InputRequest `json:"inputRequests,omitzero"`
	// RequestState is opaque to the client and echoed byte for byte.
	RequestState *string `json:"requestState,omitzero"`
}

// ListParams are the parameters of the four list methods.
type ListParams struct {
	// Cursor is where to go on, nil for the first page. The empty string is a cursor.
	Cursor *string `json:"cursor,omitzero"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ListToolsResult is one page of tools/list.
type ListToolsResult struct {
	Result
	CacheHint
	// Tools is the page.
	Tools []Tool `json:"tools"`
	// NextCursor leads to the next page, nil at the end.
	NextCursor *string `json:"nextCursor,omitzero"`
}

// ListResourcesResult is one page of resources/list.
type ListResourcesResult struct {
	Result
	CacheHint
	// Resources is the page.
	Resources []Resource `json:"resources"`
	// NextCursor leads to the next page, nil at the end.
	NextCursor *string `json:"nextCursor,omitzero"`
}

// ListResourceTemplatesResult is one page of resources/templates/list.
type ListResourceTemplatesResult struct {
	Result
	CacheHint
	// ResourceTemplates is the page.
	ResourceTemplates []ResourceTemplate `json:"resourceTemplates"`
	// NextCursor leads to the next page, nil at the end.
	NextCursor *string `json:"nextCursor,omitzero"`
}

// ListPromptsResult is one page of prompts/list.
type ListPromptsResult struct {
	Result
	CacheHint
	// Prompts is the page.
	Prompts []Prompt `json:"prompts"`
	// NextCursor leads to the next page, nil at the end.
	NextCursor *string `json:"nextCursor,omitzero"`
}

// EmptyResult is a result without members of its own.
type EmptyResult struct {
	Result
}
