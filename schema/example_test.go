package schema_test

import (
	"fmt"

	"github.com/diglot-mcp/diglot/schema"
)

type SearchIn struct {
	Query string `json:"query" doc:"text to look for"`
	Order string `json:"order" doc:"sort order" mcp:"default=newest,enum=newest|oldest"`
	Limit int    `json:"limit" doc:"at most this many" mcp:"default=10,min=1,max=50"`
}

func ExampleFor() {
	plan, err := schema.For[SearchIn](schema.Object())
	if err != nil {
		fmt.Println(err)
		return
	}
	var in SearchIn
	err = plan.Decode([]byte(`{"query":"go","limit":"20"}`), &in)
	fmt.Printf("%+v %v\n", in, err)
	err = plan.Decode([]byte(`{"qurey":"go","limit":500}`), &in)
	fmt.Println(err)
	// Output:
	// {Query:go Order:newest Limit:20} <nil>
	// 3 problems:
	// - unknown argument "qurey"; got "go"; did you mean "query"?
	// - limit: must be at most 50; got 500
	// - query: required, but missing
}

type Weather struct {
	City     string    `json:"city"`
	Forecast []float64 `json:"forecast"`
}

func ExamplePlan_Append() {
	plan, err := schema.For[Weather]()
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := plan.Append(nil, &Weather{City: "Bern"})
	fmt.Println(string(out), err)
	// Output: {"city":"Bern","forecast":[]} <nil>
}

type Circle struct {
	Radius float64 `json:"radius"`
}

type Rect struct {
	Width, Height float64
}

type Shape struct {
	schema.OneOf
	Circle *Circle `json:"circle"`
	Rect   *Rect   `json:"rect"`
}

func ExampleOneOf() {
	plan, err := schema.For[Shape]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var s Shape
	err = plan.Decode([]byte(`{"type":"circle","radius":2}`), &s)
	switch {
	case s.Circle != nil:
		fmt.Println("a circle of radius", s.Circle.Radius, err)
	case s.Rect != nil:
		fmt.Println("a rectangle", err)
	}
	// Output: a circle of radius 2 <nil>
}

func ExampleCompile() {
	v, err := schema.Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Validate([]byte(`{"n":0}`)))
	_, err = schema.Compile([]byte(`{"$ref":"http://example.com/schema.json"}`))
	fmt.Println(err)
	// Output:
	// n: must be at least 1; got 0
	// compile schema: reference to "http://example.com/schema.json", which is not part of the schema; references are followed within the document only
}
