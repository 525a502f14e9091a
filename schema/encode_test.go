package schema

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

type withZero struct{ set bool }

func (w withZero) IsZero() bool { return !w.set }

func TestAppend(t *testing.T) {
	type pt struct {
		X int `json:"x"`
	}
	type Emb struct {
		E int `json:"e"`
	}
	five := 5
	text := func(got []byte, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		return string(got)
	}
	for _, c := range []struct{ name, got, want string }{
		{"JSON-04: nil slice", text(must[[]int](t).Append(nil, []int(nil))), `[]`},
		{"JSON-04: nil map", text(must[map[string]int](t).Append(nil, map[string]int(nil))), `{}`},
		{"JSON-04: nil slices inside", text(must[struct{ A [][]string }](t).Append(nil, struct{ A [][]string }{[][]string{nil}})), `{"A":[[]]}`},
		{"JSON-06: no HTML escapes", text(must[string](t).Append(nil, "<a href=\"x?y=1&z=2\">\u2028</a>")), "\"<a href=\\\"x?y=1&z=2\\\">\u2028</a>\""},
		{"JSON-03: large integers", text(must[[]any](t).Append(nil, []any{uint64(math.MaxUint64), int64(math.MinInt64), json.Number("9007199254740993")})), `[18446744073709551615,-9223372036854775808,9007199254740993]`},
		{"nil pointers are left out", text(must[struct {
			A *int
			B *pt
			C int
		}](t).Append(nil, struct {
			A *int
			B *pt
			C int
		}{})), `{"C":0}`},
		{"nil in a list", text(must[[]*int](t).Append(nil, []*int{&five, nil})), `[5,null]`},
		{"nil struct in a list", text(must[[]*pt](t).Append(nil, []*pt{nil})), `error: [0]: must not be nil`},
		{"sorted members", text(must[map[string]bool](t).Append(nil, map[string]bool{"b": true, "a": false})), `{"a":false,"b":true}`},
		{"keys by text", text(must[map[netip.Addr]int](t).Append(nil, map[netip.Addr]int{netip.MustParseAddr("::1"): 1})), `{"::1":1}`},
		{"keys by number", text(must[map[int]int](t).Append(nil, map[int]int{10: 1, -9: 2})), `{"-9":2,"10":1}`},
		{"omitempty and omitzero", text(must[struct {
			A int            `json:"a,omitempty"`
			B []int          `json:"b,omitempty"`
			C map[string]int `json:"c,omitempty"`
			D time.Time      `json:"d,omitzero"`
			E pt             `json:"e,omitempty"` //nolint:modernize // that it does nothing here is the case
			F withZero       `json:"f,omitzero"`
			G string         `json:"g,omitzero"`
		}](t).Append(nil, struct {
			A int            `json:"a,omitempty"`
			B []int          `json:"b,omitempty"`
			C map[string]int `json:"c,omitempty"`
			D time.Time      `json:"d,omitzero"`
			E pt             `json:"e,omitempty"` //nolint:modernize // that it does nothing here is the case
			F withZero       `json:"f,omitzero"`
			G string         `json:"g,omitzero"`
		}{})), `{"e":{"x":0}}`},
		{"embedded nil pointer", text(must[struct {
			*Emb
			A int
		}](t).Append(nil, struct {
			*Emb
			A int
		}{})), `{"A":0}`},
		{"embedded pointer", text(must[struct{ *Emb }](t).Append(nil, struct{ *Emb }{&Emb{3}})), `{"e":3}`},
		{"bytes", text(must[[]byte](t).Append(nil, []byte("hello"))), `"aGVsbG8="`},
		{"nil bytes", text(must[[]byte](t).Append(nil, []byte(nil))), `""`},
		{"array", text(must[[2]int8](t).Append(nil, [2]int8{1, -2})), `[1,-2]`},
		{"floats", text(must[[]float64](t).Append(nil, []float64{0.1, 1e21, 1e-7, math.Copysign(0, -1), 100})), `[0.1,1e+21,1e-07,-0,100]`},
		{"float32", text(must[float32](t).Append(nil, float32(0.1))), `0.1`},
		{"time", text(must[time.Time](t).Append(nil, time.Date(2026, 7, 28, 1, 2, 3, 0, time.UTC))), `"2026-07-28T01:02:03Z"`},
		{"duration", text(must[time.Duration](t).Append(nil, 90*time.Second)), `"1m30s"`},
		{"url", text(must[*url.URL](t).Append(nil, &url.URL{Scheme: "https", Host: "example.com"})), `"https://example.com"`},
		{"big", text(must[struct {
			I *big.Int
			F big.Float
			R *big.Rat
		}](t).Append(nil, struct {
			I *big.Int
			F big.Float
			R *big.Rat
		}{big.NewInt(7), *big.NewFloat(0.5), big.NewRat(6, 8)})), `{"I":7,"F":0.5,"R":"3/4"}`},
		{"raw keeps its tokens, not its line breaks", text(must[json.RawMessage](t).Append(nil, json.RawMessage("{ \"a\" :\n 1E400 }"))), `{"a":1E400}`},
		{"nil raw", text(must[json.RawMessage](t).Append(nil, json.RawMessage(nil))), `null`},
		{"any", text(must[any](t).Append(nil, map[string]any{"b": []int(nil), "a": nil, "n": json.Number("1.50")})), `{"a":null,"b":[],"n":1.50}`},
		{"nil any", text(must[any](t).Append(nil, nil)), `null`},
		{"JSON methods", text(must[custom](t).Append(nil, custom{7})), `7`},
		{"text methods", text(must[upper](t).Append(nil, upper("A"))), `"A"`},
		{"behind what is there", text(must[int](t).Append([]byte("x"), 5)), `x5`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

// TestAppendFaults: what the schema does not accept is not sent (M-JS-015).
func TestAppendFaults(t *testing.T) {
	type out struct {
		Order string               `json:"order,omitempty" mcp:"enum=a|b"`
		N     int                  `json:"n,omitempty" mcp:"max=5"`
		F     float64              `json:"f,omitempty" mcp:"min=0.5"`
		S     string               `json:"s,omitempty" mcp:"minlen=2,pattern=^a"`
		L     []int                `json:"l,omitempty" mcp:"unique,maxitems=2"`
		M     map[string][]float64 `json:"m,omitempty"`
		Raw   json.RawMessage      `json:"raw,omitempty"`
		Num   json.Number          `json:"num,omitempty"`
		When  time.Time            `json:"when,omitzero"`
		Addr  netip.Addr           `json:"addr,omitzero"`
		Any   any                  `json:"any,omitempty"`
		Mail  string               `json:"mail,omitempty" mcp:"format=email"`
		Color color                `json:"color,omitempty"`
		Big   *big.Float           `json:"big"`
		Addrs []netip.Addr         `json:"addrs,omitempty"`
		Count map[string]int       `json:"count,omitempty" mcp:"maxitems=1"`
	}
	p := must[out](t)
	for _, c := range []struct {
		name string
		v    out
		want string
	}{
		{"enum", out{Order: "c"}, `order: must be one of "a", "b"; got "c"`},
		{"Values", out{Color: "blue"}, `color: must be one of "red", "green"; got "blue"`},
		{"maximum", out{N: 6}, `n: must be at most 5; got 6`},
		{"minimum", out{F: 0.25}, `f: must be at least 0.5; got 0.25`},
		{"not a number", out{F: math.NaN()}, `f: must be a finite number; got NaN`},
		{"infinite, deep inside", out{M: map[string][]float64{"x": {1, math.Inf(-1)}}}, `m.x[1]: must be a finite number; got -Inf`},
		{"infinite big.Float", out{Big: new(big.Float).SetInf(true)}, `big: must be a finite number; got -Inf`},
		{"length", out{S: "a"}, `s: must have at least 2 characters, has 1; got "a"`},
		{"pattern", out{S: "ba"}, `s: must match the pattern ^a; got "ba"`},
		{"unique", out{L: []int{1, 1}}, `l: items must differ, but 0 and 1 are equal`},
		{"items", out{L: []int{1, 2, 3}}, `l: must have at most 2 items, has 3`},
		{"members", out{Count: map[string]int{"a": 1, "b": 2}}, `count: must have at most 1 item, has 2`},
		{"raw that is no JSON", out{Raw: json.RawMessage(`{"a":1,}`)}, `raw: is no valid JSON: read JSON: syntax error at byte 7; got {"a":1,}`},
		{"raw with a name twice", out{Raw: json.RawMessage(`{"a":1,"a":2}`)}, `raw: is no valid JSON: read JSON: duplicate name "a" at byte 7; got {"a":1,"a":2}`},
		{"json.Number that is none", out{Num: "1x"}, `num: must be a number; got "1x"`},
		{"json.Number in any that is none", out{Any: json.Number("true")}, `any: cannot be written: write JSON: `},
		{"year beyond RFC 3339", out{When: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, `when: cannot be written as a date and time, as in 2026-07-28T09:30:00Z: Time.MarshalText: year outside of range [0,9999]`},
		{"zero address", out{Addrs: []netip.Addr{{}}}, `addrs[0]: cannot be written as an IP address, as in 192.0.2.1 or 2001:db8::1: it is the zero value`},
		{"format", out{Mail: "x"}, `mail: must be of format email, as in name@example.com; got "x"`},
		{"function in any", out{Any: []any{func() {}}}, `any: cannot be written: write JSON: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.Append([]byte("keep"), &c.v)
			if _, ok := errors.AsType[Faults](err); !ok {
				t.Fatalf("got %s, %v", got, err)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("\n got %s\nwant %s", err, c.want)
			}
			if string(got) != "keep" {
				t.Errorf("dst became %s", got)
			}
		})
	}
}

func TestAppendBounds(t *testing.T) {
	p := must[linked](t)
	round := &linked{}
	round.Next = round
	if _, err := p.Append(nil, round); err == nil || !strings.Contains(err.Error(), "nested deeper than the limit") {
		t.Errorf("a value that contains itself: %v", err)
	}
	deep := linked{}
	for range 120 {
		inner := deep
		deep = linked{Next: &inner}
	}
	out, err := p.Append(nil, deep)
	if err != nil {
		t.Fatal(err)
	}
	var back linked
	if err := p.Decode(out, &back); err != nil {
		t.Errorf("what is written cannot be read: %v", err)
	}
	for _, v := range []any{nil, 5, "x", (*linked)(nil)} {
		if _, err := p.Append(nil, v); err == nil {
			t.Errorf("%T is accepted", v)
		}
	}
}
