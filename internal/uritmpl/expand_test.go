package uritmpl

import (
	"strings"
	"testing"
)

// rfcValues are the values of RFC 6570, 3.2.
var rfcValues = []Value{
	{Name: "count", List: []string{"one", "two", "three"}},
	{Name: "dom", List: []string{"example", "com"}},
	{Name: "dub", Text: "me/too"},
	{Name: "hello", Text: "Hello World!"},
	{Name: "half", Text: "50%"},
	{Name: "var", Text: "value"},
	{Name: "who", Text: "fred"},
	{Name: "base", Text: "http://example.com/home/"},
	{Name: "path", Text: "/foo/bar"},
	{Name: "list", List: []string{"red", "green", "blue"}},
	{Name: "keys", Pairs: [][2]string{{"semi", ";"}, {"dot", "."}, {"comma", ","}}},
	{Name: "v", Text: "6"},
	{Name: "x", Text: "1024"},
	{Name: "y", Text: "768"},
	{Name: "empty"},
	{Name: "empty_keys", List: []string{}},
}

// The examples of RFC 6570, 1.2 and 3.2, by section.
var rfcExamples = []struct{ section, examples string }{
	{"3.2.1", `{count} one,two,three
{count*} one,two,three
{/count} /one,two,three
{/count*} /one/two/three
{;count} ;count=one,two,three
{;count*} ;count=one;count=two;count=three
{?count} ?count=one,two,three
{?count*} ?count=one&count=two&count=three
{&count*} &count=one&count=two&count=three`},
	{"3.2.2 Simple", `{var} value
{hello} Hello%20World%21
{half} 50%25
O{empty}X OX
O{undef}X OX
{x,y} 1024,768
{x,hello,y} 1024,Hello%20World%21,768
?{x,empty} ?1024,
?{x,undef} ?1024
?{undef,y} ?768
{var:3} val
{var:30} value
{list} red,green,blue
{list*} red,green,blue
{keys} semi,%3B,dot,.,comma,%2C
{keys*} semi=%3B,dot=.,comma=%2C`},
	{"3.2.3 Reserved", `{+var} value
{+hello} Hello%20World!
{+half} 50%25
{base}index http%3A%2F%2Fexample.com%2Fhome%2Findex
{+base}index http://example.com/home/index
O{+empty}X OX
O{+undef}X OX
{+path}/here /foo/bar/here
here?ref={+path} here?ref=/foo/bar
up{+path}{var}/here up/foo/barvalue/here
{+x,hello,y} 1024,Hello%20World!,768
{+path,x}/here /foo/bar,1024/here
{+path:6}/here /foo/b/here
{+list} red,green,blue
{+list*} red,green,blue
{+keys} semi,;,dot,.,comma,,
{+keys*} semi=;,dot=.,comma=,`},
	{"3.2.4 Fragment", `{#var} #value
{#hello} #Hello%20World!
{#half} #50%25
foo{#empty} foo#
foo{#undef} foo
{#x,hello,y} #1024,Hello%20World!,768
{#path,x}/here #/foo/bar,1024/here
{#path:6}/here #/foo/b/here
{#list} #red,green,blue
{#list*} #red,green,blue
{#keys} #semi,;,dot,.,comma,,
{#keys*} #semi=;,dot=.,comma=,`},
	{"3.2.5 Label", `{.who} .fred
{.who,who} .fred.fred
{.half,who} .50%25.fred
www{.dom*} www.example.com
X{.var} X.value
X{.empty} X.
X{.undef} X
X{.var:3} X.val
X{.list} X.red,green,blue
X{.list*} X.red.green.blue
X{.keys} X.semi,%3B,dot,.,comma,%2C
X{.keys*} X.semi=%3B.dot=..comma=%2C
X{.empty_keys} X
X{.empty_keys*} X`},
	{"3.2.6 Path segments", `{/who} /fred
{/who,who} /fred/fred
{/half,who} /50%25/fred
{/who,dub} /fred/me%2Ftoo
{/var} /value
{/var,empty} /value/
{/var,undef} /value
{/var,x}/here /value/1024/here
{/var:1,var} /v/value
{/list} /red,green,blue
{/list*} /red/green/blue
{/list*,path:4} /red/green/blue/%2Ffoo
{/keys} /semi,%3B,dot,.,comma,%2C
{/keys*} /semi=%3B/dot=./comma=%2C`},
	{"3.2.7 Path-style parameters", `{;who} ;who=fred
{;half} ;half=50%25
{;empty} ;empty
{;v,empty,who} ;v=6;empty;who=fred
{;v,bar,who} ;v=6;who=fred
{;x,y} ;x=1024;y=768
{;x,y,empty} ;x=1024;y=768;empty
{;x,y,undef} ;x=1024;y=768
{;hello:5} ;hello=Hello
{;list} ;list=red,green,blue
{;list*} ;list=red;list=green;list=blue
{;keys} ;keys=semi,%3B,dot,.,comma,%2C
{;keys*} ;semi=%3B;dot=.;comma=%2C`},
	{"3.2.8 Query", `{?who} ?who=fred
{?half} ?half=50%25
{?x,y} ?x=1024&y=768
{?x,y,empty} ?x=1024&y=768&empty=
{?x,y,undef} ?x=1024&y=768
{?var:3} ?var=val
{?list} ?list=red,green,blue
{?list*} ?list=red&list=green&list=blue
{?keys} ?keys=semi,%3B,dot,.,comma,%2C
{?keys*} ?semi=%3B&dot=.&comma=%2C`},
	{"3.2.9 Query continuation", `{&who} &who=fred
{&half} &half=50%25
?fixed=yes{&x} ?fixed=yes&x=1024
{&x,y,empty} &x=1024&y=768&empty=
{&x,y,undef} &x=1024&y=768
{&var:3} &var=val
{&list} &list=red,green,blue
{&list*} &list=red&list=green&list=blue
{&keys} &keys=semi,%3B,dot,.,comma,%2C
{&keys*} &semi=%3B&dot=.&comma=%2C`},
}

func TestExpandRFC(t *testing.T) {
	for _, s := range rfcExamples {
		t.Run(s.section, func(t *testing.T) {
			for line := range strings.Lines(s.examples) {
				template, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				tmpl := parsed(t, template)
				got, err := tmpl.Expand(valuesFor(tmpl)...)
				if err != nil || got != want {
					t.Errorf("%s: got %q, %v; want %q", template, got, err, want)
				}
			}
		})
	}
}

// valuesFor picks the RFC's values of the template's variables.
func valuesFor(tmpl *Template) []Value {
	var values []Value
	for _, v := range tmpl.Vars() {
		for _, have := range rfcValues {
			if have.Name == v.Name {
				values = append(values, have)
			}
		}
	}
	return values
}

func TestExpandMore(t *testing.T) {
	for _, c := range []struct {
		name, template string
		values         []Value
		want           string
	}{
		{"literal beyond ASCII", "x://é/{a}", []Value{{Name: "a", Text: "ü"}}, "x://%C3%A9/%C3%BC"},
		{"escape in a literal stays", "x://%2f/{a}", []Value{{Name: "a", Text: "1"}}, "x://%2f/1"},
		{"escape in a reserved value stays", "{+a}", []Value{{Name: "a", Text: "%2F%zz"}}, "%2F%25zz"},
		{"escape in a simple value does not", "{a}", []Value{{Name: "a", Text: "%2F"}}, "%252F"},
		{"length counts characters", "{a:2}", []Value{{Name: "a", Text: "日本語"}}, "%E6%97%A5%E6%9C%AC"},
		{"pairs with an empty value", "{?a*}{;b*}", []Value{{Name: "a", Pairs: [][2]string{{"k", ""}}}, {Name: "b", Pairs: [][2]string{{"k", ""}}}}, "?k=;k"},
		{"a text, exploded", "{/a*}{?b*}", []Value{{Name: "a", Text: "x/y"}, {Name: "b", Text: "z"}}, "/x%2Fy?b=z"},
		{"an empty element", "{/a*}{?b*}", []Value{{Name: "a", List: []string{"", "x"}}, {Name: "b", List: []string{""}}}, "//x?b="},
		{"nothing", "", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parsed(t, c.template).Expand(c.values...)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestExpandFaults(t *testing.T) {
	_, err := parsed(t, "x://{a}/{b:3}").Expand(
		Value{Name: "id", Text: "1"}, Value{Name: "a", Text: "\xff"}, Value{Name: "b", List: []string{"x"}}, Value{Name: "b"},
	)
	want := `expand "x://{a}/{b:3}": value for "id": the template has no such variable
expand "x://{a}/{b:3}": value for "a": not UTF-8
expand "x://{a}/{b:3}": value for "b": given twice
expand "x://{a}/{b:3}": {b:3} needs a text, not a list`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v, want\n%s", err, want)
	}
}
