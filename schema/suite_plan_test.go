package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// TestOfficialSuiteOnPlans runs every group of the official suite whose schema
// a Go type could have led to. A plan comes from a type, so the nodes are put
// together here from the schema; they are the very nodes that inference uses,
// and only what chooses between them by the kind of the value (a schema without
// "type" accepts several) belongs to the test.
func TestOfficialSuiteOnPlans(t *testing.T) {
	dir := suiteDir(t)
	for draft, least := range map[string]struct{ groups, tests int }{"draft2020-12": {60, 290}, "draft7": {60, 290}} {
		t.Run(draft, func(t *testing.T) {
			groups, tests := 0, 0
			for _, g := range suite(t, dir, draft) {
				root, err := planFromSchema(g.Schema)
				if err != nil {
					continue // a keyword no type leads to
				}
				groups++
				for _, test := range g.Tests {
					tests++
					p := &Plan{typ: reflect.TypeFor[any](), root: root}
					var v any
					err := p.Decode(test.Data, &v)
					if (err == nil) != test.Valid {
						t.Errorf("%s: %s: %s: %s: valid is %t, want %t: %v", g.File, g.Description, test.Description, test.Data, err == nil, test.Valid, err)
						continue
					}
					if err != nil {
						continue
					}
					out, err := p.Append(nil, &v)
					if err != nil {
						t.Errorf("%s: %s: %s: encode: %v", g.File, g.Description, test.Description, err)
					} else if a, b := canonical(test.Data), canonical(out); a != b {
						t.Errorf("%s: %s: %s: %s came back as %s", g.File, g.Description, test.Description, test.Data, out)
					}
				}
			}
			t.Logf("%d groups, %d tests", groups, tests)
			if groups < least.groups || tests < least.tests {
				t.Errorf("%d groups and %d tests ran, want at least %d and %d", groups, tests, least.groups, least.tests)
			}
		})
	}
}

func canonical(raw []byte) string {
	return string(jsonx.AppendCanonical(nil, raw))
}

// byKindNode chooses the node by the kind of the value. A kind without a node
// is refused.
type byKindNode struct {
	asJSON
	noKeywords
	nodes map[jsonx.Kind]node
	types map[jsonx.Kind]reflect.Type
	null  bool
}

func (n *byKindNode) nullable() bool { return n.null }

func (n *byKindNode) decode(d *decoder, v reflect.Value) {
	k := d.s.Kind()
	if k == jsonx.Null && n.null {
		d.s.Null()
		v.SetZero()
		return
	}
	inner := n.nodes[k]
	if inner == nil {
		d.mismatch("of another type", "")
		return
	}
	x := reflect.New(n.types[k])
	inner.decode(d, x.Elem())
	v.Set(x) // the pointer, so that encode finds an addressable value
}

func (n *byKindNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	x := v.Elem().Elem()
	for k, t := range n.types {
		if t == x.Type() {
			return n.nodes[k].encode(dst, x, depth)
		}
	}
	return dst, bad("no node", "")
}

func (n *byKindNode) describe(*writer) {}

// planFromSchema puts nodes together that mean the schema, or fails if types
// cannot lead to it.
func planFromSchema(raw []byte) (node, error) {
	if string(raw) == "true" {
		return anything(), nil
	}
	if jsonx.KindOf(raw) != jsonx.Object {
		return nil, fmt.Errorf("no schema a type leads to")
	}
	kw := map[string][]byte{}
	for name, value := range jsonx.Members(raw) {
		if !slices.Contains(expressible, string(name)) {
			return nil, fmt.Errorf("keyword %s", name)
		}
		kw[string(name)] = value
	}
	n := &byKindNode{nodes: map[jsonx.Kind]node{}, types: map[jsonx.Kind]reflect.Type{}, null: true}
	add := func(k jsonx.Kind, t reflect.Type, x node) { n.nodes[k], n.types[k] = x, t }
	add(jsonx.Bool, reflect.TypeFor[bool](), &boolNode{})
	if err := addText(kw, add); err != nil {
		return nil, err
	}
	if err := addNumber(kw, add); err != nil {
		return nil, err
	}
	if err := addList(kw, add); err != nil {
		return nil, err
	}
	if err := addObject(kw, add); err != nil {
		return nil, err
	}
	return n, restrict(kw, n)
}

var expressible = []string{
	"$schema", "$comment", "title", "description", "default", "examples",
	"type", "enum", "const", "minimum", "maximum", "minLength", "maxLength", "pattern",
	"items", "minItems", "maxItems", "uniqueItems", "properties", "required", "additionalProperties",
	"minProperties", "maxProperties",
}

func anything() node { return &anyNode{form: anyInterface} }

type adder func(jsonx.Kind, reflect.Type, node)

func set(kw map[string][]byte, n node, keys map[string]string) error {
	for keyword, key := range keys {
		if v, ok := kw[keyword]; ok {
			text := string(v)
			if i, ok := jsonx.Integer(v); ok {
				text = i // "maxLength": 2.0
			}
			if v[0] == '"' {
				s := jsonx.NewScanner(v)
				text = s.String()
			}
			if err := n.constrain(setting{key, []string{text}}); err != nil {
				return err
			}
		}
	}
	return nil
}

func addText(kw map[string][]byte, add adder) error {
	n := &stringNode{textRules: newTextRules()}
	add(jsonx.String, reflect.TypeFor[string](), n)
	return set(kw, n, map[string]string{"minLength": "minlen", "maxLength": "maxlen", "pattern": "pattern"})
}

func addNumber(kw map[string][]byte, add adder) error {
	bounds := map[string]string{"minimum": "min", "maximum": "max"}
	if string(kw["type"]) == `"integer"` {
		n := newIntNode(reflect.TypeFor[int64]())
		add(jsonx.Number, reflect.TypeFor[int64](), n)
		return set(kw, n, bounds)
	}
	n := &floatNode{bits: 64}
	add(jsonx.Number, reflect.TypeFor[float64](), n)
	return set(kw, n, bounds)
}

func addList(kw map[string][]byte, add adder) error {
	n := &listNode{typ: reflect.TypeFor[[]any](), itemRules: itemRules{-1, -1}, elem: anything()}
	if items, ok := kw["items"]; ok {
		elem, err := planFromSchema(items)
		if err != nil {
			return err
		}
		n.elem = elem
	}
	if u := kw["uniqueItems"]; string(u) == "true" {
		n.unique = true
	}
	add(jsonx.Array, n.typ, n)
	return set(kw, n, map[string]string{"minItems": "minitems", "maxItems": "maxitems"})
}

// addObject makes a map of what has no properties, else a struct; what a closed
// struct does not know goes to its rest.
func addObject(kw map[string][]byte, add adder) error {
	rest := &mapNode{typ: reflect.TypeFor[map[string]any](), itemRules: itemRules{-1, -1}, elem: anything()}
	closed := string(kw["additionalProperties"]) == "false"
	if extra, ok := kw["additionalProperties"]; ok && !closed {
		elem, err := planFromSchema(extra)
		if err != nil {
			return err
		}
		rest.elem = elem
	}
	counted := kw["minProperties"] != nil || kw["maxProperties"] != nil
	if kw["properties"] == nil && kw["required"] == nil && !closed {
		add(jsonx.Object, rest.typ, rest)
		return set(kw, rest, map[string]string{"minProperties": "minitems", "maxProperties": "maxitems"})
	}
	if counted {
		return fmt.Errorf("a struct has no count of members")
	}
	n := &structNode{}
	var fields []reflect.StructField
	member := func(name string, x node) {
		f := reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: reflect.TypeFor[*any]()}
		n.fields = append(n.fields, field{name: name, index: []int{len(fields)}, node: &pointerNode{x}, pointer: true})
		fields = append(fields, f)
	}
	for name, sub := range jsonx.Members(kw["properties"]) {
		x, err := planFromSchema(sub)
		if err != nil {
			return err
		}
		member(string(name), x)
	}
	for _, name := range texts(kw["required"]) {
		i := slices.IndexFunc(n.fields, func(f field) bool { return f.name == name })
		if i < 0 {
			i = len(n.fields)
			member(name, anything())
		}
		n.fields[i].required = true
	}
	if !closed {
		fields = append(fields, reflect.StructField{Name: "Rest", Type: rest.typ})
		n.rest = &field{index: []int{len(fields) - 1}, node: rest}
	}
	n.typ = reflect.StructOf(fields)
	n.seal()
	add(jsonx.Object, n.typ, n)
	return nil
}

// restrict applies what cuts across kinds: type, enum and const.
func restrict(kw map[string][]byte, n *byKindNode) error {
	if t, ok := kw["type"]; ok {
		keep := map[jsonx.Kind]bool{}
		names := texts(t)
		if t[0] == '"' {
			s := jsonx.NewScanner(t)
			names = []string{s.String()}
		}
		for _, name := range names {
			k := map[string]jsonx.Kind{
				"string": jsonx.String, "number": jsonx.Number, "integer": jsonx.Number, "boolean": jsonx.Bool,
				"array": jsonx.Array, "object": jsonx.Object, "null": jsonx.Null,
			}[name]
			if name == "integer" && len(names) > 1 {
				return fmt.Errorf("a type of several")
			}
			keep[k] = true
		}
		for k := range n.nodes {
			if !keep[k] {
				delete(n.nodes, k)
				delete(n.types, k)
			}
		}
		n.null = keep[jsonx.Null]
	}
	var values [][]byte
	if e, ok := kw["enum"]; ok {
		s := jsonx.NewScanner(e)
		for s.EnterArray(); s.More(); {
			values = append(values, s.Skip())
		}
	} else if c, ok := kw["const"]; ok {
		values = append(values, c)
	} else {
		return nil
	}
	choices := map[jsonx.Kind][]string{}
	for _, v := range values {
		switch k := jsonx.KindOf(v); k {
		case jsonx.String:
			s := jsonx.NewScanner(v)
			choices[k] = append(choices[k], s.String())
		case jsonx.Number:
			choices[k] = append(choices[k], string(v))
		case jsonx.Null:
			choices[k] = nil
		default:
			return fmt.Errorf("a choice no tag can write")
		}
	}
	_, null := choices[jsonx.Null]
	n.null = n.null && null
	for k := range n.nodes {
		if len(choices[k]) == 0 {
			delete(n.nodes, k)
			delete(n.types, k)
		} else if err := n.nodes[k].constrain(setting{"enum", choices[k]}); err != nil {
			return err
		}
	}
	return nil
}

func texts(raw []byte) (out []string) {
	if jsonx.KindOf(raw) != jsonx.Array {
		return nil
	}
	_ = json.Unmarshal(raw, &out)
	return out
}
