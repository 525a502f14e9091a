package jsonx

import (
	"bytes"
	"strings"
)

// maxExponent bounds the digits an integer literal may stand for: 1e999999999
// is a short text and a long number.
const maxExponent = 400

// decimal is a number taken apart: the digits without leading and trailing
// zeros, and the power of ten they are multiplied with. Zero has no digits.
type decimal struct {
	neg    bool
	digits string
	exp    int
	ok     bool
}

// parseDecimal takes a checked number literal apart.
func parseDecimal(lit []byte) decimal {
	var d decimal
	if len(lit) > 0 && lit[0] == '-' {
		d.neg = true
		lit = lit[1:]
	}
	mantissa, exponent := lit, []byte(nil)
	if i := bytes.IndexAny(lit, "eE"); i >= 0 {
		mantissa, exponent = lit[:i], lit[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	all := string(whole) + string(fraction)
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return decimal{}
	}
	d.exp = -len(fraction)
	e, ok := parseExponent(exponent)
	if !ok {
		return decimal{}
	}
	d.exp += e
	trimmed := strings.TrimRight(all, "0")
	d.exp += len(all) - len(trimmed)
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return decimal{ok: true}
	}
	d.ok = true
	return d
}

// parseExponent reads an exponent, held within what an int can add up.
func parseExponent(b []byte) (int, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		neg = b[0] == '-'
		b = b[1:]
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n < 1<<30 {
			n = n*10 + int(c-'0')
		}
	}
	if neg {
		n = -n
	}
	return n, true
}

// Integer gives the exact value of a checked number literal as decimal digits
// with a sign if negative. 42.0 and 1e2 are integers. ok is false for fractions
// and for integers whose exponent is absurd.
func Integer(lit []byte) (canonical string, ok bool) {
	if plainInteger(lit) {
		return string(lit), true
	}
	d := parseDecimal(lit)
	if !d.ok || d.exp < 0 || d.exp > maxExponent {
		return "", false
	}
	if d.digits == "" {
		return "0", true
	}
	s := d.digits + strings.Repeat("0", d.exp)
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
// exactly.
func EqualNumber(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return parseDecimal(a).ok
	}
	x, y := parseDecimal(a), parseDecimal(b)
	return x.ok && y.ok && x == y
}

// SafeInteger reports whether the literal is an integer of at most 2^53-1 in
// size, which every JSON reader keeps exactly.
func SafeInteger(lit []byte) bool {
	s, ok := Integer(lit)
	if !ok {
		return false
	}
	s = strings.TrimPrefix(s, "-")
	const most = "9007199254740991"
	return len(s) < len(most) || len(s) == len(most) && s <= most
}
