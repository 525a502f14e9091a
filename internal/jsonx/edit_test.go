package jsonx

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSetMember: one member changes, every other byte stays (GW raw forwarding).
func TestSetMember(t *testing.T) {
	for _, c := range []struct{ name, obj, member, value, want string }{
		{"into an empty object", `{}`, "a", "1", `{"a":1}`},
		{"into an empty object with space", `{ }`, "a", "1", `{"a":1}`},
		{"at the end", `{"b":2}`, "a", "1", `{"b":2,"a":1}`},
		{"in place", `{"a":1,"b":9007199254740993}`, "a", `"x"`, `{"a":"x","b":9007199254740993}`},
		{"in place, spaced", "{ \"a\" : [1, 2] ,\n\"b\":1e2}", "a", "0", "{ \"a\" : 0 ,\n\"b\":1e2}"},
		{"found by its meaning", `{"\u0061":1}`, "a", "2", `{"\u0061":2}`},
		{"a name that needs escapes", `{}`, "a\"b", "1", `{"a\"b":1}`},
		{"not the nested one", `{"x":{"a":1}}`, "a", "2", `{"x":{"a":1},"a":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(SetMember([]byte(c.obj), c.member, []byte(c.value))); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestDeleteMember: the member and one comma go, every other byte stays.
func TestDeleteMember(t *testing.T) {
	for _, c := range []struct{ name, obj, want string }{
		{"the only one", `{"a":1}`, `{}`},
		{"the first", `{"a":1,"b":2}`, `{"b":2}`},
		{"the middle", `{"b":2,"a":1,"c":3}`, `{"b":2,"c":3}`},
		{"the last", `{"b":2 , "a":1}`, `{"b":2}`},
		{"none", `{"b":{"a":1}}`, `{"b":{"a":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(DeleteMember([]byte(c.obj), "a")); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestFoldedMember: a name two readers would understand differently is found.
func TestFoldedMember(t *testing.T) {
	got, want, found := FoldedMember([]byte(`{"x":1,"URI":"a"}`), "uri", "name")
	if !found || got != "URI" || want != "uri" {
		t.Errorf("%q %q %v", got, want, found)
	}
	if _, _, found := FoldedMember([]byte(`{"uri":1,"URIs":2}`), "uri"); found {
		t.Error("a known name, and one that is no twin, were taken for twins")
	}
}

// TestInteger: literals of any size, exactly (JSON-03, T-51, M-VAL-006).
func TestInteger(t *testing.T) {
	for _, c := range []struct {
		lit, want string
		ok        bool
	}{
		{"0", "0", true}, {"-0", "0", true}, {"42", "42", true}, {"-7", "-7", true}, {"42.0", "42", true}, {"1e2", "100", true},
		{"4.2e1", "42", true}, {"4200e-2", "42", true}, {"9007199254740993", "9007199254740993", true},
		{"123456789012345678901234567890", "123456789012345678901234567890", true},
		{"1.5", "", false}, {"1e-1", "", false}, {"1e999999999", "", false}, {"1e-999999999", "", false}, {"0e999999999", "0", true},
	} {
		if got, ok := Integer([]byte(c.lit)); got != c.want || ok != c.ok {
			t.Errorf("Integer(%s) = %q, %v; want %q, %v", c.lit, got, ok, c.want, c.ok)
		}
	}
	if !EqualNumber([]byte("1.50"), []byte("15e-1")) || EqualNumber([]byte("9007199254740993"), []byte("9007199254740992")) {
		t.Error("EqualNumber is not exact")
	}
	for lit, want := range map[string]bool{"9007199254740991": true, "-9007199254740991": true, "9007199254740992": false, "1e15": true, "1e16": false, "1.5": false} {
		if SafeInteger([]byte(lit)) != want {
			t.Errorf("SafeInteger(%s) is not %v", lit, want)
		}
	}
}

// FuzzInteger: Integer agrees with exact arithmetic.
func FuzzInteger(f *testing.F) {
	for _, s := range []string{"1", "-0.0", "12e3", "1.25e2", "5e-1", "100e-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lit string) {
		if Check([]byte(lit), 1) != nil || KindOf([]byte(lit)) != Number || strings.TrimSpace(lit) != lit || len(lit) > 60 {
			return
		}
		if i := strings.IndexAny(lit, "eE"); i >= 0 && len(lit)-i > 4 {
			return
		}
		want, ok := new(big.Rat).SetString(lit)
		if !ok {
			return
		}
		got, isInt := Integer([]byte(lit))
		if isInt != want.IsInt() && !(want.IsInt() && len(want.Num().String()) > maxExponent) {
			t.Fatalf("Integer(%s) = %q, %v; exactly %v", lit, got, isInt, want)
		}
		if isInt && got != want.Num().String() {
			t.Fatalf("Integer(%s) = %q; exactly %v", lit, got, want)
		}
	})
}

// FuzzScanner: no text makes it panic or loop; checked texts come back whole.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{sampleCall, `[1,[2],{"a":"b\u0041"}]`, `{"a`, `[,`, `}`, `{"a":1 "b"}`, `"\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checked := Check(b, 100) == nil
		steps := 0
		var walk func(s *Scanner, depth int)
		walk = func(s *Scanner, depth int) {
			if steps++; steps > 4*len(b)+16 {
				t.Fatalf("%q: no end", b)
			}
			switch s.Kind() {
			case Object:
				if depth > 100 {
					s.Skip()
					return
				}
				s.EnterObject()
				for {
					if _, ok := s.NextName(); !ok {
						return
					}
					walk(s, depth+1)
				}
			case Array:
				if depth > 100 {
					s.Skip()
					return
				}
				s.EnterArray()
				for s.More() {
					walk(s, depth+1)
				}
			case String:
				if v := s.String(); checked && !utf8.ValidString(v) {
					t.Fatalf("%q: string %q", b, v)
				}
			default:
				s.Skip()
			}
		}
		s := NewScanner(b)
		walk(&s, 0)
		if checked && s.Kind() != Invalid {
			t.Fatalf("%q: something is left", b)
		}
		for range Members(b) { //nolint:revive // walking is the test
		}
		AppendCompact(nil, b)
	})
}

// FuzzSetMember: the result is valid, has the value, and nothing else changed.
func FuzzSetMember(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[2]}`), "a")
	f.Add([]byte(`{ }`), "x\n")
	f.Fuzz(func(t *testing.T, obj []byte, name string) {
		if KindOf(obj) != Object || Check(obj, 0) != nil || !utf8.ValidString(name) {
			return
		}
		set := SetMember(obj, name, []byte("12345"))
		if err := Check(set, 0); err != nil {
			t.Fatalf("SetMember(%q, %q) = %q: %v", obj, name, set, err)
		}
		if v, ok := Lookup(set, name); !ok || string(v) != "12345" {
			t.Fatalf("SetMember(%q, %q) = %q lacks the value", obj, name, set)
		}
		gone := DeleteMember(set, name)
		if err := Check(gone, 0); err != nil {
			t.Fatalf("DeleteMember(%q, %q) = %q: %v", set, name, gone, err)
		}
		if _, ok := Lookup(gone, name); ok {
			t.Fatalf("DeleteMember(%q, %q) = %q still has it", set, name, gone)
		}
		for n, v := range Members(obj) {
			if string(n) == name {
				continue
			}
			if got, ok := Lookup(gone, string(n)); !ok || string(got) != string(v) {
				t.Fatalf("%q: member %q changed to %q", obj, n, got)
			}
		}
	})
}

// FuzzAppendString: what is written reads back, and both forms agree (JSON-06).
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c", "<&>", "\x00\x1f", "日本\U0001f600", "\xff\xc0\x80", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, b := AppendString(nil, s), AppendStringBytes(nil, []byte(s))
		if string(a) != string(b) {
			t.Fatalf("%q: %q and %q", s, a, b)
		}
		if err := Check(a, 1); err != nil {
			t.Fatalf("%q: %q: %v", s, a, err)
		}
		var back string
		if err := json.Unmarshal(a, &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Fatalf("%q: %q reads back as %q, %v", s, a, back, err)
		}
	})
}

// TestAppendFloat: the shortest form that reads back, as ECMAScript writes it.
func TestAppendFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", -2.5: "-2.5", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-6: "0.000001", 1e-7: "1e-7",
		0.1: "0.1", math.MaxFloat64: "1.7976931348623157e+308", math.Inf(1): "null",
	} {
		if got := string(AppendFloat(nil, f)); got != want {
			t.Errorf("AppendFloat(%v) = %s, want %s", f, got, want)
		}
	}
}

// TestUnmarshalIsStrict: case, duplicates and the place of a fault (JSON-01).
func TestUnmarshalIsStrict(t *testing.T) {
	var v struct {
		Name string `json:"name"`
		N    int    `json:"n"`
	}
	if err := Unmarshal([]byte(`{"Name":"x"}`), &v); err != nil || v.Name != "" {
		t.Errorf("another case was taken for the name: %v %+v", err, v)
	}
	if err := Unmarshal([]byte(`{"n":1,"n":2}`), &v); err == nil {
		t.Error("a duplicate was accepted")
	}
	if err := Unmarshal([]byte(`{"n":"x"}`), &v); err == nil || !strings.Contains(err.Error(), `"/n"`) {
		t.Errorf("the error does not name the place: %v", err)
	}
	if b, err := Marshal(map[string]any{"b": []string(nil), "a": "<&>"}); err != nil || string(b) != `{"a":"<&>","b":[]}` {
		t.Errorf("Marshal gave %s, %v", b, err)
	}
}
