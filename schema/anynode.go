package schema

import (
	"encoding/json"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// anyNode takes any JSON value: a json.RawMessage keeps its bytes, an empty
// interface gets Go values with numbers as json.Number, and a type with JSON
// methods of its own decides itself what it accepts.
type anyNode struct {
	asJSON
	noKeywords
	form anyForm
	// object restricts the value to objects, as the root of a tool's input.
	object bool
}

type anyForm int

const (
	anyRaw anyForm = iota
	anyInterface
	anyMethods
)

func (n *anyNode) nullable() bool { return !n.object }

func (n *anyNode) decode(d *decoder, v reflect.Value) {
	if n.object && d.s.Kind() != jsonx.Object {
		d.mismatch("an object", stringified(d))
		return
	}
	switch n.form {
	case anyRaw:
		v.SetBytes(append([]byte(nil), d.s.Skip()...)) // the input's buffer is the caller's
	case anyInterface:
		if x := decodeAny(&d.s); x != nil {
			v.Set(reflect.ValueOf(x))
		} else {
			v.SetZero()
		}
	default:
		raw := d.s.Skip()
		u, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr())
		if !ok {
			d.fail("cannot be read: the type has no UnmarshalJSON", raw, "")
			return
		}
		if err := u.UnmarshalJSON(append([]byte(nil), raw...)); err != nil {
			d.fail("cannot be read: "+err.Error(), raw, "")
		}
	}
}

// decodeAny reads a value as nil, bool, string, json.Number, []any or
// map[string]any.
func decodeAny(s *jsonx.Scanner) any {
	switch s.Kind() {
	case jsonx.String:
		return s.String()
	case jsonx.Number:
		return json.Number(s.Number())
	case jsonx.Bool:
		return s.Bool()
	case jsonx.Array:
		s.EnterArray()
		out := []any{}
		for s.More() {
			out = append(out, decodeAny(s))
		}
		return out
	case jsonx.Object:
		s.EnterObject()
		out := map[string]any{}
		for {
			name, ok := s.NextName()
			if !ok {
				return out
			}
			key := string(name)
			out[key] = decodeAny(s)
		}
	}
	s.Skip()
	return nil
}

func (n *anyNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	start := len(dst)
	var raw []byte
	var err error
	switch n.form {
	case anyRaw:
		raw = v.Bytes()
	case anyInterface:
		if !v.IsNil() {
			raw, err = jsonx.Marshal(v.Interface())
		}
	default:
		m, ok := reflect.TypeAssert[json.Marshaler](addressable(v))
		if !ok {
			return dst, bad("cannot be written: the type has no MarshalJSON", "")
		}
		raw, err = m.MarshalJSON()
	}
	if err != nil {
		return dst, bad("cannot be written: "+err.Error(), "")
	}
	if raw == nil {
		raw = []byte("null")
	}
	if err := jsonx.Check(raw, max(1, jsonx.DefaultDepth+1-depth)); err != nil {
		return dst, bad("is no valid JSON: "+err.Error(), shown(raw))
	}
	dst = jsonx.AppendCompact(dst, raw)
	if n.object && dst[start] != '{' {
		return dst[:start], bad("must be an object", shown(raw))
	}
	return dst, nil
}

func (n *anyNode) describe(w *writer) {
	if n.object {
		w.text("type", "object")
	}
}

// nullNode is a pointer where null is a value: an item of an array or a map that
// is no struct.
type nullNode struct {
	node
}

func (n *nullNode) nullable() bool { return true }

func (n *nullNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() == jsonx.Null {
		d.s.Null()
		v.SetZero()
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	n.node.decode(d, v.Elem())
}

func (n *nullNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	return n.node.encode(dst, v.Elem(), depth)
}

func (n *nullNode) describe(w *writer) {
	w.key("anyOf")
	w.b = append(w.b, '[')
	w.schema(n.node)
	w.b = append(w.b, `,{"type":"null"}]`...)
}

// pointerNode is a pointer that null says nothing about: a member of a struct,
// where the member's absence does, or a pointer to a struct, which has to be there.
type pointerNode struct {
	node
}

func (n *pointerNode) decode(d *decoder, v reflect.Value) {
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	n.node.decode(d, v.Elem())
}

func (n *pointerNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return dst, bad("must not be nil", "")
	}
	return n.node.encode(dst, v.Elem(), depth)
}

// describe refers to shared types through the pointer, too.
func (n *pointerNode) describe(w *writer) { w.members(n.node) }
