package server

import (
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/uritmpl"
	"github.com/diglot-mcp/diglot/schema"
)

// bind pairs the variables of a template with the fields of the handler's In,
// of type t, and finds out how they complete. A name that only one side has is a
// fault: it would never be filled, or never be read.
func (r *resourceSpec) bind(d *declaration, in *schema.Plan, t reflect.Type) {
	properties, err := propertiesOf(in.JSON())
	if err != nil {
		d.fault("variables: %w", err)
		return
	}
	if r.template == nil {
		for _, p := range properties {
			d.fault("variables: field %q is never filled, since the URI has no variable", p.name)
		}
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fields := make(map[string]property, len(properties))
	for _, p := range properties {
		fields[p.name] = p
	}
	var variables []property
	named := make(map[string]bool)
	for _, v := range r.template.Vars() {
		p, ok := fields[v.Name]
		switch {
		case ok:
		case len(fields) == 0:
			p = property{name: v.Name, list: v.List} // the handler takes all, or none
		default:
			d.fault("variables: %q has no field in %s; add one with json:%q", v.Name, t, v.Name)
		}
		named[v.Name] = true
		variables = append(variables, p)
	}
	for _, p := range properties {
		switch {
		case !named[p.name]:
			d.fault("variables: field %q is none of the template's", p.name)
		case !p.scalar && !p.list:
			d.fault("variables: field %q can be filled neither from a text nor from a list", p.name)
		}
	}
	if len(fields) > 0 || t.Kind() != reflect.Struct {
		r.variables = variables
	}
	r.completers = newCompleters(d, variables)
}

// match reports whether the template matches a URI, and gives the variables its
// handler takes as an encoded object, nil when it takes none.
func (r *resourceSpec) match(uri string) ([]byte, bool) {
	values, ok := r.template.Match(uri)
	if !ok || len(r.variables) == 0 {
		return nil, ok
	}
	found := []byte{'{'}
	for _, p := range r.variables {
		for i := range values {
			if values[i].Name != p.name {
				continue
			}
			if len(found) > 1 {
				found = append(found, ',')
			}
			found = append(jsonx.AppendString(found, p.name), ':')
			found = appendVariable(found, &values[i], p.list)
		}
	}
	return append(found, '}'), true
}

func appendVariable(dst []byte, v *uritmpl.Value, list bool) []byte {
	if !list {
		return jsonx.AppendString(dst, v.Text)
	}
	dst = append(dst, '[')
	for i, e := range v.Elements() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonx.AppendString(dst, e)
	}
	return append(dst, ']')
}

// moreSpecific orders families: the one that is asked first comes first.
func moreSpecific(a, b *resourceSpec) int { return uritmpl.Compare(a.template, b.template) }
