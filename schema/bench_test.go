package schema

import (
	"encoding/json"
	"testing"
)

type small struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

type medium struct {
	Query  string            `json:"query" mcp:"minlen=1,maxlen=200"`
	Order  string            `json:"order" mcp:"default=newest,enum=newest|oldest"`
	Limit  int               `json:"limit" mcp:"default=10,min=1,max=50"`
	Tags   []string          `json:"tags,omitempty" mcp:"maxitems=10"`
	Labels map[string]string `json:"labels,omitempty"`
	Filter *struct {
		Author string  `json:"author"`
		Score  float64 `json:"score" mcp:"min=0,max=1"`
	} `json:"filter"`
}

var (
	smallRaw  = []byte(`{"text":"hello world","count":3}`)
	mediumRaw = []byte(`{"query":"how to\nwrite a server","limit":20,"tags":["go","mcp","json"],"labels":{"team":"core"},"filter":{"author":"ann","score":0.75}}`)
)

func benchmarkDecode[T any](b *testing.B, raw []byte, opts ...Option) {
	p := must[T](b, opts...)
	into := new(T)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.DecodeChecked(raw, into); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeCheckedSmall(b *testing.B)  { benchmarkDecode[small](b, smallRaw) }
func BenchmarkDecodeCheckedMedium(b *testing.B) { benchmarkDecode[medium](b, mediumRaw) }

func BenchmarkDecodeSmall(b *testing.B) {
	p := must[small](b)
	b.ReportAllocs()
	for b.Loop() {
		var x small
		if err := p.Decode(smallRaw, &x); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncodingJSON is the measure: it checks nothing.
func BenchmarkEncodingJSON(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var x small
		if err := json.Unmarshal(smallRaw, &x); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkAppend[T any](b *testing.B, raw []byte) {
	p := must[T](b)
	x := new(T)
	if err := p.Decode(raw, x); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = p.Append(buf[:0], x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendSmall(b *testing.B)  { benchmarkAppend[small](b, smallRaw) }
func BenchmarkAppendMedium(b *testing.B) { benchmarkAppend[medium](b, mediumRaw) }

func BenchmarkFaults(b *testing.B) {
	p := must[medium](b)
	raw := []byte(`{"qurey":"x","limit":100,"tags":"a"}`)
	b.ReportAllocs()
	for b.Loop() {
		var x medium
		if p.DecodeChecked(raw, &x) == nil {
			b.Fatal("accepted")
		}
	}
}

func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must[medium](b)
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := must[medium](b).JSON()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for name, c := range map[string]struct{ schema, raw []byte }{
		"small":  {must[small](b).JSON(), smallRaw},
		"medium": {must[medium](b).JSON(), mediumRaw},
	} {
		b.Run(name, func(b *testing.B) {
			v := compiled(b, string(c.schema))
			b.ReportAllocs()
			for b.Loop() {
				if err := v.ValidateChecked(c.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestAllocations holds the hot path to what it may cost: the string it makes.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates on its own; the budget is checked without it")
		return
	}
	p := must[small](t)
	var x small
	if n := testing.AllocsPerRun(100, func() {
		if err := p.DecodeChecked(smallRaw, &x); err != nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("DecodeChecked allocates %v times", n)
	}
	buf := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := p.Append(buf, &x); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("Append allocates %v times", n)
	}
}
