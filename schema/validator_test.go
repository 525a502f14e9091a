package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func compiled(t testing.TB, schema string, opts ...CompileOption) *Validator {
	t.Helper()
	v, err := Compile([]byte(schema), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDialects: M-JS-001 to M-JS-005, VAL-07.
func TestDialects(t *testing.T) {
	const tuple = `"items":[{"type":"string"}]` // a list in draft-07, not allowed in 2020-12
	const numbers = `"prefixItems":[{"type":"string"}]`
	for _, c := range []struct {
		name, schema, value string
		valid               bool
	}{
		{"M-JS-001: 2020-12 by default", `{` + numbers + `}`, `[1]`, false},
		{"M-JS-002: 2020-12 by name", `{"$schema":"https://json-schema.org/draft/2020-12/schema",` + numbers + `}`, `[1]`, false},
		{"the empty fragment does not matter", `{"$schema":"https://json-schema.org/draft/2020-12/schema#",` + numbers + `}`, `[1]`, false},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema",` + tuple + `}`, `[1]`, false},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#",` + tuple + `}`, `[1]`, false},
		{"draft-07 by https", `{"$schema":"https://json-schema.org/draft-07/schema",` + tuple + `}`, `[1]`, false},
		{"M-JS-004: draft-07 has no prefixItems", `{"$schema":"http://json-schema.org/draft-07/schema#",` + numbers + `}`, `[1]`, true},
		{"draft-06", `{"$schema":"http://json-schema.org/draft-06/schema#","const":1}`, `2`, false},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","maximum":5,"exclusiveMaximum":true}`, `5`, false},
		{"VAL-07: definitions of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"$ref":"#/definitions/N"}},"definitions":{"N":{"type":"object","properties":{"next":{"$ref":"#/definitions/N"}}}}}`, `{"n":{"next":{"next":1}}}`, false},
		{"VAL-07: unknown keywords", `{"x-vendor":{"anything":1},"type":"object"}`, `{}`, true},
		{"VAL-07: const null", `{"properties":{"a":{"const":null}}}`, `{"a":0}`, false},
		{"format is a remark", `{"format":"email"}`, `"x"`, true},
		{"format is a remark in draft-07 too", `{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`, `"x"`, true},
		{"T-44: embedded id, pointer against it", `{"$id":"https://example.com/s","$defs":{"A":{"type":"string"}},"properties":{"a":{"$ref":"https://example.com/s#/$defs/A"},"b":{"$ref":"#/$defs/A"},"c":{"$ref":"s#/$defs/A"}}}`, `{"a":"","b":"","c":1}`, false},
		{"T-44: embedded resource", `{"$id":"https://example.com/s","$defs":{"A":{"$id":"other","type":"string"}},"$ref":"other"}`, `1`, false},
		{"M-JS-014: anchor", `{"$defs":{"A":{"$anchor":"a","type":"string"}},"$ref":"#a"}`, `1`, false},
		{"T-44: the meta-schema is known", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":"strange"}`, false},
		{"boolean schema", `false`, `1`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := compiled(t, c.schema)
			if err := v.Validate([]byte(c.value)); (err == nil) != c.valid {
				t.Errorf("got %v, want valid: %t", err, c.valid)
			}
			if string(v.JSON()) != c.schema { // M-JS-013
				t.Errorf("the schema became %s", v.JSON())
			}
		})
	}
}

func TestAwkwardNames(t *testing.T) {
	// VAL-13: every name is only a name.
	v := compiled(t, `{"properties":{"title":{"type":"string"},"type":{"type":"string"},"$ref":{"type":"string"},"properties":{"type":"object"},"required":{"type":"boolean"},"class":true,"foo-bar":{},"foo_bar":{},"":{},"a.b":{"type":"null"},"enum":{"enum":[]},"default":{"default":null}}}`)
	if err := v.Validate([]byte(`{"title":"","type":"","$ref":"","properties":{},"required":true,"class":1,"foo-bar":1,"foo_bar":1,"":1,"a.b":null,"default":1}`)); err != nil {
		t.Error(err)
	}
	want := "4 problems:\n- $ref: must be a string; got 1\n- [\"a.b\"]: must be null; got 1\n- enum: cannot have any value; got 1\n- type: must be a string; got 1"
	if err := v.Validate([]byte(`{"type":1,"$ref":1,"a.b":1,"enum":1}`)); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestCompileFaults(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"no JSON", `{`, `compile schema: read JSON: unexpected end at byte 1`},
		{"nothing", ``, `compile schema: read JSON: unexpected end at byte 0`},
		{"duplicate names", `{"type":"object","type":"array"}`, `compile schema: read JSON: duplicate name "type" at byte 17`},
		{"no schema", `["object"]`, `compile schema: it must be an object or a boolean; got ["object"]`},
		{"M-JS-005: unknown dialect", `{"$schema":"https://example.com/my-dialect"}`, `compile schema: unsupported dialect "https://example.com/my-dialect" in $schema; supported are 2020-12 (the default), 2019-09, draft-07, draft-06 and draft-04`},
		{"VAL-09: dialect on the network", `{"$schema":"http://127.0.0.1:9/meta"}`, `compile schema: unsupported dialect "http://127.0.0.1:9/meta" in $schema`},
		{"M-JS-007: http", `{"$ref":"http://169.254.169.254/latest/meta-data/"}`, `compile schema: reference to "http://169.254.169.254/latest/meta-data/", which is not part of the schema; references are followed within the document only`},
		{"M-JS-007: file", `{"$ref":"file:///etc/passwd"}`, `reference to "file:///etc/passwd"`},
		{"VAL-09: without a scheme", `{"properties":{"c":{"$ref":"//evil.example/x.json"}}}`, `reference to "schema://evil.example/x.json"`},
		{"VAL-09: relative", `{"$ref":"other.json#/a"}`, `reference to "other.json"`},
		{"VAL-09: relative to an id", `{"$id":"https://example.com/s","$ref":"other"}`, `reference to "https://example.com/other"`},
		{"VAL-09: dynamic", `{"$dynamicRef":"http://example.com/x#y"}`, `reference to "http://example.com/x"`},
		{"M-JS-011: deep inside, unused", `{"properties":{"a":{"items":{"allOf":[{"$ref":"http://example.com/x"}]}}}}`, `reference to "http://example.com/x"`},
		{"VAL-09: dialect of an embedded resource", `{"$defs":{"a":{"$id":"https://example.com/a","$schema":"https://example.com/d"}}}`, `reference to "https://example.com/d"`},
		{"pointer to nowhere", `{"$ref":"#/$defs/x"}`, `compile schema: json-pointer in "#/$defs/x" not found`},
		{"anchor to nowhere", `{"$ref":"#x"}`, `"#x" not found`},
		{"M-JS-006: meta-schema", `{"type":"objekt","properties":[]}`, "it does not fit its meta-schema: 2 problems:\n- properties: must be an object; got []\n- type: must be one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\"; got \"objekt\""},
		{"look-ahead", `{"pattern":"^(?=a)"}`, `pattern`},
		{"a number of a thousand million digits", `{"minimum":1e999999999}`, `number "1e999999999" is too long or too large`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile([]byte(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("\n got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestValidatorFaults: the verdicts of the library in our words.
func TestValidatorFaults(t *testing.T) {
	for _, c := range []struct{ name, schema, value, want string }{
		{"type", `{"type":"object"}`, `[1]`, `must be an object; got [1]`},
		{"types", `{"type":["integer","null"]}`, `"x"`, `must be an integer or null; got "x"`},
		{"VAL-02: required", `{"required":["n"]}`, `{}`, `n: required, but missing`},
		{"VAL-02: below minimum", `{"properties":{"n":{"minimum":1}}}`, `{"n":0}`, `n: must be at least 1; got 0`},
		{"VAL-02: unknown", `{"properties":{"n":{}},"additionalProperties":false}`, `{"n":1,"m":true}`, `unknown property "m"; known are "n"`},
		{"unknown, with a neighbour", `{"properties":{"limit":{}},"additionalProperties":false}`, `{"limt":1}`, `unknown property "limt"; did you mean "limit"?`},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, `b: unknown property; got 2`},
		{"enum", `{"properties":{"a":{"items":{"enum":["x",1,null]}}}}`, `{"a":["x","y"]}`, `a[1]: must be one of "x", 1, null; got "y"`},
		{"const", `{"const":{"a":1}}`, `5`, `must be {"a":1}; got 5`},
		{"bounds", `{"maximum":1.5}`, `2`, `must be at most 1.5; got 2`},
		{"exclusive bounds", `{"exclusiveMinimum":0}`, `0`, `must be above 0; got 0`},
		{"exclusive maximum", `{"exclusiveMaximum":0.1}`, `0.1`, `must be below 0.1; got 0.1`},
		{"multiple", `{"multipleOf":0.01}`, `0.015`, `must be a multiple of 0.01; got 0.015`},
		{"lengths", `{"minLength":2}`, `"é"`, `must have at least 2 characters, has 1; got "é"`},
		{"length", `{"maxLength":1}`, `"éa"`, `must have at most 1 character, has 2; got "éa"`},
		{"pattern as written", `{"pattern":"^\\u0061$"}`, `"b"`, `must match the pattern ^\u0061$; got "b"`},
		{"items", `{"minItems":2}`, `[1]`, `must have at least 2 items, has 1`},
		{"too many items", `{"maxItems":0}`, `[1]`, `must have at most 0 items, has 1`},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, `items must differ, but 0 and 2 are equal`},
		{"contains", `{"contains":{"type":"string"}}`, `[1]`, `must have an item that fits contains`},
		{"minContains", `{"contains":{"type":"string"},"minContains":2}`, `["a"]`, `must have at least 2 items, has 1 that fits contains`},
		{"maxContains", `{"contains":true,"maxContains":1}`, `[1,2]`, `must have at most 1 item, has 2 that fits contains`},
		{"members", `{"minProperties":1}`, `{}`, `must have at least 1 member, has 0`},
		{"too many members", `{"maxProperties":1}`, `{"a":1,"b":1}`, `must have at most 1 member, has 2`},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `"ab" is no name for a member here`},
		{"dependentRequired", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `b: required next to "a", but missing`},
		{"dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`, `b: required next to "a", but missing`},
		{"tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}`, `[1,2,3]`, `has 2 items too many`},
		{"not", `{"not":{"type":"string"}}`, `"x"`, `is what "not" excludes; got "x"`},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, `a: must not be there; got 1`},
		{"through a reference", `{"$defs":{"A":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/A"}}}`, `{"a":1}`, `a: must be a string; got 1`},
		{"allOf", `{"allOf":[{"minimum":1},{"multipleOf":2}]}`, `-1`, "2 problems:\n- must be a multiple of 2; got -1\n- must be at least 1; got -1"},
		{"if", `{"if":{"type":"string"},"then":{"minLength":1}}`, `""`, `must have at least 1 character, has 0; got ""`},
		{"alternative types", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `true`, `must be an integer or a string; got true`},
		{"alternative values", `{"oneOf":[{"const":"a"},{"const":"b"},{"enum":["c"]}]}`, `"d"`, `must be one of "a", "b", "c"; got "d"`},
		{"alternative types and values", `{"anyOf":[{"type":"string"},{"const":1}]}`, `true`, `fits none of the 2 alternatives: a string, or one of 1; got true`},
		{"the nearest alternative", `{"anyOf":[{"type":"string"},{"type":"object","required":["a","b"]}]}`, `{"a":1}`, `b: required, but missing`},
		{"the variant the discriminator names", `{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k","p"]},{"properties":{"k":{"const":"y"}},"required":["k","q","r"]}]}`, `{"k":"y","q":1}`, `r: required, but missing`},
		{"two alternatives", `{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `fits alternatives 1 and 2, but must fit exactly one; got 3`},
		{"endless schema", `{"$ref":"#"}`, `1`, `cannot be checked: the schema refers to itself without end; got 1`},
		{"secrets", `{"properties":{"password":{"maxLength":3}}}`, `{"password":"hunter2"}`, `password: must have at most 3 characters, has 7`},
		{"JSON-03: exact bounds", `{"maximum":9007199254740992}`, `9007199254740993`, `must be at most 9007199254740992; got 9007199254740993`},
		{"T-51: 1.5 is no integer", `{"type":"integer"}`, `1.5`, `must be an integer; got 1.5`},
		{"counts beyond int", `{"minLength":1e30}`, `"x"`, `must have at least 2147483647 characters, has 1; got "x"`},
		{"a number of a thousand million digits", `{"type":"integer"}`, `1e999999999`, `has a number that is too long or too large to be checked; got 1e999999999`},
		{"not JSON", `{}`, `{"a":}`, `must be valid JSON: read JSON: syntax error at byte 5`},
		{"duplicate names", `{}`, `{"a":1,"a":2}`, `must be valid JSON: read JSON: duplicate name "a" at byte 7`},
		{"too deep", `{}`, strings.Repeat("[", 129) + strings.Repeat("]", 129), `must be valid JSON: read JSON: nested too deep (more than 128) at byte 128`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := compiled(t, c.schema)
			for range 5 { // the same text each time
				err := v.Validate([]byte(c.value))
				if _, ok := errors.AsType[Faults](err); !ok {
					t.Fatalf("got %v", err)
				}
				if err.Error() != c.want {
					t.Fatalf("\n got %s\nwant %s", err, c.want)
				}
			}
		})
	}
}

func TestValidatorAccepts(t *testing.T) {
	for _, c := range []struct{ name, schema, value string }{
		{"T-51: 42.0 is an integer", `{"type":"integer"}`, `42.0`},
		{"T-51: 1e2 is an integer", `{"type":"integer"}`, `1e2`},
		{"JSON-03: 1E400", `{"type":"number"}`, `1E400`},
		{"VAL-10: null", `{"type":"null"}`, `null`},
		{"VAL-10: array", `{"type":"array","items":{"type":"integer"}}`, `[1,2]`},
		{"nothing is {}", `{"type":"object"}`, ``},
		{"M-JS-012: as deep as is read", `{"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, strings.Repeat("[", 128) + strings.Repeat("]", 128)},
	} {
		if err := compiled(t, c.schema).Validate([]byte(c.value)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAssertFormats(t *testing.T) {
	for _, dialect := range []string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`} {
		v := compiled(t, `{`+dialect+`"properties":{"m":{"format":"email"},"r":{"format":"regex"},"u":{"format":"unknown"},"d":{"format":"date-time","minLength":3}}}`, AssertFormats())
		if err := v.Validate([]byte(`{"m":"a@b.c","r":"a+","u":"?","d":"2026-07-28T09:30:00Z"}`)); err != nil {
			t.Error(err)
		}
		if err := v.Validate([]byte(`{"m":1,"r":1,"u":1}`)); err != nil {
			t.Errorf("not about strings: %v", err)
		}
		want := "3 problems:\n- d: must be of format date-time, as in 2026-07-28T09:30:00Z; got \"x\"\n- m: must be of format email, as in name@example.com; got \"x\"\n- r: must be of format regex; got \"(\""
		if err := v.Validate([]byte(`{"m":"x","r":"(","d":"x"}`)); err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
}

// TestBounds is M-JS-012: small hostile schemas do not cost much.
func TestBounds(t *testing.T) {
	var stray, targets strings.Builder
	for i := range 600 {
		fmt.Fprintf(&targets, `,"t%d":{}`, i)
		fmt.Fprintf(&stray, `,"s%d":{"$ref":"#/x/t%d"}`, i, i)
	}
	var wide strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&wide, `,{"minimum":%d}`, i)
	}
	for _, c := range []struct{ name, schema, want string }{
		{"subschemas", `{"allOf":[` + wide.String()[1:] + `]}`, `it contains 6001 schemas; the limit is 5000`},
		{"references to odd places", `{"x":{` + targets.String()[1:] + `},"properties":{` + stray.String()[1:] + `}}`, `it refers to 600 places that are no schemas by their position; the limit is 500`},
		{"size", `{"description":"` + strings.Repeat("x", maxSchema) + `"}`, `the limit is 1048576`},
		{"depth", strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200), `nested too deep`},
	} {
		if _, err := Compile([]byte(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if _, err := Compile([]byte(`{"allOf":[true,true]}`), MaxSubschemas(2)); err == nil || !strings.Contains(err.Error(), "it contains 3 schemas; the limit is 2") {
		t.Errorf("own limit: %v", err)
	}

	var patterns, members strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&patterns, `,"x%d":true`, i)
		fmt.Fprintf(&members, `,"y%d":1`, i)
	}
	doubling := `{"$defs":{`
	for i := range 40 {
		next := strconv.Itoa(i + 1)
		doubling += `"a` + strconv.Itoa(i) + `":{"allOf":[{"$ref":"#/$defs/a` + next + `"},{"$ref":"#/$defs/a` + next + `"}]},`
	}
	doubling += `"a40":true},"$ref":"#/$defs/a0"}`
	nested := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	objects := strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100)
	for i, c := range []struct{ name, schema, value string }{
		{"references that double", doubling, `1`},
		{"two ways into each item", `{"$defs":{"a":{"items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, nested},
		{"two ways, where only yes or no counts", `{"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a"}}},"not":{"$ref":"#/$defs/a"}}`, `[` + strings.Repeat("[", 100) + "1" + strings.Repeat("]", 100) + `]`},
		{"two ways into each member", `{"$defs":{"a":{"allOf":[{"properties":{"a":{"$ref":"#/$defs/a"}}},{"properties":{"a":{"$ref":"#/$defs/a"}}}]}},"$ref":"#/$defs/a"}`, objects},
		{"dynamic references", `{"$dynamicAnchor":"n","properties":{"a":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}}`, objects},
		{"an anchor reached dynamically alone", `{"$id":"https://e.x/r","$ref":"s","$defs":{"x":{"$dynamicAnchor":"n","properties":{"a":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}},"s":{"$id":"s","$dynamicRef":"#n","$defs":{"y":{"$dynamicAnchor":"n"}}}}}`, objects},
		{"many members, each against many patterns", `{"patternProperties":{` + patterns.String()[1:] + `}}`, `{` + members.String()[1:] + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opts []CompileOption // the default limit once, a smaller one where that shows the same
			if i > 0 {
				opts = append(opts, MaxWork(20_000))
			}
			err := compiled(t, c.schema, opts...).Validate([]byte(c.value))
			if err == nil || err.Error() != "is too large, or combines too much, to be checked against the schema" {
				t.Errorf("got %.200v", err)
			}
		})
	}
	v := compiled(t, `{"items":{"type":"integer"}}`, MaxWork(5))
	if err := v.Validate([]byte(`[1]`)); err != nil {
		t.Error(err)
	}
	if err := v.Validate([]byte(`[1,2,3,4,5]`)); err == nil {
		t.Error("own limit is not kept")
	}
	if err := v.Validate([]byte(`[1]`)); err != nil {
		t.Errorf("after the limit was hit: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	type in struct {
		A []string `json:"a" mcp:"unique"`
		B *int     `json:"b"`
	}
	p := must[in](t)
	v := compiled(t, string(p.JSON()))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				raw := []byte(fmt.Sprintf(`{"a":["x","y"],"b":%d}`, i))
				var x in
				if err := p.Decode(raw, &x); err != nil || *x.B != i {
					t.Errorf("%+v, %v", x, err)
				}
				if err := v.Validate(raw); err != nil {
					t.Error(err)
				}
				if err := v.Validate([]byte(`{"a":[1]}`)); err == nil {
					t.Error("accepted")
				}
				if err := p.Decode([]byte(`{"a":[{}]}`), &x); err == nil {
					t.Error("accepted")
				}
			}
		})
	}
	wg.Wait()
}
