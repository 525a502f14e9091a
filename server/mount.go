package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/internal/wire"
)

// mounting puts services on a server, one by one, and collects what is wrong
// with them in the order of declaration.
type mounting struct {
	server   *Server
	services []*mounted
	// byName holds every entry under its kind and full name.
	byName map[Kind]map[string]*entry
	faults []error
}

// mounting begins with services that are mounted already.
func (s *Server) mounting(services []*mounted) *mounting {
	m := &mounting{server: s, byName: map[Kind]map[string]*entry{KindTool: {}, KindResource: {}, KindTemplate: {}, KindPrompt: {}}}
	for _, there := range services {
		m.services = append(m.services, there)
		for _, e := range there.entries {
			m.byName[e.Kind][e.Name] = e
		}
	}
	return m
}

// catalog is what has been mounted, or everything that is wrong with it.
func (m *mounting) catalog() (*catalog, error) {
	if err := errors.Join(m.faults...); err != nil {
		return nil, err
	}
	return newCatalog(m.services, m.byName), nil
}

// add mounts one more service.
func (m *mounting) add(service *Service) {
	if service == nil {
		m.faults = append(m.faults, fmt.Errorf("service %d is nil", len(m.services)+1))
		return
	}
	declared, faults := service.read()
	m.faults = append(m.faults, faults...)
	if service.name != "" && slices.ContainsFunc(m.services, func(o *mounted) bool { return o.service.name == service.name }) {
		m.faults = append(m.faults, fmt.Errorf("service %q: there is another of that name; give one of them another name", service.name))
	}
	mount := &mounted{service: service}
	for _, d := range declared {
		e, err := m.server.newEntry(service, d)
		if err != nil {
			m.faults = append(m.faults, e.fail("%w", err))
		} else if m.accept(e) {
			mount.entries = append(mount.entries, e)
		}
	}
	m.services = append(m.services, mount)
	m.faults = append(m.faults, service.lateFaults()...)
}

// accept checks an entry and gives it its place. It reports false, and notes
// why, when something is wrong with it.
func (m *mounting) accept(e *entry) bool {
	before := len(m.faults)
	for _, err := range e.faults {
		m.faults = append(m.faults, e.fail("%w", err))
	}
	if text := m.server.misnamed(e); text != "" {
		m.faults = append(m.faults, e.fail("%s", text))
	} else if other, taken := m.byName[e.Kind][e.Name]; taken {
		m.faults = append(m.faults, e.fail("%s; rename one of them", clash(e, other)))
	} else {
		m.byName[e.Kind][e.Name] = e
	}
	if len(m.faults) == before {
		if err := e.describe(m.server.newest()); err != nil {
			m.faults = append(m.faults, e.fail("%w", err))
		}
	}
	return len(m.faults) == before
}

// clash says which two entries want the same name.
func clash(e, other *entry) string {
	if e.Service == other.Service {
		return fmt.Sprintf("the name %q is already that of %s %q of the same service", e.Name, other.Kind, other.Declared)
	}
	return fmt.Sprintf("the name %q is already that of %s %q of service %q", e.Name, other.Kind, other.Declared, other.Service)
}

// newEntry names an entry and says who may see it. It fails when the policy for
// names does not return.
func (s *Server) newEntry(service *Service, d *declaration) (e *entry, err error) {
	e = &entry{declaration: d, cache: d.about.cache, watch: d.about.watch}
	e.Entry = Entry{Kind: d.kind, Service: service.name, Name: d.name, Declared: d.name}
	if d.kind == KindTool || d.kind == KindPrompt {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("Config.Names panics: %v", v)
			}
		}()
		e.Name = s.names(d.kind, service.name, d.name)
	}
	if e.cache.TTLMs == nil {
		e.cache = service.settings.cache
	}
	if e.watch == nil {
		e.watch = service.settings.watch
	}
	e.shownBy = slices.Concat(service.settings.visible, d.about.visible)
	if s.cfg.Visible != nil {
		e.shownBy = append(e.shownBy, s.cfg.Visible)
	}
	return e, nil
}

// misnamed says what is wrong with the name of a tool or prompt, or returns an
// empty string.
func (s *Server) misnamed(e *entry) string {
	switch {
	case e.Kind != KindTool && e.Kind != KindPrompt:
		return ""
	case e.Declared == "":
		return "the name is empty"
	default:
		return checkName(e.Kind, e.Name, s.cfg.Names != nil)
	}
}

// fail is a fault of the entry, which names its service, kind and declared name.
func (e *entry) fail(format string, args ...any) error {
	return fmt.Errorf("service %q: %s %q: "+format, append([]any{e.Service, e.Kind, e.Declared}, args...)...)
}

// describe makes the description that clients see, and writes it once, to find
// what cannot be written while it can still be said.
func (e *entry) describe(era wire.Era) error {
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

// newest is the newest era that is served.
func (s *Server) newest() wire.Era { return wire.For(s.speaks()[0]) }
