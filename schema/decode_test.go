package schema

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// must is the plan of T.
func must[T any](t testing.TB, opts ...Option) *Plan {
	t.Helper()
	p, err := For[T](opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// one decodes raw as the member v of a struct with that field alone.
func one[T any](t *testing.T, raw string, opts ...Option) (T, error) {
	t.Helper()
	type in struct {
		V T `json:"v"`
	}
	var x in
	err := must[in](t, opts...).Decode([]byte(`{"v":`+raw+`}`), &x)
	return x.V, err
}

func TestDecodeValues(t *testing.T) {
	check := func(name string, got any, err error, want any) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, want %#v", name, got, want)
		}
	}
	{
		v, err := one[int64](t, "9007199254740993", Strict())
		check("JSON-03: int64 beyond 2^53", v, err, int64(9007199254740993))
	}
	{
		v, err := one[int64](t, "-9223372036854775808", Strict())
		check("JSON-03: the least int64", v, err, int64(math.MinInt64))
	}
	{
		v, err := one[uint64](t, "18446744073709551615", Strict())
		check("JSON-03: the greatest uint64", v, err, uint64(math.MaxUint64))
	}
	{
		v, err := one[int](t, "42.0", Strict())
		check("T-51: 42.0 is an integer", v, err, 42)
	}
	{
		v, err := one[int](t, "1e2", Strict())
		check("T-51: 1e2 is an integer", v, err, 100)
	}
	{
		v, err := one[uint8](t, "-0", Strict())
		check("minus nought", v, err, uint8(0))
	}
	{
		v, err := one[float64](t, "1.5e-3", Strict())
		check("float", v, err, 0.0015)
	}
	{
		v, err := one[json.Number](t, "0.1000000000000000055", Strict())
		check("JSON-03: json.Number keeps its digits", v, err, json.Number("0.1000000000000000055"))
	}
	{
		v, err := one[json.RawMessage](t, ` {"a" : 1E400, "b":null} `, Strict())
		check("JSON-03: raw keeps its bytes", v, err, json.RawMessage(`{"a" : 1E400, "b":null}`))
	}
	{
		v, err := one[any](t, `{"a":[1,"x",true,null,{}]}`, Strict())
		check("any", v, err, any(map[string]any{"a": []any{json.Number("1"), "x", true, nil, map[string]any{}}}))
	}
	{
		v, err := one[any](t, `null`, Strict())
		check("any null", v, err, any(nil))
	}
	{
		v, err := one[string](t, `"a\u00e9\ud83d\ude00\n"`, Strict())
		check("string with escapes", v, err, "aé😀\n")
	}
	{
		v, err := one[[]byte](t, `"aGVsbG8="`, Strict())
		check("bytes", v, err, []byte("hello"))
	}
	{
		v, err := one[time.Time](t, `"2026-07-28T09:30:00.5+02:00"`, Strict())
		check("time", v.UTC(), err, time.Date(2026, 7, 28, 7, 30, 0, 5e8, time.UTC))
	}
	{
		v, err := one[time.Duration](t, `"1m30s"`, Strict())
		check("duration", v, err, 90*time.Second)
	}
	{
		v, err := one[url.URL](t, `"https://example.com/a?b=c#d"`, Strict())
		check("url", v.String(), err, "https://example.com/a?b=c#d")
	}
	{
		v, err := one[*netip.Addr](t, `"2001:db8::1"`, Strict())
		a := netip.MustParseAddr("2001:db8::1")
		check("address", v, err, &a)
	}
	{
		v, err := one[netip.Prefix](t, `"192.0.2.0/24"`, Strict())
		check("prefix", v, err, netip.MustParsePrefix("192.0.2.0/24"))
	}
	{
		v, err := one[big.Int](t, `123456789012345678901234567890`, Strict())
		check("big.Int", v.String(), err, "123456789012345678901234567890")
	}
	{
		v, err := one[big.Float](t, `0.1`, Strict())
		check("big.Float", v.Text('g', -1), err, "0.1")
	}
	{
		v, err := one[big.Rat](t, `"6/8"`, Strict())
		check("big.Rat", v.RatString(), err, "3/4")
	}
	{
		v, err := one[upper](t, `"ABC"`, Strict())
		check("text methods", v, err, upper("ABC"))
	}
	{
		v, err := one[custom](t, `7`, Strict())
		check("JSON methods", v, err, custom{7})
	}
	{
		v, err := one[[]string](t, `[]`, Strict())
		check("empty list", v, err, []string{})
	}
	{
		v, err := one[[][]int](t, `[[1],[],[2,3]]`, Strict())
		check("lists", v, err, [][]int{{1}, {}, {2, 3}})
	}
	{
		v, err := one[[2]bool](t, `[true,false]`, Strict())
		check("array", v, err, [2]bool{true, false})
	}
	{
		v, err := one[map[string]int](t, `{"":1,"a.b":2}`, Strict())
		check("map", v, err, map[string]int{"": 1, "a.b": 2})
	}
	{
		v, err := one[map[int8]bool](t, `{"-3":true}`, Strict())
		check("map with int keys", v, err, map[int8]bool{-3: true})
	}
	{
		v, err := one[map[uint]bool](t, `{"3":true}`, Strict())
		check("map with uint keys", v, err, map[uint]bool{3: true})
	}
	{
		v, err := one[map[netip.Addr]int](t, `{"192.0.2.1":5}`, Strict())
		check("map with address keys", v, err, map[netip.Addr]int{netip.MustParseAddr("192.0.2.1"): 5})
	}
	{
		v, err := one[map[string]*int](t, `{"a":null}`, Strict())
		check("nil in a map", v, err, map[string]*int{"a": nil})
	}
	{
		v, err := one[**string](t, `"x"`, Strict())
		if err != nil || **v != "x" {
			t.Errorf("pointer to pointer: %v, %v", v, err)
		}
	}
	{
		v, err := one[color](t, `"green"`, Strict())
		check("enum", v, err, color("green"))
	}
}

// TestCoercion: a scalar is taken for another only where the schema does not
// accept it as it is.
func TestCoercion(t *testing.T) {
	type in struct {
		S string        `json:"s,omitempty"`
		I int           `json:"i,omitempty"`
		U uint8         `json:"u,omitempty"`
		F float64       `json:"f,omitempty"`
		B bool          `json:"b,omitempty"`
		C color         `json:"c,omitempty"`
		D time.Duration `json:"d,omitempty"`
		P *int          `json:"p"`
		N json.Number   `json:"n,omitempty"`
		X big.Int       `json:"x,omitzero"`
		L []int         `json:"l,omitempty" mcp:"unique"`
		A any           `json:"a,omitempty"`
		Q []any         `json:"q,omitempty" mcp:"unique"`
		W []*bool       `json:"w,omitempty" mcp:"unique"`
	}
	lenient, strict := must[in](t), must[in](t, Strict())
	five := 5
	for _, c := range []struct {
		name, raw string
		want      in
	}{
		{"number in a string", `{"i":"5","u":"7","f":"1e2"}`, in{I: 5, U: 7, F: 100}},
		{"integer with a point in a string", `{"i":"5.0"}`, in{I: 5}},
		{"json.Number and big.Int in strings", `{"n":"1.50","x":"12"}`, in{N: "1.50", X: *big.NewInt(12)}},
		{"boolean in a string", `{"b":"true"}`, in{B: true}},
		{"number for a string", `{"s":5.10}`, in{S: "5.10"}},
		{"boolean for a string", `{"s":true}`, in{S: "true"}},
		{"pointer", `{"p":"5"}`, in{P: &five}},
		{"null for an optional member", `{"s":null,"i":null,"p":null,"l":null}`, in{}},
		{"items", `{"l":["1",2]}`, in{L: []int{1, 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got in
			if err := lenient.Decode([]byte(c.raw), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got, cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 })); d != "" {
				t.Error(d)
			}
			if err := strict.Decode([]byte(c.raw), &got); err == nil {
				t.Error("Strict accepts it")
			}
		})
	}
	for _, raw := range []string{`{"q":[1,"1",true,"true"]}`, `{"w":[true,null,"false"]}`} {
		if err := lenient.Decode([]byte(raw), new(in)); err != nil {
			t.Errorf("%s: what stays different is different: %v", raw, err)
		}
	}
	for _, c := range []struct{ name, raw, want string }{
		{"equal through a pointer", `{"w":[true,"true"]}`, `w: items must differ, but 0 and 1 are equal; got [true,"true"]`},
		{"no number in the string", `{"i":"x"}`, `i: must be an integer; got "x"`},
		{"space around the number", `{"i":" 5"}`, `i: must be an integer; got " 5"`},
		{"empty string for a number", `{"i":""}`, `i: must be an integer; got ""`},
		{"not a JSON number", `{"f":"0x10"}`, `f: must be a number; got "0x10"`},
		{"yes for a boolean", `{"b":"yes"}`, `b: must be true or false; got "yes"`},
		{"one for a boolean", `{"b":1}`, `b: must be true or false; got 1`},
		{"object for a string", `{"s":{}}`, `s: must be a string; got {}`},
		{"a single value for a list", `{"l":1}`, `l: must be an array; got 1; write [ and ] around it`},
		{"a list as text", `{"l":"[1]"}`, `l: must be an array; got "[1]"; write it as JSON, not as a string`},
		{"a bare number is no duration", `{"d":5}`, `d: must be a duration, as in 1m30s; got 5`},
		{"out of bounds once coerced", `{"u":"256"}`, `u: must be at most 255; got "256"`},
		{"equal once coerced", `{"l":[1,"1.0"]}`, `l: items must differ, but 0 and 1 are equal; got [1,"1.0"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got in
			err := lenient.Decode([]byte(c.raw), &got)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestStringStaysString is JSON-09: text that looks like JSON is text.
func TestStringStaysString(t *testing.T) {
	for _, s := range []string{`{"a":1}`, "123", "null", "1e5", "true", "007", "[]", ""} {
		quoted, _ := json.Marshal(s)
		for _, opts := range [][]Option{nil, {Strict()}} {
			got, err := one[string](t, string(quoted), opts...)
			if err != nil || got != s {
				t.Errorf("%q became %q, %v", s, got, err)
			}
			ptr, err := one[*string](t, string(quoted), opts...)
			if err != nil || ptr == nil || *ptr != s {
				t.Errorf("%q became %v, %v", s, ptr, err)
			}
			x, err := one[any](t, string(quoted), opts...)
			if err != nil || x != any(s) {
				t.Errorf("any: %q became %v, %v", s, x, err)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	type inner struct {
		A int `json:"a" mcp:"default=3"`
		B int `json:"b,omitempty"`
	}
	type embedded struct {
		E string `json:"e" mcp:"default=deep"`
	}
	type in struct {
		*Embedded
		embedded
		S string         `json:"s" mcp:"default='a,b'"`
		N string         `json:"n" mcp:"default=5"`
		I int8           `json:"i" mcp:"default=-3"`
		B bool           `json:"b" mcp:"default=true"`
		P *int           `json:"p" mcp:"default=7"`
		L []string       `json:"l" mcp:"default='[\"x\"]'"`
		M map[string]int `json:"m" mcp:"default={\"k\":1}"`
		T time.Duration  `json:"t" mcp:"default=1m"`
		C color          `json:"c" mcp:"default=red"`
		X inner          `json:"x" mcp:"default={\"b\":2}"`
		Y *inner         `json:"y"`
	}
	p := must[in](t)
	seven := 7
	want := in{
		Embedded: &Embedded{Deep: 4}, embedded: embedded{"deep"}, S: "a,b", N: "5", I: -3, B: true, P: &seven, L: []string{"x"},
		M: map[string]int{"k": 1}, T: time.Minute, C: "red", X: inner{A: 3, B: 2},
	}
	var a, b in
	for _, got := range []*in{&a, &b} {
		if err := p.DecodeChecked(nil, got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
		// Nothing is shared between two values.
		got.L[0], got.M["k"], *got.P = "changed", 9, 9
	}
	var c in
	if err := p.Decode([]byte(`{"s":"","i":null,"l":[],"x":{"a":1},"y":{}}`), &c); err != nil {
		t.Fatal(err)
	}
	if c.S != "" || c.I != -3 || len(c.L) != 0 || c.X != (inner{A: 1}) || *c.Y != (inner{A: 3}) {
		t.Errorf("got %+v, y %+v", c, c.Y)
	}
}

type Embedded struct {
	Deep int `json:"deep" mcp:"default=4"`
}

func TestFaultTexts(t *testing.T) {
	type filter struct {
		Name string `json:"name"`
		Max  int    `json:"max,omitempty" mcp:"max=9"`
	}
	type in struct {
		Query    string             `json:"query" mcp:"minlen=2,maxlen=5"`
		Order    string             `json:"order" mcp:"default=newest,enum=newest|oldest"`
		Limit    int                `json:"limit" mcp:"default=10,min=1,max=50"`
		Continue string             `json:"continue,omitempty"`
		Tags     []string           `json:"tags,omitempty" mcp:"maxitems=2,unique,pattern=^[a-z]+$"`
		Filter   *filter            `json:"filter"`
		By       map[string]filter  `json:"by,omitempty"`
		Token    string             `json:"api_token,omitempty" mcp:"maxlen=3"`
		Mail     string             `json:"mail,omitempty" mcp:"format=email"`
		Site     *url.URL           `json:"site"`
		When     *time.Time         `json:"when"`
		Ratio    float64            `json:"ratio,omitempty" mcp:"min=0.5"`
		Pair     *[2]int            `json:"pair"`
		Data     []byte             `json:"data,omitempty"`
		Up       upper              `json:"up,omitempty"`
		Custom   *custom            `json:"custom"`
		Count    map[int8]int       `json:"count,omitempty" mcp:"maxitems=1"`
		F32      float32            `json:"f32,omitempty"`
		Deep     [][]map[string]int `json:"deep,omitempty"`
		Three    uint               `json:"three,omitempty" mcp:"enum=1|2|3"`
		Big      *big.Int           `json:"big"`
	}
	p := must[in](t)
	for _, c := range []struct{ name, raw, want string }{
		{"missing", `{}`, `query: required, but missing`},
		{"null where required", `{"query":null}`, `query: must be a string; got null`},
		{"unknown with the word models use instead", `{"query":"abc","cursor":"x"}`, `unknown argument "cursor"; got "x"; did you mean "continue"?`},
		{"unknown with a typing mistake", `{"query":"abc","limt":5}`, `unknown argument "limt"; got 5; did you mean "limit"?`},
		{"JSON-01: another case is another name", `{"query":"abc","Limit":5}`, `unknown argument "Limit"; got 5; did you mean "limit"?`},
		{"unknown in a nested object", `{"query":"abc","filter":{"name":"x","zzz":1}}`, `filter: unknown property "zzz"; got 1; known are "name", "max"`},
		{"too short", `{"query":"é"}`, `query: must have at least 2 characters, has 1; got "é"`},
		{"too long", `{"query":"abcdef"}`, `query: must have at most 5 characters, has 6; got "abcdef"`},
		{"enum", `{"query":"abc","order":"newst"}`, `order: must be one of "newest", "oldest"; got "newst"; did you mean "newest"?`},
		{"integer enum", `{"query":"abc","three":4}`, `three: must be one of 1, 2, 3; got 4`},
		{"minimum", `{"query":"abc","limit":0}`, `limit: must be at least 1; got 0`},
		{"maximum", `{"query":"abc","limit":51}`, `limit: must be at most 50; got 51`},
		{"fraction", `{"query":"abc","limit":2.5}`, `limit: must be an integer; got 2.5`},
		{"far out of range", `{"query":"abc","limit":1e500}`, `limit: must be at most 50; got 1e500`},
		{"far below range", `{"query":"abc","limit":-99999999999999999999}`, `limit: must be at least 1; got -99999999999999999999`},
		{"too many items, and not unique", `{"query":"abc","tags":["a","b","c"]}`, `tags: must have at most 2 items, has 3`},
		{"unique", `{"query":"abc","tags":["a","a"]}`, `tags: items must differ, but 0 and 1 are equal; got ["a","a"]`},
		{"item", `{"query":"abc","tags":["a","B"]}`, `tags[1]: must match the pattern ^[a-z]+$; got "B"`},
		{"object expected", `{"query":"abc","filter":"{\"name\":1}"}`, `filter: must be an object; got "{\"name\":1}"; write it as JSON, not as a string`},
		{"member of a map", `{"query":"abc","by":{"x y":{"name":"n","max":10}}}`, `by["x y"].max: must be at most 9; got 10`},
		{"secrets are not shown", `{"query":"abc","api_token":"s3cr3t"}`, `api_token: must have at most 3 characters, has 6`},
		{"unknown secrets neither", `{"query":"abc","password":"s3cr3t"}`, `unknown argument "password"; known are "query", "order", "limit", "continue", "tags", "filter", "by", "api_token", "mail", "site", "when", "ratio", "pair", "data", "up", "custom", "count", "f32", "deep", "three" and 1 more`},
		{"secrets inside neither", `{"query":"abc","tags":{"my_password":"s3cr3t"}}`, `tags: must be an array; write [ and ] around it`},
		{"format", `{"query":"abc","mail":"x"}`, `mail: must be of format email, as in name@example.com; got "x"`},
		{"url", `{"query":"abc","site":"a b"}`, `site: must be a URI or a URI reference, as in https://example.com/path; got "a b"; character " " must be percent-encoded`},
		{"time", `{"query":"abc","when":"yesterday"}`, `when: must be a date and time, as in 2026-07-28T09:30:00Z; got "yesterday"`},
		{"JSON-03: beyond float64", `{"query":"abc","ratio":1E400}`, `ratio: must fit a number of 64 bits; got 1E400`},
		{"beyond float32", `{"query":"abc","f32":1e39}`, `f32: must fit a number of 32 bits; got 1e39`},
		{"number bound", `{"query":"abc","ratio":0.49999999999999999999}`, `ratio: must be at least 0.5; got 0.49999999999999999999`},
		{"fixed length", `{"query":"abc","pair":[1]}`, `pair: must have exactly 2 items, has 1`},
		{"base64", `{"query":"abc","data":"a"}`, `data: must be base64 with padding, as in aGVsbG8=; got "a"`},
		{"text methods", `{"query":"abc","up":"a"}`, `up: must be text for upper; got "a"; lower case letters`},
		{"JSON methods", `{"query":"abc","custom":"a"}`, `custom: cannot be read: json: cannot unmarshal string into Go value of type int; got "a"`},
		{"map key", `{"query":"abc","count":{"128":1}}`, `count: "128" is no name for a member here: an integer of 8 bits is needed`},
		{"members of a map", `{"query":"abc","count":{"1":1,"2":1}}`, `count: must have at most 1 item, has 2`},
		{"deep", `{"query":"abc","deep":[[],[{"a":1,"b":"x"}]]}`, `deep[1][0].b: must be an integer; got "x"`},
		{"cheap to write, dear to compute", `{"query":"abc","big":1e999999999}`, `big: must be a number of at most 1000 digits; got 1e999999999`},
		{"no object", `[1]`, `must be an object; got [1]`},
		{"VAL-01: text of an object", `"{}"`, `must be an object; got "{}"; write it as JSON, not as a string`},
		{"not JSON", `{"query":`, `must be valid JSON: read JSON: unexpected end at byte 9`},
		{"RFC 8259: duplicate names", `{"query":"abc","query":"abd"}`, `must be valid JSON: read JSON: duplicate name "query" at byte 15`},
		{"a long value is cut", `{"query":"abc","limit":"` + strings.Repeat("x", 200) + `"}`, `limit: must be an integer; got "` + strings.Repeat("x", 76) + `...`},
		{"several", `{"order":1,"limit":true,"filter":{},"cursor":1}`, `5 problems:
- order: must be one of "newest", "oldest"; got 1
- limit: must be an integer; got true
- filter.name: required, but missing
- unknown argument "cursor"; got 1; did you mean "continue"?
- query: required, but missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x in
			err := p.Decode([]byte(c.raw), &x)
			if err == nil {
				t.Fatalf("accepted, want %s", c.want)
			}
			if err.Error() != c.want {
				t.Errorf("\n got %s\nwant %s", err, c.want)
			}
			var f Faults
			if !errors.As(err, &f) || len(f) == 0 {
				t.Errorf("%T is no Faults", err)
			}
		})
	}
}

func TestFaultsAreBounded(t *testing.T) {
	raw := "[" + strings.TrimSuffix(strings.Repeat(`"x",`, 100_000), ",") + "]"
	for _, decode := range []func() error{
		func() error { var v []int; return must[[]int](t).Decode([]byte(raw), &v) },
		func() error {
			v, err := Compile([]byte(`{"items":{"type":"integer"}}`))
			if err != nil {
				t.Fatal(err)
			}
			return v.Validate([]byte(raw))
		},
	} {
		var f Faults
		if err := decode(); !errors.As(err, &f) {
			t.Fatalf("got %v", err)
		}
		if len(f) != maxFaults+1 || f[maxFaults].Message != moreFaults {
			t.Errorf("%d faults, the last is %v", len(f), f[len(f)-1])
		}
	}
}

func TestRest(t *testing.T) {
	type in struct {
		A    int            `json:"a"`
		Rest map[string]int `json:"-" mcp:"rest"`
	}
	p := must[in](t)
	var x in
	if err := p.Decode([]byte(`{"z":1,"a":2,"":3}`), &x); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in{A: 2, Rest: map[string]int{"z": 1, "": 3}}, x); d != "" {
		t.Error(d)
	}
	if out, err := p.Append(nil, x); err != nil || string(out) != `{"a":2,"":3,"z":1}` {
		t.Errorf("got %s, %v", out, err)
	}
	if err := p.Decode([]byte(`{"a":1,"b":"x"}`), &x); err == nil || err.Error() != `b: must be an integer; got "x"` {
		t.Error(err)
	}
	if _, err := p.Append(nil, in{Rest: map[string]int{"a": 1}}); err == nil || err.Error() != `"a" is a field of its own and also among the rest` {
		t.Error(err)
	}
}

// TestOpen is JSON-07: what a newer peer adds does no harm.
func TestOpen(t *testing.T) {
	type out struct {
		P person `json:"p"`
		U figure `json:"u"`
	}
	p := must[out](t, Open())
	if strings.Contains(string(p.JSON()), "additionalProperties") {
		t.Errorf("not open: %s", p.JSON())
	}
	var x out
	if err := p.Decode([]byte(`{"new":1,"p":{"name":"n","new":{}},"u":{"type":"circle","new":[],"radius":1}}`), &x); err != nil {
		t.Fatal(err)
	}
	if x.P.Name != "n" || x.U.Circle.Radius != 1 {
		t.Errorf("got %+v", x)
	}
}

func TestManyFields(t *testing.T) {
	// More than the words of the set of seen fields on the stack.
	var fields []reflect.StructField
	var raw strings.Builder
	for i := range 300 {
		name := "F" + strings.Repeat("x", i/26) + string(rune('A'+i%26))
		fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[int]()})
		raw.WriteString(`,"` + name + `":` + string(rune('0'+i%10)))
	}
	p, err := Of(reflect.StructOf(fields))
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.New(p.typ)
	if err := p.Decode([]byte("{"+raw.String()[1:]+"}"), v.Interface()); err != nil {
		t.Fatal(err)
	}
	if got := v.Elem().Field(299).Int(); got != 9 {
		t.Errorf("got %d", got)
	}
	if err := p.Decode([]byte(`{}`), v.Interface()); err == nil || !strings.HasPrefix(err.Error(), "26 problems:") {
		t.Errorf("got %v", err)
	}
}

func TestDecodeTarget(t *testing.T) {
	p := must[person](t)
	var ptr *person
	if err := p.Decode([]byte(`{"name":"x"}`), &ptr); err != nil || ptr.Name != "x" {
		t.Errorf("pointer to pointer: %v, %v", ptr, err)
	}
	for _, into := range []any{nil, person{}, (*person)(nil), new(string)} {
		var f Faults
		if err := p.Decode([]byte(`{"name":"x"}`), into); err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), "a pointer to schema.person is needed") {
			t.Errorf("%T: %v", into, err)
		}
	}
}

// TestNoSharedMemory: what was decoded survives the buffer it came from.
func TestNoSharedMemory(t *testing.T) {
	type in struct {
		S string
		R json.RawMessage
		A any
		M map[string]string
		N json.Number
	}
	p := must[in](t)
	raw := []byte(`{"S":"abc","R":"abc","A":["abc"],"M":{"abc":"abc"},"N":123}`)
	var x, y in
	if err := errors.Join(p.Decode(raw, &x), p.Decode([]byte(string(raw)), &y)); err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] = '#'
	}
	if d := cmp.Diff(y, x); d != "" {
		t.Error(d)
	}
}
