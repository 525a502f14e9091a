package server

import (
	"fmt"
	"slices"
	"sync"
)

// Service is a named group of tools, resources and prompts. Entries are added
// with [Tool], [RawTool], [Resource] and [Prompt] before the service is given to
// [New] or [Server.Add]; from then on it does not change any more, and it may be
// given to several servers.
//
// The zero value is a service without a name.
type Service struct {
	name     string
	settings settings

	mu      sync.Mutex
	entries []*declaration
	// served: a server has read entries.
	served bool
	late   []error
}

// declaration is one entry as it was declared: what it says of itself, what it
// does, and what is wrong with it.
type declaration struct {
	kind Kind
	// name is the name of a tool or prompt, the URI or URI template of a resource.
	name string
	// about is what the options said.
	about settings
	// One of the three is set, by kind, unless there are faults.
	tool     *toolSpec
	resource *resourceSpec
	prompt   *promptSpec
	faults   []error
}

func (d *declaration) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Errorf(format, args...))
}

// NewService makes a service. Its name becomes part of the names of its tools
// and prompts, see [Names]; the empty name adds nothing to them.
func NewService(name string, opts ...Option) *Service {
	return &Service{name: name, settings: settingsOf(onService, opts)}
}

// Name is the service's name.
func (s *Service) Name() string { return s.name }

// Doc is what [Doc] said about the service.
func (s *Service) Doc() string { return s.settings.doc }

// declare adds an entry. What is wrong with it is kept for New.
func (s *Service) declare(d *declaration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served {
		s.late = append(s.late, fmt.Errorf(
			"service %q: %s %q: declared after the service was given to a server; declare first, or add another service", s.name, d.kind, d.name))
		return
	}
	d.faults = slices.Concat(d.about.faults, d.faults)
	s.entries = append(s.entries, d)
}

// read freezes the service and returns its entries, and what is wrong with the
// service itself.
func (s *Service) read() ([]*declaration, []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = true
	var faults []error
	if text := checkServiceName(s.name); text != "" {
		faults = append(faults, fmt.Errorf("service %q: %s", s.name, text))
	}
	for _, err := range s.settings.faults {
		faults = append(faults, fmt.Errorf("service %q: %w", s.name, err))
	}
	return s.entries, faults
}

// lateFaults are the entries that were declared too late to be served anywhere.
func (s *Service) lateFaults() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}
