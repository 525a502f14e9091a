package server

import (
	"context"

	"github.com/diglot-mcp/diglot/mcp"
)

// versions are the revisions the server speaks, the newest first. It is one
// list for server/discover and for the error -32022 (M-VER-008): a client learns
// from it that it may open a legacy revision with initialize, and a request in
// the modern form that names one is still refused (T-05).
func (s *Server) versions() []string {
	var out []string
	for _, p := range s.speaks() {
		out = append(out, p.Version())
	}
	return out
}

// speaks lists the profiles that are served, the newest first.
func (s *Server) speaks() []mcp.Profile {
	if s.cfg.Profile != mcp.Auto {
		return []mcp.Profile{s.cfg.Profile}
	}
	return mcp.Profiles()
}

// discover answers server/discover.
func (s *Server) discover(_ context.Context, x *exchange) (any, error) {
	return s.discoverResult(x), nil
}

// discoverResult is what the server says about itself to clients of the
// exchange's era.
func (s *Server) discoverResult(x *exchange) *mcp.DiscoverResult {
	return &mcp.DiscoverResult{
		SupportedVersions: s.supported,
		Capabilities:      x.era.Capabilities(x.catalog.capabilities),
		Instructions:      s.cfg.Instructions,
	}
}

// initializeResult is the answer to initialize once the exchange's era is agreed
// on. Where no session is kept, no changes are promised: there is no stream to tell
// them on.
func (s *Server) initializeResult(x *exchange) *mcp.InitializeResult {
	offers := x.catalog.capabilities
	if x.passing {
		offers = withoutChanges(offers)
	}
	return &mcp.InitializeResult{
		ProtocolVersion: x.era.Profile().Version(),
		Capabilities:    x.era.Capabilities(offers),
		ServerInfo:      s.cfg.Info,
		Instructions:    s.cfg.Instructions,
	}
}

// withoutChanges is c of a server that tells nobody what changes.
func withoutChanges(c mcp.ServerCapabilities) mcp.ServerCapabilities {
	for _, list := range []**mcp.ListCapability{&c.Tools, &c.Prompts} {
		if *list != nil {
			*list = new(mcp.ListCapability)
		}
	}
	if c.Resources != nil {
		c.Resources = new(mcp.ResourcesCapability)
	}
	return c
}
