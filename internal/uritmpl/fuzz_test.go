package uritmpl

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzParse: what parses is stable, has sound names, and can be expanded with
// nothing and matched against anything.
func FuzzParse(f *testing.F) {
	for _, m := range matches {
		f.Add(m.template, "x://a/b?c=d")
	}
	f.Add("{+a}{?b*,c:3}{&d}{#e}{/f*}{.g}{;h}", "a?c=1&b=2")
	f.Add("{a:2}{b:3}{c}{/d,e}{.f*}", "abcde/1/2.x")
	f.Add("x://{a}/{b}-{c}", "x://1/2-3-4")
	f.Fuzz(func(t *testing.T, s, uri string) {
		tmpl, err := Parse(s)
		if err != nil {
			return
		}
		if tmpl.String() != s {
			t.Fatalf("%q became %q", s, tmpl)
		}
		for _, v := range tmpl.Vars() {
			if !isName(v.Name) {
				t.Fatalf("%q has a variable %q", s, v.Name)
			}
		}
		empty, err := tmpl.Expand()
		if err != nil {
			t.Fatalf("%q: expand with nothing: %v", s, err)
		}
		if len(tmpl.vars) == 0 && len(empty) <= MaxURI {
			if _, ok := tmpl.Match(empty); !ok {
				t.Fatalf("%q does not match itself, %q", s, empty)
			}
		}
		values, ok := tmpl.Match(uri)
		if ok && !strings.HasPrefix(uri, tmpl.Prefix()) {
			t.Fatalf("%q matches %q, which lacks the prefix", s, uri)
		}
		for _, v := range values {
			if !tmpl.has(v.Name) || !v.isUTF8() {
				t.Fatalf("%q on %q: value %+v", s, uri, v)
			}
		}
		if Compare(tmpl, tmpl) != 0 {
			t.Fatal("not equal to itself")
		}
		if rest, ok := strings.CutPrefix(uri, tmpl.prefix); ok && len(rest) <= 20 && len(tmpl.elements) <= 6 {
			compareWithReference(t, tmpl, rest)
		}
	})
}

// compareWithReference checks both ways of matching against one that tries
// everything.
func compareWithReference(t *testing.T, tmpl *Template, rest string) {
	t.Helper()
	m := &matcher{elements: tmpl.elements, uri: rest}
	if !m.cutUnits() {
		return
	}
	want := reference(m, 0, 0)
	m.weigh()
	if got := m.at(0, 0); got != want {
		t.Fatalf("%q on %q: weighed as %d, want %d", tmpl, rest, got, want)
	}
	weighed, weighedOK := tmpl.weighed(rest)
	if want < 0 && weighedOK {
		t.Fatalf("%q matches %q", tmpl, rest)
	}
	if !tmpl.forced {
		return
	}
	scanned, scannedOK := tmpl.scan(rest)
	if scannedOK != weighedOK {
		t.Fatalf("%q on %q: scan %t, weighed %t", tmpl, rest, scannedOK, weighedOK)
	}
	if diff := cmp.Diff(weighed, scanned, cmp.AllowUnexported(Value{}), cmpopts.EquateEmpty()); scannedOK && diff != "" {
		t.Fatalf("%q on %q: %s", tmpl, rest, diff)
	}
}

// reference is how many optional parts elements e and later match at best from
// unit i on, or -1, found by trying everything.
func reference(m *matcher, e, i int) int16 {
	if e == len(m.elements) {
		if i == m.n {
			return 0
		}
		return -1
	}
	best := int16(-1)
	try := func(next int16, more int16) {
		if next >= 0 {
			best = max(best, next+more)
		}
	}
	switch el := &m.elements[e]; el.kind {
	case literal:
		if i+len(el.units) <= m.n && m.hasLiteral(el, i) {
			try(reference(m, e+1, i+len(el.units)), 0)
		}
	case run:
		from, least, more := i, el.min, int16(0)
		if el.prefix != 0 {
			try(reference(m, e+el.skip, i), 0)
			if i == m.n || m.first(i) != el.prefix {
				return best
			}
			from, least, more = i+1, 0, 1
		}
		for n := 0; from+n <= m.n && (el.max == 0 || n <= el.max); n++ {
			if n >= least {
				try(reference(m, e+1, from+n), more)
			}
			if from+n == m.n || !m.inRun(el, from+n) {
				break
			}
		}
	case pairs:
		try(reference(m, e+1, i), 0)
		if i < m.n && m.first(i) == el.prefix {
			m.eachPair(el, m.valueEnds(el), i, func(end int, count int16) { try(reference(m, e+1, end), count) })
		}
	}
	return best
}

// unambiguous templates give back what they were expanded with.
var unambiguous = []string{
	"x://{a}/{b}", "x://h/{a}?q={b}", "x://{a}{?b}", "x:p{?a,b}", "x://{a}{#b}", "x:{/a,b}", "x://{a}/c{;b}", "x:p?z=1{&b,a}", "x://{a}/{+b}",
}

// FuzzMatch: Match undoes Expand, and what Match finds expands to the same URI.
func FuzzMatch(f *testing.F) {
	f.Add(uint8(0), "1", "2")
	f.Add(uint8(1), "a/b", "c&d=e")
	f.Add(uint8(3), "", "日本語 %2F")
	f.Add(uint8(8), "x", "../%41?#")
	f.Fuzz(func(t *testing.T, which uint8, a, b string) {
		tmpl := parsed(t, unambiguous[int(which)%len(unambiguous)])
		values := []Value{{Name: "a", Text: a}, {Name: "b", Text: b}}
		uri, err := tmpl.Expand(values...)
		if err != nil {
			if utf8.ValidString(a) && utf8.ValidString(b) {
				t.Fatal(err)
			}
			return
		}
		got, ok := tmpl.Match(uri)
		for i, v := range tmpl.Vars() {
			if v.Optional || values[i].Text != "" {
				continue
			}
			if ok {
				t.Fatalf("%s matches %s, where %s is empty", tmpl, uri, v.Name)
			}
			return
		}
		// A reserved value may hold escapes, which are decoded once, also those
		// of what is no UTF-8.
		sound := len(uri) <= MaxURI
		for i := range values {
			if text := tmpl.String(); strings.Contains(text, "{+"+values[i].Name) || strings.Contains(text, "{#"+values[i].Name) {
				var decodes bool
				values[i].Text, decodes = unescape(escape(values[i].Text, true))
				sound = sound && decodes
			}
		}
		if ok != sound {
			t.Fatalf("%s on its expansion %s: match is %t", tmpl, uri, ok)
		}
		if !ok {
			return
		}
		if tmpl.vars[0].Name == "b" {
			values[0], values[1] = values[1], values[0]
		}
		if diff := cmp.Diff(values, got, cmpopts.IgnoreUnexported(Value{})); diff != "" {
			t.Fatalf("%s on %s: %s", tmpl, uri, diff)
		}
	})
}

// hostile templates and URIs have many ways to be read, all of them wrong.
var hostile = []struct{ template, repeat, end string }{
	{"{a}{b}{c}{d}{e}{f}{g}{h}!", "a", ""},
	{"{+a}x{+b}x{+c}x{+d}x{+e}x{+f}!", "x", ""},
	{"{+a}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a", ""},
	{"{a:9999}{b:9999}{c:9999}!", "a", ""},
	{"{+a}{?b*}!", "?b=1", ""},
	{"{+a}{&b*}!", "&b=1", ""},
	{"{+a}{;b*}{;c*}!", ";b=1;c", ""},
	{"{/a*}{/b*}{/c*}{/d*}!", "/x", ""},
	{"{.a*}{.b*}{.c*}!", ".x", ""},
	{"{+a}%C3%A9{+b}!", "%c3%a9", ""},
	{"{+a}{?b,c,d,e,f,g,h}!", "?b=1&c=2&d=3&e=4&f=5&g=6&h=7", ""},
}

// A URI of the greatest length is answered in bounded time by every template.
// The bound is generous, since machines are slow at times; a matcher that goes
// back would need years.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		tmpl := parsed(t, h.template)
		uri := strings.Repeat(h.repeat, MaxURI/len(h.repeat)-1) + h.end
		began := time.Now()
		if _, ok := tmpl.Match(uri); ok {
			t.Errorf("%s matches", h.template)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s takes %s", h.template, took)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct{ name, template, uri string }{
		{"segment", "note://{id}", "note://42"},
		{"segments", "db://{schema}/{table}/{row}", "db://public/customers/4711"},
		{"query", "db://t{?limit,offset}", "db://t?limit=10&offset=20"},
		{"path", "file:///{+path}", "file:///home/user/projects/diglot/README.md"},
		{"escaped", "note://{id}", "note://a%20b%2Fc"},
		{"other scheme", "note://{id}", "file:///home/user/x"},
	} {
		b.Run(c.name, func(b *testing.B) {
			tmpl := parsed(b, c.template)
			b.ReportAllocs()
			for b.Loop() {
				tmpl.Match(c.uri)
			}
		})
	}
	for _, h := range hostile {
		b.Run("hostile "+h.template, func(b *testing.B) {
			tmpl := parsed(b, h.template)
			uri := strings.Repeat(h.repeat, MaxURI/len(h.repeat)-1)
			b.SetBytes(int64(len(uri)))
			for b.Loop() {
				tmpl.Match(uri)
			}
		})
	}
}

func ExampleTemplate_Match() {
	tmpl, err := Parse("file:///{name}{?rev}")
	if err != nil {
		fmt.Println(err)
		return
	}
	values, ok := tmpl.Match("file:///read%20me?rev=7")
	for _, v := range values {
		fmt.Println(v.Name, "is", v.Text)
	}
	fmt.Println(ok)
	// Output:
	// name is read me
	// rev is 7
	// true
}
