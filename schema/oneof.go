package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// OneOf embedded in a struct makes the struct a union: every other field is a
// pointer to a struct, exactly one of them is set, and the member "type" says
// which, under the name of the field's json tag.
//
//	type Shape struct {
//		schema.OneOf
//		Circle *Circle `json:"circle" doc:"a circle by its radius"`
//		Rect   *Rect   `json:"rect"   doc:"a rectangle by its sides"`
//	}
//
//	{"type":"circle","radius":2}    // Shape{Circle: &Circle{Radius: 2}}
//
// Another name for the member is given as
//
//	schema.OneOf `mcp:"discriminator=kind"`
//
// In the schema the union is an object with oneOf, one closed object for each
// variant, each with its discriminator as a const.
//
// A union is a struct and no interface on purpose. The list of variants has to
// be written somewhere; here it is the type itself, so there is nothing to
// register (neither globally nor at every place the type is used), the compiler
// knows all variants, and the documentation of a variant stands where variants
// are listed. Read it with a switch over the fields that are not nil.
type OneOf struct{}

// unionNode is a struct that embeds OneOf.
type unionNode struct {
	notNull
	asJSON
	noKeywords
	typ      reflect.Type
	tag      string
	variants []variant
}

// variant is one field of a union.
type variant struct {
	name       string
	index      int
	node       *structNode
	doc, title string
}

func (n *unionNode) names() []string {
	names := make([]string, len(n.variants))
	for i := range n.variants {
		names[i] = n.variants[i].name
	}
	return names
}

func (n *unionNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() != jsonx.Object {
		d.mismatch("an object", stringified(d))
		return
	}
	tag, ok := n.findTag(d)
	if !ok {
		return
	}
	for i := range n.variants {
		if n.variants[i].name == tag {
			v.SetZero()
			p := v.Field(n.variants[i].index)
			p.Set(reflect.New(p.Type().Elem()))
			n.variants[i].node.decode(d, p.Elem())
			return
		}
	}
	d.s.Skip()
	start := len(d.faults)
	suggest := ""
	if c := closest(tag, n.names()); c != "" {
		suggest = "did you mean " + quote(c) + "?"
	}
	d.fail("must be one of "+list(quoted(n.names())), jsonx.AppendString(nil, tag), suggest)
	d.faults.prefix(start, nameStep(n.tag))
}

// findTag looks ahead for the discriminator, which may stand anywhere. Without
// one it skips the object and says so.
func (n *unionNode) findTag(d *decoder) (string, bool) {
	start := len(d.faults)
	ahead := d.s
	ahead.EnterObject()
	for {
		name, ok := ahead.NextName()
		if !ok {
			d.s.Skip()
			d.fail("required, but missing; must be one of "+list(quoted(n.names())), nil, "")
			break
		}
		if string(name) != n.tag {
			ahead.Skip()
			continue
		}
		if ahead.Kind() == jsonx.String {
			return ahead.String(), true
		}
		d.s.Skip()
		d.fail("must be one of "+list(quoted(n.names())), ahead.Skip(), "")
		break
	}
	d.faults.prefix(start, nameStep(n.tag))
	return "", false
}

func (n *unionNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	var set []string
	var chosen *variant
	for i := range n.variants {
		if !v.Field(n.variants[i].index).IsNil() {
			chosen = &n.variants[i]
			set = append(set, chosen.name)
		}
	}
	if len(set) != 1 {
		return dst, bad(fmt.Sprintf("must have exactly one variant set (of %s), has %d: %s",
			strings.Join(n.names(), ", "), len(set), strings.Join(set, ", ")), "")
	}
	return chosen.node.encode(dst, v.Field(chosen.index).Elem(), depth)
}

func (n *unionNode) describe(w *writer) {
	w.text("type", "object")
	w.key("oneOf")
	w.b = append(w.b, '[')
	for i := range n.variants {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.open()
		n.variants[i].node.describe(w)
		if n.variants[i].title != "" {
			w.text("title", n.variants[i].title)
		}
		if n.variants[i].doc != "" {
			w.text("description", n.variants[i].doc)
		}
		w.close()
	}
	w.b = append(w.b, ']')
}
