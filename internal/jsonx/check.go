package jsonx

import (
	"fmt"
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
// maxDepth deep (0 means [DefaultDepth]). It takes time linear in b, stack in
// proportion to maxDepth, and memory only for objects that have more than 16
// members or escapes in their names. The error is a [*SyntaxError].
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
type span struct{ start, end int }

// checker walks a text. Its methods take a position and give the one after what
// they read; once err is set positions mean nothing and every loop ends.
type checker struct {
	b   []byte
	max int
	err *SyntaxError
	// names is a stack of the names of the objects that are open, the innermost
	// last. It is an array so that it lives on the caller's stack.
	names [48]span
	n     int
}

func (c *checker) fail(at int, r Reason, detail string) int {
	if c.err == nil {
		if r == BadSyntax && at >= len(c.b) {
			r, detail = Truncated, ""
		}
		c.err = &SyntaxError{Offset: min(at, len(c.b)), Reason: r, Detail: detail}
	}
	return len(c.b)
}

func (c *checker) tooDeep(at int) int {
	return c.fail(at, TooDeep, fmt.Sprintf("(more than %d)", c.max))
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

func (c *checker) array(i, depth int) int {
	if depth > c.max {
		return c.tooDeep(i)
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
		return c.tooDeep(i)
	}
	base := c.n
	var seen map[string]struct{}
	i = skipSpace(c.b, i+1)
	if i < len(c.b) && c.b[i] == '}' {
		return i + 1
	}
	for c.err == nil {
		if i >= len(c.b) || c.b[i] != '"' {
			return c.fail(i, BadSyntax, "")
		}
		end, escaped := c.str(i)
		if c.err != nil {
			return end
		}
		seen = c.unique(span{i + 1, end - 1}, escaped, base, seen)
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
			c.n = base
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
// second one. A set replaces the list when comparing bytes would not do (a name
// has escapes), cost too much (many members), or there is no room.
func (c *checker) unique(n span, escaped bool, base int, seen map[string]struct{}) map[string]struct{} {
	if seen == nil {
		if !escaped && c.n < len(c.names) && c.n-base < few {
			name := c.b[n.start:n.end]
			for _, m := range c.names[base:c.n] {
				if string(c.b[m.start:m.end]) == string(name) {
					c.fail(n.start-1, Duplicate, quote(string(name)))
					return nil
				}
			}
			c.names[c.n] = n
			c.n++
			return nil
		}
		seen = make(map[string]struct{})
		for _, m := range c.names[base:c.n] {
			seen[string(c.b[m.start:m.end])] = struct{}{}
		}
		c.n = base
	}
	name := string(c.b[n.start:n.end])
	if escaped {
		name = string(appendUnescaped(nil, c.b[n.start:n.end]))
	}
	known := len(seen)
	if seen[name] = struct{}{}; len(seen) == known {
		c.fail(n.start-1, Duplicate, quote(name))
	}
	return seen
}

// quote keeps a stranger's name short in an error.
func quote(s string) string {
	const most = 64
	if len(s) > most {
		cut := most
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return fmt.Sprintf("%q", s)
}
