package server

import (
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
)

// lists is a set of the lists whose changes are told. Resources and resource
// templates count as one: there is one notification for both.
type lists uint8

const (
	toolList lists = 1 << iota
	promptList
	resourceList

	noLists lists = 0
)

// listChanges are the lists of a catalog, as changes of them are told.
var listChanges = [listKinds]lists{listTools: toolList, listResources: resourceList, listTemplates: resourceList, listPrompts: promptList}

// method is the notification of one list.
func (l lists) method() string {
	switch l {
	case toolList:
		return mcp.NotifyToolsListChanged
	case promptList:
		return mcp.NotifyPromptsListChanged
	default:
		return mcp.NotifyResourcesListChanged
	}
}

// announced are the lists whose changes a declaration promises to tell.
func announced(c *mcp.ServerCapabilities) lists {
	all := noLists
	if c.Tools != nil && c.Tools.ListChanged {
		all |= toolList
	}
	if c.Prompts != nil && c.Prompts.ListChanged {
		all |= promptList
	}
	if c.Resources != nil && c.Resources.ListChanged {
		all |= resourceList
	}
	return all
}

// change is something that is not what it was: lists, or what a resource holds.
type change struct {
	lists lists
	uri   string
	// of is the URI that is watched, when uri is a part of it; set by the bus.
	of string
}

// Errors of [bus.watch].
var (
	errOffBus       = errors.New("the subscriber is not on the bus")
	errWatchesEach  = errors.New("it watches as many resources as one client may")
	errWatchesTotal = errors.New("clients watch as many resources as the server allows")
)

// A bus tells subscribers what changed. Telling is to set a mark and to wake
// whoever reads it: it takes no goroutine, keeps no message, and waits for
// nobody, so that one pass reaches thousands. A bus is safe for concurrent use.
type bus struct {
	// each and total bound the URIs that one subscriber, and all of them, watch.
	each, total int

	mu       sync.Mutex
	all      []*subscriber
	watching map[string][]*subscriber
	watched  int
}

func newBus(each, total int) *bus {
	return &bus{each: each, total: total, watching: make(map[string][]*subscriber)}
}

// publish tells everybody concerned. A resource concerns those who watch it, or
// something that it is a part of (L-RES-09, M-SUB-012).
func (b *bus) publish(c change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.lists != noLists {
		for _, s := range b.all {
			if told := c.lists & s.lists; told != noLists {
				s.tell(change{lists: told})
			}
		}
	}
	if c.uri == "" || len(b.watching) == 0 {
		return
	}
	for of := range wholes(c.uri) {
		for _, s := range b.watching[of] {
			s.tell(change{uri: c.uri, of: of})
		}
	}
}

// wholes are a URI and what it may be a part of, the closest first: what ends
// before, or with, a slash, or before a query or fragment. note://1 has a part
// note://1/text, and not note://10.
func wholes(uri string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(uri) {
			return
		}
		for i := len(uri) - 1; i > 0; i-- {
			switch uri[i] {
			case '/':
				if i+1 < len(uri) && !yield(uri[:i+1]) || !yield(uri[:i]) {
					return
				}
			case '?', '#':
				if !yield(uri[:i]) {
					return
				}
			}
		}
	}
}

// join puts a subscriber on the bus: it is told of its lists from now on.
func (b *bus) join(s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.gone {
		return
	}
	s.joined, s.at = true, len(b.all)
	b.all = append(b.all, s)
}

// leave takes a subscriber off the bus for good, and returns what it held. It
// may be called at any time, and again.
func (b *bus) leave(s *subscriber) []*watch {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.gone = true
	if !s.joined {
		return nil
	}
	s.joined = false
	last := len(b.all) - 1
	b.all[s.at] = b.all[last]
	b.all[s.at].at = s.at
	b.all[last] = nil
	b.all = b.all[:last]
	var held []*watch
	for uri, w := range s.uris {
		if w != nil {
			held = append(held, w)
		}
		b.drop(s, uri)
	}
	s.uris = nil
	s.silence()
	return held
}

// watch has the subscriber told of a resource too. It reports false when it is
// already.
func (b *bus) watch(s *subscriber, uri string) (added bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.joined {
		return false, errOffBus
	}
	if _, there := s.uris[uri]; there {
		return false, nil
	}
	switch {
	case len(s.uris) >= b.each:
		return false, errWatchesEach
	case b.watched >= b.total:
		return false, errWatchesTotal
	case s.uris == nil:
		s.uris = make(map[string]*watch)
	}
	s.uris[uri] = nil
	b.watching[uri] = append(b.watching[uri], s)
	b.watched++
	return true, nil
}

// hold gives the subscriber what it holds for a resource that it watches. It
// reports false when it does not watch it any more.
func (b *bus) hold(s *subscriber, uri string, w *watch) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := s.uris[uri]; !there {
		return false
	}
	s.uris[uri] = w
	return true
}

// unwatch is the opposite of watch, and returns what the subscriber held.
func (b *bus) unwatch(s *subscriber, uri string) *watch {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, there := s.uris[uri]
	if !there {
		return nil
	}
	delete(s.uris, uri)
	if len(s.uris) == 0 {
		s.uris = nil
	}
	b.drop(s, uri)
	s.forget(uri)
	return w
}

// drop forgets that s watches uri, under mu.
func (b *bus) drop(s *subscriber, uri string) {
	those := b.watching[uri]
	i := slices.Index(those, s)
	last := len(those) - 1
	those[i], those[last] = those[last], nil
	b.watched--
	switch {
	case last > 0:
		b.watching[uri] = those[:last]
	case len(b.watching) == 1:
		b.watching = make(map[string][]*subscriber) // a map keeps the room it once took
	default:
		delete(b.watching, uri)
	}
}

// size is how many subscribers there are, and how many resources they watch.
func (b *bus) size() (subscribers, watched int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all), b.watched
}
