package uritmpl

import (
	"strings"
	"unicode/utf8"
)

const (
	unreserved = "-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
	upperHex   = "0123456789ABCDEF"
)

// isEscape reports whether s begins with %XX.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && unhex(s[1]) < 16 && unhex(s[2]) < 16
}

// unhex is the value of a hex digit, 16 for anything else.
func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	default:
		return 16
	}
}

// escape percent-encodes s. With keep, reserved characters and escapes that are
// there already stay as they are (RFC 6570, 3.2.3).
func escape(s string, keep bool) string {
	clean := true
	for i := range len(s) {
		if !stays(s, i, keep) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := range len(s) {
		if c := s[i]; stays(s, i, keep) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
	}
	return b.String()
}

func stays(s string, i int, keep bool) bool {
	c := s[i]
	return isAlnum(c) || strings.IndexByte(unreserved, c) >= 0 ||
		keep && (strings.IndexByte(reserved, c) >= 0 || isEscape(s[i:]))
}

// unescape decodes every escape of s once. ok is false when an escape is broken
// or the result is not UTF-8.
func unescape(s string) (text string, ok bool) {
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return s, utf8.ValidString(s)
	}
	b := make([]byte, 0, len(s))
	for at >= 0 {
		if !isEscape(s[at:]) {
			return "", false
		}
		b = append(b, s[:at]...)
		b = append(b, unhex(s[at+1])<<4|unhex(s[at+2]))
		s = s[at+3:]
		at = strings.IndexByte(s, '%')
	}
	b = append(b, s...)
	return string(b), utf8.Valid(b)
}

// unit is the length of the first character of s as it stands in a URI: one of
// ASCII, the bytes of another one, or the escapes of either. A lone escape that
// is no character is a unit of its own. ok is false for control characters and
// broken escapes, which no URI has.
func unit(s string) (length int, ok bool) {
	switch c := s[0]; {
	case c == '%':
		if !isEscape(s) {
			return 0, false
		}
		return escapedUnit(s), true
	case c < utf8.RuneSelf:
		return 1, c >= ' ' && c != 0x7f
	default:
		r, n := utf8.DecodeRuneInString(s)
		return n, r != utf8.RuneError || n > 1
	}
}

// escapedUnit is the length of the escaped character that s begins with.
func escapedUnit(s string) int {
	var enc [utf8.UTFMax]byte
	n := 0
	for n < len(enc) && isEscape(s[3*n:]) {
		enc[n] = unhex(s[3*n+1])<<4 | unhex(s[3*n+2])
		n++
		if utf8.FullRune(enc[:n]) {
			break
		}
	}
	if r, size := utf8.DecodeRune(enc[:n]); r != utf8.RuneError || size > 1 {
		return 3 * size
	}
	return 3
}
