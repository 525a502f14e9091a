package jsonx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// Reason says what is wrong with a text.
type Reason string

// The reasons.
const (
	// BadSyntax: not the grammar of RFC 8259.
	BadSyntax Reason = "syntax error"
	// BadUTF8: not UTF-8, or an escape that names half a surrogate pair.
	BadUTF8 Reason = "invalid UTF-8"
	// Duplicate: an object has a name twice.
	Duplicate Reason = "duplicate name"
	// TooDeep: containers nest deeper than allowed.
	TooDeep Reason = "nested too deep"
	// Trailing: something follows the value.
	Trailing Reason = "data after the value"
	// Truncated: the text ends inside the value.
	Truncated Reason = "unexpected end"
)

// SyntaxError says why [Check] refuses a text, and where.
type SyntaxError struct {
	// Offset is the byte where the fault shows.
	Offset int
	// Reason is the kind of fault.
	Reason Reason
	// Detail is a name or limit that belongs to it, or empty.
	Detail string
}

// Error says what is wrong and where.
func (e *SyntaxError) Error() string {
	if e.Detail != "" {
		return fmt.Sprintf("read JSON: %s %s at byte %d", e.Reason, e.Detail, e.Offset)
	}
	return fmt.Sprintf("read JSON: %s at byte %d", e.Reason, e.Offset)
}

// Check reports whether b is exactly one JSON value, with white space around it
// at most, in valid UTF-8, with unique names in each object, nested at most
// maxDepth deep (0 means [DefaultDepth]). It allocates only for objects with
// many members or escaped names. The error is a [*SyntaxError].
func Check(b []byte, maxDepth int) error {
	if maxDepth <= 0 {
		maxDepth = DefaultDepth
	}
	c := checker{b: b, max: maxDepth}
	i := c.value(skipSpace(b, 0), 0)
	if c.err != nil {
		return c.err
	}
	if i = skipSpace(b, i); i < len(b) {
		return &SyntaxError{Offset: i, Reason: Trailing}
	}
	return nil
}

// span is a name in the text, without its quotes.
type span struct {
	start, end int
	escaped    bool
}

// checker walks a text. Its methods take a position and give the one after what
// they read; once err is set positions mean nothing and every loop ends.
type checker struct {
	b   []byte
	max int
	err error
	// The names of the open objects, a stack of count: in first, and beyond it
	// in rest. A slice of an array of ours would move the array to the heap.
	first [24]span
	rest  []span
	count int
}

func (c *checker) nth(i int) span {
	if i < len(c.first) {
		return c.first[i]
	}
	return c.rest[i-len(c.first)]
}

func (c *checker) push(n span) {
	if c.count < len(c.first) {
		c.first[c.count] = n
	} else {
		c.rest = append(c.rest[:c.count-len(c.first)], n)
	}
	c.count++
}

func (c *checker) fail(at int, r Reason, detail string) int {
	if c.err == nil {
		if r == BadSyntax && at >= len(c.b) {
			r = Truncated
		}
		c.err = &SyntaxError{Offset: min(at, len(c.b)), Reason: r, Detail: detail}
	}
	return len(c.b)
}

func (c *checker) value(i, depth int) int {
	if i >= len(c.b) {
		return c.fail(i, Truncated, "")
	}
	switch c.b[i] {
	case '{':
		return c.object(i, depth+1)
	case '[':
		return c.array(i, depth+1)
	case '"':
		end, _ := c.str(i)
		return end
	case 't':
		return c.word(i, "true")
	case 'f':
		return c.word(i, "false")
	case 'n':
		return c.word(i, "null")
	default:
		return c.number(i)
	}
}

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

func (c *checker) array(i, depth int) int {
	if depth > c.max {
		return c.fail(i, TooDeep, fmt.Sprintf("(more than %d)", c.max))
	}
	i = skipSpace(c.b, i+1)
	if i < len(c.b) && c.b[i] == ']' {
		return i + 1
	}
	for c.err == nil {
		i = skipSpace(c.b, c.value(i, depth))
		if i >= len(c.b) {
			return c.fail(i, Truncated, "")
		}
		switch c.b[i] {
		case ',':
			i = skipSpace(c.b, i+1)
		case ']':
			return i + 1
		default:
			return c.fail(i, BadSyntax, "")
		}
	}
	return i
}

func (c *checker) object(i, depth int) int {
	if depth > c.max {
		return c.fail(i, TooDeep, fmt.Sprintf("(more than %d)", c.max))
	}
	base := c.count
	var seen map[string]struct{}
	i = skipSpace(c.b, i+1)
	if i < len(c.b) && c.b[i] == '}' {
		return i + 1
	}
	for c.err == nil {
		if i >= len(c.b) {
			return c.fail(i, Truncated, "")
		}
		if c.b[i] != '"' {
			return c.fail(i, BadSyntax, "")
		}
		end, escaped := c.str(i)
		if c.err != nil {
			return end
		}
		seen = c.unique(span{i + 1, end - 1, escaped}, base, seen)
		i = skipSpace(c.b, end)
		if i >= len(c.b) || c.b[i] != ':' {
			return c.fail(i, BadSyntax, "")
		}
		i = skipSpace(c.b, c.value(skipSpace(c.b, i+1), depth))
		if i >= len(c.b) {
			return c.fail(i, Truncated, "")
		}
		switch c.b[i] {
		case ',':
			i = skipSpace(c.b, i+1)
		case '}':
			c.count = base
			return i + 1
		default:
			return c.fail(i, BadSyntax, "")
		}
	}
	return i
}

// few is how many names are compared one by one before a set is made: beyond
// it a hostile object would cost quadratic time.
const few = 16

// unique records a name of the object whose names begin at base and faults a
// second one. The set replaces the list once the object has many members.
func (c *checker) unique(n span, base int, seen map[string]struct{}) map[string]struct{} {
	if seen == nil {
		for i := base; i < c.count; i++ {
			if c.same(c.nth(i), n) {
				c.fail(n.start-1, Duplicate, quote(c.name(n)))
				return nil
			}
		}
		c.push(n)
		if c.count-base <= few {
			return nil
		}
		seen = make(map[string]struct{}, 2*few)
		for i := base; i < c.count; i++ {
			seen[c.name(c.nth(i))] = struct{}{}
		}
		c.count = base
		return seen
	}
	name := c.name(n)
	if _, twice := seen[name]; twice {
		c.fail(n.start-1, Duplicate, quote(name))
	}
	seen[name] = struct{}{}
	return seen
}

func (c *checker) same(m, n span) bool {
	if !m.escaped && !n.escaped {
		return string(c.b[m.start:m.end]) == string(c.b[n.start:n.end])
	}
	return c.name(m) == c.name(n)
}

func (c *checker) name(n span) string {
	raw := c.b[n.start:n.end]
	if !n.escaped {
		return string(raw)
	}
	return string(appendUnescaped(nil, raw))
}

func quote(s string) string {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return fmt.Sprintf("%q", s)
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
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size <= 1 {
				return c.fail(i, BadUTF8, ""), escaped
			}
			i += size
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainRun skips bytes that mean themselves in a string: ASCII from space up,
// without quote and backslash, eight at a time.
func plainRun(b []byte, i int) int {
	for len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote := w ^ (ones * '"')
		slash := w ^ (ones * '\\')
		special := (w | (quote - ones) | (slash - ones) | (w - ones*0x20)) & highs
		if special != 0 {
			// The first marked byte is exact; later ones may be marked by borrow.
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < 0x80 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

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
	u, ok := hex4(c.b, i+2)
	if !ok {
		return c.fail(min(i+2, len(c.b)), BadSyntax, "(escape)")
	}
	if u < 0xd800 || u > 0xdfff {
		return i + 6
	}
	if u < 0xdc00 && i+7 < len(c.b) && c.b[i+6] == '\\' && c.b[i+7] == 'u' {
		if low, ok := hex4(c.b, i+8); ok && low >= 0xdc00 && low <= 0xdfff {
			return i + 12
		}
	}
	return c.fail(i, BadUTF8, "(half a surrogate pair)")
}

func hex4(b []byte, i int) (u uint16, ok bool) {
	if len(b)-i < 4 {
		return 0, false
	}
	for _, ch := range b[i : i+4] {
		u <<= 4
		switch {
		case ch >= '0' && ch <= '9':
			u |= uint16(ch - '0')
		case ch >= 'a' && ch <= 'f':
			u |= uint16(ch-'a') + 10
		case ch >= 'A' && ch <= 'F':
			u |= uint16(ch-'A') + 10
		default:
			return 0, false
		}
	}
	return u, true
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
