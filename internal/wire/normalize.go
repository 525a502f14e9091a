package wire

import (
	"encoding/json"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// normalize brings what a peer wrote into the newest shape: what an older
// revision lacks is filled in, what some peers put elsewhere is moved.
func normalize(into any) {
	head, hint := parts(into)
	if head != nil {
		// In the legacy era the member meant nothing, whatever it said.
		head.ResultType = mcp.ResultComplete
	}
	if hint != nil && hint.CacheScope != "" && !hint.Public() {
		hint.CacheScope = mcp.CachePrivate
	}
	switch r := into.(type) {
	case *mcp.CallToolResult:
		for _, c := range r.Content {
			annotateOutside(c)
		}
	case *mcp.GetPromptResult:
		for _, m := range r.Messages {
			annotateOutside(m.Content)
		}
	case *mcp.DiscoverResult:
		identify(r)
	}
}

// parts are the members every result, or every cacheable one, has.
func parts(into any) (*mcp.Result, *mcp.CacheHint) {
	switch r := into.(type) {
	case *mcp.CallToolResult:
		return &r.Result, nil
	case *mcp.GetPromptResult:
		return &r.Result, nil
	case *mcp.CompleteResult:
		return &r.Result, nil
	case *mcp.EmptyResult:
		return &r.Result, nil
	case *mcp.InitializeResult:
		return &r.Result, nil
	case *mcp.ReadResourceResult:
		return &r.Result, &r.CacheHint
	case *mcp.DiscoverResult:
		return &r.Result, &r.CacheHint
	case *mcp.ListToolsResult:
		return &r.Result, &r.CacheHint
	case *mcp.ListResourcesResult:
		return &r.Result, &r.CacheHint
	case *mcp.ListResourceTemplatesResult:
		return &r.Result, &r.CacheHint
	case *mcp.ListPromptsResult:
		return &r.Result, &r.CacheHint
	}
	return nil, nil
}

// annotateOutside moves annotations that stand inside an embedded resource,
// where pages of the specification show them, beside it, where its schema has
// them.
func annotateOutside(c mcp.Content) {
	e, ok := c.(*mcp.EmbeddedResource)
	if !ok || e.Annotations != nil || e.Resource.Extra == nil {
		return
	}
	raw := lookup(e.Resource.Extra, "annotations")
	var a mcp.Annotations
	if jsonx.KindOf(raw) != jsonx.Object || jsonx.Unmarshal(raw, &a) != nil {
		return
	}
	e.Annotations = &a
	e.Resource.Extra = without(e.Resource.Extra, "annotations")
}

// identify moves an identity from the body of a discovery result, where drafts
// had it, into _meta.
func identify(r *mcp.DiscoverResult) {
	raw := lookup(r.Extra, "serverInfo")
	if jsonx.KindOf(raw) != jsonx.Object {
		return
	}
	if _, ok := r.Meta[mcp.MetaServerInfo]; !ok {
		if r.Meta == nil {
			r.Meta = mcp.Meta{}
		}
		r.Meta[mcp.MetaServerInfo] = json.RawMessage(append([]byte(nil), raw...))
	}
	r.Extra = without(r.Extra, "serverInfo")
}

// without drops one of the unknown members, and the object with its last.
func without(extra mcp.Extra, name string) mcp.Extra {
	extra = jsonx.DeleteMember(extra, name)
	for range jsonx.Members(extra) {
		return extra
	}
	return nil
}
