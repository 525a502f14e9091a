package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// candidate is a field that may become a member, before the rules of embedding
// decide between fields of one name.
type candidate struct {
	reflect.StructField
	owner  string // the Go type that declares it
	index  []int
	name   string
	tagged bool // has a json name
	opts   []string
	weak   bool // lies behind an embedded pointer, and so may be absent
}

// fill adds the members of a struct to its node.
func (b *builder) fill(n *structNode, where string) {
	var all []candidate
	b.collect(n.typ, where, nil, false, map[reflect.Type]bool{}, &all)
	for i, c := range all {
		if c.name == n.tag && n.tag != "" {
			b.fail(c.owner+"."+c.Name, "%q is the discriminator of the union; give the field another name", c.name)
			continue
		}
		if rest := restField(c); rest {
			b.rest(n, c)
			continue
		}
		if b.dominated(all, i) {
			continue
		}
		if f := b.field(c); f != nil {
			n.fields = append(n.fields, *f)
		}
	}
	n.seal()
}

// collect lists the fields of a struct and of those it embeds, in the order of
// declaration.
func (b *builder) collect(t reflect.Type, owner string, index []int, weak bool, inside map[reflect.Type]bool, all *[]candidate) {
	if inside[t] {
		return // embeds itself by pointer: Go's rules see only the outer one
	}
	inside[t] = true
	defer delete(inside, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		c := candidate{StructField: sf, owner: owner, index: append(slices.Clip(slices.Clone(index)), i), weak: weak}
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if strings.Contains(opts, ",") || opts != "" {
			c.opts = strings.Split(opts, ",")
		}
		if sf.Tag.Get("json") == "-" && !restField(c) {
			continue
		}
		if sf.Anonymous && name == "" {
			inner := sf.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && special(inner) == nil {
				if inner == oneOf {
					continue
				}
				if sf.Type.Kind() == reflect.Pointer && !sf.IsExported() {
					b.fail(owner+"."+sf.Name, "an embedded pointer to an unexported struct cannot be set; embed the struct itself")
					continue
				}
				b.collect(inner, inner.String(), c.index, weak || sf.Type.Kind() == reflect.Pointer, inside, all)
				continue
			}
		}
		if !sf.IsExported() {
			continue
		}
		c.name, c.tagged = name, name != ""
		if c.name == "" {
			c.name = sf.Name
		}
		*all = append(*all, c)
	}
}

// dominated applies Go's rules for fields of one name: the least nested wins,
// then the one with a json tag; of equals none remains. Two equals in one
// struct are a mistake.
func (b *builder) dominated(all []candidate, i int) bool {
	c := all[i]
	for j, o := range all {
		if j == i || o.name != c.name || restField(o) {
			continue
		}
		switch depth, other := len(c.index), len(o.index); {
		case other < depth:
			return true
		case other == depth && slices.Equal(o.index[:depth-1], c.index[:depth-1]):
			if j < i {
				b.fail(c.owner+"."+c.Name, "%q is also the name of %s", c.name, o.Name)
			}
			return true
		case other == depth && (o.tagged || !c.tagged):
			return true
		}
	}
	return false
}

func restField(c candidate) bool {
	settings, err := parseTag(c.Tag.Get("mcp"))
	return err == nil && slices.ContainsFunc(settings, func(s setting) bool { return s.key == "rest" })
}

// rest makes a map field take the members that no other field has.
func (b *builder) rest(n *structNode, c candidate) {
	where := c.owner + "." + c.Name
	switch {
	case n.rest != nil:
		b.fail(where, "only one field can take the rest")
	case !c.IsExported():
		b.fail(where, "an unexported field cannot take the rest")
	case c.Type.Kind() != reflect.Map:
		b.fail(where, "rest needs a map, not %s", c.Type)
	default:
		if m, ok := b.node(c.Type, where).(*mapNode); ok {
			n.rest = &field{index: c.index, node: m}
		}
	}
}

// field builds one member. It is nil when the type or the tag is wrong.
func (b *builder) field(c candidate) *field {
	where := c.owner + "." + c.Name
	f := &field{name: c.name, index: c.index, doc: c.Tag.Get("doc"), required: !c.weak}
	if strings.ContainsAny(c.name, "\"\\") {
		b.fail(where, "json name %q has a quote or a backslash", c.name)
	}
	for _, o := range c.opts {
		switch o {
		case "omitempty":
			f.omitEmpty, f.required = true, false
		case "omitzero":
			f.omitZero, f.required = true, false
		case "string":
			b.fail(where, `the json option "string" is not supported; give the field a string type`)
		}
	}
	typ, err := pointed(c.Type)
	if err != nil {
		b.fail(where, "%w", err)
		return nil
	}
	if typ != c.Type {
		f.pointer, f.required = true, false
	}
	if f.node = b.node(typ, where); f.node == nil {
		return nil
	}
	for typ := c.Type; typ.Kind() == reflect.Pointer; typ = typ.Elem() {
		f.node = &pointerNode{f.node}
	}
	settings, err := parseTag(c.Tag.Get("mcp"))
	if err != nil {
		b.fail(where, "mcp tag: %w", err)
		return f
	}
	b.apply(f, c.Type, settings, where)
	return f
}

// apply gives a field what its mcp tag says.
func (b *builder) apply(f *field, t reflect.Type, settings []setting, where string) {
	for _, s := range settings {
		switch s.key {
		case "optional":
			f.required = false
		case "title":
			f.title = s.value()
		case "header":
			f.header = s.value()
			if err := f.mirrored(); err != nil {
				b.fail(where, "mcp tag: header: %w", err)
			}
		case "default":
			f.required, f.fallback = false, f.node.literal(s.value())
			b.deferred(where, func() error { return f.settle(t) })
		case "example":
			f.example = f.node.literal(s.value())
			b.deferred(where, func() error { return f.try("example", f.example, reflect.New(t).Elem()) })
		case "discriminator":
			b.fail(where, "mcp tag: discriminator belongs to the embedded schema.OneOf")
		default:
			if err := f.node.constrain(s); err != nil {
				b.fail(where, "mcp tag: %w", err)
			}
		}
	}
}

// mirrored says why the field cannot be mirrored in a header.
func (f *field) mirrored() error {
	if !isToken(f.header) {
		return fmt.Errorf("%q is no HTTP token; use letters, digits and !#$%%&'*+-.^_`|~", f.header)
	}
	n := f.node
	for {
		p, ok := n.(*pointerNode)
		if !ok {
			break
		}
		n = p.node
	}
	switch n := n.(type) {
	case *stringNode, *textNode, *bytesNode, *boolNode, *intNode:
		return nil
	case *bigNode:
		if n.integer {
			return nil
		}
	}
	return errors.New("only a string, an integer or a boolean can be mirrored")
}

// settle checks a default and keeps it as a value where that is enough.
func (f *field) settle(t reflect.Type) error {
	v := reflect.New(t).Elem()
	if err := f.try("default", f.fallback, v); err != nil {
		return err
	}
	switch k := t.Kind(); {
	case k >= reflect.Bool && k <= reflect.Float64, k == reflect.String:
		f.scalar = v
	}
	return nil
}

// try decodes a value written in a tag.
func (f *field) try(key string, raw []byte, v reflect.Value) error {
	if err := jsonx.Check(raw, 0); err != nil {
		return fmt.Errorf("mcp tag: %s: %w", key, err)
	}
	d := decoder{s: jsonx.NewScanner(raw)}
	f.node.decode(&d, v)
	if err := d.finish(); err != nil {
		return fmt.Errorf("mcp tag: %s: %w", key, err)
	}
	return nil
}

// isUnion reports whether the struct embeds OneOf.
func isUnion(t reflect.Type) bool {
	for f := range t.Fields() {
		if f.Anonymous && f.Type == oneOf {
			return true
		}
	}
	return false
}

// union adds the variants of a union to its node.
func (b *builder) union(n *unionNode, where string) {
	for i := range n.typ.NumField() {
		sf := n.typ.Field(i)
		at := where + "." + sf.Name
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Type == oneOf:
			b.discriminator(n, sf, at)
		case !sf.IsExported() || name == "-":
			b.fail(at, "every field of a union is an exported variant")
		case sf.Type.Kind() != reflect.Pointer || sf.Type.Elem().Kind() != reflect.Struct || isUnion(sf.Type.Elem()) || special(sf.Type.Elem()) != nil:
			b.fail(at, "a variant is a pointer to a struct, not %s", sf.Type)
		default:
			if name == "" {
				name = sf.Name
			}
			if slices.Contains(n.names(), name) {
				b.fail(at, "%q is also the name of another variant", name)
				continue
			}
			v := variant{name: name, index: i, doc: sf.Tag.Get("doc")}
			var err error
			if v.title, err = variantTitle(sf); err != nil {
				b.fail(at, "mcp tag: %w", err)
			}
			inner := sf.Type.Elem()
			v.node = &structNode{typ: inner, open: b.openObjects, noKeywords: noKeywords{"an object"}, tag: n.tag, tagValue: name}
			v.node.lead = append(jsonx.AppendString(nil, n.tag), ':')
			v.node.lead = jsonx.AppendString(v.node.lead, name)
			b.fill(v.node, inner.String())
			n.variants = append(n.variants, v)
		}
	}
	if len(n.variants) == 0 {
		b.fail(where, "a union needs variants: exported fields that are pointers to structs")
	}
}

func (b *builder) discriminator(n *unionNode, sf reflect.StructField, at string) {
	settings, err := parseTag(sf.Tag.Get("mcp"))
	for _, s := range settings {
		if s.key != "discriminator" || s.value() == "" {
			err = errors.New("schema.OneOf takes discriminator=name only")
			continue
		}
		n.tag = s.value()
	}
	if err != nil {
		b.fail(at, "mcp tag: %w", err)
	}
	if n.typ.Field(0).Type != oneOf {
		b.fail(at, "schema.OneOf must be the first field")
	}
}

func variantTitle(sf reflect.StructField) (title string, err error) {
	settings, err := parseTag(sf.Tag.Get("mcp"))
	for _, s := range settings {
		if s.key != "title" {
			return "", fmt.Errorf("%s does not apply to a variant", s.key)
		}
		title = s.value()
	}
	return title, err
}
