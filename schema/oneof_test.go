package schema

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type circle struct {
	Radius float64 `json:"radius" mcp:"min=0"`
}

type rect struct {
	W int `json:"w" mcp:"default=1"`
	H int `json:"h"`
}

type figure struct {
	OneOf
	Circle *circle `json:"circle" doc:"by its radius" mcp:"title=Circle"`
	Rect   *rect   `json:"rect"`
}

type expr struct {
	OneOf `mcp:"discriminator=op"`
	Num   *struct {
		Value int `json:"value"`
	} `json:"num"`
	Add *struct {
		Left  *expr `json:"left" mcp:"optional"`
		Right expr  `json:"right"`
	} `json:"add"`
}

func TestUnionSchema(t *testing.T) {
	want := `{"type":"object","oneOf":[` +
		`{"type":"object","properties":{"type":{"type":"string","const":"circle"},"radius":{"type":"number","minimum":0}},"required":["type","radius"],"additionalProperties":false,"title":"Circle","description":"by its radius"},` +
		`{"type":"object","properties":{"type":{"type":"string","const":"rect"},"w":{"type":"integer","default":1},"h":{"type":"integer"}},"required":["type","h"],"additionalProperties":false}]}`
	p := must[figure](t, Object())
	if string(p.JSON()) != want {
		t.Errorf("\n got %s\nwant %s", p.JSON(), want)
	}
	if s := must[struct{ A, B figure }](t).JSON(); strings.Count(string(s), `"$ref":"#/$defs/figure"`) != 2 {
		t.Errorf("not shared: %s", s)
	}
	if s := must[expr](t).JSON(); !strings.Contains(string(s), `"left":{"$ref":"#"},"right":{"$ref":"#"}`) {
		t.Errorf("not recursive: %s", s)
	}
}

func TestUnionValues(t *testing.T) {
	p := must[figure](t)
	v, err := Compile(p.JSON())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, raw string
		want      figure
		back      string
	}{
		{"first member", `{"type":"circle","radius":2}`, figure{Circle: &circle{2}}, `{"type":"circle","radius":2}`},
		{"last member", `{"h":2,"type":"rect"}`, figure{Rect: &rect{1, 2}}, `{"type":"rect","w":1,"h":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := figure{Circle: &circle{9}, Rect: &rect{9, 9}} // what was there goes
			if err := p.Decode([]byte(c.raw), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			out, err := p.Append(nil, got)
			if err != nil || string(out) != c.back {
				t.Errorf("got %s, %v", out, err)
			}
			if err := v.Validate(out); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range []struct{ name, raw, want string }{
		{"no discriminator", `{"radius":2}`, `type: required, but missing; must be one of "circle", "rect"`},
		{"unknown variant", `{"type":"circel","radius":2}`, `type: must be one of "circle", "rect"; got "circel"; did you mean "circle"?`},
		{"discriminator of another type", `{"type":1}`, `type: must be one of "circle", "rect"; got 1`},
		{"member of another variant", `{"type":"circle","radius":2,"h":1}`, `unknown property "h"; got 1; known are "radius"`},
		{"bad member", `{"type":"circle","radius":-1}`, `radius: must be at least 0; got -1`},
		{"no object", `[]`, `must be an object; got []`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s figure
			if err := p.Decode([]byte(c.raw), &s); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if err := v.Validate([]byte(c.raw)); err == nil {
				t.Error("the schema accepts it")
			}
		})
	}
	for _, s := range []figure{{}, {Circle: &circle{}, Rect: &rect{}}} {
		var f Faults
		if _, err := p.Append(nil, s); !errors.As(err, &f) || !strings.HasPrefix(err.Error(), "must have exactly one variant set (of circle, rect), has ") {
			t.Errorf("got %v", err)
		}
	}
}

func TestRecursiveUnion(t *testing.T) {
	p := must[expr](t)
	raw := `{"op":"add","left":{"op":"num","value":1},"right":{"op":"add","right":{"op":"num","value":2}}}`
	var e expr
	if err := p.Decode([]byte(raw), &e); err != nil {
		t.Fatal(err)
	}
	if e.Add.Left.Num.Value != 1 || e.Add.Right.Add.Right.Num.Value != 2 {
		t.Errorf("got %+v", e)
	}
	if out, err := p.Append(nil, e); err != nil || string(out) != raw {
		t.Errorf("got %s, %v", out, err)
	}
	err := p.Decode([]byte(`{"op":"add","right":{"op":"num","value":"x"}}`), &e)
	if err == nil || err.Error() != `right.value: must be an integer; got "x"` {
		t.Error(err)
	}
}

func TestUnionFaults(t *testing.T) {
	type clash struct {
		OneOf
		A *struct {
			Type string `json:"type"`
		} `json:"a"`
	}
	type values struct {
		OneOf
		A circle `json:"a"`
		b *circle
	}
	_ = values{}.b
	twice := reflect.StructOf([]reflect.StructField{
		{Name: "OneOf", Type: reflect.TypeFor[OneOf](), Anonymous: true},
		{Name: "A", Type: reflect.TypeFor[*circle](), Tag: `json:"a"`},
		{Name: "B", Type: reflect.TypeFor[*circle](), Tag: `json:"a"`},
	})
	type settings struct {
		OneOf `mcp:"min=1"`
		A     *circle `mcp:"optional"`
	}
	type empty struct{ OneOf }
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"discriminator taken", reflect.TypeFor[clash](), `"type" is the discriminator of the union; give the field another name`},
		{"no pointer", reflect.TypeFor[values](), `schema.values.A: a variant is a pointer to a struct, not schema.circle`},
		{"unexported", reflect.TypeFor[values](), `schema.values.b: every field of a union is an exported variant`},
		{"name twice", twice, `.B: "a" is also the name of another variant`},
		{"setting on OneOf", reflect.TypeFor[settings](), `schema.settings.OneOf: mcp tag: schema.OneOf takes discriminator=name only`},
		{"setting on a variant", reflect.TypeFor[settings](), `schema.settings.A: mcp tag: optional does not apply to a variant`},
		{"no variants", reflect.TypeFor[empty](), `schema.empty: a union needs variants: exported fields that are pointers to structs`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Of(c.typ); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
