package jsonx

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Only what RFC 8259 demands is
// escaped. Each byte that is no UTF-8 is replaced by U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }

// AppendStringBytes is AppendString for bytes.
func AppendStringBytes(dst, s []byte) []byte { return appendString(dst, s) }

func appendString[T text](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		run := plainRun(s, i)
		dst = append(dst, s[i:run]...)
		switch i = run; {
		case i == len(s):
		case s[i] < utf8.RuneSelf:
			dst = appendEscaped(dst, s[i])
			i++
		default:
			after, start := highRun(s, i), len(dst)
			dst = append(dst, s[i:after]...)
			if !utf8.Valid(dst[start:]) {
				dst = repair(dst, start)
			}
			i = after
		}
	}
	return append(dst, '"')
}

// repair replaces what is no UTF-8 in dst from start on.
func repair(dst []byte, start int) []byte {
	broken := string(dst[start:])
	dst = dst[:start]
	for _, r := range broken {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendCompact appends the checked value raw without white space between its
// tokens; the tokens themselves keep their bytes.
func AppendCompact(dst, raw []byte) []byte {
	start := 0 // of what is yet to be copied
	for i := 0; i < len(raw); {
		switch raw[i] {
		case ' ', '\n', '\r', '\t':
			dst = append(dst, raw[start:i]...)
			i = skipSpace(raw, i)
			start = i
		case '"':
			i = skipString(raw, i)
		default:
			i++
		}
	}
	return append(dst, raw[start:]...)
}

// AppendFloat appends f as ECMAScript writes it, the shortest form that reads
// back as f. A value JSON has no number for is written as null.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if f == 0 {
		return append(dst, '0')
	}
	format := byte('f')
	if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n-start >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		// e-09 is written e-9.
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
