package schema

import (
	"fmt"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

func (n *structNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > jsonx.DefaultDepth {
		return dst, bad(tooDeep, "")
	}
	start := len(dst)
	dst = append(dst, '{')
	dst = append(dst, n.lead...)
	for i := range n.fields {
		f := &n.fields[i]
		fv, ok := f.present(v)
		if !ok {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, f.lead...)
		var err error
		if dst, err = f.node.encode(dst, fv, depth+1); err != nil {
			return dst[:start], within(err, nameStep(f.name))
		}
	}
	if n.rest != nil {
		if rv, ok := n.rest.present(v); ok {
			var err error
			if dst, err = n.encodeRest(dst, rv, depth+1); err != nil {
				return dst[:start], err
			}
		}
	}
	return append(dst, '}'), nil
}

// encodeRest appends the members of the rest field.
func (n *structNode) encodeRest(dst []byte, rv reflect.Value, depth int) ([]byte, error) {
	m := n.rest.node.(*mapNode)
	if rv.Len() == 0 {
		return dst, nil
	}
	keys, err := m.sortedKeys(rv)
	if err != nil {
		return dst, err
	}
	for _, k := range keys {
		if n.find([]byte(k.text), 0) >= 0 || k.text == n.tag && n.tag != "" {
			return dst, bad(fmt.Sprintf("%s is a field of its own and also among the rest", quote(k.text)), "")
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		if dst, err = m.encodeMember(dst, k, rv, depth); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

const tooDeep = "is nested deeper than the limit; does it contain itself?"

// present is the field's value, or false when it is left out.
func (f *field) present(v reflect.Value) (reflect.Value, bool) {
	if len(f.index) == 1 {
		v = v.Field(f.index[0])
	} else {
		for i, x := range f.index {
			if i > 0 && v.Kind() == reflect.Pointer {
				if v.IsNil() {
					return v, false
				}
				v = v.Elem()
			}
			v = v.Field(x)
		}
	}
	switch {
	case f.pointer && v.IsNil(),
		f.omitEmpty && isEmpty(v),
		f.omitZero && isZero(v):
		return v, false
	}
	return v, true
}

// isEmpty is omitempty of encoding/json.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is omitzero of encoding/json: IsZero where the type has it.
func isZero(v reflect.Value) bool {
	if z, ok := reflect.TypeAssert[interface{ IsZero() bool }](v); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
		return z.IsZero()
	}
	if v.CanAddr() {
		if z, ok := reflect.TypeAssert[interface{ IsZero() bool }](v.Addr()); ok {
			return z.IsZero()
		}
	}
	return v.IsZero()
}
