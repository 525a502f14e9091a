package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

type color string

func (color) Values() []color { return []color{"red", "green"} }

type level int

func (level) Values() []level { return []level{1, 2, 4} }

type celsius string

type upper string

func (u *upper) UnmarshalText(b []byte) error {
	if strings.ToUpper(string(b)) != string(b) {
		return fmt.Errorf("lower case letters")
	}
	*u = upper(b)
	return nil
}

func (u upper) MarshalText() ([]byte, error) { return []byte(u), nil }

type custom struct{ n int }

func (c *custom) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &c.n) }
func (c custom) MarshalJSON() ([]byte, error)  { return json.Marshal(c.n) }

type person struct {
	Name string `json:"name"`
}

type tree struct {
	Value int     `json:"value"`
	Kids  []*tree `json:"kids"`
}

type linked struct {
	Next *linked        `json:"next"`
	All  map[string]any `json:"all"`
}

type base1 struct {
	ID   int
	Note string `json:"note,omitempty"`
}

type Base2 struct {
	ID    string
	Extra bool
}

// schemaOf is one field's schema, in a struct with that field alone.
func schemaOf[T any](t *testing.T) string {
	t.Helper()
	p, err := For[struct {
		V T `json:"v"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	s := string(p.JSON())
	s = strings.TrimPrefix(s, `{"type":"object","properties":{"v":`)
	for _, end := range []string{`},"required":["v"],"additionalProperties":false}`, `},"additionalProperties":false}`} {
		s = strings.TrimSuffix(s, end)
	}
	return s
}

func TestTypes(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"bool", schemaOf[bool](t), `{"type":"boolean"}`},
		{"int", schemaOf[int](t), `{"type":"integer"}`},
		{"int64", schemaOf[int64](t), `{"type":"integer"}`},
		{"int8", schemaOf[int8](t), `{"type":"integer","minimum":-128,"maximum":127}`},
		{"int16", schemaOf[int16](t), `{"type":"integer","minimum":-32768,"maximum":32767}`},
		{"int32", schemaOf[int32](t), `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`},
		{"uint", schemaOf[uint](t), `{"type":"integer","minimum":0}`},
		{"uint64", schemaOf[uint64](t), `{"type":"integer","minimum":0}`},
		{"uint8", schemaOf[uint8](t), `{"type":"integer","minimum":0,"maximum":255}`},
		{"uint32", schemaOf[uint32](t), `{"type":"integer","minimum":0,"maximum":4294967295}`},
		{"float64", schemaOf[float64](t), `{"type":"number"}`},
		{"json.Number", schemaOf[json.Number](t), `{"type":"number"}`},
		{"string", schemaOf[string](t), `{"type":"string"}`},
		{"named string", schemaOf[celsius](t), `{"type":"string"}`},
		{"string with Values", schemaOf[color](t), `{"type":"string","enum":["red","green"]}`},
		{"int with Values", schemaOf[level](t), `{"type":"integer","enum":[1,2,4]}`},
		{"bytes", schemaOf[[]byte](t), `{"type":"string","contentEncoding":"base64"}`},
		{"time", schemaOf[time.Time](t), `{"type":"string","format":"date-time"}`},
		{"duration", schemaOf[time.Duration](t), `{"type":"string","pattern":"^[+-]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"}`},
		{"url", schemaOf[url.URL](t), `{"type":"string","format":"uri-reference"}`},
		{"netip.Addr", schemaOf[netip.Addr](t), `{"type":"string"}`},
		{"netip.Prefix", schemaOf[netip.Prefix](t), `{"type":"string"}`},
		{"netip.AddrPort", schemaOf[netip.AddrPort](t), `{"type":"string"}`},
		{"big.Int", schemaOf[big.Int](t), `{"type":"integer"}`},
		{"big.Float", schemaOf[big.Float](t), `{"type":"number"}`},
		{"big.Rat", schemaOf[big.Rat](t), `{"type":"string","pattern":"^-?[0-9]+(/0*[1-9][0-9]*|\\.[0-9]+)?$"}`},
		{"text methods", schemaOf[upper](t), `{"type":"string"}`},
		{"JSON methods", schemaOf[custom](t), `{}`},
		{"any", schemaOf[any](t), `{}`},
		{"raw message", schemaOf[json.RawMessage](t), `{}`},
		{"slice", schemaOf[[]string](t), `{"type":"array","items":{"type":"string"}}`},
		{"slice of any", schemaOf[[]any](t), `{"type":"array","items":{}}`},
		{"array", schemaOf[[3]bool](t), `{"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":3}`},
		{"map", schemaOf[map[string]int](t), `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"map of any", schemaOf[map[string]any](t), `{"type":"object"}`},
		{"map with int keys", schemaOf[map[int]bool](t), `{"type":"object","additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"}}`},
		{"map with address keys", schemaOf[map[netip.Addr]bool](t), `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{"struct", schemaOf[person](t), `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`},
		{"pointer", schemaOf[*int](t), `{"type":"integer"}`},
		{"pointer to pointer", schemaOf[**int](t), `{"type":"integer"}`},
		{"slice of pointers to structs", schemaOf[[]*person](t), `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}`},
		{"slice of pointers to scalars", schemaOf[[]*int](t), `{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`},
		{"recursion under a field", schemaOf[tree](t), `{"$ref":"#/$defs/tree"}},"required":["v"],"additionalProperties":false,"$defs":{"tree":{"type":"object","properties":{"value":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["value","kids"],"additionalProperties":false}}}`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, c.got, c.want)
		}
	}
}

func TestStructs(t *testing.T) {
	type everything struct {
		Query   string   `json:"query" doc:"text to look for, \"quoted\"" mcp:"minlen=1,maxlen=10,title=Query"`
		Order   string   `json:"order" mcp:"default=newest,enum=newest|oldest"`
		Limit   int      `json:"limit" mcp:"default=10,min=1,max=50"`
		Ratio   float64  `json:"ratio" mcp:"min=0,max=0.5,example=0.25"`
		Tags    []string `json:"tags,omitempty" mcp:"minitems=1,maxitems=3,unique,pattern=^[a-z]+$"`
		Mail    *string  `json:"mail" mcp:"format=email"`
		Region  string   `json:"region" mcp:"optional,header=Region"`
		Ignored string   `json:"-"`
		Dash    bool     `json:"-,"` //nolint:staticcheck // a name as odd as this is the case
		hidden  int
		Plain   int
		Words   []string `json:"words" mcp:"default='[\"a\",\"b\"]'"`
	}
	_ = everything{}.hidden
	type shadow struct {
		base1
		*Base2
		ID bool
	}
	type both struct {
		base1
		Base2
	}
	type twice struct{ A, B person }
	type open struct {
		A    int            `json:"a"`
		Rest map[string]any `json:"-" mcp:"rest"`
	}
	type openTyped struct {
		Rest map[string]int `mcp:"rest"`
	}
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"every setting", reflect.TypeFor[everything](), `{"type":"object","properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":10,"title":"Query","description":"text to look for, \"quoted\""},` +
			`"order":{"type":"string","enum":["newest","oldest"],"default":"newest"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":50,"default":10},` +
			`"ratio":{"type":"number","minimum":0,"maximum":0.5,"examples":[0.25]},` +
			`"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"minItems":1,"maxItems":3,"uniqueItems":true},` +
			`"mail":{"type":"string","format":"email"},` +
			`"region":{"type":"string","x-mcp-header":"Region"},` +
			`"-":{"type":"boolean"},` +
			`"Plain":{"type":"integer"},` +
			`"words":{"type":"array","items":{"type":"string"},"default":["a","b"]}` +
			`},"required":["query","ratio","-","Plain"],"additionalProperties":false}`},
		{"VAL-06: no parameters", reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		{"VAL-06: pointer", reflect.TypeFor[*person](), `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`},
		{"embedded fields are dominated by outer ones", reflect.TypeFor[shadow](), `{"type":"object","properties":{"note":{"type":"string"},"Extra":{"type":"boolean"},"ID":{"type":"boolean"}},"required":["ID"],"additionalProperties":false}`},
		{"embedded fields of one name and depth vanish", reflect.TypeFor[both](), `{"type":"object","properties":{"note":{"type":"string"},"Extra":{"type":"boolean"}},"required":["Extra"],"additionalProperties":false}`},
		{"a type used twice is shared", reflect.TypeFor[twice](), `{"type":"object","properties":{"A":{"$ref":"#/$defs/person"},"B":{"$ref":"#/$defs/person"}},"required":["A","B"],"additionalProperties":false,"$defs":{"person":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}}`},
		{"a recursive root is #", reflect.TypeFor[linked](), `{"type":"object","properties":{"next":{"$ref":"#"},"all":{"type":"object"}},"required":["all"],"additionalProperties":false}`},
		{"rest of anything", reflect.TypeFor[open](), `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`},
		{"rest of integers", reflect.TypeFor[openTyped](), `{"type":"object","properties":{},"additionalProperties":{"type":"integer"}}`},
		{"array at the root", reflect.TypeFor[[]int](), `{"type":"array","items":{"type":"integer"}}`},
		{"scalar at the root", reflect.TypeFor[string](), `{"type":"string"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 3 { // the same bytes each time
				p, err := Of(c.typ)
				if err != nil {
					t.Fatal(err)
				}
				if string(p.JSON()) != c.want {
					t.Fatalf("\n got %s\nwant %s", p.JSON(), c.want)
				}
				if _, err := Compile(p.JSON(), AssertFormats()); err != nil {
					t.Errorf("not valid (M-JS-006): %v", err)
				}
			}
		})
	}
}

func TestObjectRoot(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"VAL-06: any", reflect.TypeFor[any](), `{"type":"object"}`},
		{"VAL-06: map", reflect.TypeFor[map[string]any](), `{"type":"object"}`},
		{"VAL-06: raw message", reflect.TypeFor[json.RawMessage](), `{"type":"object"}`},
		{"VAL-06: struct", reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Of(c.typ, Object())
			if err != nil {
				t.Fatal(err)
			}
			if string(p.JSON()) != c.want || !p.IsObject() || ObjectRoot(p.JSON()) != nil {
				t.Errorf("got %s, an object: %t", p.JSON(), p.IsObject())
			}
			v := reflect.New(c.typ)
			if err := p.Decode([]byte(`[]`), v.Interface()); err == nil || err.Error() != "must be an object; got []" {
				t.Errorf("array: %v", err)
			}
			for _, raw := range []string{"", "null", "{}"} { // VAL-01
				if err := p.Decode([]byte(raw), v.Interface()); err != nil {
					t.Errorf("%q: %v", raw, err)
				}
			}
		})
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[[]int](), reflect.TypeFor[string](), reflect.TypeFor[time.Time](), reflect.TypeFor[custom]()} {
		if _, err := Of(typ, Object()); err == nil || !strings.Contains(err.Error(), "must be an object in JSON") {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

type badFields struct {
	A  string         `mcp:"min=1"`
	B  int            `mcp:"minlen=1"`
	C  int            `mcp:"min=x"`
	D  int8           `mcp:"max=128"`
	E  int            `mcp:"default=x"`
	F  int            `mcp:"default=51,max=50"`
	G  string         `mcp:"pattern=("`
	H  string         `mcp:"format=colour"`
	I  string         `mcp:"enum=a|a"`
	J  string         `mcp:"enum=a|b,default=c"`
	K  chan int       `json:"k"`
	L  func()         `json:"l"`
	M  complex128     `json:"m"`
	N  fmt.Stringer   `json:"n"`
	O  map[bool]int   `json:"o"`
	P  string         `mcp:"minlen=3,maxlen=2"`
	Q  []int          `mcp:"minitems=-1"`
	R  [2]int         `mcp:"maxitems=3"`
	S  map[string]int `mcp:"unique"`
	T  string         `mcp:"nope"`
	U  string         `json:"A"`
	V  int            `json:"v,string"`
	W  []string       `mcp:"header=Tags"`
	X  string         `mcp:"header=a b"`
	Y  person         `mcp:"min=1"`
	Z  bool           `mcp:"enum=true"`
	Z2 string         `mcp:"discriminator=x"`
	Z3 int            `mcp:"rest"`
	Z4 string         `mcp:"minlen=1,example="`
	Z5 float64        `mcp:"min=2,max=1"`
	Z6 string         `mcp:"pattern=^x[_[:alpha:]]+$"`
}

// TestTypeFaults: everything that is wrong is said at once, in the order of
// declaration, with the Go type and the field.
func TestTypeFaults(t *testing.T) {
	_, err := For[badFields]()
	if err == nil {
		t.Fatal("no error")
	}
	want := `make a schema of schema.badFields: schema.badFields.B: mcp tag: minlen does not apply to an integer
schema.badFields.C: mcp tag: min=x: not an integer from -9223372036854775808 to 9223372036854775807
schema.badFields.D: mcp tag: max=128: not an integer from -128 to 127
schema.badFields.E: mcp tag: default: read JSON: syntax error at byte 0
schema.badFields.F: mcp tag: default: must be at most 50; got 51
schema.badFields.G: mcp tag: pattern "(" is wrong: error parsing regexp: missing closing ): ` + "`(`" + `
schema.badFields.H: mcp tag: unknown format "colour"; known are date, date-time, duration, email, hostname, ipv4, ipv6, regex, time, uri, uri-reference, uuid
schema.badFields.I: mcp tag: enum has "a" twice
schema.badFields.J: mcp tag: default: must be one of "a", "b"; got "c"
schema.badFields.K: chan int has no form in JSON
schema.badFields.L: func() has no form in JSON
schema.badFields.M: complex128 has no form in JSON
schema.badFields.N: interface fmt.Stringer has no schema; for one of several types use a struct that embeds schema.OneOf
schema.badFields.O: map key bool has no text form; use a string, an integer or a type with MarshalText and UnmarshalText
schema.badFields.P: mcp tag: minlen 3 is above maxlen 2
schema.badFields.Q: mcp tag: minitems=-1: not a count
schema.badFields.R: mcp tag: maxitems does not apply to an array of fixed length
schema.badFields.S: mcp tag: unique does not apply to a map
schema.badFields.T: mcp tag: unknown key "nope"
schema.badFields.U: "A" is also the name of A
schema.badFields.V: the json option "string" is not supported; give the field a string type
schema.badFields.W: mcp tag: header: only a string, an integer or a boolean can be mirrored
schema.badFields.X: mcp tag: header: "a b" is no HTTP token; use letters, digits and !#$%&'*+-.^_` + "`" + `|~
schema.badFields.Y: mcp tag: min does not apply to an object
schema.badFields.Z: mcp tag: enum does not apply to a boolean
schema.badFields.Z2: mcp tag: discriminator belongs to the embedded schema.OneOf
schema.badFields.Z3: rest needs a map, not int
schema.badFields.Z4: mcp tag: example: must have at least 1 character, has 0; got ""
schema.badFields.Z5: mcp tag: min 2 is above max 1
schema.badFields.Z6: mcp tag: pattern "^x[_[:alpha:]]+$" has [_[:alpha:], which ECMA-262 reads differently; write the characters, as in [A-Za-z0-9]`
	if err.Error() != want {
		t.Errorf("got\n%s", err)
	}
}

type (
	listOfLists []listOfLists
	mapOfMaps   map[string]mapOfMaps
	endless     *endless
)

type selfDefault struct {
	Next *selfDefault `json:"next" mcp:"default={}"`
}

func TestMoreTypeFaults(t *testing.T) {
	type inner struct{ C chan int }
	type nested struct{ In []map[string]inner }
	type embedsPointer struct{ *person }
	type twoRests struct {
		A map[string]any `mcp:"rest"`
		B map[string]any `mcp:"rest"`
	}
	type headerTwice struct {
		A string `mcp:"header=X"`
		B string `mcp:"header=x"`
	}
	type withHeader struct {
		A string `mcp:"header=X"`
	}
	type named struct{ A endless }
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"a list of itself", reflect.TypeFor[listOfLists](), "schema.listOfLists contains itself without a struct in between"},
		{"a map of itself", reflect.TypeFor[mapOfMaps](), "schema.mapOfMaps contains itself without a struct in between"},
		{"a pointer to itself", reflect.TypeFor[endless](), "more than 8 pointers around a value"},
		{"a field that points to itself", reflect.TypeFor[named](), "schema.named.A: more than 8 pointers around a value"},
		{"nil", nil, "make a schema: there is no type"},
		{"deep inside", reflect.TypeFor[nested](), "schema.inner.C: chan int has no form in JSON"},
		{"embedded pointer to unexported", reflect.TypeFor[embedsPointer](), "schema.embedsPointer.person: an embedded pointer to an unexported struct cannot be set; embed the struct itself"},
		{"a default that contains itself", reflect.TypeFor[selfDefault](), "has a default that contains itself"},
		{"two rests", reflect.TypeFor[twoRests](), "schema.twoRests.B: only one field can take the rest"},
		{"M-XMH-006: one header twice", reflect.TypeFor[headerTwice](), `"x" is already the name at #/properties/A`},
		{"M-XMH-010: a header in a list", reflect.TypeFor[[]withHeader](), `"X" must stand on an argument that is reached through properties alone`},
		{"root", reflect.TypeFor[chan int](), "make a schema of chan int: chan int: chan int has no form in JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Of(c.typ)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	type in struct {
		A string `json:"a" doc:"first" mcp:"title=A"`
		B *color `json:"b"`
		C level  `json:"c" mcp:"default=2"`
		D bool   `json:"d"`
	}
	p, err := For[in]()
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{
		{Name: "a", Title: "A", Doc: "first", Required: true},
		{Name: "b", Enum: []string{"red", "green"}},
		{Name: "c", Enum: []string{"1", "2", "4"}},
		{Name: "d", Required: true, Enum: []string{"true", "false"}},
	}
	if got := p.Fields(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if p, _ := For[[]int](); p.Fields() != nil || p.IsObject() {
		t.Error("an array has fields")
	}
}
