package jsonx

import (
	"slices"
	"strings"
	"testing"
)

// TestScanner: one walk over every kind of value.
func TestScanner(t *testing.T) {
	text := []byte(" {\"s\":\"a\\u0062\\n\\ud83d\\ude00\", \"p\" : \"plain\",\n\"n\":-1.50e+3,\"t\":true,\"f\":false,\"z\":null,\"l\":[1, [ ],{}],\"o\":{} } ")
	if err := Check(text, 0); err != nil {
		t.Fatal(err)
	}
	s := NewScanner(text)
	expect := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	name := func(want string) {
		t.Helper()
		got, ok := s.NextName()
		if string(got) != want || !ok {
			t.Fatalf("name %q, %v; want %q", got, ok, want)
		}
	}
	expect("kind", s.Kind(), Object)
	s.EnterObject()
	name("s")
	expect("kind", s.Kind(), String)
	ahead := s
	expect("a string with escapes", s.String(), "ab\n😀")
	_, shared := ahead.StringBytes()
	expect("a string with escapes is shared", shared, false)
	name("p")
	b, shared := s.StringBytes()
	expect("a plain string", string(b), "plain")
	expect("a plain string is shared", shared, true)
	name("n")
	expect("kind", s.Kind(), Number)
	expect("a number", string(s.Number()), "-1.50e+3")
	name("t")
	expect("kind", s.Kind(), Bool)
	expect("true", s.Bool(), true)
	name("f")
	expect("false", s.Bool(), false)
	name("z")
	expect("kind", s.Kind(), Null)
	s.Null()
	name("l")
	s.EnterArray()
	var items []string
	for s.More() {
		items = append(items, string(s.Skip()))
	}
	expect("items", slices.Equal(items, []string{"1", "[ ]", "{}"}), true)
	name("o")
	start := s.Offset()
	s.EnterObject()
	if got, ok := s.NextName(); ok {
		t.Errorf("an empty object has a member %q", got)
	}
	expect("what was walked", string(text[start:s.Offset()]), "{}")
	if got, ok := s.NextName(); ok {
		t.Errorf("one member too many: %q", got)
	}
	expect("kind at the end", s.Kind(), Invalid)
	expect("value at the end", len(s.Skip()), 0)
}

// TestEscapes: every escape means what RFC 8259 says.
func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u0041\u00e9\u65E5"`: "Aé日", `"\ud83d\uDE00!"`: "😀!",
		`"\u0000"`: "\x00", `"\ufffd"`: "\ufffd", `"plain \\ and \n more 日本"`: "plain \\ and \n more 日本", `"\\\\"`: `\\`,
	} {
		if err := Check([]byte(text), 0); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		s := NewScanner([]byte(text))
		if got := s.String(); got != want || s.Kind() != Invalid {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestScannerAllocates: a walk costs memory for strings with escapes only, and
// what it hands out cannot be appended to over the text.
func TestScannerAllocates(t *testing.T) {
	text := []byte(sampleCall)
	if n := testing.AllocsPerRun(100, func() {
		s := NewScanner(text)
		s.EnterObject()
		for {
			if _, ok := s.NextName(); !ok {
				return
			}
			s.Skip()
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
	s := NewScanner(text)
	s.EnterObject()
	name, _ := s.NextName()
	value := s.Skip()
	_, _ = append(name, 'x'), append(value, 'x')
	if string(text) != sampleCall {
		t.Errorf("the text became %s", text)
	}
}

// TestScannerOnAnotherKind: asking for the wrong kind stays in the text.
func TestScannerOnAnotherKind(t *testing.T) {
	for _, text := range []string{`"a"`, `1`, `true`, `null`, `[1,2]`, `{"a":1}`, `{"a":[`, `]`, ``, strings.Repeat("[", 500)} {
		for name, step := range map[string]func(*Scanner){
			"String": func(s *Scanner) { _ = s.String() }, "Number": func(s *Scanner) { s.Number() },
			"Bool": func(s *Scanner) { s.Bool() }, "Null": func(s *Scanner) { s.Null() },
			"NextName": func(s *Scanner) { s.NextName() }, "EnterArray": func(s *Scanner) { s.EnterArray() },
			"EnterObject": func(s *Scanner) { s.EnterObject() }, "More": func(s *Scanner) { s.More(); s.Skip() },
		} {
			s := NewScanner([]byte(text))
			for range len(text) + 1 {
				step(&s)
			}
			if s.Offset() > len(text) || s.Offset() < 0 {
				t.Errorf("%s on %.20s: at %d", name, text, s.Offset())
			}
		}
	}
}

// TestKindOf: the first byte says it.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]Kind{
		" {": Object, "\n[": Array, `"`: String, "-": Number, "7": Number, "t": Bool, "f": Bool, "n": Null, "": Invalid, " ": Invalid, "x": Invalid, "]": Invalid,
	} {
		if got := KindOf([]byte(text)); got != want {
			t.Errorf("KindOf(%q) is %v, want %v", text, got, want)
		}
	}
	if got := Kind(200).String(); got == "" {
		t.Error("an unknown kind has no name")
	}
}
