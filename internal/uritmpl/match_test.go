package uritmpl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown is what a test says about a match: name=text for each value, with the
// elements of a list in brackets, or "no".
func shown(tmpl *Template, uri string) string {
	values, ok := tmpl.Match(uri)
	if !ok {
		return "no"
	}
	var parts []string
	for _, v := range values {
		if v.List != nil {
			parts = append(parts, fmt.Sprintf("%s=%q", v.Name, v.List))
		} else {
			parts = append(parts, v.Name+"="+v.Text)
		}
	}
	return strings.Join(parts, " ")
}

var matches = []struct{ name, template, cases string }{
	// RES-01: literals are literal, queries may lack variables and be in any order.
	{"literal query", "file://n/search?q={q}", `
file://n/search?q=a%20b -> q=a b
file://n/search?q=a/b -> no
file://n/search?q=a&r=b -> no
file://n/search -> no
file://nXsearch?q=a -> no`},
	{"query", "db://t{?limit,offset}", `
db://t ->
db://t?offset=2 -> offset=2
db://t?offset=2&limit=1 -> limit=1 offset=2
db://t?limit=1&offset=2 -> limit=1 offset=2
db://t?limit= -> limit=
db://t?limit -> limit=
db://t?limit=a=b/c?d -> limit=a=b/c?d
db://t?limit=1&limit=2 -> no
db://t?other=1 -> no
db://t?limit=1&other=1 -> no
db://t?limits=1 -> no
db://t?Limit=1 -> no
db://t? -> no
db://t?limit=1& -> no
db://t?&limit=1 -> no
db://t?limit=1#f -> no
db://t&limit=1 -> no
db://tx?limit=1 -> no
db://t?%6Cimit=1 -> no
db://t?limit=%E4%BD%A0+x -> limit=你+x`},
	{"dots are dots", "x://a.b/{id}.json", `
x://a.b/7.json -> id=7
x://aXb/7.json -> no
x://a.b/7Xjson -> no
x://a.b/a.b.json -> id=a.b
x://a.b/.json -> no`},
	{"brackets", "x://(v1)/{id}", "\nx://(v1)/7 -> id=7\nx://v1/7 -> no"},
	{"plus", "x://a+b/{id}", "\nx://a+b/7 -> id=7\nx://aab/7 -> no"},
	// RES-02: one segment, or everything.
	{"segment", "file:///{path}", `
file:///a -> path=a
file:///a/b/c.txt -> no
file:/// -> no
file:///a%2Fb -> path=a/b
file:///../etc/passwd -> no
file:///.. -> path=..
file:///a?x -> no
file:///a#y -> no
file:///a:b@c!$&'()*+,;= -> path=a:b@c!$&'()*+,;=
FILE:///a -> no`},
	{"reserved", "file:///{+path}", `
file:///a/b/c.txt -> path=a/b/c.txt
file:///a -> path=a
file:/// -> no
file:///a%2Fb -> path=a/b
file:///../etc/passwd -> path=../etc/passwd
file:///a?x#y -> path=a?x#y`},
	{"exploded segments", "file://{/seg*}", `
file:///a/b/c -> seg=["a" "b" "c"]
file:///a%2Fb/c -> seg=["a/b" "c"]
file:/// -> seg=[""]
file:///a//b -> seg=["a" "" "b"]
file:// ->
file://a -> no
file:///a?b -> no`},
	{"exploded segments before a literal", "x:{/seg*}/end", "\nx:/a/end -> seg=[\"a\"]\nx:/a/end/end -> seg=[\"a\" \"end\"]\nx:/end ->\nx:/a -> no"},
	{"fragment", "x:a{#sec}", "\nx:a#s/t?u#v -> sec=s/t?u#v\nx:a ->\nx:a# -> sec=\nx:as -> no"},
	{"two in a fragment", "x:a{#b,c}", "\nx:a#1,2 -> b=1 c=2\nx:a#1,2,3 -> b=1 c=2,3\nx:a#1 -> b=1\nx:a,2 -> no\nx:a ->"},
	{"length", "x://{var:3}", `
x://val -> var=val
x://v -> var=v
x://value -> no
x://%E6%97%A5%E6%9C%AC%E8%AA%9E -> var=日本語
x://日本語 -> var=日本語
x://日本語x -> no`},
	{"lengths side by side", "x://{a:2}{b:2}{c}", "\nx://abcde -> a=ab b=cd c=e\nx://abcd -> a=ab b=c c=d\nx://abc -> a=a b=b c=c\nx://ab -> no"},
	{"length in a query", "x:a{?v:2}", "\nx:a?v=12 -> v=12\nx:a?v=123 -> no\nx:a?v=%C3%A9%C3%A9 -> v=éé"},
	// Several variables.
	{"two segments", "x://{a}/{b}", "\nx://1/2 -> a=1 b=2\nx://1/ -> no\nx:///2 -> no\nx://1/2/3 -> no"},
	{"side by side", "x://{a}{b}", "\nx://12 -> a=1 b=2\nx://123 -> a=12 b=3\nx://1 -> no"},
	{"between literals", "x://{a}-{b}", "\nx://1-2 -> a=1 b=2\nx://1-2-3 -> a=1-2 b=3\nx://1- -> no\nx://- -> no\nx://-- -> no\nx://--- -> a=- b=-"},
	{"list of two", "x://{a,b}", "\nx://1,2 -> a=1 b=2\nx://1 -> a=1\nx://1,2,3 -> a=1 b=2,3\nx://1, -> a=1 b="},
	{"reserved then segment", "x://{+a}/{b}", "\nx://1/2/3 -> a=1/2 b=3\nx://1 -> no\nx://1/ -> no\nx:///1 -> no"},
	{"reserved then query", "x://{+path}{?q}", "\nx://a/b?q=1 -> path=a/b q=1\nx://a/b -> path=a/b\nx://a?z=1 -> path=a?z=1\nx://a?q=1?q=2 -> path=a?q=1 q=2"},
	{"reserved then fragment", "x://{+path}{#f}", "\nx://a#b -> path=a f=b\nx://a#b#c -> path=a#b f=c"},
	{"name and extension", "x://{name}{.ext}", "\nx://a.tar.gz -> name=a.tar ext=gz\nx://README -> name=README\nx://a. -> name=a ext="},
	{"directory and extension", "x://{+dir}{.ext}", "\nx://a.b/c.txt -> dir=a.b/c ext=txt\nx://a.b/c -> dir=a.b/c"},
	{"labels", "x:www{.dom*}", "\nx:www.example.com -> dom=[\"example\" \"com\"]\nx:www ->\nx:wwwx -> no"},
	{"two labels", "x:a{.b,c}", "\nx:a.1.2 -> b=1 c=2\nx:a.1 -> b=1\nx:a.1.2.3 -> b=1.2 c=3"},
	{"optional segments", "x:{/a,b}/end", "\nx:/1/2/end -> a=1 b=2\nx:/1/end -> a=1\nx:/end ->\nx:/1/2/3/end -> no"},
	{"path parameters", "x:p{;a,b*}/q", `
x:p;a=1;b=2;b=3/q -> a=1 b=["2" "3"]
x:p;b=2;a/q -> a= b=["2"]
x:p/q ->
x:p;c=1/q -> no
x:p;a=1;a=2/q -> no`},
	{"query in two parts", "x:p{?a}{&b}", "\nx:p?b=2&a=1 -> a=1 b=2\nx:p?b=2 -> b=2\nx:p?a=1 -> a=1\nx:p&b=2 -> no"},
	{"query continued", "x:p?fixed=yes{&a,b}", "\nx:p?fixed=yes&b=2&a=1 -> a=1 b=2\nx:p?fixed=yes ->\nx:p?a=1&fixed=yes -> no"},
	{"variables in a literal query", "x:p?a={a}&b={b}", "\nx:p?a=1&b=2 -> a=1 b=2\nx:p?b=2&a=1 -> no\nx:p?a=1&b=2&c=3 -> no"},
	{"exploded query", "x:p{?a*,b}", "\nx:p?a=1&b=2&a=3 -> a=[\"1\" \"3\"] b=2\nx:p?b=2 -> b=2\nx:p?a=1,2 -> a=[\"1,2\"]"},
	{"query before a fragment", "x:p{?a}{#f}", "\nx:p?a=1#2 -> a=1 f=2\nx:p#2 -> f=2\nx:p?a=1 -> a=1"},
	{"the same name twice", "x://{a}/{a}", "\nx://1/1 -> a=1\nx://1/2 -> no\nx://1/%31 -> a=1"},
	{"a name and its beginning", "x:{/v:1,v}", "\nx:/b/bar -> v=bar\nx:/a/bar -> no\nx:/b -> v=b"},
	{"beginnings", "x:/{v:3}/{v:1}/{v:2}", "\nx:/bar/b/ba -> v=bar\nx:/bar/b/bo -> no"},
	{"everything", "{+uri}", "\nurn:isbn:0451450523 -> uri=urn:isbn:0451450523\nHTTP://Example.com/A/../b -> uri=HTTP://Example.com/A/../b"},
	{"no variable", "x:a", "\nx:a ->\nx:ab -> no\nx: -> no"},
	// RES-04, RES-02: bytes are what they are; escapes are decoded once.
	{"escapes in literals", "x://a%2fb/{id}", "\nx://a%2Fb/1 -> id=1\nx://a%2fb/1 -> id=1\nx://a/b/1 -> no\nx://%61%2fb/1 -> no"},
	{"beyond ASCII in literals", "screen://é/{id}", "\nscreen://é/1 -> id=1\nscreen://%C3%A9/1 -> id=1\nscreen://%c3%a9/1 -> id=1\nscreen://%C3/1 -> no\nscreen://e\u0301/1 -> no"},
	{"escapes in values", "x://{id}", `
x://%252e%252e%252f -> id=%2e%2e%2f
x://%2e%2e%2f -> id=../
x://%7Euser -> id=~user
x://a%20b+c -> id=a b+c
x://%zz -> no
x://% -> no
x://%2 -> no
x://%FF -> no
x://%C3 -> no
x://%ED%A0%80 -> no`},
	{"an escape is never cut", "x://{a}2F{b}", "\nx://%2F2Fx -> a=/ b=x\nx://12Fx -> a=1 b=x\nx://1%2Fx -> no"},
}

func TestMatch(t *testing.T) {
	for _, m := range matches {
		t.Run(m.name, func(t *testing.T) {
			tmpl := parsed(t, m.template)
			for line := range strings.Lines(strings.TrimPrefix(m.cases, "\n")) {
				uri, want, _ := strings.Cut(strings.TrimRight(line, "\n"), " ->")
				if got := shown(tmpl, uri); got != strings.TrimPrefix(want, " ") {
					t.Errorf("%s on %s: got %q, want %q", m.template, uri, got, want)
				}
			}
		})
	}
}

// What is no URI matches nothing, not even a template that takes everything.
func TestMatchRefuses(t *testing.T) {
	tmpl := parsed(t, "{+uri}")
	for name, uri := range map[string]string{
		"control character": "x:\x00", "line end": "x:a\nb", "DEL": "x:\x7f", "not UTF-8": "x:\xff", "broken escape": "x:%4", "too long": "x:" + strings.Repeat("a", MaxURI),
	} {
		if got := shown(tmpl, uri); got != "no" {
			t.Errorf("%s: %.40s", name, got)
		}
	}
	if got := shown(tmpl, "x:"+strings.Repeat("a", MaxURI-2)); got == "no" {
		t.Error("a URI of the greatest length does not match")
	}
}

// The expansions of the RFC's examples are matched by their templates. What
// comes back expands to the same again.
func TestMatchRFC(t *testing.T) {
	for _, s := range rfcExamples {
		for line := range strings.Lines(s.examples) {
			template, uri, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			// Pairs are not matched; an empty or undefined {var} is no match; and a
			// query without its question mark is no query.
			if strings.Contains(template, "keys*") || strings.Contains(template, "O{") || strings.HasPrefix(template, "?{undef") {
				continue
			}
			tmpl := parsed(t, template)
			values, ok := tmpl.Match(uri)
			if !ok {
				t.Errorf("%s does not match its expansion %s", template, uri)
				continue
			}
			for i := range values {
				if values[i].List == nil && !strings.Contains(template, values[i].Name+":") && strings.Contains(values[i].raw, ",") {
					values[i].List = values[i].Elements()
				}
			}
			if again, err := tmpl.Expand(values...); err != nil || again != uri {
				t.Errorf("%s: %s became %s, %v", template, uri, again, err)
			}
		}
	}
}

func TestElements(t *testing.T) {
	for uri, want := range map[string][]string{
		"x://red,green,blue": {"red", "green", "blue"}, "x://a%2Cb,c": {"a,b", "c"}, "x://a": {"a"}, "x://a%2Cb": {"a,b"}, "x://,": {"", ""},
	} {
		values, ok := parsed(t, "x://{list}").Match(uri)
		if !ok {
			t.Errorf("%s: no match", uri)
			continue
		}
		if diff := cmp.Diff(want, values[0].Elements()); diff != "" {
			t.Errorf("%s: %s", uri, diff)
		}
	}
	values, _ := parsed(t, "x:{/list*}").Match("x:/a,b/c")
	if diff := cmp.Diff([]string{"a,b", "c"}, values[0].Elements()); diff != "" {
		t.Error(diff)
	}
}

// M-RES-019, RES-02: traversal is found after decoding, however it is written.
func TestTraversal(t *testing.T) {
	for _, c := range []struct {
		template, uri  string
		climbs, hidden bool
	}{
		{"x://{p}", "x://a", false, false},
		{"x://{p}", "x://a..b", false, false},
		{"x://{p}", "x://...", false, false},
		{"x://{p}", "x://..", true, false},
		{"x://{p}", "x://%2e%2E", true, false},
		{"x://{p}", "x://%2e%2e%2f", true, true},
		{"x://{p}", "x://a%2F..%2Fb", true, true},
		{"x://{p}", "x://a%2Fb", false, true},
		{"x://{p}", "x://a%5C..%5cb", true, true},
		{"x://{p}", `x://a\..`, true, false},
		{"x://{p}", "x://%2Fetc", true, true},
		{"x://{p}", "x://a%00.txt", true, false},
		{"x://{p}", "x://C:", true, false},
		{"x://{p}", "x://%252e%252e", false, false},
		{"x://{+p}", "x://a/../b", true, false},
		{"x://{+p}", "x:///etc/passwd", true, false},
		{"x://{+p}", "x://a/b.c/..d", false, false},
		{"x://{+p}", "x://a/..", true, false},
		{"x:{/p*}", "x:/a/b", false, false},
		{"x:{/p*}", "x:/a/../b", true, false},
		{"x:{/p*}", "x://etc", true, false},
		{"x:{/p*}", "x:/a/b%2Fc", false, true},
		{"x:{/p*}", "x:/a/%2Fc", true, true},
	} {
		t.Run(c.template+" "+c.uri, func(t *testing.T) {
			values, ok := parsed(t, c.template).Match(c.uri)
			if !ok {
				t.Fatal("no match")
			}
			if got := values[0].Climbs(); got != c.climbs {
				t.Errorf("Climbs is %t for %q", got, values[0].Text)
			}
			if got := values[0].HidesSlash(); got != c.hidden {
				t.Errorf("HidesSlash is %t for %q", got, values[0].raw)
			}
		})
	}
}
