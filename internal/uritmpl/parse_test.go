package uritmpl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// RFC 6570, 2: what is no template, and what its author is told.
func TestParseFaults(t *testing.T) {
	for _, c := range []struct{ name, template, want string }{
		{"never closed", "x://{id", `URI template "x://{id": at offset 4: "{" is never closed`},
		{"closes nothing", "x://id}", `URI template "x://id}": at offset 6: "}" closes nothing; write it as %7D`},
		{"empty", "x://{}", `URI template "x://{}": at offset 4: {} names no variable`},
		{"operator alone", "x://{?}", `URI template "x://{?}": at offset 6: "" is no variable name; use letters, digits and _, parted by dots`},
		{"reserved operator", "x://{=id}", `URI template "x://{=id}": at offset 5: "=" is an operator that RFC 6570 reserves for later`},
		{"pipe", "x://{|id}", `URI template "x://{|id}": at offset 5: "|" is an operator that RFC 6570 reserves for later`},
		{"hyphen in a name", "x://{user-id}", `URI template "x://{user-id}": at offset 5: "user-id" is no variable name; use letters, digits and _, parted by dots`},
		{"blank in a name", "x://{a, b}", `URI template "x://{a, b}": at offset 7: " b" is no variable name; use letters, digits and _, parted by dots`},
		{"braces in braces", "x://{{id}}", `URI template "x://{{id}}": at offset 5: "{id" is no variable name; use letters, digits and _, parted by dots`},
		{"dot at the end", "{a.}", `URI template "{a.}": at offset 1: "a." is no variable name; use letters, digits and _, parted by dots`},
		{"two dots", "{a..b}", `URI template "{a..b}": at offset 1: "a..b" is no variable name; use letters, digits and _, parted by dots`},
		{"escape in a name, broken", "{a%2}", `URI template "{a%2}": at offset 1: "a%2" is no variable name; use letters, digits and _, parted by dots`},
		{"second name empty", "{a,}", `URI template "{a,}": at offset 3: "" is no variable name; use letters, digits and _, parted by dots`},
		{"length zero", "{a:0}", `URI template "{a:0}": at offset 2: length "0" is not a number from 1 to 9999`},
		{"length too long", "{a:10000}", `URI template "{a:10000}": at offset 2: length "10000" is not a number from 1 to 9999`},
		{"length with sign", "{a:+1}", `URI template "{a:+1}": at offset 2: length "+1" is not a number from 1 to 9999`},
		{"length missing", "{a:}", `URI template "{a:}": at offset 2: length "" is not a number from 1 to 9999`},
		{"both modifiers", "{a:3*}", `URI template "{a:3*}": at offset 1: "a:3" is no variable name; use letters, digits and _, parted by dots`},
		{"the same query variable twice", "{?a,a}", `URI template "{?a,a}": at offset 4: variable "a" stands twice in one expression`},
		{"blank", "x://a b", `URI template "x://a b": at offset 5: " " may not stand in a URI; write it as %20`},
		{"backslash", `x://a\b`, `URI template "x://a\\b": at offset 5: "\\" may not stand in a URI; write it as %5C`},
		{"control character", "x://a\x00", `URI template "x://a\x00": at offset 5: "\x00" may not stand in a URI; write it as %00`},
		{"percent sign", "x://100%", `URI template "x://100%": at offset 7: "%" begins no escape; write a percent sign as %25`},
		{"broken escape", "x://%2g", `URI template "x://%2g": at offset 4: "%" begins no escape; write a percent sign as %25`},
		{"not UTF-8", "x://\xff", `URI template "x://\xff": at offset 0: this literal is not UTF-8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.template)
			if err == nil || err.Error() != c.want {
				t.Errorf("got\n%v, want\n%s", err, c.want)
			}
		})
	}
	if _, err := Parse(strings.Repeat("x", MaxTemplate+1)); err == nil || len(err.Error()) > 300 {
		t.Errorf("a template that is too long: %v", err)
	}
}

func TestVars(t *testing.T) {
	for in, want := range map[string][]Var{
		"x://a":                  nil,
		"x://{id}":               {{Name: "id"}},
		"x://{a}/{b}/{a}":        {{Name: "a"}, {Name: "b"}},
		"x://{a,b}{?c,d*}":       {{Name: "a"}, {Name: "b", Optional: true}, {Name: "c", Optional: true}, {Name: "d", Optional: true, List: true}},
		"x:/{/p*}{.e}{;s}{#f:3}": {{Name: "p", Optional: true, List: true}, {Name: "e", Optional: true}, {Name: "s", Optional: true}, {Name: "f", Optional: true}},
		"x://{+path}{?path}":     {{Name: "path"}},
		"{a.b_1.%41}":            {{Name: "a.b_1.%41"}},
	} {
		got := parsed(t, in).Vars()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

func TestPrefix(t *testing.T) {
	for in, want := range map[string]string{
		"note://{id}": "note://", "note://a": "note://a", "{+uri}": "", "": "", "x://a{?q}b": "x://a",
		"x://a%2Fb/{id}": "x://a", "x://é/{id}": "x://",
	} {
		if got := parsed(t, in).Prefix(); got != want {
			t.Errorf("%s: prefix %q, want %q", in, got, want)
		}
	}
}

// RES-02: the most specific template comes first, whatever the order of
// declaration.
func TestCompare(t *testing.T) {
	want := []string{
		"file:///docs/{id}/raw",
		"file:///docs/{id}.md",
		"file:///docs/{id}",
		"file:///docs/{a}{b}",
		"file:///docs/{id}{?rev}",
		"file:///docs/{+path}",
		"file:///{id}",
		"file:///{+path}",
		"{+uri}",
	}
	for seed := range 20 {
		list := make([]*Template, 0, len(want))
		for i := range want {
			list = append(list, parsed(t, want[(i*7+seed)%len(want)]))
		}
		slices.SortFunc(list, Compare)
		var got []string
		for _, tmpl := range list {
			got = append(got, tmpl.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
	if Compare(parsed(t, "x://{a}"), parsed(t, "x://{a}")) != 0 {
		t.Error("equal templates differ")
	}
	if Compare(parsed(t, "x://{a}"), parsed(t, "x://{b}")) >= 0 {
		t.Error("names do not decide between otherwise equal templates")
	}
}

func parsed(t testing.TB, s string) *Template {
	t.Helper()
	tmpl, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}
