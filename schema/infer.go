package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
)

// builder turns Go types into nodes. What is wrong is collected in the order
// of declaration; a nil node stands for a type that has been complained about.
type builder struct {
	structs map[reflect.Type]*structNode
	unions  map[reflect.Type]*unionNode
	// open are the types being built; meeting one again is recursion.
	open map[reflect.Type]bool
	// shared are the nodes met more than once, or recursive, in the order they
	// were first met again.
	shared    []node
	isShared  map[node]bool
	recursive map[node]bool
	typeOf    map[node]reflect.Type
	errs      []error
	// openObjects: structs ignore members they do not know.
	openObjects bool
	// later are the checks of defaults, which need complete nodes.
	later []func()
}

func newBuilder() *builder {
	return &builder{
		structs: map[reflect.Type]*structNode{}, unions: map[reflect.Type]*unionNode{},
		open: map[reflect.Type]bool{}, isShared: map[node]bool{}, recursive: map[node]bool{},
		typeOf: map[node]reflect.Type{},
	}
}

func (b *builder) fail(where, format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: "+format, append([]any{where}, args...)...))
}

// deferred runs check when all nodes are built; its error takes the place of
// the field being declared now.
func (b *builder) deferred(where string, check func() error) {
	slot := len(b.errs)
	b.errs = append(b.errs, nil)
	b.later = append(b.later, func() {
		if err := check(); err != nil {
			b.errs[slot] = fmt.Errorf("%s: %w", where, err)
		}
	})
}

func (b *builder) err() error {
	for _, check := range b.later {
		check()
	}
	return errors.Join(b.errs...)
}

var (
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	rawMessage      = reflect.TypeFor[json.RawMessage]()
	jsonNumber      = reflect.TypeFor[json.Number]()
	bigInt          = reflect.TypeFor[big.Int]()
	bigFloat        = reflect.TypeFor[big.Float]()
	oneOf           = reflect.TypeFor[OneOf]()
)

// has reports whether t or *t has the methods of iface.
func has(t, iface reflect.Type) bool {
	return t.Implements(iface) || reflect.PointerTo(t).Implements(iface)
}

// node is the node of a type. where names the Go type and field for errors.
func (b *builder) node(t reflect.Type, where string) node {
	if n := special(t); n != nil {
		return n
	}
	if k := t.Kind(); t.Name() != "" && (k == reflect.Slice || k == reflect.Map || k == reflect.Pointer || k == reflect.Array) {
		if b.open[t] {
			b.fail(where, "%s contains itself without a struct in between", t)
			return nil
		}
		b.open[t] = true
		defer delete(b.open, t)
	}
	if t.Kind() == reflect.Pointer {
		inner := b.node(t.Elem(), where)
		if inner == nil {
			return nil
		}
		switch inner.(type) {
		case *structNode, *unionNode:
			return &pointerNode{inner} // how Go refers to structs, and how it recurses
		}
		return &nullNode{inner} // the one reason to point to a scalar
	}
	if n := b.enumerated(t, where); n != nil {
		return n
	}
	if t.Kind() != reflect.Interface {
		if has(t, textUnmarshaler) || has(t, textMarshaler) {
			return newTextNode(t, marshalerForm(t))
		}
		if has(t, jsonUnmarshaler) || has(t, jsonMarshaler) {
			return &anyNode{form: anyMethods, noKeywords: noKeywords{"a type with JSON methods of its own"}}
		}
	}
	return b.byKind(t, where)
}

// special is the node of a type that is known by name.
func special(t reflect.Type) node {
	if f := textForms[t]; f != nil {
		return newTextNode(t, f)
	}
	switch t {
	case rawMessage:
		return &anyNode{form: anyRaw, noKeywords: noKeywords{"any value"}}
	case jsonNumber:
		return &literalNode{}
	case bigInt:
		return &bigNode{integer: true}
	case bigFloat:
		return &bigNode{}
	}
	return nil
}

func (b *builder) byKind(t reflect.Type, where string) node {
	switch t.Kind() {
	case reflect.Bool:
		return &boolNode{noKeywords: noKeywords{"a boolean"}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return newIntNode(t)
	case reflect.Float32, reflect.Float64:
		return &floatNode{bits: t.Bits()}
	case reflect.String:
		return &stringNode{textRules: newTextRules()}
	case reflect.Slice, reflect.Array:
		return b.list(t, where)
	case reflect.Map:
		return b.mapping(t, where)
	case reflect.Struct:
		return b.object(t, where)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &anyNode{form: anyInterface, noKeywords: noKeywords{"any value"}}
		}
		b.fail(where, "interface %s has no schema; for one of several types use a struct that embeds schema.OneOf", t)
		return nil
	}
	b.fail(where, "%s has no form in JSON", t)
	return nil
}

func (b *builder) list(t reflect.Type, where string) node {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !has(t.Elem(), textMarshaler) {
		return &bytesNode{noKeywords: noKeywords{"bytes"}}
	}
	n := &listNode{typ: t, itemRules: itemRules{-1, -1}}
	if t.Kind() == reflect.Array {
		n.min, n.max = t.Len(), t.Len()
	}
	if n.elem = b.node(t.Elem(), where); n.elem == nil {
		return nil
	}
	return n
}

func (b *builder) mapping(t reflect.Type, where string) node {
	n := &mapNode{typ: t, itemRules: itemRules{-1, -1}}
	switch k := t.Key(); {
	case k.Kind() == reflect.String && !has(k, textUnmarshaler):
		n.key = keyString
	case has(k, textUnmarshaler) && (k.Implements(textMarshaler) || has(k, textMarshaler)):
		n.key = keyMarshal
	case k.Kind() >= reflect.Int && k.Kind() <= reflect.Int64:
		n.key = keyInt
	case k.Kind() >= reflect.Uint && k.Kind() <= reflect.Uintptr:
		n.key = keyUint
	default:
		b.fail(where, "map key %s has no text form; use a string, an integer or a type with MarshalText and UnmarshalText", k)
		return nil
	}
	if n.elem = b.node(t.Elem(), where); n.elem == nil {
		return nil
	}
	return n
}

// object is the node of a struct: one for each type, so that recursion ends.
func (b *builder) object(t reflect.Type, where string) node {
	if n := b.structs[t]; n != nil {
		b.share(n, t)
		return n
	}
	if n := b.unions[t]; n != nil {
		b.share(n, t)
		return n
	}
	if t.Name() != "" {
		where = t.String()
	}
	b.open[t] = true
	defer delete(b.open, t)
	if isUnion(t) {
		n := &unionNode{typ: t, tag: "type", noKeywords: noKeywords{"a union"}}
		b.unions[t], b.typeOf[n] = n, t
		b.union(n, where)
		return n
	}
	n := &structNode{typ: t, open: b.openObjects, noKeywords: noKeywords{"an object"}}
	b.structs[t], b.typeOf[n] = n, t
	b.fill(n, where)
	return n
}

// share notes that a node is met again.
func (b *builder) share(n node, t reflect.Type) {
	if b.open[t] {
		b.recursive[n] = true
	}
	if !b.isShared[n] && (t.Name() != "" || b.open[t]) {
		b.isShared[n] = true
		b.shared = append(b.shared, n)
	}
}

// enumerated is the node of a named string or integer that lists its values
// with a method Values() []T, else nil.
func (b *builder) enumerated(t reflect.Type, where string) node {
	method, ok := t.MethodByName("Values")
	if !ok || method.Type.NumIn() != 1 || method.Type.NumOut() != 1 || method.Type.Out(0) != reflect.SliceOf(t) {
		return nil
	}
	values, err := enumValues(t)
	if err != nil {
		b.fail(where, "%w", err)
		return nil
	}
	var n node
	switch k := t.Kind(); {
	case k == reflect.String:
		n = &stringNode{textRules: newTextRules()}
	case k >= reflect.Int && k <= reflect.Uintptr:
		n = newIntNode(t)
	default:
		return nil
	}
	if err := n.constrain(setting{"enum", values}); err != nil {
		b.fail(where, "%s.Values: %w", t, err)
		return nil
	}
	return n
}

// enumValues calls Values on the zero value of t.
func enumValues(t reflect.Type) (values []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s.Values panics: %v", t, r)
		}
	}()
	list := reflect.Zero(t).MethodByName("Values").Call(nil)[0]
	for i := range list.Len() {
		switch v := list.Index(i); {
		case v.Kind() == reflect.String:
			values = append(values, v.String())
		case v.CanInt():
			values = append(values, strconv.FormatInt(v.Int(), 10))
		case v.CanUint():
			values = append(values, strconv.FormatUint(v.Uint(), 10))
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s.Values is empty", t)
	}
	return values, nil
}
