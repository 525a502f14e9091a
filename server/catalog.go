package server

import (
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
	// restricted: some caller may see less than another.
	restricted bool
}

// mounted is a service and its entries under the names a server gives them.
type mounted struct {
	service *Service
	entries []*entry
}

// entry is one tool, resource, template or prompt of a server.
type entry struct {
	Entry
	*declaration

	// value is the description in the newest shape: a mcp.Tool, mcp.Resource,
	// mcp.ResourceTemplate or mcp.Prompt.
	value any
	// shownBy are the predicates that have a say about it.
	shownBy []predicate
	// cache is the hint for what it holds, absent unless declared.
	cache mcp.CacheHint
	// watch begins to watch a resource of the entry, nil when that takes nothing.
	watch WatchFunc
	// encoded is the description for each era, made at first use.
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
		return nil, fmt.Errorf("write the description: %w", err)
	}
	b = slices.Clip(b)
	slot.Store(&b)
	return b, nil
}

// newCatalog makes a catalog of mounted services. byName holds their entries,
// and is the catalog's from now on.
func newCatalog(services []*mounted, byName map[Kind]map[string]*entry) *catalog {
	c := &catalog{
		services: services,
		tools:    byName[KindTool], prompts: byName[KindPrompt],
		resources: byName[KindResource], families: byName[KindTemplate],
	}
	c.templates = slices.SortedFunc(maps.Values(c.families), func(a, b *entry) int {
		return moreSpecific(a.resource, b.resource)
	})
	for kind := range listKinds {
		c.lists[kind] = newListing(kind, byName[listEntries[kind]])
		c.restricted = c.restricted || c.lists[kind].restricted
	}
	c.capabilities = c.offers()
	return c
}

// offers is the declaration of what there is: a capability is declared exactly
// when its methods answer (M-DISC-007, M-DISC-008). Changes of what is offered
// are always told, since a running server may change at any time. Logging is always
// offered, since any handler may use Log.
func (c *catalog) offers() mcp.ServerCapabilities {
	caps := mcp.ServerCapabilities{Logging: &mcp.Settings{}}
	if len(c.tools) > 0 {
		caps.Tools = &mcp.ListCapability{ListChanged: true}
	}
	if len(c.resources)+len(c.families) > 0 {
		caps.Resources = &mcp.ResourcesCapability{Subscribe: true, ListChanged: true}
	}
	if len(c.prompts) > 0 {
		caps.Prompts = &mcp.ListCapability{ListChanged: true}
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

// find returns the entry that serves a URI, and the variables in it as an
// encoded object: the resource with that very URI, else the family with the most
// specific template. Another family is not asked when the caller may not see
// that one, or the one matched finds nothing.
func (c *catalog) find(uri string) (*entry, []byte) {
	if e := c.resources[uri]; e != nil {
		return e, nil
	}
	for _, e := range c.templates {
		if variables, ok := e.resource.match(uri); ok {
			return e, variables
		}
	}
	return nil, nil
}
