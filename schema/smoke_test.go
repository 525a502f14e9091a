package schema

import (
	"fmt"
	"testing"
)

type small struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

func BenchmarkDecodeChecked(b *testing.B) {
	p, err := For[small]()
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"text":"hello world","count":3}`)
	b.ReportAllocs()
	for b.Loop() {
		var s small
		if err := p.DecodeChecked(raw, &s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	p, _ := For[small]()
	s := &small{"hello world", 3}
	buf := make([]byte, 0, 100)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = p.Append(buf[:0], s)
	}
}

type Tree struct {
	Name string  `json:"name"`
	Kids []*Tree `json:"kids,omitempty"`
	Next *Tree   `json:"next"`
}

type Circle struct {
	R float64 `json:"r" mcp:"min=0"`
}
type Rect struct{ W, H int }
type Shape struct {
	OneOf  `mcp:"discriminator=kind"`
	Circle *Circle `json:"circle" doc:"a circle"`
	Rect   *Rect   `json:"rect"`
}

func TestSmoke(t *testing.T) {
	type In struct {
		Query string            `json:"query" doc:"text to look for"`
		Limit int               `json:"limit" mcp:"default=10,min=1,max=50"`
		Tags  []string          `json:"tags" mcp:"enum=a|b,unique,maxitems=3"`
		M     map[string]*int   `json:"m" mcp:"optional"`
		T     *Tree             `json:"t"`
		S     Shape             `json:"s"`
		Cont  string            `json:"continue" mcp:"optional,header=Region"`
		X     map[string]string `mcp:"rest"`
	}
	p, err := For[In]()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(p.JSON()))
	var in In
	err = p.Decode([]byte(`{"query":5,"limit":"7","tags":["a","c","b","a"],"m":{"x":null,"y":2.5},"t":{"name":"x","kids":[{"name":"k"},{"nme":"k"}]},"s":{"kind":"circel","r":-1},"cursor":"x"}`), &in)
	fmt.Println(err)
	err = p.Decode([]byte(`{"query":5,"limit":"7","tags":["a","b"],"m":{"x":null,"y":2},"t":{"name":"x","kids":[{"name":"k"},{"name":"k"}]},"s":{"kind":"circle","r":1},"cursor":"x"}`), &in)
	fmt.Println(err)
	out, err := p.Append(nil, in)
	fmt.Println(string(out), err)
}
