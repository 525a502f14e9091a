package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// catalog is everything a server offers at one moment. It is immutable, apart
// from encodings it remembers: a change makes another one.
type catalog struct {
	services []*mounted
	// tools and prompts are by full name, resources by URI, families by the text
	// of their URI template.
	tools, prompts, resources, families map[string]*entry
	// templates holds the families, the most specific template first.
	templates []*entry
	lists     [listKinds]*listing
	// capabilities are what the entries amount to.
	capabilities mcp.ServerCapabilities
}

// mounted is a service and its entries under the names this server gives them.
type mounted struct {
	service *Service
	entries []*entry
}

// entry is one tool, resource, template or prompt of a server.
type entry struct {
	Entry
	// value is the description in the newest shape: a mcp.Tool, mcp.Resource,
	// mcp.ResourceTemplate or mcp.Prompt.
	value any
	// shownBy are the predicates that have a say about it.
	shownBy []predicate
	// cache is the hint for what it holds, absent unless declared.
	cache mcp.CacheHint
	*declaration

	encoded [profiles]atomic.Pointer[[]byte]
}

// profiles is the number of profiles, for tables by profile.
const profiles = int(mcp.Newest) + 1

// encode returns the description as clients of an era see it. It is made once
// for each era; two goroutines may make it at the same time, with equal results.
func (e *entry) encode(era wire.Era) ([]byte, error) {
	slot := &e.encoded[era.Profile()]
	if b := slot.Load(); b != nil {
		return *b, nil
	}
	b, err := era.AppendEntry(nil, e.value)
	if err != nil {
		return nil, fmt.Errorf("encode %s %q: %w", e.Kind, e.Name, err)
	}
	b = slices.Clip(b)
	slot.Store(&b)
	return b, nil
}

// newCatalog joins mounted services. Names that two entries share are faults.
func newCatalog(services []*mounted) (*catalog, error) {
	c := &catalog{
		services: services,
		tools:    make(map[string]*entry), prompts: make(map[string]*entry),
		resources: make(map[string]*entry), families: make(map[string]*entry),
	}
	var faults []error
	for _, m := range services {
		for _, e := range m.entries {
			byName := c.index(e.Kind)
			if other, taken := byName[e.Name]; taken {
				faults = append(faults, e.fail("%s; rename one of them", clash(e, other)))
				continue
			}
			byName[e.Name] = e
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c.templates = slices.SortedFunc(maps.Values(c.families), func(a, b *entry) int {
		return cmp.Or(moreSpecific(a.resource, b.resource), cmp.Compare(a.Name, b.Name))
	})
	for kind := range listKinds {
		c.lists[kind] = newListing(kind, c.index(listEntries[kind]))
	}
	c.capabilities = c.offers()
	return c, nil
}

func (c *catalog) index(k Kind) map[string]*entry {
	switch k {
	case KindTool:
		return c.tools
	case KindPrompt:
		return c.prompts
	case KindResource:
		return c.resources
	default:
		return c.families
	}
}

// fail is a fault of the entry, which names its service, kind and declared name.
func (e *entry) fail(format string, args ...any) error {
	return fmt.Errorf("service %q: %s %q: "+format, append([]any{e.Service, e.Kind, e.Declared}, args...)...)
}

// clash says which two entries want the same name.
func clash(e, other *entry) string {
	if e.Service == other.Service {
		return fmt.Sprintf("the name %q is already that of %s %q of the same service", e.Name, other.Kind, other.Declared)
	}
	return fmt.Sprintf("the name %q is already that of %s %q of service %q", e.Name, other.Kind, other.Declared, other.Service)
}

// offers is the declaration of what there is: a capability is declared exactly
// when its methods answer (M-DISC-007, M-DISC-008). Logging is always offered,
// since any handler may use Log.
func (c *catalog) offers() mcp.ServerCapabilities {
	caps := mcp.ServerCapabilities{Logging: &mcp.Settings{}}
	if len(c.tools) > 0 {
		caps.Tools = &mcp.ListCapability{}
	}
	if len(c.resources)+len(c.families) > 0 {
		caps.Resources = &mcp.ResourcesCapability{}
	}
	if len(c.prompts) > 0 {
		caps.Prompts = &mcp.ListCapability{}
	}
	for _, index := range []map[string]*entry{c.prompts, c.families} {
		for _, e := range index {
			if e.completes() {
				caps.Completions = &mcp.Settings{}
			}
		}
	}
	return caps
}
