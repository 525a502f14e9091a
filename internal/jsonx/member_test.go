package jsonx

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMembers: decoded names, raw values, in order; numbers keep every digit
// (JSON-03).
func TestMembers(t *testing.T) {
	type member struct{ Name, Value string }
	for _, c := range []struct {
		name, obj string
		want      []member
	}{
		{"an empty object", ` { } `, nil},
		{"not an object", `[{"a":1}]`, nil},
		{"nothing", ``, nil},
		{"values as they are", `{"a":9007199254740993,"b":1E400,"c":0.1000000000000000055,"d":1.0}`, []member{{"a", "9007199254740993"}, {"b", "1E400"}, {"c", "0.1000000000000000055"}, {"d", "1.0"}}},
		{"white space around, not inside", "{ \"a\" :\t[ 1, 2 ] , \"b\" : {\"x\": 1}\n}", []member{{"a", "[ 1, 2 ]"}, {"b", `{"x": 1}`}}},
		{"brackets and quotes in strings", `{"a":"}]\"{[","b":[["]"],{"}":"{"}]}`, []member{{"a", `"}]\"{["`}, {"b", `[["]"],{"}":"{"}]`}}},
		{"names with escapes", `{"\u0061\n":1,"\\":2,"":3}`, []member{{"a\n", "1"}, {"\\", "2"}, {"", "3"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []member
			for name, value := range Members([]byte(c.obj)) {
				got = append(got, member{string(name), string(value)})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for range Members([]byte(`{"a":1,"b":2}`)) {
		break // a walk may be left early
	}
}

// TestLookup: the exact name, at the top level only (JSON-01).
func TestLookup(t *testing.T) {
	obj := []byte(`{"x":{"a":0},"Name":"secret","name":"allowed","\u0062":1,"none":null}`)
	for _, c := range []struct {
		name, want string
		found      bool
	}{
		{"name", `"allowed"`, true}, {"Name", `"secret"`, true}, {"b", "1", true}, {"none", "null", true},
		{"NAME", "", false}, {"a", "", false}, {"", "", false},
	} {
		if got, found := Lookup(obj, c.name); string(got) != c.want || found != c.found {
			t.Errorf("%q: %s, %v; want %s, %v", c.name, got, found, c.want, c.found)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = Lookup(obj, "none") }); n > 1 {
		t.Errorf("%v allocations, want one, for the name with an escape", n)
	}
}

// TestFoldedMember: a name two readers would understand differently is found,
// by the rules of the most generous of them (JSON-01).
func TestFoldedMember(t *testing.T) {
	for _, c := range []struct {
		name, obj string
		known     []string
		got, want string
		found     bool
	}{
		{"in capitals", `{"x":1,"URI":"a"}`, []string{"uri", "name"}, "URI", "uri", true},
		{"in disguise", `{"\u0055ri":"a"}`, []string{"uri"}, "Uri", "uri", true},
		{"beside the exact one", `{"name":"allowed","Name":"secret"}`, []string{"name"}, "Name", "name", true},
		{"a long s (U+017F)", `{"param\u017f":{}}`, []string{"params"}, "param\u017f", "params", true},
		{"a Kelvin sign (U+212A)", `{"\u212a":1}`, []string{"k"}, "\u212a", "k", true},
		{"known itself", `{"uri":1,"Uri":2}`, []string{"uri", "Uri"}, "", "", false},
		{"known after its twin", `{"Uri":2}`, []string{"uri", "Uri"}, "", "", false},
		{"another name", `{"uri":1,"URIs":2}`, []string{"uri"}, "", "", false},
		{"one level down", `{"x":{"URI":1}}`, []string{"uri"}, "", "", false},
		{"nothing known", `{"URI":1}`, nil, "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want, found := FoldedMember([]byte(c.obj), c.known...)
			if got != c.got || want != c.want || found != c.found {
				t.Errorf("%q for %q, %v; want %q for %q, %v", got, want, found, c.got, c.want, c.found)
			}
		})
	}
}

// TestSetMember: one member changes, every other byte stays.
func TestSetMember(t *testing.T) {
	for _, c := range []struct{ name, obj, member, value, want string }{
		{"into an empty object", `{}`, "a", "1", `{"a":1}`},
		{"into an empty object with space", `{ }`, "a", "1", `{"a":1 }`},
		{"at the end", `{"b":2}`, "a", "1", `{"b":2,"a":1}`},
		{"at the end, spaced", "{\n  \"b\": 2\n}\n", "a", "1", "{\n  \"b\": 2,\"a\":1\n}\n"},
		{"in place", `{"a":1,"b":9007199254740993}`, "a", `"x"`, `{"a":"x","b":9007199254740993}`},
		{"in place, spaced", "{ \"a\" : [1, 2] ,\n\"b\":1e2}", "a", "0", "{ \"a\" : 0 ,\n\"b\":1e2}"},
		{"found by its meaning", `{"\u0061":1}`, "a", "2", `{"\u0061":2}`},
		{"a name that needs escapes", `{}`, "a\"b", "1", `{"a\"b":1}`},
		{"not the nested one", `{"x":{"a":1}}`, "a", "2", `{"x":{"a":1},"a":2}`},
		{"not another case", `{"A":1}`, "a", "2", `{"A":1,"a":2}`},
		{"after a string that looks like an end", `{"x":"}"}`, "a", "2", `{"x":"}","a":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := []byte(c.obj)
			if got := string(SetMember(obj, c.member, []byte(c.value))); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if string(obj) != c.obj {
				t.Errorf("the object itself became %q", obj)
			}
		})
	}
}

// TestDeleteMember: the member and one comma go, every other byte stays.
func TestDeleteMember(t *testing.T) {
	for _, c := range []struct{ name, obj, want string }{
		{"the only one", `{"a":1}`, `{}`},
		{"the first", `{"a":1,"b":2}`, `{"b":2}`},
		{"the first, spaced", `{ "a": 1, "b": 2 }`, `{ "b": 2 }`},
		{"the middle", `{"b":2,"a":1,"c":3}`, `{"b":2,"c":3}`},
		{"the last", `{"b":2 , "a":1}`, `{"b":2}`},
		{"found by its meaning", `{"\u0061":1,"b":2}`, `{"b":2}`},
		{"none", `{"b":{"a":1}}`, `{"b":{"a":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := []byte(c.obj)
			if got := string(DeleteMember(obj, "a")); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if string(obj) != c.obj {
				t.Errorf("the object itself became %q", obj)
			}
		})
	}
}
