package jsonx

import "unicode/utf8"

// word reads one of the three literal names.
func (c *checker) word(i int, w string) int {
	if len(c.b)-i >= len(w) && string(c.b[i:i+len(w)]) == w {
		return i + len(w)
	}
	for k := 0; k < len(w) && i+k < len(c.b); k++ {
		if c.b[i+k] != w[k] {
			return c.fail(i+k, BadSyntax, "")
		}
	}
	return c.fail(len(c.b), Truncated, "")
}

// str reads the string at i and tells whether it has escapes.
func (c *checker) str(i int) (end int, escaped bool) {
	b := c.b
	i++
	for {
		i = plainRun(b, i)
		if i >= len(b) {
			return c.fail(i, Truncated, ""), escaped
		}
		switch ch := b[i]; {
		case ch == '"':
			return i + 1, escaped
		case ch == '\\':
			escaped = true
			if i = c.escape(i); c.err != nil {
				return i, escaped
			}
		case ch < 0x20:
			return c.fail(i, BadSyntax, "(control character in a string)"), escaped
		default:
			// No character of several bytes has an ASCII byte in it, so that the
			// run is valid by itself or not at all.
			after := highRun(b, i)
			if !utf8.Valid(b[i:after]) {
				return c.fail(i+firstInvalid(b[i:after]), BadUTF8, ""), escaped
			}
			i = after
		}
	}
}

// firstInvalid is the place of the first byte that is no UTF-8.
func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(b)
}

// escape reads the escape at i, or the two of a surrogate pair.
func (c *checker) escape(i int) int {
	if i+1 >= len(c.b) {
		return c.fail(i+1, Truncated, "")
	}
	switch c.b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
	default:
		return c.fail(i+1, BadSyntax, "(escape)")
	}
	u, n := hex4(c.b, i+2)
	if n < 4 {
		return c.fail(i+2+n, BadSyntax, "(escape)")
	}
	if u < 0xd800 || u > 0xdfff {
		return i + 6
	}
	if u < 0xdc00 && i+7 < len(c.b) && c.b[i+6] == '\\' && c.b[i+7] == 'u' {
		if low, n := hex4(c.b, i+8); n == 4 && low >= 0xdc00 && low <= 0xdfff {
			return i + 12
		}
	}
	return c.fail(i, BadUTF8, "(half a surrogate pair)")
}

// hex4 reads up to four hexadecimal digits at i, and tells how many there are.
func hex4(b []byte, i int) (u uint16, n int) {
	for n < 4 && i+n < len(b) {
		switch ch := b[i+n]; {
		case ch >= '0' && ch <= '9':
			u = u<<4 | uint16(ch-'0')
		case ch >= 'a' && ch <= 'f':
			u = u<<4 | uint16(ch-'a'+10)
		case ch >= 'A' && ch <= 'F':
			u = u<<4 | uint16(ch-'A'+10)
		default:
			return u, n
		}
		n++
	}
	return u, n
}

func (c *checker) number(i int) int {
	b := c.b
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return c.fail(i, Truncated, "")
	case b[i] == '0':
		i++
	case b[i] >= '1' && b[i] <= '9':
		i = digits(b, i)
	default:
		return c.fail(i, BadSyntax, "")
	}
	if i < len(b) && b[i] == '.' {
		j := digits(b, i+1)
		if j == i+1 {
			return c.fail(j, BadSyntax, "")
		}
		i = j
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		j := i + 1
		if j < len(b) && (b[j] == '+' || b[j] == '-') {
			j++
		}
		k := digits(b, j)
		if k == j {
			return c.fail(k, BadSyntax, "")
		}
		i = k
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
