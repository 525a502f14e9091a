package wire

import (
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
)

// contentFor is c as p can express it: the same value when nothing is to be
// changed. at is the block's place among its neighbours, for the URI of a block
// that has to become a resource (DN-04, DN-06, DN-07).
func contentFor(p mcp.Profile, c mcp.Content, at int) mcp.Content {
	if p >= sinceIcons || missing(c) {
		return c
	}
	switch c := c.(type) {
	case *mcp.ResourceLink:
		if p < sinceLinks {
			return linkText(p, c)
		}
		if c.Icons == nil {
			return c
		}
		return &mcp.ResourceLink{Resource: resourceFor(p, c.Resource)}
	case *mcp.AudioContent:
		if p < sinceAudio {
			return audioResource(p, c, at)
		}
	}
	if p >= sinceObjectMeta {
		return c
	}
	return plainBlock(p, c)
}

// plainBlock drops a block's _meta and the annotations p does not know.
func plainBlock(p mcp.Profile, c mcp.Content) mcp.Content {
	switch c := c.(type) {
	case *mcp.TextContent:
		if a := annotationsFor(p, c.Annotations); c.Meta != nil || a != c.Annotations {
			return &mcp.TextContent{Text: c.Text, Annotations: a, Extra: c.Extra}
		}
	case *mcp.ImageContent:
		if a := annotationsFor(p, c.Annotations); c.Meta != nil || a != c.Annotations {
			return &mcp.ImageContent{Data: c.Data, MIMEType: c.MIMEType, Annotations: a, Extra: c.Extra}
		}
	case *mcp.AudioContent:
		if a := annotationsFor(p, c.Annotations); c.Meta != nil || a != c.Annotations {
			return &mcp.AudioContent{Data: c.Data, MIMEType: c.MIMEType, Annotations: a, Extra: c.Extra}
		}
	case *mcp.EmbeddedResource:
		if a := annotationsFor(p, c.Annotations); c.Meta != nil || c.Resource.Meta != nil || a != c.Annotations {
			out := &mcp.EmbeddedResource{Resource: c.Resource, Annotations: a, Extra: c.Extra}
			out.Resource.Meta = nil
			return out
		}
	}
	return c
}

// linkText says in words what a link says.
func linkText(p mcp.Profile, l *mcp.ResourceLink) mcp.Content {
	name := l.Name
	if l.Title != "" {
		name = l.Title
	}
	text := fmt.Sprintf("%s: %s", name, l.URI)
	if l.Description != "" {
		text += "\n" + l.Description
	}
	return &mcp.TextContent{Text: text, Annotations: annotationsFor(p, l.Annotations)}
}

// audioResource carries sound as a resource, whose URI has to be invented.
func audioResource(p mcp.Profile, a *mcp.AudioContent, at int) mcp.Content {
	data := a.Data
	if data == nil {
		data = []byte{}
	}
	return &mcp.EmbeddedResource{
		Resource:    mcp.ResourceContents{URI: fmt.Sprintf("audio://content/%d", at), MIMEType: a.MIMEType, Blob: data},
		Annotations: annotationsFor(p, a.Annotations),
		Extra:       a.Extra,
	}
}
