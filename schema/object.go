package schema

import (
	"math/bits"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// structNode is a Go struct: a closed object, unless a field takes the rest.
type structNode struct {
	notNull
	asJSON
	noKeywords
	typ    reflect.Type
	fields []field
	// byName finds a field when there are too many to try one by one.
	byName map[string]int
	// care is a bit for each field that something is done about when it is
	// absent: it is required or has a default.
	care []uint64
	// rest takes the members that no field has; open ignores them.
	rest *field
	open bool
	// tag and tagValue are the member that tells this variant of a union from
	// the others.
	tag, tagValue string
	lead          []byte // the tag member, encoded
}

// field is one member of a struct.
type field struct {
	name  string
	lead  []byte // the name, encoded, with its colon
	index []int  // the path of reflect, through embedded structs
	node  node
	// required: absence is a fault. Optional ones take null as absence.
	required bool
	// fallback is the default as JSON; scalar is the same as a value, when
	// copying it is enough.
	fallback []byte
	scalar   reflect.Value

	omitEmpty, omitZero, pointer bool

	doc, title, header string
	example            []byte
}

// manyFields is where a map beats trying names in turn.
const manyFields = 8

// seal completes a node when its fields are known.
func (n *structNode) seal() {
	n.care = make([]uint64, (len(n.fields)+63)/64)
	for i := range n.fields {
		f := &n.fields[i]
		f.lead = append(jsonx.AppendString(nil, f.name), ':')
		if f.required || f.fallback != nil {
			n.care[i/64] |= 1 << (i % 64)
		}
	}
	if len(n.fields) > manyFields {
		n.byName = make(map[string]int, len(n.fields))
		for i := range n.fields {
			n.byName[n.fields[i].name] = i
		}
	}
}

// find is the index of the field called name, or -1. Members mostly come in the
// order of the schema, so the guess is tried first.
func (n *structNode) find(name []byte, guess int) int {
	if guess < len(n.fields) && n.fields[guess].name == string(name) {
		return guess
	}
	if n.byName != nil {
		if i, ok := n.byName[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range n.fields {
		if n.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

func (n *structNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() != jsonx.Object {
		d.mismatch("an object", stringified(d))
		return
	}
	d.s.EnterObject()
	var few [4]uint64
	seen := few[:]
	if len(n.care) > len(few) {
		seen = make([]uint64, len(n.care))
	}
	guess := 0
	for {
		name, ok := d.s.NextName()
		if !ok {
			break
		}
		i := n.find(name, guess)
		if i < 0 {
			n.decodeRest(d, name, v)
			continue
		}
		guess = i + 1
		f := &n.fields[i]
		if d.lenient && !f.required && d.s.Kind() == jsonx.Null && !f.node.nullable() {
			d.s.Null()
			continue
		}
		seen[i/64] |= 1 << (i % 64)
		start := len(d.faults)
		f.node.decode(d, f.reach(v))
		if len(d.faults) > start {
			d.locate(start, f.name)
		}
	}
	for w, care := range n.care {
		for absent := care &^ seen[w]; absent != 0; absent &= absent - 1 {
			n.absent(d, &n.fields[w*64+bits.TrailingZeros64(absent)], v)
		}
	}
}

// reach is the field's value in the struct v; embedded pointers on the way are
// set.
func (f *field) reach(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// absent applies a default, or says that a value is required.
func (n *structNode) absent(d *decoder, f *field, v reflect.Value) {
	start := len(d.faults)
	switch {
	case f.fallback == nil:
		d.fail("required, but missing", nil, "")
	case f.scalar.IsValid():
		f.reach(v).Set(f.scalar)
	default:
		d.byDefault(f, f.reach(v))
	}
	if len(d.faults) > start {
		d.locate(start, f.name)
	}
}

// maxNest is how deep defaults may lie in one another. It is only reached by a
// type whose default contains itself, which registration refuses.
const maxNest = 32

// byDefault decodes a default that is no scalar, so that every value gets its
// own slice, map or pointer.
func (d *decoder) byDefault(f *field, v reflect.Value) {
	if d.nest == maxNest {
		d.fail("has a default that contains itself", nil, "")
		return
	}
	d.nest++
	outer := d.s
	d.s = jsonx.NewScanner(f.fallback)
	f.node.decode(d, v)
	d.s = outer
	d.nest--
}

// decodeRest handles a member that no field has.
func (n *structNode) decodeRest(d *decoder, name []byte, v reflect.Value) {
	if n.tag != "" && string(name) == n.tag {
		d.s.Skip() // the union has looked at it
		return
	}
	if n.rest != nil {
		m := n.rest.node.(*mapNode)
		m.decodeMember(d, string(name), n.rest.reach(v))
		return
	}
	key := string(name)
	raw := d.s.Skip()
	if n.open {
		return
	}
	if secret(key) {
		raw = nil
	}
	what := "property"
	if d.root == n {
		what = "argument"
	}
	d.fail("unknown "+what+" "+quote(key), raw, n.otherName(key))
}

// otherName suggests what to write instead of an unknown name.
func (n *structNode) otherName(name string) string {
	names := make([]string, len(n.fields))
	for i := range n.fields {
		names[i] = n.fields[i].name
	}
	switch best := closest(name, names); {
	case best != "":
		return "did you mean " + quote(best) + "?"
	case len(names) == 0:
		return "there are none"
	default:
		return "known are " + list(quoted(names))
	}
}

// stringified is the hint for a model that quoted its object or array.
func stringified(d *decoder) string {
	if d.s.Kind() == jsonx.String {
		return "write it as JSON, not as a string"
	}
	return ""
}

func (n *structNode) describe(w *writer) {
	w.text("type", "object")
	w.key("properties")
	w.open()
	if n.tag != "" {
		w.key(n.tag)
		w.open()
		w.text("type", "string")
		w.text("const", n.tagValue)
		w.close()
	}
	for i := range n.fields {
		f := &n.fields[i]
		w.key(f.name)
		w.open()
		f.describe(w)
		w.close()
	}
	w.close()
	if required := n.required(); len(required) > 0 {
		w.texts("required", required)
	}
	switch {
	case n.rest != nil:
		n.rest.node.(*mapNode).describeElem(w)
	case !n.open:
		w.raw("additionalProperties", []byte("false"))
	}
}

// describe writes the members of the field's schema, what the field says of
// its value first.
func (f *field) describe(w *writer) {
	w.members(f.node)
	if f.title != "" {
		w.text("title", f.title)
	}
	if f.doc != "" {
		w.text("description", f.doc)
	}
	if f.fallback != nil {
		w.raw("default", f.fallback)
	}
	if f.example != nil {
		w.raw("examples", append(append([]byte{'['}, f.example...), ']'))
	}
	if f.header != "" {
		w.text(headerKeyword, f.header)
	}
}

func (n *structNode) required() []string {
	var names []string
	if n.tag != "" {
		names = append(names, n.tag)
	}
	for i := range n.fields {
		if n.fields[i].required {
			names = append(names, n.fields[i].name)
		}
	}
	return names
}
