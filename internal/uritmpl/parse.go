package uritmpl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser walks over a template.
type parser struct {
	text  string
	parts []part
}

func parse(s string) ([]part, error) {
	p := &parser{text: s}
	for at := 0; at < len(s); {
		var err error
		if s[at] == '{' {
			at, err = p.expression(at)
		} else {
			at, err = p.literal(at)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.parts, nil
}

func (p *parser) fault(at int, format string, args ...any) error {
	return &SyntaxError{Template: p.text, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// literal reads up to the next expression (RFC 6570, 2.1). An apostrophe is
// allowed, as the RFC's errata have it.
func (p *parser) literal(at int) (end int, err error) {
	end = len(p.text)
	if brace := strings.IndexByte(p.text[at:], '{'); brace >= 0 {
		end = at + brace
	}
	lit := p.text[at:end]
	if !utf8.ValidString(lit) {
		return 0, p.fault(at, "this literal is not UTF-8")
	}
	for i := range len(lit) {
		switch c := lit[i]; {
		case c == '%' && !isEscape(lit[i:]):
			return 0, p.fault(at+i, "%q begins no escape; write a percent sign as %%25", "%")
		case c == '}':
			return 0, p.fault(at+i, "%q closes nothing; write it as %%7D", "}")
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|", c) >= 0:
			return 0, p.fault(at+i, "%q may not stand in a URI; write it as %%%02X", string(c), c)
		}
	}
	p.parts = append(p.parts, part{literal: escape(lit, true)})
	return end, nil
}

// expression reads what is between braces (RFC 6570, 2.2).
func (p *parser) expression(at int) (end int, err error) {
	length := strings.IndexByte(p.text[at:], '}')
	if length < 0 {
		return 0, p.fault(at, "%q is never closed", "{")
	}
	end = at + length + 1
	inner := p.text[at+1 : end-1]
	if inner == "" {
		return 0, p.fault(at, "{} names no variable")
	}
	at++
	op := operators[0]
	if c := inner[0]; c != 0 && operators[c] != nil {
		op = operators[c]
		inner, at = inner[1:], at+1
	} else if strings.IndexByte("=,!@|", c) >= 0 {
		return 0, p.fault(at, "%q is an operator that RFC 6570 reserves for later", string(c))
	}
	expr := part{op: op}
	for name := range strings.SplitSeq(inner, ",") {
		s, err := p.variable(at, name)
		if err != nil {
			return 0, err
		}
		for _, other := range expr.specs {
			if op.named && other.name == s.name {
				return 0, p.fault(at, "variable %q stands twice in one expression", s.name)
			}
		}
		expr.specs = append(expr.specs, s)
		at += len(name) + 1
	}
	p.parts = append(p.parts, expr)
	return end, nil
}

// variable reads one variable and its modifier (RFC 6570, 2.3 and 2.4).
func (p *parser) variable(at int, text string) (spec, error) {
	s := spec{name: text}
	if name, ok := strings.CutSuffix(text, "*"); ok {
		s.name, s.explode = name, true
	} else if name, limit, ok := strings.Cut(text, ":"); ok {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > 9999 || limit[0] == '0' || limit[0] == '+' {
			return spec{}, p.fault(at+len(name), "length %q is not a number from 1 to 9999", limit)
		}
		s.name, s.max = name, n
	}
	if !isName(s.name) {
		return spec{}, p.fault(at, "%q is no variable name; use letters, digits and _, parted by dots", s.name)
	}
	return s, nil
}

// isName reports whether s is a varname: letters, digits, underscores and
// escapes, with single dots between them.
func isName(s string) bool {
	afterDot := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			if afterDot {
				return false
			}
			afterDot = true
			continue
		case c == '%':
			if !isEscape(s[i:]) {
				return false
			}
			i += 2
		case !isAlnum(c) && c != '_':
			return false
		}
		afterDot = false
	}
	return !afterDot
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
