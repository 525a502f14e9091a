package jsonx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCheck: what is refused, why, and where (JSON-01, STD-05, T-50).
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		reason     Reason // empty: accepted
		offset     int
	}{
		{"an object", `{"a":[1,2.5e-3,true,false,null,"x"]}`, "", 0},
		{"white space around", " \t\r\n{} ", "", 0},
		{"a surrogate pair", `"\ud83d\ude00"`, "", 0},
		{"names that differ in case are two names", `{"a":1,"A":2}`, "", 0},
		{"the same name in two objects", `[{"a":1},{"a":1}]`, "", 0},
		{"the same name one level down", `{"a":{"a":{"a":1}}}`, "", 0},
		{"nothing", ``, Truncated, 0},
		{"only white space", `  `, Truncated, 2},
		{"cut inside an object", `{"a":`, Truncated, 5},
		{"cut inside a name", `{"a`, Truncated, 3},
		{"cut inside a string", `"abc`, Truncated, 4},
		{"cut inside a word", `tru`, Truncated, 3},
		{"cut inside a number", `-`, Truncated, 1},
		{"cut inside an escape", `"\u12`, BadSyntax, 3},
		{"trailing garbage", `{} x`, Trailing, 3},
		{"two values", `{}{}`, Trailing, 2},
		{"a comma too many", `[1,]`, BadSyntax, 3},
		{"a leading zero", `01`, Trailing, 1},
		{"a bare fraction", `.5`, BadSyntax, 0},
		{"a control character", "\"a\nb\"", BadSyntax, 2},
		{"single quotes", `{'a':1}`, BadSyntax, 1},
		{"a comment", `{/**/}`, BadSyntax, 1},
		{"invalid UTF-8", "\"\xff\"", BadUTF8, 1},
		{"an overlong encoding", "\"\xc0\x80\"", BadUTF8, 1},
		{"half a surrogate pair", `"\ud800"`, BadUTF8, 1},
		{"the other half", `"\udc00"`, BadUTF8, 1},
		{"a duplicate", `{"a":1,"a":2}`, Duplicate, 7},
		{"a duplicate in disguise", `{"a":1,"\u0061":2}`, Duplicate, 7},
		{"a duplicate deep down", `{"x":[{"a":1,"b":2,"a":3}]}`, Duplicate, 19},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check([]byte(c.text), 0)
			if c.reason == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			var s *SyntaxError
			if !errors.As(err, &s) {
				t.Fatalf("accepted, or a foreign error: %v", err)
			}
			if s.Reason != c.reason || s.Offset != c.offset {
				t.Errorf("refused for %q at %d, want %q at %d", s.Reason, s.Offset, c.reason, c.offset)
			}
		})
	}
}

// TestCheckManyNames: duplicates are found in large objects too, in linear time.
func TestCheckManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 50_000 {
		fmt.Fprintf(&b, `"n%d":%d,`, i, i)
	}
	unique := b.String() + `"last":0}`
	if err := Check([]byte(unique), 0); err != nil {
		t.Errorf("unique names: %v", err)
	}
	var s *SyntaxError
	if err := Check([]byte(b.String()+`"n0":0}`), 0); !errors.As(err, &s) || s.Reason != Duplicate {
		t.Errorf("a duplicate among many: %v", err)
	}
	if err := Check([]byte(`{"\u0061":1,`+b.String()[1:]+`"a":0}`), 0); !errors.As(err, &s) || s.Reason != Duplicate {
		t.Errorf("a duplicate in disguise among many: %v", err)
	}
}

// TestCheckDepth: the limit is exact, and depth costs no stack beyond it.
func TestCheckDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if err := Check(nested(DefaultDepth), 0); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	var s *SyntaxError
	if err := Check(nested(DefaultDepth+1), 0); !errors.As(err, &s) || s.Reason != TooDeep {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := Check([]byte(strings.Repeat(`{"a":`, 1<<20)), 0); !errors.As(err, &s) || s.Reason != TooDeep {
		t.Errorf("far beyond the limit: %v", err)
	}
}

// TestCheckAllocates: an ordinary message costs no memory.
func TestCheckAllocates(t *testing.T) {
	text := []byte(sampleCall)
	if n := testing.AllocsPerRun(100, func() { _ = Check(text, 0) }); n > 1 {
		t.Errorf("%v allocations, want at most 1", n)
	}
}
