package jsonx

import (
	"slices"
	"strconv"
	"strings"
)

// AppendCanonical appends a form of the checked value raw that equal values
// share and others do not, equal as JSON Schema has it: members in any order, 1
// and 1.0, "a" and "\u0061". It is for comparing and for digests, and is no
// JSON.
func AppendCanonical(dst, raw []byte) []byte {
	s := NewScanner(raw)
	return appendCanonical(dst, &s)
}

func appendCanonical(dst []byte, s *Scanner) []byte {
	switch s.Kind() {
	case String:
		return AppendString(dst, s.String())
	case Number:
		return AppendCanonicalNumber(dst, s.Number())
	case Array:
		s.EnterArray()
		dst = append(dst, '[')
		for s.More() {
			dst = append(appendCanonical(dst, s), ',')
		}
		return append(dst, ']')
	case Object:
		return appendSorted(dst, s)
	default:
		return append(dst, s.Skip()...)
	}
}

// appendSorted appends the members of an object in the order of their names.
func appendSorted(dst []byte, s *Scanner) []byte {
	type member struct {
		name  string
		value []byte
	}
	var members []member
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			break
		}
		members = append(members, member{string(name), s.Skip()})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for _, m := range members {
		dst = append(AppendString(dst, m.name), ':')
		dst = append(AppendCanonical(dst, m.value), ',')
	}
	return append(dst, '}')
}

// AppendCanonicalNumber is AppendCanonical for a checked number literal: its
// digits without zeros at either end, and an exponent. One whose exponent has
// more than 18 digits equals its own spelling only.
func AppendCanonicalNumber(dst, lit []byte) []byte {
	d, ok := parseDecimal(lit)
	switch {
	case !ok:
		return append(dst, lit...)
	case d.digits == "":
		return append(dst, '0')
	case d.neg:
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return strconv.AppendInt(dst, d.exp, 10)
}
