package schema

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// mapNode is a Go map: an open object whose members are alike.
type mapNode struct {
	notNull
	asJSON
	itemRules
	typ  reflect.Type
	elem node
	key  keyForm
}

// keyForm is how a map's keys are written as member names.
type keyForm int

const (
	keyString  keyForm = iota // a string kind
	keyInt                    // a signed integer in decimal
	keyUint                   // an unsigned integer in decimal
	keyMarshal                // by the key's own text methods
)

// constrain takes what is about the number of members; the rest is about each
// member's value.
func (n *mapNode) constrain(s setting) error {
	switch s.key {
	case "minitems", "maxitems":
		return n.itemRules.constrain(s)
	case "unique":
		return inapplicable(s, "a map")
	}
	return n.elem.constrain(s)
}

func (n *mapNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() != jsonx.Object {
		d.mismatch("an object", stringified(d))
		return
	}
	d.s.EnterObject()
	v.Set(reflect.MakeMap(n.typ))
	count := 0
	for {
		name, ok := d.s.NextName()
		if !ok {
			break
		}
		count++
		if d.full() {
			d.s.Skip()
			continue
		}
		n.decodeMember(d, string(name), v)
	}
	if message := n.itemRules.fault(count); message != "" {
		d.fail(message, nil, "")
	}
}

// decodeMember decodes one value and stores it under name in the map v.
func (n *mapNode) decodeMember(d *decoder, name string, v reflect.Value) {
	start := len(d.faults)
	key := reflect.New(n.typ.Key()).Elem()
	if err := n.parseKey(name, key); err != nil {
		d.s.Skip()
		d.fail(fmt.Sprintf("%s is no name for a member here: %v", quote(name), err), nil, "")
		return
	}
	item := reflect.New(n.typ.Elem()).Elem()
	n.elem.decode(d, item)
	if len(d.faults) > start {
		d.locate(start, name)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(n.typ))
	}
	v.SetMapIndex(key, item)
}

func (n *mapNode) parseKey(name string, key reflect.Value) error {
	switch n.key {
	case keyString:
		key.SetString(name)
	case keyInt:
		i, err := strconv.ParseInt(name, 10, n.typ.Key().Bits())
		if err != nil || strconv.FormatInt(i, 10) != name {
			return fmt.Errorf("an integer of %d bits is needed", n.typ.Key().Bits())
		}
		key.SetInt(i)
	case keyUint:
		u, err := strconv.ParseUint(name, 10, n.typ.Key().Bits())
		if err != nil || strconv.FormatUint(u, 10) != name {
			return fmt.Errorf("an unsigned integer of %d bits is needed", n.typ.Key().Bits())
		}
		key.SetUint(u)
	default:
		return key.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
	}
	return nil
}

// mapKey is a key and its text.
type mapKey struct {
	text  string
	value reflect.Value
}

// sortedKeys orders the members by name, so that equal maps give equal bytes.
func (n *mapNode) sortedKeys(v reflect.Value) ([]mapKey, error) {
	keys := make([]mapKey, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		k := mapKey{value: iter.Key()}
		switch n.key {
		case keyString:
			k.text = k.value.String()
		case keyInt:
			k.text = strconv.FormatInt(k.value.Int(), 10)
		case keyUint:
			k.text = strconv.FormatUint(k.value.Uint(), 10)
		default:
			m, ok := reflect.TypeAssert[encoding.TextMarshaler](addressable(k.value))
			if !ok {
				return nil, bad("has keys without MarshalText", "")
			}
			b, err := m.MarshalText()
			if err != nil {
				return nil, bad("has a key that cannot be written: "+err.Error(), "")
			}
			k.text = string(b)
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b mapKey) int { return strings.Compare(a.text, b.text) })
	for i := 1; i < len(keys); i++ {
		if keys[i].text == keys[i-1].text {
			return nil, bad("has two keys that are both written "+quote(keys[i].text), "")
		}
	}
	return keys, nil
}

func (n *mapNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > jsonx.DefaultDepth {
		return dst, bad(tooDeep, "")
	}
	if message := n.itemRules.fault(v.Len()); message != "" {
		return dst, bad(message, "")
	}
	if v.Len() == 0 {
		return append(dst, "{}"...), nil
	}
	start := len(dst)
	keys, err := n.sortedKeys(v)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = n.encodeMember(dst, k, v, depth+1); err != nil {
			return dst[:start], err
		}
	}
	return append(dst, '}'), nil
}

func (n *mapNode) encodeMember(dst []byte, k mapKey, v reflect.Value, depth int) ([]byte, error) {
	dst = jsonx.AppendString(dst, k.text)
	dst = append(dst, ':')
	dst, err := n.elem.encode(dst, v.MapIndex(k.value), depth)
	return dst, within(err, nameStep(k.text))
}

func (n *mapNode) describe(w *writer) {
	w.text("type", "object")
	n.describeElem(w)
	switch n.key {
	case keyInt:
		w.raw("propertyNames", []byte(`{"pattern":"^(0|-?[1-9][0-9]*)$"}`))
	case keyUint:
		w.raw("propertyNames", []byte(`{"pattern":"^(0|[1-9][0-9]*)$"}`))
	default: // any string
	}
	w.count("minProperties", n.min)
	w.count("maxProperties", n.max)
}

// describeElem writes additionalProperties, unless anything goes.
func (n *mapNode) describeElem(w *writer) {
	if elem, ok := n.elem.(*anyNode); ok && !elem.object {
		return
	}
	w.key("additionalProperties")
	w.schema(n.elem)
}
