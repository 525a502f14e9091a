package server

import (
	"context"

	"github.com/diglot-mcp/diglot/mcp"
)

// Kind is what an entry is.
type Kind string

// The four kinds of entries.
const (
	// KindTool is something a model can call.
	KindTool Kind = "tool"
	// KindResource is a resource with a fixed URI.
	KindResource Kind = "resource"
	// KindTemplate is a family of resources, named by a URI template.
	KindTemplate Kind = "resource template"
	// KindPrompt is a message template a user can choose.
	KindPrompt Kind = "prompt"
)

// Entry says which entry of a server is meant, to a [Visible] predicate.
type Entry struct {
	// Kind is what the entry is.
	Kind Kind
	// Service is the name of the service it was declared on.
	Service string
	// Name is what clients call it: the full name of a tool or prompt, the URI of
	// a resource, the URI template of a resource template.
	Name string
	// Declared is the name, URI or URI template as it was declared.
	Declared string
	// Annotations are a tool's hints; nil for other kinds and for tools without.
	// They are shared: do not change them.
	Annotations *mcp.ToolAnnotations
	// Meta is the entry's _meta, shared.
	Meta mcp.Meta
}

// predicate decides whether a caller may see an entry.
type predicate = func(ctx context.Context, entry Entry) bool

// shown asks every predicate that has a say about an entry. All must agree.
func shown(ctx context.Context, e *Entry, predicates []predicate) bool {
	for _, p := range predicates {
		if !p(ctx, *e) {
			return false
		}
	}
	return true
}
