package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// uniqueItems finds the first two equal items of an array, equal as JSON
// Schema has it: 1 and 1.0 are, {"a":1,"b":2} and {"b":2,"a":1} are.
type uniqueItems struct {
	at           map[string]int
	first, twice int // of the first pair; twice is 0 when there is none
	scratch      []byte
}

// add notes item i. When values were coerced, those are equal that become equal.
func (u *uniqueItems) add(d *decoder, i int, raw []byte, elem node) {
	if u.twice > 0 {
		return
	}
	s := jsonx.NewScanner(raw)
	u.scratch = u.scratch[:0]
	if d != nil && d.lenient && isScalar(s.Kind()) {
		u.scratch = appendCoerced(u.scratch, &s, elem)
	} else {
		u.scratch = appendCanonical(u.scratch, &s)
	}
	if u.at == nil {
		u.at = map[string]int{}
	}
	if first, ok := u.at[string(u.scratch)]; ok {
		u.first, u.twice = first, i
		return
	}
	u.at[string(u.scratch)] = i
}

func isScalar(k jsonx.Kind) bool {
	return k == jsonx.String || k == jsonx.Number || k == jsonx.Bool
}

// appendCoerced appends what identifies a scalar once elem has coerced it.
func appendCoerced(dst []byte, s *jsonx.Scanner, elem node) []byte {
	switch elem := elem.(type) {
	case *nullNode:
		return appendCoerced(dst, s, elem.node)
	case *stringNode, *textNode, *boolNode:
		return append(dst, scalarText(s)...)
	case *intNode, *floatNode, *literalNode, *bigNode:
		text := scalarText(s)
		if isNumber(text) {
			return appendNumber(dst, text)
		}
		return append(dst, text...)
	}
	return appendCanonical(dst, s)
}

func scalarText(s *jsonx.Scanner) []byte {
	if s.Kind() == jsonx.String {
		text, _ := s.StringBytes()
		return text
	}
	return s.Skip()
}

// appendCanonical appends a form that equal values share and others do not.
func appendCanonical(dst []byte, s *jsonx.Scanner) []byte {
	switch s.Kind() {
	case jsonx.String:
		return jsonx.AppendString(dst, s.String())
	case jsonx.Number:
		return appendNumber(dst, s.Number())
	case jsonx.Array:
		s.EnterArray()
		dst = append(dst, '[')
		for s.More() {
			dst = append(appendCanonical(dst, s), ',')
		}
		return append(dst, ']')
	case jsonx.Object:
		return appendMembers(dst, s)
	}
	return append(dst, s.Skip()...)
}

func appendMembers(dst []byte, s *jsonx.Scanner) []byte {
	type member struct{ name, value string }
	var members []member
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			break
		}
		m := member{name: string(name)}
		m.value = string(appendCanonical(nil, s))
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for _, m := range members {
		dst = jsonx.AppendString(dst, m.name)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
		dst = append(dst, ',')
	}
	return append(dst, '}')
}

// appendValue is [appendCanonical] for a decoded value.
func appendValue(dst []byte, x any) []byte {
	switch x := x.(type) {
	case string:
		return jsonx.AppendString(dst, x)
	case json.Number:
		return appendNumber(dst, []byte(x))
	case bool:
		return strconv.AppendBool(dst, x)
	case []any:
		dst = append(dst, '[')
		for _, item := range x {
			dst = append(appendValue(dst, item), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(x)) {
			dst = append(jsonx.AppendString(dst, name), ':')
			dst = append(appendValue(dst, x[name]), ',')
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// appendNumber appends digits without zeros at either end, and an exponent: the
// same for all spellings of a number.
func appendNumber(dst, lit []byte) []byte {
	mantissa, exp := lit, int64(0)
	if e := slices.IndexFunc(lit, func(r byte) bool { return r|0x20 == 'e' }); e >= 0 {
		n, err := strconv.ParseInt(string(lit[e+1:]), 10, 62)
		if err != nil {
			return append(dst, lit...) // an exponent nobody can compute with: compared as text
		}
		mantissa, exp = lit[:e], n
	}
	negative := mantissa[0] == '-'
	digits := make([]byte, 0, len(mantissa))
	point := false
	for _, c := range mantissa {
		switch {
		case c == '.':
			point = true
		case isDigit(c):
			digits = append(digits, c)
			if point {
				exp--
			}
		}
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exp++
	}
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	if len(digits) == 0 {
		return append(dst, '0')
	}
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, digits...)
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, exp, 10)
}
