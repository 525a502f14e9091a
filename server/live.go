package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/mcp"
)

// Add offers a service on a running server, all of it at once. Requests that
// began before still see what there was. The error joins everything that is
// wrong, as [New]'s does; nothing has changed then.
func (s *Server) Add(service *Service) error {
	if service == nil {
		return errors.New("add service: it is nil")
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	m := s.mounting(s.catalog.Load().services)
	m.add(service)
	next, err := m.catalog()
	if err != nil {
		return fmt.Errorf("add %w", err)
	}
	s.replace(next)
	return nil
}

// Remove takes the services of a name off a running server: the one service, or
// all those without a name if it is empty. Requests that began before still see
// them, and calls that run are not ended. The error wraps [mcp.ErrNotFound] when
// there is none.
func (s *Server) Remove(name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	now := s.catalog.Load().services
	rest := slices.DeleteFunc(slices.Clone(now), func(m *mounted) bool { return m.service.name == name })
	if len(rest) == len(now) {
		return fmt.Errorf("remove service %q: %w", name, mcp.ErrNotFound)
	}
	next, err := s.mounting(rest).catalog()
	if err != nil {
		return fmt.Errorf("remove service %q: %w", name, err)
	}
	s.replace(next)
	return nil
}

// replace puts a catalog in the place of the one there is, and tells which lists
// differ. The caller holds changing.
func (s *Server) replace(next *catalog) {
	before := s.catalog.Swap(next)
	changed := noLists
	for kind := range listKinds {
		if !slices.Equal(before.lists[kind].entries, next.lists[kind].entries) {
			changed |= listChanges[kind]
		}
	}
	if changed != noLists {
		s.bus.publish(change{lists: changed})
	}
}

// Updated says that what a resource holds has changed. Clients that watch it are
// told, whatever their revision, and those that watch what it is a part of: uri
// need not be in a list, nor be served. For note://1/text that is note://1, for
// dir://a/b?page=2 it is dir://a/b, dir://a/ and dir://a.
//
// It does not block, and may be called at any time, as often as something
// changes: what changes faster than it can be told is told once.
func (s *Server) Updated(uri string) {
	if uri != "" {
		s.bus.publish(change{uri: uri})
	}
}
