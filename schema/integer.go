package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// intNode is a Go integer, signed or not. It holds values and bounds as
// int64 or uint64, so nothing passes through a float64.
type intNode struct {
	notNull
	asJSON
	unsigned bool
	// The bounds, in the representation of the type, and whether the schema
	// states them: those of 64 bits it leaves to the type.
	min, max         bound
	showMin, showMax bool
	enum             []bound
}

// bound is an integer of either signedness. Only the one of its node is used.
type bound struct {
	i int64
	u uint64
}

func newIntNode(t reflect.Type) *intNode {
	bits := t.Bits()
	n := &intNode{}
	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.unsigned = true
		n.max.u = 1<<bits - 1
		n.showMin, n.showMax = true, bits < 64
	default:
		n.min.i, n.max.i = -1<<(bits-1), 1<<(bits-1)-1
		n.showMin, n.showMax = bits < 64, bits < 64
	}
	return n
}

// parse reads the canonical text of an integer.
func (n *intNode) parse(s string) (b bound, err error) {
	if n.unsigned {
		b.u, err = strconv.ParseUint(s, 10, 64)
	} else {
		b.i, err = strconv.ParseInt(s, 10, 64)
	}
	return b, err
}

func (n *intNode) text(b bound) string {
	if n.unsigned {
		return strconv.FormatUint(b.u, 10)
	}
	return strconv.FormatInt(b.i, 10)
}

func (n *intNode) less(a, b bound) bool {
	if n.unsigned {
		return a.u < b.u
	}
	return a.i < b.i
}

func (n *intNode) constrain(s setting) error {
	switch s.key {
	case "min", "max":
		b, err := n.parse(s.value())
		if err != nil || n.less(b, n.min) || n.less(n.max, b) {
			return fmt.Errorf("%s=%s: not an integer from %s to %s", s.key, s.value(), n.text(n.min), n.text(n.max))
		}
		if s.key == "min" {
			n.min, n.showMin = b, true
		} else {
			n.max, n.showMax = b, true
		}
		return nil
	case "enum":
		if err := distinct(s); err != nil {
			return err
		}
		for _, v := range s.values {
			b, err := n.parse(v)
			if err != nil || n.less(b, n.min) || n.less(n.max, b) {
				return fmt.Errorf("enum: %q is not an integer from %s to %s", v, n.text(n.min), n.text(n.max))
			}
			n.enum = append(n.enum, b)
		}
		return nil
	}
	return inapplicable(s, "an integer")
}

func (n *intNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	lit, ok := d.number()
	if !ok {
		d.mismatch("an integer", "")
		return
	}
	if i, ok := smallInt(lit); ok && (i >= 0 || !n.unsigned) {
		b := bound{i: i}
		if n.unsigned {
			b = bound{u: uint64(i)}
		}
		n.store(d, &start, b, v)
		return
	}
	canonical, ok := jsonx.Integer(lit)
	if !ok && !absurd(lit) {
		d.fail("must be an integer", start.Skip(), "")
		return
	}
	b, err := n.parse(canonical)
	switch {
	case err == nil:
		n.store(d, &start, b, v)
	case lit[0] == '-': // beyond 64 bits, or negative where that cannot be
		d.fail("must be at least "+n.text(n.min), start.Skip(), "")
	default:
		d.fail("must be at most "+n.text(n.max), start.Skip(), "")
	}
}

// absurd reports whether a number is far beyond any integer type.
func absurd(lit []byte) bool {
	f, _ := strconv.ParseFloat(string(lit), 64)
	return math.Abs(f) > 1e30
}

// store checks b and puts it into v.
func (n *intNode) store(d *decoder, start *jsonx.Scanner, b bound, v reflect.Value) {
	if message := n.fault(b); message != "" {
		d.fail(message, start.Skip(), "")
		return
	}
	if n.unsigned {
		v.SetUint(b.u)
	} else {
		v.SetInt(b.i)
	}
}

func (n *intNode) fault(b bound) string {
	switch {
	case n.less(b, n.min):
		return "must be at least " + n.text(n.min)
	case n.less(n.max, b):
		return "must be at most " + n.text(n.max)
	case n.enum != nil && !slices.Contains(n.enum, b):
		return "must be one of " + list(n.choices())
	}
	return ""
}

func (n *intNode) choices() []string {
	out := make([]string, len(n.enum))
	for i, b := range n.enum {
		out[i] = n.text(b)
	}
	return out
}

func (n *intNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	var b bound
	if n.unsigned {
		b.u = v.Uint()
	} else {
		b.i = v.Int()
	}
	if message := n.fault(b); message != "" {
		return dst, bad(message, n.text(b))
	}
	if n.unsigned {
		return strconv.AppendUint(dst, b.u, 10), nil
	}
	return strconv.AppendInt(dst, b.i, 10), nil
}

func (n *intNode) describe(w *writer) {
	w.text("type", "integer")
	if n.enum != nil {
		w.raw("enum", array(n.choices()))
	}
	if n.showMin {
		w.raw("minimum", []byte(n.text(n.min)))
	}
	if n.showMax {
		w.raw("maximum", []byte(n.text(n.max)))
	}
}

// array joins JSON values to an array.
func array(values []string) []byte {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// smallInt reads a plain integer of at most 18 digits: nearly all there are.
func smallInt(lit []byte) (int64, bool) {
	digits := lit
	if len(lit) > 0 && lit[0] == '-' {
		digits = lit[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var i int64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		i = i*10 + int64(c-'0')
	}
	if len(digits) < len(lit) {
		i = -i
	}
	return i, true
}

// number reads a number, or (leniently) a string that holds one. It reports
// false and consumes nothing when there is none.
func (d *decoder) number() ([]byte, bool) {
	switch k := d.s.Kind(); {
	case k == jsonx.Number:
		return d.s.Number(), true
	case d.lenient && k == jsonx.String:
		ahead := d.s
		if lit, _ := ahead.StringBytes(); isNumber(lit) {
			d.s = ahead
			return lit, true
		}
	}
	return nil, false
}

// isNumber reports whether b is a JSON number and nothing else.
func isNumber(b []byte) bool {
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	whole := digitsAt(b, i)
	if whole == 0 || whole > 1 && b[i] == '0' {
		return false
	}
	i += whole
	if i < len(b) && b[i] == '.' {
		n := digitsAt(b, i+1)
		if n == 0 {
			return false
		}
		i += 1 + n
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		n := digitsAt(b, i)
		if n == 0 {
			return false
		}
		i += n
	}
	return i == len(b)
}

func digitsAt(b []byte, i int) int {
	n := 0
	for i+n < len(b) && isDigit(b[i+n]) {
		n++
	}
	return n
}
