package server

import (
	"context"
	"reflect"
	"strings"

	"github.com/diglot-mcp/diglot/internal/uritmpl"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// resourceSpec is what a resource or a family of resources is besides its URI
// and its options.
type resourceSpec struct {
	// template matches the URIs of a family; nil for a resource with a fixed URI.
	template   *uritmpl.Template
	completers completers
	// variables are those the handler takes.
	variables []property
	// run calls the handler with the URI that is read and the variables found in
	// it, an encoded object. Without an error the result is not nil.
	run func(ctx context.Context, uri string, variables []byte) (*mcp.ReadResourceResult, error)
}

// Resource declares a resource with a fixed URI, or, when uri has variables in
// braces, a family of resources named by a URI template of RFC 6570. In is a
// struct with one field for each variable, converted and checked as the
// arguments of a [Tool] are; a URI whose variables do not fit is not found. For a
// fixed URI, and for a template whose handler looks at [Call.Name], In is
// struct{}.
//
// A URI that several templates match belongs to the most specific one: more
// literal text comes before less, a plain variable before one that spans
// slashes. Fixed URIs come before templates. Variables arrive decoded, so one may
// hold a slash or "..": a handler that opens files with it does so in an
// [os.Root].
//
// Out is string (text), []byte (a blob), [mcp.ResourceContents] or a slice of
// them, [*mcp.ReadResourceResult], any (what the value at hand is), or anything
// else, which is written as JSON.
// Contents without a URI of their own have the one that was read, and those
// without a media type the one of [MIME]; JSON is application/json otherwise. No
// contents at all means that there is no such resource.
//
// fn runs concurrently with itself. An error that wraps [mcp.ErrNotFound] says
// that there is no such resource; the text of any other error is not sent unless
// it is one of [Refuse]'s, see the package comment.
func Resource[In, Out any](s *Service, uri string, fn func(ctx context.Context, in In) (Out, error), opts ...Option) {
	kind, at := KindResource, onResource
	if strings.ContainsAny(uri, "{}") {
		kind, at = KindTemplate, onTemplate
	}
	d := &declaration{kind: kind, name: uri, about: settingsOf(at, opts)}
	if fn == nil {
		d.fault("the handler is nil")
	}
	if !absoluteURI(uri) {
		d.fault("it is no absolute URI; begin with a scheme, as in note://%s", uri)
	}
	in, err := schema.For[In](schema.Object())
	if err != nil {
		d.fault("variables: %w", err)
	}
	show, err := contentsOf(reflect.TypeFor[Out](), d.about.mime)
	if err != nil {
		d.fault("result: %w", err)
	}
	spec := &resourceSpec{run: func(ctx context.Context, uri string, variables []byte) (*mcp.ReadResourceResult, error) {
		var call struct {
			in  In
			out Out
		}
		if variables != nil {
			if err := in.DecodeChecked(variables, &call.in); err != nil {
				return nil, misread(uri, err)
			}
		}
		var err error
		if call.out, err = fn(ctx, call.in); err != nil {
			return nil, err
		}
		r, err := show(&call.out)
		if err != nil {
			return nil, err
		}
		return located(r, uri)
	}}
	if kind == KindTemplate {
		if spec.template, err = uritmpl.Parse(uri); err != nil {
			d.fault("%w", err)
		}
	}
	if in != nil && len(d.faults) == 0 {
		spec.bind(d, in, reflect.TypeFor[In]())
	}
	d.resource = spec
	s.declare(d)
}

// absoluteURI reports whether s has a scheme and none of the characters that a
// URI or IRI cannot have (RFC 3986, 3 and 2; RFC 3987). Nothing is normalised: a
// URI is the bytes it was declared with (RES-04).
func absoluteURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !letter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !letter(c) && !('0' <= c && c <= '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`", c) >= 0 {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// resourceValue and templateValue make the descriptions that clients see.
func (d *declaration) resourceValue() mcp.Resource {
	return mcp.Resource{
		URI: d.name, Name: d.programName(), Title: d.about.title, Description: d.about.doc, MIMEType: d.about.mime,
		Size: d.about.size, Icons: d.about.icons, Annotations: d.about.annotations, Meta: d.about.meta,
	}
}

func (d *declaration) templateValue() mcp.ResourceTemplate {
	return mcp.ResourceTemplate{
		URITemplate: d.name, Name: d.programName(), Title: d.about.title, Description: d.about.doc, MIMEType: d.about.mime,
		Icons: d.about.icons, Annotations: d.about.annotations, Meta: d.about.meta,
	}
}

func (d *declaration) programName() string {
	if d.about.name != "" {
		return d.about.name
	}
	return d.name
}
