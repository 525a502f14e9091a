package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Server offers services to clients. Make one with [New]; it is safe for
// concurrent use. It has no goroutine of its own.
type Server struct {
	cfg Config
	// names is the policy for full names; chosen says that the application gave it.
	names  Names
	chosen bool

	// methods, run, stamps and supported are built once.
	methods   map[string]method
	run       Next
	stamps    [stampKinds][2]wire.Stamp
	supported []string

	// catalog is what is offered now. Whoever replaces it holds changing.
	catalog  atomic.Pointer[catalog]
	changing sync.Mutex

	// watch is told about every change; nil when nobody listens. It is set before
	// the server is used, and must not block.
	watch func(kind listKind, uri string)

	// edge is what the transports share.
	edge *edge
}

// New makes a server that offers services. The error joins everything that is
// wrong with the configuration and with the entries of the services, in the
// order of their declaration; each fault of an entry names its service and the
// entry.
//
// New reads the services; they do not change any more. More can be added with
// [Server.Add].
func New(cfg Config, services ...*Service) (*Server, error) {
	s := &Server{cfg: cfg.withDefaults(), names: cfg.Names, chosen: cfg.Names != nil}
	if s.names == nil {
		s.names = defaultNames
	}
	faults := []error{cfg.validate()}
	mounts, err := s.mountAll(services)
	faults = append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c, err := newCatalog(mounts)
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("server config: Info: %w", err)
	}
	s.catalog.Store(c)
	s.supported = s.versions()
	s.stamps = newStamps(info, s.cfg.Cache)
	s.methods = s.allMethods()
	s.run = chain(s.cfg.Interceptors, s.dispatch)
	s.edge = newEdge(s.cfg.Session)
	return s, nil
}

// stampKind says which hint a result carries.
type stampKind uint8

const (
	stampPlain stampKind = iota
	stampDiscover
	stampList
	stampRead
	stampKinds
)

// newStamps makes what the server writes on results: for each kind the stamp as
// configured, and the same for the eyes of one caller only.
func newStamps(info []byte, cache Cache) [stampKinds][2]wire.Stamp {
	var stamps [stampKinds][2]wire.Stamp
	hints := [stampKinds]mcp.CacheHint{stampDiscover: cache.Discover, stampList: cache.Lists, stampRead: cache.Reads}
	for kind, hint := range hints {
		own := hint
		if own.CacheScope == mcp.CachePublic {
			own.CacheScope = mcp.CachePrivate
		}
		stamps[kind] = [2]wire.Stamp{{ServerInfo: info, Hint: hint}, {ServerInfo: info, Hint: own}}
	}
	return stamps
}

// stamp is what goes on a result of this exchange. What the caller's identity or
// a predicate may have shaped is private to the caller (M-CACHE-026).
func (s *Server) stamp(x *exchange, kind stampKind) *wire.Stamp {
	own := 0
	if x.caller.principal != "" || kind != stampDiscover && x.catalog.restricted() {
		own = 1
	}
	return &s.stamps[kind][own]
}

// restricted reports whether some caller may see less than another.
func (c *catalog) restricted() bool {
	for _, l := range c.lists {
		if l.restricted {
			return true
		}
	}
	return false
}
