package mcp

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Settings is a capability without members of its own, or with free ones. A
// non-nil pointer, even to the zero value, declares the capability.
type Settings struct {
	// Extra holds whatever members the object has.
	Extra Extra `json:",embed"`
}

// ClientCapabilities is what a client can be asked for (schema type
// ClientCapabilities). Legacy clients declare it at initialize, modern ones
// with every request. A nil field is a capability the client does not have.
type ClientCapabilities struct {
	// Roots: the client can list its roots (deprecated in 2026-07-28).
	Roots *RootsCapability `json:"roots,omitzero"`
	// Sampling: the client can sample a model (deprecated in 2026-07-28).
	Sampling *SamplingCapability `json:"sampling,omitzero"`
	// Elicitation: the client can ask its user.
	Elicitation *ElicitationCapability `json:"elicitation,omitzero"`
	// Tasks is the experimental capability of 2025-11-25, kept as it came.
	Tasks json.RawMessage `json:"tasks,omitzero"`
	// Extensions maps identifiers to settings.
	Extensions map[string]json.RawMessage `json:"extensions,omitzero"`
	// Experimental maps private names to settings.
	Experimental map[string]json.RawMessage `json:"experimental,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// RootsCapability says how a client's roots behave.
type RootsCapability struct {
	// ListChanged: the client announces changes (legacy revisions).
	ListChanged bool `json:"listChanged,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// SamplingCapability says which parts of sampling a client has.
type SamplingCapability struct {
	// Context: includeContext may be other than none.
	Context *Settings `json:"context,omitzero"`
	// Tools: requests may carry tools and a tool choice.
	Tools *Settings `json:"tools,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ElicitationCapability says in which modes a client can ask its user. With
// neither mode set it means form alone.
type ElicitationCapability struct {
	// Form: the client can show a form.
	Form *Settings `json:"form,omitzero"`
	// URL: the client can open a URL for the user.
	URL *Settings `json:"url,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// CanForm reports whether forms may be asked for. It is false on nil.
func (c *ElicitationCapability) CanForm() bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// CanURL reports whether URLs may be asked for. It is false on nil.
func (c *ElicitationCapability) CanURL() bool { return c != nil && c.URL != nil }

// ServerCapabilities is what a server offers (schema type ServerCapabilities).
// A nil field is a capability the server does not have.
type ServerCapabilities struct {
	// Tools opens tools/list and tools/call.
	Tools *ListCapability `json:"tools,omitzero"`
	// Resources opens the resources methods.
	Resources *ResourcesCapability `json:"resources,omitzero"`
	// Prompts opens prompts/list and prompts/get.
	Prompts *ListCapability `json:"prompts,omitzero"`
	// Completions opens completion/complete.
	Completions *Settings `json:"completions,omitzero"`
	// Logging: the server sends log messages (deprecated in 2026-07-28).
	Logging *Settings `json:"logging,omitzero"`
	// Tasks is the experimental capability of 2025-11-25, kept as it came.
	Tasks json.RawMessage `json:"tasks,omitzero"`
	// Extensions maps identifiers to settings.
	Extensions map[string]json.RawMessage `json:"extensions,omitzero"`
	// Experimental maps private names to settings.
	Experimental map[string]json.RawMessage `json:"experimental,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ListCapability is a capability whose list may change while the server runs.
type ListCapability struct {
	// ListChanged: changes are announced.
	ListChanged bool `json:"listChanged,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ResourcesCapability says how a server's resources behave.
type ResourcesCapability struct {
	// Subscribe: changes of single resources are announced.
	Subscribe bool `json:"subscribe,omitzero"`
	// ListChanged: changes of the list are announced.
	ListChanged bool `json:"listChanged,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// UnmarshalJSON reads capabilities. A known capability whose value is no object
// counts as not declared (legacy CAP-14): presence is the declaration, null and
// false are its absence.
func (c *ClientCapabilities) UnmarshalJSON(b []byte) error {
	type plain ClientCapabilities
	return decodeCapabilities(b, (*plain)(c), new(plain), "roots", "sampling", "elicitation", "tasks", "extensions", "experimental")
}

// MarshalJSON writes capabilities.
func (c ClientCapabilities) MarshalJSON() ([]byte, error) {
	type plain ClientCapabilities
	return encode(plain(c))
}

// UnmarshalJSON reads capabilities as [ClientCapabilities.UnmarshalJSON] does.
func (c *ServerCapabilities) UnmarshalJSON(b []byte) error {
	type plain ServerCapabilities
	return decodeCapabilities(b, (*plain)(c), new(plain), "tools", "resources", "prompts", "completions", "logging", "tasks", "extensions", "experimental")
}

// MarshalJSON writes capabilities.
func (c ServerCapabilities) MarshalJSON() ([]byte, error) {
	type plain ServerCapabilities
	return encode(plain(c))
}

// decodeCapabilities decodes b into a fresh value first, so that a failure
// leaves dst as it was, and drops known members that are no objects only when
// the plain reading fails, which is rare.
func decodeCapabilities[T any](b []byte, dst, fresh *T, known ...string) error {
	var members map[string]jsontext.Value
	if err := decode(b, &members); err != nil {
		return err
	}
	dropped := false
	for _, name := range known {
		if v, ok := members[name]; ok && v.Kind() != '{' {
			delete(members, name)
			dropped = true
		}
	}
	if dropped {
		filtered, err := jsonv2.Marshal(members, codec)
		if err != nil {
			return err
		}
		b = filtered
	}
	if err := decode(b, fresh); err != nil {
		return err
	}
	*dst = *fresh
	return nil
}
