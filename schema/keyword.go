package schema

import (
	"iter"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// shape says where a keyword has schemas below it.
type shape int

const (
	oneSchema  shape = 1 << iota // the value
	listOf                       // the items of an array
	memberWise                   // the members of an object
)

// applicators are the keywords of all supported dialects whose values contain
// schemas. Everything else is data, in which nothing is a keyword.
var applicators = map[string]shape{
	"additionalProperties": oneSchema, "unevaluatedProperties": oneSchema, "propertyNames": oneSchema,
	"items": oneSchema | listOf, "additionalItems": oneSchema, "unevaluatedItems": oneSchema,
	"contains": oneSchema, "contentSchema": oneSchema, "not": oneSchema,
	"if": oneSchema, "then": oneSchema, "else": oneSchema,
	"prefixItems": listOf, "allOf": listOf, "anyOf": listOf, "oneOf": listOf,
	"properties": memberWise, "patternProperties": memberWise, "dependentSchemas": memberWise,
	"dependencies": memberWise, "$defs": memberWise, "definitions": memberWise,
}

// subschemas yields the schemas in the value of a keyword, each with the rest
// of its JSON Pointer. The value is checked JSON.
func subschemas(keyword string, value []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		kind := jsonx.KindOf(value)
		switch form := applicators[keyword]; {
		case form&memberWise != 0 && kind == jsonx.Object:
			for name, sub := range jsonx.Members(value) {
				if isSchema(sub) && !yield("/"+escapePointer(string(name)), sub) {
					return
				}
			}
		case form&listOf != 0 && kind == jsonx.Array:
			s := jsonx.NewScanner(value)
			s.EnterArray()
			for i := 0; s.More(); i++ {
				if sub := s.Skip(); isSchema(sub) && !yield("/"+strconv.Itoa(i), sub) {
					return
				}
			}
		case form&oneSchema != 0 && isSchema(value):
			yield("", value)
		}
	}
}

func isSchema(raw []byte) bool {
	k := jsonx.KindOf(raw)
	return k == jsonx.Object || k == jsonx.Bool
}
