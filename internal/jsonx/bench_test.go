package jsonx

import (
	"fmt"
	"strings"
	"testing"
)

const mib = 1 << 20

// hostile is about 1 MiB of objects whose names are as dear to compare as can be.
func hostile(object string) string {
	return "[" + strings.Repeat(object+",", mib/len(object)) + "0]"
}

func manyNames() string {
	var b strings.Builder
	for i := 0; b.Len() < mib; i++ {
		fmt.Fprintf(&b, `,"name%d":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"call", sampleCall},
		{"MiB", `"` + strings.Repeat("x", mib) + `"`},
		{"MiB of lines", `"` + strings.Repeat("a line of ordinary length, as in a source file\\n", mib/49) + `"`},
		{"MiB of CJK", `"` + strings.Repeat("上下文", mib/9) + `"`},
		{"MiB of numbers", "[" + strings.Repeat("12345,", mib/6) + "0]"},
		{"MiB of names", manyNames()},
		{"MiB of full lists", hostile(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0}`)},
		{"MiB of escaped names", hostile(`{"\n":0,"\b":0}`)},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.text)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Check(raw, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSkip(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"call", sampleCall},
		{"MiB", `["` + strings.Repeat("x", mib) + `"]`},
		{"MiB of CJK", `["` + strings.Repeat("上下文", mib/9) + `"]`},
		{"MiB of numbers", "[" + strings.Repeat("12345,", mib/6) + "0]"},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.text)
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				s := NewScanner(raw)
				s.Skip()
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"MiB", `"` + strings.Repeat("x", mib) + `"`},
		{"MiB of lines", `"` + strings.Repeat("a line of ordinary length, as in a source file\\n", mib/49) + `"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.text)
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				s := NewScanner(raw)
				_, _ = s.StringBytes()
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, c := range []struct{ name, s string }{
		{"word", "resources/read"},
		{"MiB", strings.Repeat("x", mib)},
		{"MiB of lines", strings.Repeat("a line of ordinary length, as in a source file\n", mib/48)},
		{"MiB of CJK", strings.Repeat("上下文", mib/9)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.s)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = AppendString(dst[:0], c.s)
			}
		})
	}
}
