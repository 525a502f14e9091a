package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// Option says one more thing about a service or about one of its entries. An
// option that has no meaning where it is used is a fault [New] reports.
type Option interface {
	apply(to *settings, at place)
}

// place is where an option is used; a set of places where it may be.
type place uint8

const (
	onService place = 1 << iota
	onTool
	onRawTool
	onResource
	onTemplate
	onPrompt

	onTools     = onTool | onRawTool
	onResources = onResource | onTemplate
	onEntries   = onTools | onResources | onPrompt
)

var placeNames = []struct {
	at   place
	name string
}{
	{onService, "a service"},
	{onTool, "a tool"},
	{onRawTool, "a raw tool"},
	{onResource, "a resource"},
	{onTemplate, "a resource template"},
	{onPrompt, "a prompt"},
}

// String lists the places, as in "a tool or a prompt".
func (p place) String() string {
	var names []string
	for _, n := range placeNames {
		if p&n.at != 0 {
			names = append(names, n.name)
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return strings.Join(names, "")
}

// settings is what the options of one service or entry say.
type settings struct {
	doc, title, name string
	icons            []mcp.Icon
	hints            *mcp.ToolAnnotations
	annotations      *mcp.Annotations
	mime             string
	size             *int64
	meta             mcp.Meta
	strict           bool
	output           json.RawMessage
	cache            mcp.CacheHint
	needs            []mcp.ClientCapabilities
	visible          []predicate
	completers       []completer
	watch            WatchFunc
	faults           []error
}

func (s *settings) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Errorf(format, args...))
}

// settingsOf applies options in their order.
func settingsOf(at place, opts []Option) settings {
	var s settings
	for i, o := range opts {
		if o == nil {
			s.fault("option %d is nil", i+1)
			continue
		}
		o.apply(&s, at)
	}
	return s
}

// option is the only implementation of Option.
type option struct {
	name string
	may  place
	set  func(*settings)
}

func (o option) apply(to *settings, at place) {
	if at&o.may == 0 {
		to.faults = append(to.faults, fmt.Errorf("option %s says nothing about %s; it is for %s", o.name, at, o.may))
		return
	}
	o.set(to)
}

// Doc describes a service or an entry: to a model when it is a tool, to a person
// otherwise. A service's text is for those who mount it.
func Doc(text string) Option {
	return option{"Doc", onService | onEntries, func(s *settings) { s.doc = text }}
}

// Title is the name to show people instead of the name for programs.
func Title(text string) Option {
	return option{"Title", onEntries, func(s *settings) { s.title = text }}
}

// Name is the name of a resource or template for programs. Without it the URI or
// the template is the name too.
func Name(name string) Option {
	return option{"Name", onResources, func(s *settings) { s.name = name }}
}

// Icons are pictures of the entry. Their sources are https: or data: URLs.
func Icons(icons ...mcp.Icon) Option {
	return option{"Icons", onEntries, func(s *settings) {
		for _, i := range icons {
			if !strings.HasPrefix(i.Src, "https:") && !strings.HasPrefix(i.Src, "data:") {
				s.fault("icon %q: the source must be an https: or data: URL", i.Src)
			}
		}
		s.icons = append(s.icons, icons...)
	}}
}

// ReadOnly says that the tool changes nothing.
func ReadOnly() Option {
	return hintOption("ReadOnly", func(a *mcp.ToolAnnotations) { a.ReadOnlyHint = new(true) })
}

// Destructive says that what the tool changes may be lost. A tool that is not
// ReadOnly and says nothing counts as destructive too; see [Additive].
func Destructive() Option {
	return hintOption("Destructive", func(a *mcp.ToolAnnotations) { a.DestructiveHint = new(true) })
}

// Additive says that the tool only adds, and destroys nothing.
func Additive() Option {
	return hintOption("Additive", func(a *mcp.ToolAnnotations) { a.DestructiveHint = new(false) })
}

// Idempotent says that calling the tool twice with the same arguments does no
// more than calling it once. Clients may then repeat a call that got lost.
func Idempotent() Option {
	return hintOption("Idempotent", func(a *mcp.ToolAnnotations) { a.IdempotentHint = new(true) })
}

// OpenWorld says that the tool reaches beyond a closed set of things, as a web
// search does. Without it, and without [ClosedWorld], clients assume so.
func OpenWorld() Option {
	return hintOption("OpenWorld", func(a *mcp.ToolAnnotations) { a.OpenWorldHint = new(true) })
}

// ClosedWorld says that the tool works on a closed set of things, as a notebook
// does.
func ClosedWorld() Option {
	return hintOption("ClosedWorld", func(a *mcp.ToolAnnotations) { a.OpenWorldHint = new(false) })
}

func hintOption(name string, set func(*mcp.ToolAnnotations)) Option {
	return option{name, onTools, func(s *settings) {
		if s.hints == nil {
			s.hints = new(mcp.ToolAnnotations)
		}
		set(s.hints)
	}}
}

// MIME is the media type of a resource. On a template it holds for every
// resource of the family. Contents that say nothing of their own have it.
func MIME(mediaType string) Option {
	return option{"MIME", onResources, func(s *settings) {
		if !strings.Contains(mediaType, "/") {
			s.fault("media type %q is none; write one such as text/markdown", mediaType)
		}
		s.mime = mediaType
	}}
}

// Size is the size of a resource in bytes, before any encoding.
func Size(bytes int64) Option {
	return option{"Size", onResource, func(s *settings) {
		if bytes < 0 {
			s.fault("a size of %d bytes is negative", bytes)
		}
		s.size = &bytes
	}}
}

// Audience says whom a resource is for.
func Audience(roles ...mcp.Role) Option {
	return option{"Audience", onResources, func(s *settings) {
		for _, r := range roles {
			if r != mcp.RoleUser && r != mcp.RoleAssistant {
				s.fault("audience %q is neither %q nor %q", r, mcp.RoleUser, mcp.RoleAssistant)
			}
		}
		s.annotate().Audience = roles
	}}
}

// Priority says how much a resource matters: 0 is optional, 1 is required.
func Priority(priority float64) Option {
	return option{"Priority", onResources, func(s *settings) {
		if !(priority >= 0 && priority <= 1) {
			s.fault("priority %v is not between 0 and 1", priority)
		}
		s.annotate().Priority = &priority
	}}
}

// LastModified says when a resource was changed last.
func LastModified(at time.Time) Option {
	return option{"LastModified", onResources, func(s *settings) { s.annotate().LastModified = at.Format(time.RFC3339) }}
}

func (s *settings) annotate() *mcp.Annotations {
	if s.annotations == nil {
		s.annotations = new(mcp.Annotations)
	}
	return s.annotations
}

// Meta adds a member to the entry's _meta. The value is written as JSON.
func Meta(key string, value any) Option {
	return option{"Meta", onEntries, func(s *settings) {
		raw, err := json.Marshal(value)
		if err != nil {
			s.fault("meta %q: %w", key, err)
			return
		}
		if s.meta == nil {
			s.meta = make(mcp.Meta)
		}
		s.meta[key] = raw
	}}
}

// Strict takes arguments as they are: a string "5" is then no number. On a
// service it holds for all its entries. Prompts and URIs carry strings alone, so
// that it says nothing about them.
func Strict() Option {
	return option{"Strict", onService | onTool, func(s *settings) { s.strict = true }}
}

// OutputSchema is the JSON Schema of a tool's structured results, in the place
// of the one its handler's type has. Each result is checked against it.
func OutputSchema(schema json.RawMessage) Option {
	return option{"OutputSchema", onTools, func(s *settings) { s.output = schema }}
}

// CacheFor says how long, and by whom, what a resource holds may be kept. On a
// service it holds for all its resources.
func CacheFor(ttl time.Duration, scope mcp.CacheScope) Option {
	return option{"CacheFor", onService | onResources, func(s *settings) {
		s.cache = mcp.Cache(ttl, scope)
		if ttl < 0 {
			s.fault("a time to live of %v is negative", ttl)
		}
		if scope != mcp.CachePublic && scope != mcp.CachePrivate {
			s.fault("cache scope %q is neither %q nor %q", scope, mcp.CachePublic, mcp.CachePrivate)
		}
	}}
}

// Needs says which capabilities of the client an entry cannot do without. A
// request of a client that lacks one is refused before the handler runs, with
// those it lacks (-32021). Every non-nil member of capabilities is needed.
func Needs(capabilities mcp.ClientCapabilities) Option {
	return option{"Needs", onEntries, func(s *settings) { s.needs = append(s.needs, capabilities) }}
}

// Visible hides an entry, or all entries of a service, from callers for whom
// predicate returns false. A hidden entry is in no list, and using it fails as if
// it did not exist. All predicates that have a say, Config.Visible among them,
// must agree.
//
// The predicate runs concurrently, for every listing and every use; its context
// is that of the request, for [CallFrom]. What it decides by must belong to the
// request (its principal, its header), never to what was asked before.
func Visible(predicate func(ctx context.Context, entry Entry) bool) Option {
	return option{"Visible", onService | onEntries, func(s *settings) {
		if predicate == nil {
			s.faults = append(s.faults, errors.New("the predicate of Visible is nil"))
			return
		}
		s.visible = append(s.visible, predicate)
	}}
}
