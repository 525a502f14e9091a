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
	// names is the policy for full names.
	names Names

	// methods, run, stamps and supported are built once.
	methods   map[string]method
	run       Next
	stamps    [stampKinds][2]wire.Stamp
	supported []string

	// states are the seals of calls that ask; forms are the forms that were asked
	// for, by the type they are made of.
	states *states
	forms  sync.Map

	// catalog is what is offered now. Whoever replaces it holds changing.
	catalog  atomic.Pointer[catalog]
	changing sync.Mutex
	// bus tells whoever listens of changes; watches are the resources that say of
	// changes only while somebody listens.
	bus     *bus
	watches *watches

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
	s := &Server{cfg: cfg.withDefaults(), names: cfg.Names}
	if s.names == nil {
		s.names = defaultNames
	}
	invalid := s.cfg.validate()
	if invalid == nil {
		s.supported = s.versions()
	}
	m := s.mounting(nil)
	for _, service := range services {
		m.add(service)
	}
	c, err := m.catalog()
	info, infoErr := json.Marshal(cfg.Info)
	if infoErr != nil {
		infoErr = fmt.Errorf("server config: Info: %w", infoErr)
	}
	if err := errors.Join(invalid, infoErr, err); err != nil {
		return nil, err
	}
	s.catalog.Store(c)
	s.stamps = newStamps(info, s.cfg.Cache)
	s.bus = newBus(s.cfg.Listen.Resources, s.cfg.Listen.Watched)
	s.watches = newWatches(s.watchBroke)
	s.methods = s.allMethods()
	s.run = chain(s.cfg.Interceptors, s.dispatch)
	if s.states, err = newStates(&s.cfg); err != nil {
		return nil, err
	}
	if s.edge, err = newEdge(s.cfg); err != nil {
		return nil, err
	}
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

// stamp is what goes on a result of this exchange.
func (s *Server) stamp(x *exchange, kind stampKind) *wire.Stamp {
	if x.caller.principal != "" || kind != stampDiscover && x.personal() {
		return &s.stamps[kind][1]
	}
	return &s.stamps[kind][0]
}

// personal reports whether a result may have been shaped by who asked: then it
// is private to the caller, whatever was configured (M-CACHE-026).
func (x *exchange) personal() bool { return x.caller.principal != "" || x.catalog.restricted }
