package schema

import (
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"
)

type noValues string

func (noValues) Values() []noValues { return nil }

type panicking string

func (panicking) Values() []panicking { panic("not today") }

type repeated string

func (repeated) Values() []repeated { return []repeated{"a", "a"} }

type otherValues string

func (otherValues) Values() []string { return []string{"a"} } // not of its own type: no enum

type small8 uint8

func (small8) Values() []small8 { return []small8{1, 200} }

func TestValues(t *testing.T) {
	if got := schemaOf[small8](t); got != `{"type":"integer","enum":[1,200],"minimum":0,"maximum":255}` {
		t.Error(got)
	}
	if got := schemaOf[otherValues](t); got != `{"type":"string"}` {
		t.Error(got)
	}
	if got := schemaOf[[]color](t); got != `{"type":"array","items":{"type":"string","enum":["red","green"]}}` {
		t.Error(got)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"empty", errorOf(For[noValues]()), "schema.noValues.Values is empty"},
		{"panic", errorOf(For[panicking]()), "schema.panicking.Values panics: not today"},
		{"no text of the type", errorOf(For[struct {
			W time.Duration `mcp:"enum=1s|soon"`
		}]()), `mcp tag: enum: "soon" must be a duration, as in 1m30s`},
		{"twice", errorOf(For[repeated]()), `schema.repeated.Values: enum has "a" twice`},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, c.err, c.want)
		}
	}
}

func errorOf(_ *Plan, err error) error { return err }

// TestSettingsOnTypes: settings mean the same on types with a form of their own.
func TestSettingsOnTypes(t *testing.T) {
	type in struct {
		Site *url.URL       `json:"site" mcp:"format=uri"`
		Wait *time.Duration `json:"wait" mcp:"enum=1s|1m"`
		Big  *big.Int       `json:"big" mcp:"min=-5,max=1e30"`
		Flt  *big.Float     `json:"flt" mcp:"enum=0.5|1.50"`
		Num  json.Number    `json:"num,omitempty" mcp:"min=0.1,max=2"`
		F    float32        `json:"f,omitempty" mcp:"enum=0.5|2"`
		Ms   map[string]int `json:"ms,omitempty" mcp:"min=1,minitems=1"`
	}
	p := must[in](t)
	want := `{"type":"object","properties":{"site":{"type":"string","format":"uri"},` +
		`"wait":{"type":"string","enum":["1s","1m"],"pattern":"^[+-]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"},` +
		`"big":{"type":"integer","minimum":-5,"maximum":1e30},"flt":{"type":"number","enum":[0.5,1.50]},` +
		`"num":{"type":"number","minimum":0.1,"maximum":2},"f":{"type":"number","enum":[0.5,2]},` +
		`"ms":{"type":"object","additionalProperties":{"type":"integer","minimum":1},"minProperties":1}},"additionalProperties":false}`
	if string(p.JSON()) != want {
		t.Errorf("\n got %s\nwant %s", p.JSON(), want)
	}
	var x in
	if err := p.Decode([]byte(`{"site":"a:b","wait":"1m","big":1000000000000000000000000000000,"flt":1.5,"num":0.1,"f":2.0,"ms":{"a":1}}`), &x); err != nil {
		t.Fatal(err)
	}
	// A duration of a minute is written as the enum has it.
	if out, err := p.Append(nil, x); err != nil || string(out) != `{"site":"a:b","wait":"1m","big":1000000000000000000000000000000,"flt":1.5,"num":0.1,"f":2,"ms":{"a":1}}` {
		t.Errorf("got %s, %v", out, err)
	}
	for raw, want := range map[string]string{
		`{"site":"/a"}`:      `site: must be of format uri, as in https://example.com/path; got "/a"; not an absolute URI with a scheme, as in https://example.com/a`,
		`{"wait":"2m"}`:      `wait: must be one of "1s", "1m"; got "2m"; did you mean "1m"?`,
		`{"big":-6}`:         `big: must be at least -5; got -6`,
		`{"big":1.5}`:        `big: must be an integer; got 1.5`,
		`{"big":[]}`:         `big: must be an integer; got []`,
		`{"flt":2}`:          `flt: must be one of 0.5, 1.50; got 2`,
		`{"flt":{}}`:         `flt: must be a number; got {}`,
		`{"num":0.09}`:       `num: must be at least 0.1; got 0.09`,
		`{"num":1e99999999}`: `num: must be a number of at most 1000 digits; got 1e99999999`,
		`{"num":[]}`:         `num: must be a number; got []`,
		`{"f":3}`:            `f: must be one of 0.5, 2; got 3`,
		`{"ms":{}}`:          `ms: must have at least 1 item, has 0`,
		`{"ms":{"a":0}}`:     `ms.a: must be at least 1; got 0`,
		`{"ms":[]}`:          `ms: must be an object; got []`,
	} {
		if err := p.Decode([]byte(raw), new(in)); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", raw, err, want)
		}
	}
	for _, c := range []struct {
		v    in
		want string
	}{
		{in{Num: "3"}, `num: must be at most 2; got 3`},
		{in{F: 3}, `f: must be one of 0.5, 2; got 3`},
		{in{Big: big.NewInt(-6)}, `big: must be at least -5; got -6`},
		{in{Flt: big.NewFloat(7)}, `flt: must be one of 0.5, 1.50; got 7`},
		{in{Site: &url.URL{Path: "/a"}}, `site: must be of format uri, as in https://example.com/path; got "/a"`},
	} {
		if _, err := p.Append(nil, c.v); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestLongTexts(t *testing.T) {
	long := strings.Repeat("é", 500)
	type in struct {
		A int `json:"a,omitempty"`
	}
	err := must[in](t).Decode([]byte(`{"`+long+`":1}`), new(in))
	want := `unknown argument "` + strings.Repeat("é", 75) + `..."; got 1; known are "a"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	v := compiled(t, `{"additionalProperties":{"multipleOf":0.00000000000000000000000000000000000000000001}}`)
	err = v.Validate([]byte(`{"` + long + `":1e-50}`))
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "must be a multiple of 1e-44") {
		t.Errorf("got %v", err)
	}
}
