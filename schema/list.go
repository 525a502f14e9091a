package schema

import (
	"fmt"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// itemRules are the counts of arrays and of maps.
type itemRules struct {
	min, max int // -1 for none
}

func (r *itemRules) constrain(s setting) (err error) {
	switch s.key {
	case "minitems":
		r.min, err = countOf(s)
	case "maxitems":
		r.max, err = countOf(s)
	}
	if err == nil && r.min >= 0 && r.max >= 0 && r.min > r.max {
		err = fmt.Errorf("minitems %d is above maxitems %d", r.min, r.max)
	}
	return err
}

func (r *itemRules) fault(n int) string {
	switch {
	case n < r.min && r.min == r.max, r.max >= 0 && n > r.max && r.min == r.max:
		return fmt.Sprintf("must have exactly %s, has %d", plural(r.min, "item"), n)
	case n < r.min:
		return fmt.Sprintf("must have at least %s, has %d", plural(r.min, "item"), n)
	case r.max >= 0 && n > r.max:
		return fmt.Sprintf("must have at most %s, has %d", plural(r.max, "item"), n)
	}
	return ""
}

// listNode is a slice, or an array of fixed length.
type listNode struct {
	notNull
	asJSON
	itemRules
	typ    reflect.Type
	elem   node
	unique bool
}

func (n *listNode) fixed() bool { return n.typ.Kind() == reflect.Array }

// constrain takes what is about items itself; the rest is about each item.
func (n *listNode) constrain(s setting) error {
	switch s.key {
	case "minitems", "maxitems":
		if n.fixed() {
			return fmt.Errorf("%s does not apply to an array of fixed length", s.key)
		}
		return n.itemRules.constrain(s)
	case "unique":
		n.unique = true
		return nil
	}
	return n.elem.constrain(s)
}

func (n *listNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() != jsonx.Array {
		hint := stringified(d)
		if k := d.s.Kind(); hint == "" && k != jsonx.Null {
			hint = "write [ and ] around it"
		}
		d.mismatch("an array", hint)
		return
	}
	start, faults := d.s, len(d.faults)
	d.s.EnterArray()
	if !n.fixed() {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	var seen uniqueItems
	i := 0
	for ; d.s.More(); i++ {
		if d.full() || n.max >= 0 && i >= n.max {
			d.s.Skip() // only counted
			continue
		}
		if n.unique {
			ahead := d.s
			seen.add(d, i, ahead.Skip(), n.elem)
		}
		before := len(d.faults)
		n.decodeItem(d, v, i)
		if len(d.faults) > before {
			d.faults.prefix(before, indexStep(i))
		}
	}
	if message := n.itemRules.fault(i); message != "" {
		d.fail(message, nil, "")
	}
	if n.unique && len(d.faults) == faults && seen.twice > 0 {
		d.fail(fmt.Sprintf("items must differ, but %d and %d are equal", seen.first, seen.twice), start.Skip(), "")
	}
}

func (n *listNode) decodeItem(d *decoder, v reflect.Value, i int) {
	if !n.fixed() {
		v.Grow(1)
		v.SetLen(i + 1)
	}
	item := v.Index(i)
	item.SetZero()
	n.elem.decode(d, item)
}

func (n *listNode) encode(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > jsonx.DefaultDepth {
		return dst, bad(tooDeep, "")
	}
	start := len(dst)
	if message := n.itemRules.fault(v.Len()); message != "" {
		return dst, bad(message, "")
	}
	dst = append(dst, '[')
	var seen uniqueItems
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		at := len(dst)
		var err error
		if dst, err = n.elem.encode(dst, v.Index(i), depth+1); err != nil {
			return dst[:start], within(err, indexStep(i))
		}
		if n.unique {
			seen.add(nil, i, dst[at:], n.elem)
		}
	}
	if seen.twice > 0 {
		return dst[:start], bad(fmt.Sprintf("items must differ, but %d and %d are equal", seen.first, seen.twice), "")
	}
	return append(dst, ']'), nil
}

func (n *listNode) describe(w *writer) {
	w.text("type", "array")
	w.key("items")
	w.schema(n.elem)
	w.count("minItems", n.min)
	w.count("maxItems", n.max)
	if n.unique {
		w.raw("uniqueItems", []byte("true"))
	}
}
