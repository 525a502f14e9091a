package server

import (
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
)

// HTTPConfig says whom [Server.Handler] answers, and how much it takes in. The
// zero value is safe: it serves programs, and pages of this machine. A body may
// be as large as Limits.Message allows.
type HTTPConfig struct {
	// AllowedOrigins are the origins of browser pages that may use the server,
	// such as "https://app.example.com": scheme, host, and the port unless it is
	// the scheme's own. They are checked on every request, and told to browsers
	// (CORS). Requests without an Origin come from programs and are allowed. Pages
	// of this machine are allowed, without being named, on connections within it.
	AllowedOrigins []string
	// AllowAnyOrigin lets every page use the server. With it, any page a user
	// visits can reach a server on the user's machine.
	AllowAnyOrigin bool
	// AllowedHosts are the names the server is reached by, such as
	// "mcp.example.com" (any port) or "mcp.example.com:8443". Empty means: a
	// connection that arrives on a loopback address must name this machine, which
	// is what stops DNS rebinding; any other connection may name any host. A proxy
	// on the same machine that passes the public name on needs that name here.
	AllowedHosts []string
	// BodyTimeout bounds the arrival of a request body; 0 means 30 seconds.
	BodyTimeout time.Duration
	// WriteTimeout bounds each write to a client, so that one that stops reading
	// hurts itself alone; 0 means 30 seconds.
	WriteTimeout time.Duration
	// KeepAlive is how often an event stream on which nothing happens gets a
	// comment line, so that no proxy takes it for dead; 0 means 15 seconds.
	KeepAlive time.Duration
}

func (c HTTPConfig) withDefaults() HTTPConfig {
	defaultTo(&c.BodyTimeout, 30*time.Second)
	defaultTo(&c.WriteTimeout, 30*time.Second)
	defaultTo(&c.KeepAlive, 15*time.Second)
	return c
}

func (c HTTPConfig) validate() error {
	_, err := httpx.NewGuard(c.guard())
	if err != nil {
		err = fmt.Errorf("server config: HTTP: %w", err)
	}
	return errors.Join(
		notNegative("HTTP.BodyTimeout", c.BodyTimeout),
		notNegative("HTTP.WriteTimeout", c.WriteTimeout),
		notNegative("HTTP.KeepAlive", c.KeepAlive),
		err,
	)
}

func (c HTTPConfig) guard() httpx.GuardConfig {
	return httpx.GuardConfig{Hosts: c.AllowedHosts, Origins: c.AllowedOrigins, AllowAnyOrigin: c.AllowAnyOrigin}
}
