package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/mcp"
)

// Add offers a service on a running server, all of it at once. Requests that
// began before still see what there was. The error joins everything that is
// wrong, as [New]'s does, and nothing has changed then.
func (s *Server) Add(service *Service) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	now := s.catalog.Load()
	if service == nil {
		return errors.New("add service: it is nil")
	}
	if service.name != "" && slices.ContainsFunc(now.services, func(m *mounted) bool { return m.service.name == service.name }) {
		return fmt.Errorf("add service %q: there is one of that name; remove it first, or choose another name", service.name)
	}
	m, err := s.mount(service)
	if err != nil {
		return fmt.Errorf("add service %q: %w", service.name, err)
	}
	return s.replace(now, append(slices.Clip(slices.Clone(now.services)), m), "add")
}

// Remove takes the services of a name off a running server: the one service, or
// all those without a name if it is empty. Requests that began before still see
// them, and calls that run are not ended. The error wraps [mcp.ErrNotFound] when
// there is none.
func (s *Server) Remove(name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	now := s.catalog.Load()
	rest := slices.DeleteFunc(slices.Clone(now.services), func(m *mounted) bool { return m.service.name == name })
	if len(rest) == len(now.services) {
		return fmt.Errorf("remove service %q: %w", name, mcp.ErrNotFound)
	}
	return s.replace(now, rest, "remove")
}

// replace puts a catalog of services in the place of now. The caller holds
// changing.
func (s *Server) replace(now *catalog, services []*mounted, verb string) error {
	next, err := newCatalog(services)
	if err != nil {
		return fmt.Errorf("%s service: %w", verb, err)
	}
	s.catalog.Store(next)
	for kind := range listKinds {
		if !slices.Equal(now.lists[kind].entries, next.lists[kind].entries) {
			s.changed(kind, "")
		}
	}
	return nil
}

// Updated says that what a resource holds has changed. uri is the resource, or a
// part of one; the error says so when no resource and no template has it.
func (s *Server) Updated(uri string) error {
	if e, _ := s.catalog.Load().find(uri); e == nil {
		return fmt.Errorf("resource %q was updated: %w", uri, mcp.ErrNotFound)
	}
	s.changed(listResources, uri)
	return nil
}

// changed is told what is different from before: a list, or, with a uri, one
// resource. Listeners are told from here.
func (s *Server) changed(kind listKind, uri string) {
	if s.watch != nil {
		s.watch(kind, uri)
	}
}
