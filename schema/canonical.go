package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

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
		u.scratch = jsonx.AppendCanonical(u.scratch, raw)
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
			return jsonx.AppendCanonicalNumber(dst, text)
		}
		return append(dst, text...)
	}
	return jsonx.AppendCanonical(dst, s.Skip())
}

func scalarText(s *jsonx.Scanner) []byte {
	if s.Kind() == jsonx.String {
		text, _ := s.StringBytes()
		return text
	}
	return s.Skip()
}

// appendValue is [jsonx.AppendCanonical] for a decoded value.
func appendValue(dst []byte, x any) []byte {
	switch x := x.(type) {
	case string:
		return jsonx.AppendString(dst, x)
	case json.Number:
		return jsonx.AppendCanonicalNumber(dst, []byte(x))
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
