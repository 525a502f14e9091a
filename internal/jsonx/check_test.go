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
		{"a name that an inner object had", `{"a":{"b":1,"c":{"d":1}},"b":2,"c":3,"d":4}`, "", 0},
		{"a name that an object in a list had", `{"l":[{"b":1},{"b":2}],"b":3}`, "", 0},
		{"a duplicate across an inner object", `{"a":1,"x":{"a":2},"a":3}`, Duplicate, 19},
		{"nothing", ``, Truncated, 0},
		{"only white space", `  `, Truncated, 2},
		{"cut inside an object", `{"a":`, Truncated, 5},
		{"cut inside a name", `{"a`, Truncated, 3},
		{"cut inside a string", `"abc`, Truncated, 4},
		{"cut inside a word", `tru`, Truncated, 3},
		{"cut inside a number", `-`, Truncated, 1},
		{"cut inside an escape", `"\u12`, Truncated, 5},
		{"cut inside a word's value", `{"a":nul`, Truncated, 8},
		{"cut after a member", `{"a":1`, Truncated, 6},
		{"cut after a comma", `{"a":1,`, Truncated, 7},
		{"cut before a colon", `{"a"`, Truncated, 4},
		{"cut inside an array", `[1`, Truncated, 2},
		{"cut after an array's comma", `[1,`, Truncated, 3},
		{"cut after a point", `1.`, Truncated, 2},
		{"cut after an exponent", `1e+`, Truncated, 3},
		{"cut after a backslash", `"\`, Truncated, 2},
		{"trailing garbage", `{} x`, Trailing, 3},
		{"two values", `{}{}`, Trailing, 2},
		{"a comma too many", `[1,]`, BadSyntax, 3},
		{"a leading zero", `01`, Trailing, 1},
		{"a bare fraction", `.5`, BadSyntax, 0},
		{"an escape that is none", `"\x"`, BadSyntax, 2},
		{"an escape with a digit that is none", `"\u12g4"`, BadSyntax, 5},
		{"a word in another case", `True`, BadSyntax, 0},
		{"a word that is none", `nil`, BadSyntax, 1},
		{"not a number", `NaN`, BadSyntax, 0},
		{"a plus sign", `+1`, BadSyntax, 0},
		{"a minus sign alone in an array", `[-]`, BadSyntax, 2},
		{"a colon missing", `{"a" 1}`, BadSyntax, 5},
		{"a comma missing", `{"a":1 "b":2}`, BadSyntax, 7},
		{"a member's comma too many", `{"a":1,}`, BadSyntax, 7},
		{"a bracket for a brace", `{"a":1]`, BadSyntax, 6},
		{"a byte order mark", "\xef\xbb\xbf{}", BadSyntax, 0},
		{"white space of another kind", "\f{}", BadSyntax, 0},
		{"a zero byte", "\x00", BadSyntax, 0},
		{"a control character", "\"a\nb\"", BadSyntax, 2},
		{"single quotes", `{'a':1}`, BadSyntax, 1},
		{"a comment", `{/**/}`, BadSyntax, 1},
		{"invalid UTF-8", "\"\xff\"", BadUTF8, 1},
		{"an overlong encoding", "\"\xc0\x80\"", BadUTF8, 1},
		{"invalid UTF-8 behind valid", "\"日本\xff\"", BadUTF8, 7},
		{"a surrogate half in UTF-8", "\"\xed\xa0\x80\"", BadUTF8, 1},
		{"beyond the last character", "\"\xf4\x90\x80\x80\"", BadUTF8, 1},
		{"a character cut by the quote", "\"\xe3\x81\"", BadUTF8, 1},
		{"invalid UTF-8 in a name", "{\"\xff\":1}", BadUTF8, 2},
		{"two first halves of a pair", `"\ud83d\ud83d"`, BadUTF8, 1},
		{"two second halves of a pair", `"\udc00\udc00"`, BadUTF8, 1},
		{"half a pair before another character", `"\ud83d\u0041"`, BadUTF8, 1},
		{"half a pair before another escape", `"\ud83d\n"`, BadUTF8, 1},
		{"half a surrogate pair", `"\ud800"`, BadUTF8, 1},
		{"the other half", `"\udc00"`, BadUTF8, 1},
		{"a duplicate", `{"a":1,"a":2}`, Duplicate, 7},
		{"a duplicate in disguise", `{"a":1,"\u0061":2}`, Duplicate, 7},
		{"a duplicate, disguised first", `{"\u0061":1,"a":2}`, Duplicate, 12},
		{"the empty name twice", `{"":1,"":2}`, Duplicate, 6},
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

// TestCheckManyObjects: names are judged within their own object, however many
// are open at once.
func TestCheckManyObjects(t *testing.T) {
	for depth := range DefaultDepth {
		open := strings.Repeat(`{"a":0,"b":`, depth)
		closing := strings.Repeat(`}`, depth)
		if err := Check([]byte(open+`{}`+closing), 0); err != nil {
			t.Fatalf("%d objects: %v", depth, err)
		}
		if depth == 0 {
			continue
		}
		var s *SyntaxError
		twice := open + `{}` + `,"a":1` + closing
		if err := Check([]byte(twice), 0); !errors.As(err, &s) || s.Reason != Duplicate {
			t.Fatalf("%d objects, a duplicate in the innermost: %v", depth, err)
		}
		twice = open + `{}` + strings.Repeat(`}`, depth-1) + `,"b":1}`
		if err := Check([]byte(twice), 0); !errors.As(err, &s) || s.Reason != Duplicate {
			t.Fatalf("%d objects, a duplicate in the outermost: %v", depth, err)
		}
	}
}

// TestCheckAllocates: an ordinary message costs no memory.
func TestCheckAllocates(t *testing.T) {
	for name, text := range map[string]string{
		"a call": sampleCall, "a long text": `{"text":"` + strings.Repeat("日本 and more \\n", 10_000) + `"}`,
	} {
		b := []byte(text)
		if n := testing.AllocsPerRun(100, func() { _ = Check(b, 0) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// TestCheckErrorNamesTheFault: the text says what, where, and which name, of
// which a stranger decides no more than a few characters.
func TestCheckErrorNamesTheFault(t *testing.T) {
	long := strings.Repeat("é", 100)
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:                       `read JSON: duplicate name "a" at byte 7`,
		`[`:                                   `read JSON: unexpected end at byte 1`,
		strings.Repeat("[", 200):              `read JSON: nested too deep (more than 128) at byte 128`,
		`{"` + long + `":1,"` + long + `":2}`: `read JSON: duplicate name "` + long[:64] + `…" at byte 206`,
		`{"\ud83d\ude00":1,"\ud83d\ude00":2}`: `read JSON: duplicate name "😀" at byte 18`,
	} {
		if err := Check([]byte(text), 0); err == nil || err.Error() != want {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}
