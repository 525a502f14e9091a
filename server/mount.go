package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/internal/wire"
)

// mountAll reads services and gives their entries the names they have on this
// server. The error joins all faults, in the order of declaration.
func (s *Server) mountAll(services []*Service) ([]*mounted, error) {
	var (
		out    []*mounted
		faults []error
		seen   = make(map[string]bool)
	)
	for i, service := range services {
		if service == nil {
			faults = append(faults, fmt.Errorf("service %d of %d is nil", i+1, len(services)))
			continue
		}
		if service.name != "" && seen[service.name] {
			faults = append(faults, fmt.Errorf("service %q is given twice; give one of them another name", service.name))
		}
		seen[service.name] = true
		m, err := s.mount(service)
		out, faults = append(out, m), append(faults, err)
	}
	return out, errors.Join(faults...)
}

// mount reads one service.
func (s *Server) mount(service *Service) (*mounted, error) {
	declared, faults := service.read()
	m := &mounted{service: service}
	for _, d := range declared {
		e := s.newEntry(service, d)
		for _, err := range d.faults {
			faults = append(faults, e.fail("%w", err))
		}
		if text := s.misnamed(e); text != "" {
			faults = append(faults, e.fail("%s", text))
			continue
		}
		if len(d.faults) > 0 {
			continue
		}
		if err := e.complete(s.eraOf()); err != nil {
			faults = append(faults, e.fail("%w", err))
			continue
		}
		m.entries = append(m.entries, e)
	}
	return m, errors.Join(slices.Concat(faults, service.lateFaults())...)
}

// newEntry names an entry.
func (s *Server) newEntry(service *Service, d *declaration) *entry {
	e := &entry{declaration: d, cache: d.about.cache}
	e.Entry = Entry{Kind: d.kind, Service: service.name, Name: d.name, Declared: d.name}
	if d.kind == KindTool || d.kind == KindPrompt {
		e.Name = s.names(d.kind, service.name, d.name)
	}
	if e.cache.TTLMs == nil {
		e.cache = service.settings.cache
	}
	e.shownBy = slices.Concat(service.settings.visible, d.about.visible)
	if s.cfg.Visible != nil {
		e.shownBy = append(e.shownBy, s.cfg.Visible)
	}
	return e
}

// misnamed says what is wrong with an entry's names, or returns an empty string.
func (s *Server) misnamed(e *entry) string {
	if e.Kind != KindTool && e.Kind != KindPrompt {
		return ""
	}
	if e.Declared == "" {
		return "the name is empty"
	}
	return checkName(e.Kind, e.Name, s.chosen)
}

// complete describes the entry, and writes the description once, to find what
// cannot be written while it can still be said.
func (e *entry) complete(era wire.Era) error {
	switch e.Kind {
	case KindTool:
		t := e.toolValue(e.Name)
		e.value, e.Annotations, e.Meta = t, t.Annotations, t.Meta
	case KindPrompt:
		p := e.promptValue(e.Name)
		e.value, e.Meta = p, p.Meta
	case KindResource:
		r := e.resourceValue()
		e.value, e.Meta = r, r.Meta
	default:
		t := e.templateValue()
		e.value, e.Meta = t, t.Meta
	}
	_, err := e.encode(era)
	return err
}

// eraOf is the newest era that is served.
func (s *Server) eraOf() wire.Era { return wire.For(s.speaks()[0]) }
