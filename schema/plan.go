package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// Option changes how a plan is made.
type Option interface{ apply(*planConfig) }

type planConfig struct{ strict, object, open bool }

type option func(*planConfig)

func (o option) apply(c *planConfig) { o(c) }

// Strict makes a plan accept exactly what its schema says: no "5" for 5, no 5
// for "5", no null for an argument that is left out.
func Strict() Option { return option(func(c *planConfig) { c.strict = true }) }

// Object demands that the root is an object, as the input of a tool is: a
// struct, a union, a map. A root of any or json.RawMessage becomes {"type":
// "object"} and takes any object; other types are an error.
func Object() Option { return option(func(c *planConfig) { c.object = true }) }

// Open makes objects of structs open: members no field has are ignored, and the
// schema does not forbid them. It is for what others send as a result, where an
// unknown member is a newer version and no mistake.
func Open() Option { return option(func(c *planConfig) { c.open = true }) }

// Plan is what a Go type means as JSON: its schema, and the compiled program
// that checks, coerces, defaults and decodes a JSON value in one walk, and
// encodes it back. It is immutable and safe for concurrent use.
type Plan struct {
	typ     reflect.Type // without pointers
	root    node
	json    json.RawMessage
	headers []Header
	lenient bool
}

// For is the plan of T. It fails with all faults of the type at once, in the
// order of declaration, each naming the Go type and field; see the package
// comment for what types and tags mean. Pointers around T do not matter.
func For[T any](opts ...Option) (*Plan, error) { return Of(reflect.TypeFor[T](), opts...) }

// Of is [For] of a type that is only known at run time.
func Of(t reflect.Type, opts ...Option) (*Plan, error) {
	if t == nil {
		return nil, errors.New("make a schema: there is no type")
	}
	var set planConfig
	for _, o := range opts {
		o.apply(&set)
	}
	t, err := pointed(t)
	if err != nil {
		return nil, fmt.Errorf("make a schema of %s: %w", t, err)
	}
	b := newBuilder()
	b.openObjects = set.open
	root := b.node(t, t.String())
	if root != nil && set.object {
		root = b.asObject(root, t)
	}
	if err := b.err(); err != nil {
		return nil, fmt.Errorf("make a schema of %s: %w", t, err)
	}
	p := &Plan{typ: t, root: root, lenient: !set.strict, json: b.write(root)}
	if p.headers, err = HeadersOf(p.json); err != nil {
		return nil, fmt.Errorf("make a schema of %s: %w", t, err)
	}
	return p, nil
}

// pointed is t without the pointers around it.
func pointed(t reflect.Type) (reflect.Type, error) {
	const most = 8 // type P *P never ends
	for range most {
		if t.Kind() != reflect.Pointer {
			return t, nil
		}
		t = t.Elem()
	}
	return t, fmt.Errorf("more than %d pointers around a value", most)
}

// asObject makes an object of the root, or complains.
func (b *builder) asObject(root node, t reflect.Type) node {
	switch n := root.(type) {
	case *structNode, *unionNode, *mapNode:
		return root
	case *anyNode:
		if n.form != anyMethods {
			return &anyNode{form: n.form, object: true, noKeywords: n.noKeywords}
		}
	}
	b.fail(t.String(), "must be an object in JSON; put it in a field of a struct")
	return root
}

// write makes the bytes of the schema.
func (b *builder) write(root node) json.RawMessage {
	w := &writer{names: map[node]string{}}
	used := map[string]bool{}
	var defs []node
	for _, n := range b.shared {
		if n == root {
			w.names[n] = "#"
			continue
		}
		name := defName(b.typeOf[n], used)
		w.names[n] = "#/$defs/" + name
		defs = append(defs, n)
	}
	w.open()
	root.describe(w)
	if len(defs) > 0 {
		w.key("$defs")
		w.open()
		for _, n := range defs {
			w.key(strings.TrimPrefix(w.names[n], "#/$defs/"))
			w.open()
			n.describe(w)
			w.close()
		}
		w.close()
	}
	w.close()
	return w.b
}

// defName is the type's own name, with what a JSON Pointer in a URI cannot hold
// replaced, and a number if another package has the same name.
func defName(t reflect.Type, used map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, t.Name())
	name := base
	for i := 2; used[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	used[name] = true
	return name
}

// JSON is the schema: JSON Schema 2020-12, the same bytes for the same type,
// properties in the order of the fields. The caller must not change it.
func (p *Plan) JSON() json.RawMessage { return p.json }

// Headers are the arguments to be mirrored in HTTP headers, in the order of the
// fields: those whose tag says header=Name.
func (p *Plan) Headers() []Header { return p.headers }

// IsObject reports whether the schema's root has "type":"object".
func (p *Plan) IsObject() bool {
	switch n := p.root.(type) {
	case *structNode, *unionNode, *mapNode:
		return true
	case *anyNode:
		return n.object
	}
	return false
}

// Field describes one member of a struct, for listings that are no schema: the
// arguments of a prompt, the variables of a resource template.
type Field struct {
	Name, Title, Doc string
	Required         bool
	// Enum is what the value must be one of, or nil.
	Enum []string
}

// Fields describes the members of the plan's struct in the order of its
// fields. It is nil when the root is no struct.
func (p *Plan) Fields() []Field {
	root, ok := p.root.(*structNode)
	if !ok {
		return nil
	}
	out := make([]Field, len(root.fields))
	for i, f := range root.fields {
		out[i] = Field{Name: f.name, Title: f.title, Doc: f.doc, Required: f.required, Enum: choicesOf(f.node)}
	}
	return out
}

// choicesOf is the enum of a node as text.
func choicesOf(n node) []string {
	switch n := n.(type) {
	case *pointerNode:
		return choicesOf(n.node)
	case *stringNode:
		return n.enum
	case *textNode:
		return n.enum
	case *intNode:
		if n.enum != nil {
			return n.choices()
		}
	case *floatNode:
		return n.enum
	case *boolNode:
		return []string{"true", "false"}
	}
	return nil
}

// Decode checks that raw is one strict JSON value (RFC 8259, UTF-8, unique
// names, at most 128 deep) and does what [Plan.DecodeChecked] does.
func (p *Plan) Decode(raw []byte, into any) error {
	if len(raw) > 0 {
		if err := jsonx.Check(raw, jsonx.DefaultDepth); err != nil {
			return Faults{{Message: "must be valid JSON: " + err.Error()}}
		}
	}
	return p.DecodeChecked(raw, into)
}

// DecodeChecked decodes raw, which is known to be one strict JSON value (part of
// a message that was checked as a whole, say), into a pointer to the plan's
// type, best a fresh zero value: members that are absent and have no default
// stay as they are. Empty raw counts as {}; so does null where an object is
// wanted, unless the plan is [Strict]. The result shares no memory with raw.
//
// A value that does not fit is an error of type [Faults]; what has been decoded
// until then means nothing. Any other error is a wrong into.
func (p *Plan) DecodeChecked(raw []byte, into any) error {
	v, err := p.target(into)
	if err != nil {
		return err
	}
	if len(raw) == 0 {
		raw = emptyObject
	}
	d := decoders.Get().(*decoder)
	d.s, d.lenient = jsonx.NewScanner(raw), p.lenient
	d.root, _ = p.root.(*structNode)
	if d.lenient && d.s.Kind() == jsonx.Null && !p.root.nullable() && p.IsObject() {
		d.s = jsonx.NewScanner(emptyObject)
	}
	p.root.decode(d, v)
	err = d.finish()
	*d = decoder{}
	decoders.Put(d)
	return err
}

var emptyObject = []byte("{}")

// target is the value to decode into; pointers in between are set.
func (p *Plan) target(into any) (reflect.Value, error) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return v, fmt.Errorf("decode into %T: a pointer to %s is needed", into, p.typ)
	}
	v = v.Elem()
	for v.Type() != p.typ && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if v.Type() != p.typ {
		return v, fmt.Errorf("decode into %T: a pointer to %s is needed", into, p.typ)
	}
	return v, nil
}

// Append appends v, a value of the plan's type or a pointer to one, as JSON that
// the schema accepts: a nil slice is [], a nil map {}, a nil pointer in a struct
// left out, <, > and & are not escaped, members come in the order of the fields
// and those of maps sorted. A value the schema does not accept (NaN, out of
// bounds, not of the enum, a union without a variant) is an error of type
// [Faults]; dst is then returned unchanged. A pointer is the faster argument.
func (p *Plan) Append(dst []byte, v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	if p.typ.Kind() == reflect.Interface {
		return p.root.encode(dst, p.boxed(rv), 1)
	}
	for rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return dst, bad("must be a "+p.typ.String()+", is a nil pointer", "")
		}
		rv = rv.Elem()
	}
	if !rv.IsValid() || rv.Type() != p.typ {
		return dst, fmt.Errorf("encode %T: a %s is needed", v, p.typ)
	}
	return p.root.encode(dst, rv, 1)
}

// boxed is v as a value of the plan's interface type.
func (p *Plan) boxed(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && v.Type().Elem() == p.typ && !v.IsNil() {
		return v.Elem()
	}
	box := reflect.New(p.typ).Elem()
	if v.IsValid() {
		box.Set(v)
	}
	return box
}
