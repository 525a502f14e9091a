package client

import (
	"github.com/diglot-mcp/diglot/mcp"
)

// Verdict is what negotiation found out about a server. It can be stored, as
// JSON, and given to a later connection as Config.Prior. It holds no secret.
// The zero value is no verdict.
type Verdict struct {
	// Profile is the revision that is spoken.
	Profile mcp.Profile `json:"profile"`
	// Server is the server's name for itself, empty when it gave none. It proves
	// nothing.
	Server mcp.Implementation `json:"serverInfo"`
	// Capabilities are what the server offers.
	Capabilities mcp.ServerCapabilities `json:"capabilities"`
	// Instructions are the server's guidance for a model.
	Instructions string `json:"instructions,omitempty"`
	// Found says how the profile was found: the row of the negotiation table that
	// applied, or "pinned".
	Found string `json:"found,omitempty"`
}

// IsZero reports whether v is no verdict.
func (v Verdict) IsZero() bool { return v.Profile == mcp.Auto }

// Server is what a client knows about the server it is connected to.
type Server struct {
	// Profile is the revision that is spoken.
	Profile mcp.Profile
	// Info is the server's name for itself, empty when it gave none, or none yet:
	// with a pinned modern profile the first answer brings it.
	Info mcp.Implementation
	// Capabilities are what the server offers. With a pinned modern profile they
	// are unknown until [Client.Ping] asks.
	Capabilities mcp.ServerCapabilities
	// Instructions are the server's guidance for a model.
	Instructions string
}
