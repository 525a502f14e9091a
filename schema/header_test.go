package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaders(t *testing.T) {
	type where struct {
		Zone string `json:"zone" mcp:"header=Zone"`
	}
	type in struct {
		Region string  `json:"region" mcp:"header=Region"`
		Count  *int    `json:"count" mcp:"header=Count"`
		Dry    bool    `json:"dry,omitempty" mcp:"header=Dry-Run"`
		Where  where   `json:"where"`
		Other  float64 `json:"x-mcp-header"`
	}
	p := must[in](t)
	want := []Header{
		{[]string{"region"}, "Region", "string"}, {[]string{"count"}, "Count", "integer"},
		{[]string{"dry"}, "Dry-Run", "boolean"}, {[]string{"where", "zone"}, "Zone", "string"},
	}
	if d := cmp.Diff(want, p.Headers()); d != "" {
		t.Error(d)
	}
}

func TestHeadersOf(t *testing.T) {
	one := func(typ string) []Header { return []Header{{[]string{"a"}, "A", typ}} }
	for _, c := range []struct {
		name, schema string
		want         []Header
	}{
		{"none", `{"type":"object"}`, nil},
		{"boolean schema", `true`, nil},
		{"M-XMH-001: a marked argument", `{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, one("string")},
		{"M-XMH-007: an integer", `{"properties":{"a":{"x-mcp-header":"A","type":"integer"}}}`, one("integer")},
		{"M-XMH-007: a boolean", `{"properties":{"a":{"type":"boolean","x-mcp-header":"A"}}}`, one("boolean")},
		{"T-15: with null", `{"properties":{"a":{"type":["null","string"],"x-mcp-header":"A"}}}`, one("string")},
		{"T-15: one word in an array", `{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}`, one("string")},
		{"M-XMH-009: nested properties", `{"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}}`, []Header{{[]string{"a", "b"}, "B", "string"}}},
		{"M-XMH-026: any token", "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"Method!#$%&'*+-.^_`|~0\"}}}", []Header{{[]string{"a"}, "Method!#$%&'*+-.^_`|~0", "string"}}},
		{"T-14: a property of that name", `{"properties":{"x-mcp-header":{"type":"string"}}}`, nil},
		{"T-14: in data", `{"const":{"x-mcp-header":1},"enum":[{"x-mcp-header":1}],"default":{"x-mcp-header":1},"examples":[{"x-mcp-header":1}],"x-other":{"x-mcp-header":1}}`, nil},
		{"T-14: in the data of an argument", `{"properties":{"a":{"default":{"properties":{"b":{"x-mcp-header":""}}}}}}`, nil},
		{"T-14: required", `{"required":["x-mcp-header"],"dependentRequired":{"a":["x-mcp-header"]},"dependencies":{"a":["x-mcp-header"]}}`, nil},
		{"VAL-13: a property called properties", `{"properties":{"properties":{"type":"string","x-mcp-header":"P"}}}`, []Header{{[]string{"properties"}, "P", "string"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := HeadersOf([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHeadersOfFaults(t *testing.T) {
	in := func(annotated string) string { return `{"properties":{"a":` + annotated + `}}` }
	const good = `{"type":"string","x-mcp-header":"A"}`
	for _, c := range []struct{ name, schema, want string }{
		{"no JSON", `{`, `look for x-mcp-header: read JSON: unexpected end at byte 1`},
		{"M-XMH-003: empty", in(`{"type":"string","x-mcp-header":""}`), `x-mcp-header: at #/properties/a: the name is empty`},
		{"M-XMH-003: no string", in(`{"type":"string","x-mcp-header":true}`), `at #/properties/a: the value must be a string; got true`},
		{"M-XMH-004: a space", in(`{"type":"string","x-mcp-header":"a b"}`), `"a b" is no HTTP token`},
		{"M-XMH-004: a colon", in(`{"type":"string","x-mcp-header":"a:"}`), `is no HTTP token`},
		{"M-XMH-004: beyond ASCII", in(`{"type":"string","x-mcp-header":"Ä"}`), `is no HTTP token`},
		{"M-XMH-005: line break", in(`{"type":"string","x-mcp-header":"a\r\nb"}`), `is no HTTP token`},
		{"M-XMH-006: the same but for case", `{"properties":{"a":` + good + `,"b/c":{"type":"string","x-mcp-header":"a"}}}`, `at #/properties/b~1c: "a" is already the name at #/properties/a`},
		{"M-XMH-007: number", in(`{"type":"number","x-mcp-header":"A"}`), `"A" must stand on a string, an integer or a boolean`},
		{"M-XMH-007: object", in(`{"type":"object","x-mcp-header":"A"}`), `must stand on a string`},
		{"M-XMH-007: array", in(`{"type":"array","x-mcp-header":"A"}`), `must stand on a string`},
		{"M-XMH-007: null", in(`{"type":"null","x-mcp-header":"A"}`), `must stand on a string`},
		{"T-15: no type", in(`{"enum":["a"],"x-mcp-header":"A"}`), `must stand on a string`},
		{"T-15: two types", in(`{"type":["string","integer"],"x-mcp-header":"A"}`), `must stand on a string`},
		{"T-15: three types", in(`{"type":["string","integer","null"],"x-mcp-header":"A"}`), `must stand on a string`},
		{"T-15: alternatives", in(`{"anyOf":[{"type":"string"}],"x-mcp-header":"A"}`), `must stand on a string`},
		{"M-XMH-009: the root", `{"type":"string","x-mcp-header":"A"}`, `at #: "A" must stand on an argument that is reached through properties alone`},
		{"M-XMH-010: items", in(`{"items":` + good + `}`), `at #/properties/a/items: "A" must stand on an argument that is reached`},
		{"M-XMH-010: list of items", in(`{"items":[` + good + `]}`), `at #/properties/a/items/0`},
		{"M-XMH-010: prefixItems", in(`{"prefixItems":[true,` + good + `]}`), `at #/properties/a/prefixItems/1`},
		{"M-XMH-010: contains", in(`{"contains":` + good + `}`), `/contains`},
		{"M-XMH-010: oneOf", `{"oneOf":[{"properties":{"a":` + good + `}}]}`, `at #/oneOf/0/properties/a`},
		{"M-XMH-010: anyOf", `{"anyOf":[{"properties":{"a":` + good + `}}]}`, `reached through properties alone`},
		{"M-XMH-010: allOf", `{"allOf":[{"properties":{"a":` + good + `}}]}`, `reached through properties alone`},
		{"M-XMH-010: not", `{"not":{"properties":{"a":` + good + `}}}`, `reached through properties alone`},
		{"M-XMH-010: if", `{"if":{"properties":{"a":` + good + `}}}`, `reached through properties alone`},
		{"M-XMH-010: then", `{"then":{"properties":{"a":` + good + `}}}`, `reached through properties alone`},
		{"M-XMH-010: else", `{"else":{"properties":{"a":` + good + `}}}`, `reached through properties alone`},
		{"M-XMH-010: behind a reference", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":` + good + `}}`, `at #/$defs/A`},
		{"T-14: definitions nobody refers to", `{"definitions":{"A":` + good + `}}`, `at #/definitions/A`},
		{"T-14: additionalProperties", `{"additionalProperties":` + good + `}`, `at #/additionalProperties`},
		{"T-14: patternProperties", `{"patternProperties":{"a":` + good + `}}`, `at #/patternProperties/a`},
		{"T-14: dependentSchemas", `{"dependentSchemas":{"a":` + good + `}}`, `at #/dependentSchemas/a`},
		{"T-14: unevaluatedProperties", `{"unevaluatedProperties":` + good + `}`, `at #/unevaluatedProperties`},
		{"T-14: propertyNames", `{"propertyNames":` + good + `}`, `at #/propertyNames`},
		{"all of them", `{"items":` + good + `,"properties":{"b":{"x-mcp-header":""}}}`, `at #/items: "A" must stand on an argument that is reached through properties alone; at #/properties/b: the name is empty`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := HeadersOf([]byte(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestObjectRootOfRaw(t *testing.T) {
	for _, s := range []string{`{"type":"object"}`, ` { "properties":{}, "type" : "object" } `} {
		if err := ObjectRoot([]byte(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for s, want := range map[string]string{ // T-63
		`{"type":["object"]}`:   `input schema must have "type":"object" at its root; got ["object"]`,
		`{"$ref":"#/$defs/a"}`:  `input schema must have "type":"object" at its root; it has no type`,
		`{"type":"array"}`:      `input schema must have "type":"object" at its root; got "array"`,
		`{}`:                    `input schema must have "type":"object" at its root; it has no type`,
		`true`:                  `input schema must be an object; got true`,
		`null`:                  `input schema must be an object; got null`,
		`{"type":"object","a"}`: `input schema: read JSON: syntax error at byte 20`,
	} {
		if err := ObjectRoot([]byte(s)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", s, err, want)
		}
	}
}
