package jsonx

import (
	"math"
	"strings"
	"testing"
)

// TestAppendString: what RFC 8259 demands is escaped and nothing else (JSON-06).
func TestAppendString(t *testing.T) {
	plain := strings.Repeat("abcdefg", 10)
	for _, c := range []struct{ name, s, want string }{
		{"nothing", "", `""`},
		{"a text", plain, `"` + plain + `"`},
		{"HTML", `<a href="x?y=1&z=2">` + "\u2028</a>", `"<a href=\"x?y=1&z=2\">` + "\u2028" + `</a>"`},
		{"short escapes", "\"\\\b\f\n\r\t/", `"\"\\\b\f\n\r\t/"`},
		{"other control characters", "\x00\x1f\x7f", `"\u0000\u001f` + "\x7f" + `"`},
		{"an escape behind a long run", plain + "\n" + plain, `"` + plain + `\n` + plain + `"`},
		{"other scripts", "上下文 🚀 é", `"上下文 🚀 é"`},
		{"invalid UTF-8", "a\xffb\xc0\x80日\xe6", `"a` + "\ufffdb\ufffd\ufffd日\ufffd" + `"`},
		{"a replacement character of its own", "\ufffd", "\"\ufffd\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(AppendString([]byte("x"), c.s)); got != "x"+c.want {
				t.Errorf("a string: %s, want x%s", got, c.want)
			}
			if got := string(AppendStringBytes([]byte("x"), []byte(c.s))); got != "x"+c.want {
				t.Errorf("bytes: %s, want x%s", got, c.want)
			}
		})
	}
}

// TestAppendCompact: white space between tokens goes, tokens stay.
func TestAppendCompact(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"compact already", `{"a":[1,2]}`, `{"a":[1,2]}`},
		{"indented", "{\r\n  \"a b\": [ 1,\t2.50 ],\n  \"c\": \"\\\" }  {\"\n}\n", `{"a b":[1,2.50],"c":"\" }  {"}`},
		{"a scalar", " \n true\n", `true`},
		{"nothing", " \n", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(AppendCompact([]byte("x"), []byte(c.raw))); got != "x"+c.want {
				t.Errorf("%q, want %q", got, "x"+c.want)
			}
		})
	}
}

// TestAppendFloat: the shortest form that reads back, as ECMAScript writes it.
func TestAppendFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", -2.5: "-2.5", 100: "100", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-6: "0.000001", 1e-7: "1e-7",
		-1e-7: "-1e-7", 1.5e-10: "1.5e-10", 0.1: "0.1", math.MaxFloat64: "1.7976931348623157e+308", math.SmallestNonzeroFloat64: "5e-324",
		math.Inf(1): "null", math.Inf(-1): "null",
	} {
		if got := string(AppendFloat(nil, f)); got != want {
			t.Errorf("AppendFloat(%v) = %s, want %s", f, got, want)
		}
	}
	if got := string(AppendFloat(nil, math.NaN())); got != "null" {
		t.Errorf("AppendFloat(NaN) = %s", got)
	}
}
