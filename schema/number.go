package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// maxNumber is the longest number, and the largest exponent, that exact
// arithmetic is done with: a literal of ten bytes can name a number of a
// thousand million digits.
const maxNumber = 1000

// numberRules are the keywords of numbers that are not Go integers. They are
// kept and compared exactly.
type numberRules struct {
	min, max *limit
	enum     []string // literals
}

// limit is a bound, exact and rounded.
type limit struct {
	text    string
	exact   *big.Rat
	rounded float64
}

func newLimit(s string) (*limit, error) {
	exact, err := rational(s)
	if err != nil {
		return nil, err
	}
	rounded, _ := exact.Float64()
	return &limit{s, exact, rounded}, nil
}

// rational reads a number literal exactly.
func rational(lit string) (*big.Rat, error) {
	if !isNumber([]byte(lit)) {
		return nil, fmt.Errorf("%q is not a number", lit)
	}
	if !bounded([]byte(lit)) {
		return nil, fmt.Errorf("number %s is too long or too large", quote(lit))
	}
	r, ok := new(big.Rat).SetString(lit)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", lit)
	}
	return r, nil
}

// bounded reports whether exact arithmetic with the literal is cheap.
func bounded(lit []byte) bool {
	if len(lit) > maxNumber {
		return false
	}
	for i, c := range lit {
		if c|0x20 != 'e' {
			continue
		}
		exp, err := strconv.Atoi(string(lit[i+1:]))
		return err == nil && exp <= maxNumber && exp >= -maxNumber
	}
	return true
}

func (r *numberRules) constrain(s setting) (err error) {
	switch s.key {
	case "min":
		r.min, err = newLimit(s.value())
	case "max":
		r.max, err = newLimit(s.value())
	case "enum":
		err = distinct(s)
		for _, v := range s.values {
			if _, e := rational(v); e != nil && err == nil {
				err = e
			}
		}
		r.enum = s.values
	default:
		return inapplicable(s, "a number")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.key, err)
	}
	if r.min != nil && r.max != nil && r.min.exact.Cmp(r.max.exact) > 0 {
		return fmt.Errorf("min %s is above max %s", r.min.text, r.max.text)
	}
	return nil
}

// compare is the sign of lit-l. rounded is lit as a float64; only when it
// equals the bound's, and the literal is longer than a float64 can tell apart,
// is exact arithmetic needed.
func (l *limit) compare(lit []byte, rounded float64) int {
	switch {
	case rounded < l.rounded:
		return -1
	case rounded > l.rounded:
		return 1
	case len(lit) <= 15 && len(l.text) <= 15 && plainRange(rounded) || len(lit) == 1 && len(l.text) == 1:
		return 0
	}
	r, err := rational(string(lit))
	if err != nil {
		return 0
	}
	return r.Cmp(l.exact)
}

// plainRange is where 15 digits and a float64 determine each other.
func plainRange(f float64) bool {
	abs := math.Abs(f)
	return abs > 1e-300 && abs < 1e300
}

// fault says what is wrong with the number, or nothing.
func (r *numberRules) fault(lit []byte, rounded float64) string {
	switch {
	case r.min != nil && r.min.compare(lit, rounded) < 0:
		return "must be at least " + r.min.text
	case r.max != nil && r.max.compare(lit, rounded) > 0:
		return "must be at most " + r.max.text
	case r.enum != nil && !slices.ContainsFunc(r.enum, func(e string) bool { return jsonx.EqualNumber([]byte(e), lit) }):
		return "must be one of " + list(r.enum)
	}
	return ""
}

func (r *numberRules) describe(w *writer) {
	if r.enum != nil {
		w.raw("enum", array(r.enum))
	}
	if r.min != nil {
		w.raw("minimum", []byte(r.min.text))
	}
	if r.max != nil {
		w.raw("maximum", []byte(r.max.text))
	}
}

// floatNode is a float32 or float64.
type floatNode struct {
	notNull
	asJSON
	numberRules
	bits int
}

func (n *floatNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	lit, ok := d.number()
	if !ok {
		d.mismatch("a number", "")
		return
	}
	f, err := strconv.ParseFloat(string(lit), n.bits)
	if err != nil {
		d.fail(fmt.Sprintf("must fit a number of %d bits", n.bits), start.Skip(), "")
		return
	}
	if n.min != nil || n.max != nil || n.enum != nil {
		rounded := f
		if n.bits != 64 {
			rounded, _ = strconv.ParseFloat(string(lit), 64)
		}
		if message := n.fault(lit, rounded); message != "" {
			d.fail(message, start.Skip(), "")
			return
		}
	}
	v.SetFloat(f)
}

func (n *floatNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, bad("must be a finite number", strconv.FormatFloat(f, 'g', -1, n.bits))
	}
	start := len(dst)
	dst = appendFloat(dst, f, n.bits)
	if n.min != nil || n.max != nil || n.enum != nil {
		lit := dst[start:]
		rounded := f
		if n.bits != 64 {
			rounded, _ = strconv.ParseFloat(string(lit), 64)
		}
		if message := n.fault(lit, rounded); message != "" {
			return dst[:start], bad(message, string(lit))
		}
	}
	return dst, nil
}

// appendFloat writes f as ECMA-262 does: plain between 1e-6 and 1e21.
func appendFloat(dst []byte, f float64, bits int) []byte {
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(dst, f, form, -1, bits)
}

func (n *floatNode) describe(w *writer) {
	w.text("type", "number")
	n.numberRules.describe(w)
}

// literalNode is a json.Number: a number kept as it was written.
type literalNode struct {
	notNull
	asJSON
	numberRules
}

func (n *literalNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	lit, ok := d.number()
	if !ok {
		d.mismatch("a number", "")
		return
	}
	if message := n.faultExact(lit); message != "" {
		d.fail(message, start.Skip(), "")
		return
	}
	v.SetString(string(lit))
}

func (n *literalNode) faultExact(lit []byte) string {
	if n.min == nil && n.max == nil && n.enum == nil {
		return ""
	}
	if !bounded(lit) {
		return "must be a number of at most 1000 digits"
	}
	f, _ := strconv.ParseFloat(string(lit), 64)
	return n.fault(lit, f)
}

func (n *literalNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	lit := json.Number(v.String())
	if !isNumber([]byte(lit)) {
		return dst, bad("must be a number", quote(string(lit)))
	}
	if message := n.faultExact([]byte(lit)); message != "" {
		return dst, bad(message, string(lit))
	}
	return append(dst, lit...), nil
}

func (n *literalNode) describe(w *writer) {
	w.text("type", "number")
	n.numberRules.describe(w)
}

// boolNode is a bool.
type boolNode struct {
	notNull
	asJSON
	noKeywords
}

func (n *boolNode) decode(d *decoder, v reflect.Value) {
	switch k := d.s.Kind(); {
	case k == jsonx.Bool:
		v.SetBool(d.s.Bool())
		return
	case d.lenient && k == jsonx.String:
		ahead := d.s
		if b, _ := ahead.StringBytes(); string(b) == "true" || string(b) == "false" {
			d.s = ahead
			v.SetBool(string(b) == "true")
			return
		}
	}
	d.mismatch("true or false", "")
}

func (n *boolNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return strconv.AppendBool(dst, v.Bool()), nil
}

func (n *boolNode) describe(w *writer) { w.text("type", "boolean") }
