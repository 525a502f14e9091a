package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

const sampleCall = `{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"add","arguments":{"text":"hello world","count":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"probe","version":"0.1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// FuzzCheck: Check and an independent strict reader accept the same texts.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{sampleCall, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `[1,2,]`, `01`, `1.`, `-`, `1e5`, ` null `, `truefalse`, `{"a":{"a":1}}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := Check(b, 10_000) // the oracle's limit
		dec := jsontext.NewDecoder(bytes.NewReader(b))
		_, oracle := dec.ReadValue()
		if oracle == nil {
			if _, rest := dec.ReadToken(); !errors.Is(rest, io.EOF) {
				oracle = fmt.Errorf("more follows: %w", rest)
			}
		}
		if (err == nil) != (oracle == nil) {
			t.Fatalf("%q: Check says %v, the oracle %v", b, err, oracle)
		}
		var fault *SyntaxError
		if errors.As(err, &fault) && (fault.Offset < 0 || fault.Offset > len(b)) {
			t.Fatalf("%q: the fault is at %d", b, fault.Offset)
		}
	})
}

// FuzzInteger: numbers are judged as exact arithmetic judges them.
func FuzzInteger(f *testing.F) {
	for _, s := range [][2]string{{"1", "1.0"}, {"-0.0", "0"}, {"12e3", "12000"}, {"1.25e2", "125"}, {"5e-1", "0.5"}, {"100e-2", "1"}, {"9007199254740993", "9007199254740992"}, {"1e401", "1e400"}} {
		f.Add(s[0], s[1])
	}
	exact := func(lit string) (*big.Rat, bool) {
		if Check([]byte(lit), 1) != nil || KindOf([]byte(lit)) != Number || strings.TrimSpace(lit) != lit || len(lit) > 60 {
			return nil, false
		}
		if i := strings.IndexAny(lit, "eE"); i >= 0 && len(lit)-i > 5 {
			return nil, false // the oracle would write all its digits
		}
		return new(big.Rat).SetString(lit)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := exact(a)
		if !ok {
			_, _ = Integer([]byte(a))
			SafeInteger([]byte(a))
			EqualNumber([]byte(a), []byte(b))
			return
		}
		got, isInt := Integer([]byte(a))
		if isInt != x.IsInt() && len(x.Num().String()) <= maxExponent {
			t.Fatalf("Integer(%s) = %q, %v; exactly %v", a, got, isInt, x)
		}
		if isInt && got != x.Num().String() {
			t.Fatalf("Integer(%s) = %q; exactly %v", a, got, x)
		}
		safe := x.IsInt() && x.Num().IsInt64() && x.Num().Int64() >= -(1<<53-1) && x.Num().Int64() <= 1<<53-1
		if SafeInteger([]byte(a)) != safe {
			t.Fatalf("SafeInteger(%s) is not %v", a, safe)
		}
		if y, ok := exact(b); ok && EqualNumber([]byte(a), []byte(b)) != (x.Cmp(y) == 0) {
			t.Fatalf("EqualNumber(%s, %s) is wrong", a, b)
		}
	})
}

// FuzzScanner: no text makes it panic or loop; what it reads of a checked text
// is what the standard library reads.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{sampleCall, `[1,[2],{"a":"b\u0041"}]`, `{"a`, `[,`, `}`, `{"a":1 "b"}`, `"\`, `["日本\ud83d\ude00",-1.5e+3,true,null]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checked := Check(b, 100) == nil
		w := walker{t: t, steps: 4*len(b) + 16}
		s := NewScanner(b)
		w.value(&s, 0)
		for range Members(b) {
		}
		compact := AppendCompact(nil, b)
		if !checked {
			return
		}
		if s.Kind() != Invalid {
			t.Fatalf("%q: something is left", b)
		}
		want, _ := decoded(b)
		for _, again := range [][]byte{w.out, compact} {
			got, err := decoded(again)
			if err != nil {
				t.Fatalf("%q: read as %q: %v", b, again, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q: read as %q:\n%s", b, again, diff)
			}
		}
	})
}

func decoded(b []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// walker writes a text again as a scanner reads it.
type walker struct {
	t     *testing.T
	steps int
	out   []byte
}

func (w *walker) value(s *Scanner, depth int) {
	if w.steps--; w.steps < 0 {
		w.t.Fatal("no end")
	}
	switch kind := s.Kind(); {
	case kind == Object && depth <= 100:
		s.EnterObject()
		w.out = append(w.out, '{')
		for n := 0; ; n++ {
			name, ok := s.NextName()
			if !ok {
				break
			}
			if n > 0 {
				w.out = append(w.out, ',')
			}
			w.out = append(AppendStringBytes(w.out, name), ':')
			w.value(s, depth+1)
		}
		w.out = append(w.out, '}')
	case kind == Array && depth <= 100:
		s.EnterArray()
		w.out = append(w.out, '[')
		for n := 0; s.More(); n++ {
			if n > 0 {
				w.out = append(w.out, ',')
			}
			w.value(s, depth+1)
		}
		w.out = append(w.out, ']')
	case kind == String:
		w.out = AppendString(w.out, s.String())
	case kind == Bool:
		w.out = strconv.AppendBool(w.out, s.Bool())
	case kind == Null:
		s.Null()
		w.out = append(w.out, "null"...)
	default:
		w.out = append(w.out, s.Skip()...)
	}
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
