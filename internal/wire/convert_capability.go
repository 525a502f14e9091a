package wire

import (
	"encoding/json"
	"maps"

	"github.com/diglot-mcp/diglot/mcp"
)

// serverCapabilitiesFor leaves out what p has no word for (legacy 21.3, DN-03,
// DN-08).
func serverCapabilitiesFor(p mcp.Profile, c mcp.ServerCapabilities) mcp.ServerCapabilities {
	if p < sinceCompletions {
		c.Completions = nil
	}
	if p != onlyTasks {
		c.Tasks = nil
	}
	c.Extensions = extensionsFor(p, c.Extensions)
	return c
}

// clientCapabilitiesFor does the same for what a client can be asked for.
func clientCapabilitiesFor(p mcp.Profile, c mcp.ClientCapabilities) mcp.ClientCapabilities {
	if p != onlyTasks {
		c.Tasks = nil
	}
	if p.Modern() && c.Roots != nil && c.Roots.ListChanged {
		roots := *c.Roots
		roots.ListChanged = false
		c.Roots = &roots
	}
	if p < sinceToolSampling && c.Sampling != nil {
		c.Sampling = &mcp.SamplingCapability{Extra: c.Sampling.Extra}
	}
	c.Elicitation = elicitationFor(p, c.Elicitation)
	c.Extensions = extensionsFor(p, c.Extensions)
	return c
}

// elicitationFor: before URLs could be asked for, the capability was an empty
// object and meant forms.
func elicitationFor(p mcp.Profile, c *mcp.ElicitationCapability) *mcp.ElicitationCapability {
	switch {
	case c == nil || p < sinceElicitation || p < sinceURLElicitation && !c.CanForm():
		return nil
	case p < sinceURLElicitation:
		return &mcp.ElicitationCapability{Extra: c.Extra}
	default:
		return c
	}
}

func extensionsFor(p mcp.Profile, ext map[string]json.RawMessage) map[string]json.RawMessage {
	if p < sinceExtensions {
		return nil
	}
	if _, ok := ext[tasksExtension]; !ok || p.Modern() {
		return ext
	}
	ext = maps.Clone(ext)
	delete(ext, tasksExtension)
	if len(ext) == 0 {
		return nil
	}
	return ext
}

// implementationFor leaves out the parts of an identity p does not know.
func implementationFor(p mcp.Profile, i mcp.Implementation) mcp.Implementation {
	if p < sinceTitles {
		i.Title = ""
	}
	if p < sinceDescription {
		i.Description, i.WebsiteURL, i.Icons = "", "", nil
	}
	return i
}
