package jsonx

import (
	"bytes"
	"unicode/utf8"
)

// Scanner walks a text that [Check] has accepted. It never validates and
// allocates only for strings with escapes. The zero Scanner is at the end of an
// empty text. A copy goes its own way from where it was made. A Scanner is not
// safe for concurrent use.
//
// On a text that Check has not accepted, or asked for another kind of value than
// the one that comes next, the results mean nothing, but every method stays
// within the text and makes progress or reports the end.
type Scanner struct {
	b []byte
	i int
}

// NewScanner returns a scanner that stands before the first value of b.
func NewScanner(b []byte) Scanner { return Scanner{b: b, i: skipSpace(b, 0)} }

// Kind is the kind of the next value, Invalid at the end of the text or
// container.
func (s *Scanner) Kind() Kind {
	s.i = skipSpace(s.b, s.i)
	if s.i >= len(s.b) {
		return Invalid
	}
	return kindOf(s.b[s.i])
}

// Offset is where the scanner stands in the text.
func (s *Scanner) Offset() int { return s.i }

// Skip moves past the next value and returns its bytes, without white space
// around them.
func (s *Scanner) Skip() []byte {
	s.i = skipSpace(s.b, s.i)
	start := s.i
	s.i = skipValue(s.b, s.i)
	return s.b[start:s.i:s.i]
}

// skipValue is the position after the value at i.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipContainer(b, i)
	default:
		return skipScalar(b, i)
	}
}

// skipString is the position after the string at i.
func skipString(b []byte, i int) int {
	end, _ := scanString(b, i)
	return end
}

// scanString is skipString, and tells whether the string has escapes.
func scanString(b []byte, i int) (end int, escaped bool) {
	i++
	for {
		i = checkedRun(b, i)
		if i >= len(b) {
			return len(b), escaped
		}
		if b[i] == '"' {
			return i + 1, escaped
		}
		escaped = true
		i += 2
	}
}

func skipContainer(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(b)
}

func skipScalar(b []byte, i int) int {
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ':', ' ', '\n', '\r', '\t', '"', '[', '{':
			if i == start {
				return i + 1
			}
			return i
		}
		i++
	}
	return i
}

// EnterObject moves into the object that comes next.
func (s *Scanner) EnterObject() { s.enter('{') }

// EnterArray moves into the array that comes next.
func (s *Scanner) EnterArray() { s.enter('[') }

func (s *Scanner) enter(open byte) {
	s.i = skipSpace(s.b, s.i)
	if s.i < len(s.b) && s.b[s.i] == open {
		s.i++
	} else {
		s.i = len(s.b)
	}
}

// NextName reads the name of the object's next member, decoded, and stands
// before its value. The bytes belong to the text when the name has no escapes.
// ok is false at the end of the object, which is then behind the scanner.
func (s *Scanner) NextName() (name []byte, ok bool) {
	if !s.next('}') {
		return nil, false
	}
	if s.b[s.i] != '"' {
		s.i = len(s.b)
		return nil, false
	}
	name, _ = s.StringBytes()
	s.i = skipSpace(s.b, s.i)
	if s.i < len(s.b) && s.b[s.i] == ':' {
		s.i++
	}
	return name, true
}

// More reports whether the array has another value, which then comes next. At
// the end of the array it is false, and the array is behind the scanner.
func (s *Scanner) More() bool { return s.next(']') }

// next skips the comma before a member and consumes the closing byte.
func (s *Scanner) next(closing byte) bool {
	s.i = skipSpace(s.b, s.i)
	if s.i < len(s.b) && s.b[s.i] == ',' {
		s.i = skipSpace(s.b, s.i+1)
	}
	if s.i >= len(s.b) {
		return false
	}
	if s.b[s.i] == closing {
		s.i++
		return false
	}
	return true
}

// StringBytes reads the string that comes next, decoded. shared says that the
// bytes are part of the text, which holds for strings without escapes.
func (s *Scanner) StringBytes() (b []byte, shared bool) {
	s.i = skipSpace(s.b, s.i)
	start := s.i
	if start >= len(s.b) || s.b[start] != '"' {
		s.i = skipValue(s.b, start)
		return nil, true
	}
	var escaped bool
	s.i, escaped = scanString(s.b, start)
	end := max(s.i-1, start+1)
	raw := s.b[start+1 : end : end]
	if escaped {
		return appendUnescaped(make([]byte, 0, len(raw)), raw), false
	}
	return raw, true
}

// String reads the string that comes next, decoded.
func (s *Scanner) String() string {
	b, _ := s.StringBytes()
	return string(b)
}

// Number reads the number that comes next as its literal.
func (s *Scanner) Number() []byte { return s.Skip() }

// Bool reads the boolean that comes next.
func (s *Scanner) Bool() bool { return string(s.Skip()) == "true" }

// Null reads the null that comes next.
func (s *Scanner) Null() { s.Skip() }

// appendUnescaped appends the meaning of raw, the inside of a string.
func appendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		switch e := raw[1]; e {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			var n int
			dst, n = appendEscape(dst, raw)
			raw = raw[n:]
			continue
		default:
			dst = append(dst, e)
		}
		raw = raw[2:]
	}
}

// appendEscape appends the character of a \u escape or of a pair of them.
func appendEscape(dst, raw []byte) ([]byte, int) {
	u, n := hex4(raw, 2)
	if n < 4 {
		return utf8.AppendRune(dst, utf8.RuneError), 2 + n
	}
	if u >= 0xd800 && u < 0xdc00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if low, n := hex4(raw, 8); n == 4 && low >= 0xdc00 && low <= 0xdfff {
			return utf8.AppendRune(dst, 0x10000+(rune(u)-0xd800)<<10+(rune(low)-0xdc00)), 12
		}
	}
	return utf8.AppendRune(dst, rune(u)), 6
}
