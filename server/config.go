package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// Config is what a server is made of besides its services. Only Info must be
// set; the zero value of every other field is a safe default.
type Config struct {
	// Info names the server to its clients. Name and Version are required.
	Info mcp.Implementation
	// Instructions tell a model how to use the server as a whole. They should
	// not repeat what the entries say about themselves.
	Instructions string
	// Profile is the revision to serve. [mcp.Auto], the zero value, serves all
	// five; another value serves that revision alone.
	Profile mcp.Profile
	// Names makes the name a client sees from a service's and an entry's name.
	// Nil is service_tool and service.prompt, see [Names].
	Names Names
	// PageSize is how many entries a page of a list has; 0 means 100.
	PageSize int
	// Cache says how long results may be kept, see [Cache].
	Cache Cache
	// Visible hides entries from callers, see [Visible]. It runs for every entry
	// of every list and for every call, concurrently, with the call's context.
	Visible func(ctx context.Context, entry Entry) bool
	// Interceptors run around every request, the first one outermost.
	Interceptors []Interceptor
	// ExposeErrors sends the texts of unforeseen errors of resources, prompts and
	// completions to callers. They may say more about the server than a stranger
	// should know.
	ExposeErrors bool
	// Logger receives what an operator should know: panics and unforeseen errors
	// of handlers. Nil discards it.
	Logger *slog.Logger
	// Limits bound what one peer can use up.
	Limits Limits
	// State is about calls that ask their client.
	State StateConfig
	// HTTP is about Streamable HTTP.
	HTTP HTTPConfig
	// Session is about clients of the legacy revisions.
	Session SessionConfig
	// Listen is about clients that wait for changes, of every revision.
	Listen ListenConfig
}

// Cache says how long clients may keep results (2026-07-28, "Caching"). What a
// hint leaves out is as its field says. Results are private to the caller,
// whatever is said here, when a [Visible] predicate shapes them or the transport
// knows who the caller is.
type Cache struct {
	// Discover is for server/discover: an hour, public.
	Discover mcp.CacheHint
	// Lists is for the four lists: 30 seconds, private.
	Lists mcp.CacheHint
	// Reads is for resources/read, unless [CacheFor] or the handler says more:
	// 30 seconds, private.
	Reads mcp.CacheHint
}

// Limits bound what one peer can use up. A zero field is its default.
type Limits struct {
	// Message is the size of the largest message accepted, in bytes: 4 MiB.
	Message int64
	// Depth is how deep the JSON of a message may nest: 128.
	Depth int
	// Call is how long one request may run before its context ends. Zero is no
	// limit of the server's own: the caller's patience decides.
	Call time.Duration
	// Progress is how many reports of its progress a call may send in a second: 50
	// on average, and four times as many at once. More are merged.
	Progress int
	// Logs is how many log records a call may send in a second: 500 on average, and
	// four times as many at once. More are dropped.
	Logs int
}

const (
	defaultPageSize = 100
	defaultMessage  = 4 << 20
	defaultDepth    = 128
	defaultProgress = 50
	defaultLogs     = 500
	defaultDiscover = time.Hour
	defaultTTL      = 30 * time.Second
)

// withDefaults returns the configuration with every zero field filled in. It is
// called once, by New.
func (c Config) withDefaults() Config {
	defaultTo(&c.PageSize, defaultPageSize)
	defaultTo(&c.Limits.Message, defaultMessage)
	defaultTo(&c.Limits.Depth, defaultDepth)
	defaultTo(&c.Limits.Progress, defaultProgress)
	defaultTo(&c.Limits.Logs, defaultLogs)
	c.State = c.State.withDefaults()
	c.HTTP = c.HTTP.withDefaults()
	c.Session = c.Session.withDefaults()
	c.Listen = c.Listen.withDefaults()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Cache.Discover = hintOr(c.Cache.Discover, mcp.Cache(defaultDiscover, mcp.CachePublic))
	c.Cache.Lists = hintOr(c.Cache.Lists, mcp.Cache(defaultTTL, mcp.CachePrivate))
	c.Cache.Reads = hintOr(c.Cache.Reads, mcp.Cache(defaultTTL, mcp.CachePrivate))
	return c
}

// hintOr is h with what it does not say taken from otherwise.
func hintOr(h, otherwise mcp.CacheHint) mcp.CacheHint {
	if h.TTLMs == nil {
		h.TTLMs = otherwise.TTLMs
	}
	if h.CacheScope == "" {
		h.CacheScope = otherwise.CacheScope
	}
	return h
}

// validate reports everything that is wrong with the configuration.
func (c Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("server config: "+format, args...))
	}
	if c.Info.Name == "" {
		fault("Info.Name is empty; name the server")
	}
	if c.Info.Version == "" {
		fault("Info.Version is empty; say which version of the server this is")
	}
	if c.Profile > mcp.Newest {
		fault("Profile: %v is no revision; use mcp.Auto or one of mcp.Profiles", c.Profile)
	}
	faults = append(faults,
		notNegative("PageSize", c.PageSize),
		notNegative("Limits.Message", c.Limits.Message),
		notNegative("Limits.Depth", c.Limits.Depth),
		notNegative("Limits.Call", c.Limits.Call),
		notNegative("Limits.Progress", c.Limits.Progress),
		notNegative("Limits.Logs", c.Limits.Logs))
	for i, in := range c.Interceptors {
		if in == nil {
			fault("Interceptors[%d] is nil", i)
		}
	}
	faults = append(faults,
		checkHint("Discover", c.Cache.Discover), checkHint("Lists", c.Cache.Lists), checkHint("Reads", c.Cache.Reads),
		c.State.validate(), c.HTTP.validate(), c.Session.validate(), c.Listen.validate())
	return errors.Join(faults...)
}

func checkHint(name string, h mcp.CacheHint) error {
	if h.TTLMs != nil && *h.TTLMs < 0 {
		return fmt.Errorf("server config: Cache.%s: a time to live of %d ms is negative", name, *h.TTLMs)
	}
	switch h.CacheScope {
	case "", mcp.CachePublic, mcp.CachePrivate:
		return nil
	default:
		return fmt.Errorf("server config: Cache.%s: scope %q is neither %q nor %q", name, h.CacheScope, mcp.CachePublic, mcp.CachePrivate)
	}
}
