package wire

import (
	"github.com/diglot-mcp/diglot/mcp"
)

// resourceFor is r as p can express it (DN-03, DN-04).
func resourceFor(p mcp.Profile, r mcp.Resource) mcp.Resource {
	if p < sinceIcons {
		r.Icons = nil
	}
	if p < sinceTitles {
		r.Title = ""
	}
	if p < sinceObjectMeta {
		r.Meta = nil
	}
	r.Annotations = annotationsFor(p, r.Annotations)
	return r
}

// templateFor does the same for a template.
func templateFor(p mcp.Profile, t mcp.ResourceTemplate) mcp.ResourceTemplate {
	if p < sinceIcons {
		t.Icons = nil
	}
	if p < sinceTitles {
		t.Title = ""
	}
	if p < sinceObjectMeta {
		t.Meta = nil
	}
	t.Annotations = annotationsFor(p, t.Annotations)
	return t
}

// contentsFor does the same for what reading a resource gave.
func contentsFor(p mcp.Profile, list []mcp.ResourceContents) []mcp.ResourceContents {
	if p >= sinceObjectMeta {
		return list
	}
	out := make([]mcp.ResourceContents, len(list))
	for i, c := range list {
		c.Meta = nil
		out[i] = c
	}
	return out
}

func annotationsFor(p mcp.Profile, a *mcp.Annotations) *mcp.Annotations {
	if a == nil || p >= sinceLastModified || a.LastModified == "" {
		return a
	}
	if len(a.Audience) == 0 && a.Priority == nil && a.Extra == nil {
		return nil
	}
	out := *a
	out.LastModified = ""
	return &out
}
