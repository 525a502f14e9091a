package server

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// HTTPConfig says whom [Server.Handler] answers, and how much it takes in. The
// zero value is safe: it serves programs, and pages of this machine. A body may
// be as large as Limits.Message allows.
type HTTPConfig struct {
	// AllowedOrigins are the origins of browser pages that may use the server,
	// such as "https://app.example.com": scheme, host, and the port unless it is
	// the scheme's own. They are checked on every request, and told to browsers
	// (CORS). Requests without an Origin come from programs and are allowed. Pages
	// of this machine are allowed without being named while the request's Host is
	// this machine too.
	AllowedOrigins []string
	// AllowAnyOrigin lets every page use the server. With it, any page a user
	// visits can reach a server on the user's machine.
	AllowAnyOrigin bool
	// AllowedHosts are the names the server is reached by, such as
	// "mcp.example.com" (any port) or "mcp.example.com:8443". Empty means: a
	// connection that arrives on a loopback address must name this machine, which
	// is what stops DNS rebinding; any other connection may name any host.
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
	faults := []error{
		notNegative("HTTP.BodyTimeout", c.BodyTimeout),
		notNegative("HTTP.WriteTimeout", c.WriteTimeout),
		notNegative("HTTP.KeepAlive", c.KeepAlive),
	}
	for _, origin := range c.AllowedOrigins {
		if origin == "*" {
			faults = append(faults, errors.New(`server config: HTTP.AllowedOrigins has "*"; set AllowAnyOrigin if that is meant`))
		} else if scheme, host, ok := strings.Cut(origin, "://"); !ok || scheme == "" || host == "" || strings.ContainsAny(host, "/?#@ ") {
			faults = append(faults, fmt.Errorf("server config: HTTP.AllowedOrigins has %q, which is no origin; write scheme://host or scheme://host:port", origin))
		}
	}
	for _, host := range c.AllowedHosts {
		if host == "" || strings.ContainsAny(host, "/?#@ *") {
			faults = append(faults, fmt.Errorf("server config: HTTP.AllowedHosts has %q, which is no host; write host or host:port", host))
		}
	}
	return errors.Join(faults...)
}
