package jsonx

import (
	"bytes"
	"strings"
)

// maxExponent bounds the zeros that the exponent of an integer may stand for,
// beyond those the literal has itself: 1e999999999 is a short text and a long
// number.
const maxExponent = 400

// Integer gives the exact value of a checked number literal as decimal digits
// with a sign if negative. 42.0 and 1e2 are integers, of any size. ok is false
// for fractions and for integers whose exponent is absurd.
func Integer(lit []byte) (canonical string, ok bool) {
	if plainInteger(lit) {
		return string(lit), true
	}
	d, ok := parseDecimal(lit)
	switch {
	case !ok:
		return "", false
	case d.digits == "":
		return "0", true
	case d.exp < 0 || d.exp > int64(maxExponent+len(lit)):
		return "", false
	}
	s := d.digits + strings.Repeat("0", int(d.exp))
	if d.neg {
		s = "-" + s
	}
	return s, true
}

// plainInteger reports whether the literal is its own canonical form.
func plainInteger(lit []byte) bool {
	digits := bytes.TrimPrefix(lit, []byte("-"))
	if len(digits) == 0 || digits[0] == '0' && len(lit) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// EqualNumber reports whether two checked number literals are the same number,
// exactly. One whose exponent has more than 18 digits equals its own spelling
// only.
func EqualNumber(a, b []byte) bool {
	x, ok := parseDecimal(a)
	y, too := parseDecimal(b)
	if ok && too {
		return x == y
	}
	return bytes.Equal(a, b) && isNumber(a)
}

func isNumber(lit []byte) bool {
	return KindOf(lit) == Number && Check(lit, 1) == nil
}

// SafeInteger reports whether the literal is an integer of at most 2^53-1 in
// size, which every JSON reader keeps exactly.
func SafeInteger(lit []byte) bool {
	const most = "9007199254740991"
	if plainInteger(lit) && len(lit) < len(most) {
		return true
	}
	s, ok := Integer(lit)
	if !ok {
		return false
	}
	s = strings.TrimPrefix(s, "-")
	return len(s) < len(most) || len(s) == len(most) && s <= most
}

// decimal is a number taken apart: its digits without zeros at either end, and
// the power of ten they are multiplied with. Zero has no digits, and no sign.
type decimal struct {
	neg    bool
	digits string
	exp    int64
}

// parseDecimal takes a checked number literal apart.
func parseDecimal(lit []byte) (d decimal, ok bool) {
	digits, neg := bytes.CutPrefix(lit, []byte("-"))
	mantissa, exponent := digits, []byte(nil)
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		mantissa, exponent = digits[:i], digits[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	all := string(whole) + string(fraction)
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return decimal{}, false
	}
	trimmed := strings.TrimRight(all, "0")
	d = decimal{neg: neg, digits: strings.TrimLeft(trimmed, "0")}
	if d.digits == "" {
		return decimal{}, true
	}
	e, ok := parseExponent(exponent)
	d.exp = e + int64(len(all)-len(trimmed)-len(fraction))
	return d, ok
}

// parseExponent reads an exponent of at most 18 digits, which an int64 can hold
// with the length of any text added.
func parseExponent(b []byte) (n int64, ok bool) {
	digits, neg := bytes.CutPrefix(b, []byte("-"))
	if !neg {
		digits = bytes.TrimPrefix(digits, []byte("+"))
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}
