package uritmpl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Expand is the URI that the template makes of values (RFC 6570, 3.2). A
// variable without a value, or with an empty list, is undefined and leaves
// nothing, as the RFC says.
//
// The error joins everything that is wrong: a value for no variable, one given
// twice, text that is not UTF-8, and a length modifier on a list or pairs.
func (t *Template) Expand(values ...Value) (string, error) {
	byName, faults := t.index(values)
	var b strings.Builder
	for _, p := range t.parts {
		if p.op == nil {
			b.WriteString(p.literal)
			continue
		}
		first := true
		for _, s := range p.specs {
			v, ok := byName[s.name]
			if !ok {
				continue
			}
			if s.max > 0 && (v.List != nil || v.Pairs != nil) {
				faults = append(faults, fmt.Errorf("expand %q: {%s:%d} needs a text, not a list", t.text, s.name, s.max))
				continue
			}
			if first {
				b.WriteString(p.op.first)
				first = false
			} else {
				b.WriteByte(p.op.sep)
			}
			p.op.expand(&b, s, v)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	return b.String(), nil
}

// index finds the values that are defined and what is wrong with the others.
func (t *Template) index(values []Value) (byName map[string]*Value, faults []error) {
	byName = make(map[string]*Value, len(values))
	seen := make(map[string]bool, len(values))
	fault := func(v *Value, reason string) {
		faults = append(faults, fmt.Errorf("expand %q: value for %q: %s", t.text, v.Name, reason))
	}
	for i := range values {
		v := &values[i]
		switch {
		case !t.has(v.Name):
			fault(v, "the template has no such variable")
		case seen[v.Name]:
			fault(v, "given twice")
		case !v.isUTF8():
			fault(v, "not UTF-8")
		case v.List == nil && v.Pairs == nil, len(v.List) > 0, len(v.Pairs) > 0:
			byName[v.Name] = v
		}
		seen[v.Name] = true
	}
	return byName, faults
}

func (t *Template) has(name string) bool {
	for _, v := range t.vars {
		if v.Name == name {
			return true
		}
	}
	return false
}

func (v *Value) isUTF8() bool {
	ok := utf8.ValidString(v.Text)
	for _, e := range v.List {
		ok = ok && utf8.ValidString(e)
	}
	for _, p := range v.Pairs {
		ok = ok && utf8.ValidString(p[0]) && utf8.ValidString(p[1])
	}
	return ok
}

// expand writes one defined variable, without what parts it from the one before.
func (op *operator) expand(b *strings.Builder, s spec, v *Value) {
	switch {
	case s.explode && v.Pairs != nil:
		for i, p := range v.Pairs {
			op.part(b, i)
			b.WriteString(escape(p[0], op.reserved))
			if p[1] == "" && op.named {
				b.WriteString(op.ifEmpty)
				continue
			}
			b.WriteByte('=')
			b.WriteString(escape(p[1], op.reserved))
		}
	case s.explode && v.List != nil:
		for i, e := range v.List {
			op.part(b, i)
			op.name(b, s, e == "")
			b.WriteString(escape(e, op.reserved))
		}
	default:
		joined := op.join(s, v)
		op.name(b, s, joined == "")
		b.WriteString(joined)
	}
}

// part writes what stands before element i of an exploded value.
func (op *operator) part(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(op.sep)
	}
}

// name writes name= where the operator has names.
func (op *operator) name(b *strings.Builder, s spec, empty bool) {
	if !op.named {
		return
	}
	b.WriteString(s.name)
	if empty {
		b.WriteString(op.ifEmpty)
	} else {
		b.WriteByte('=')
	}
}

// join is a value that is not exploded: its members with commas between.
func (op *operator) join(s spec, v *Value) string {
	switch {
	case v.Pairs != nil:
		flat := make([]string, 0, 2*len(v.Pairs))
		for _, p := range v.Pairs {
			flat = append(flat, escape(p[0], op.reserved), escape(p[1], op.reserved))
		}
		return strings.Join(flat, ",")
	case v.List != nil:
		flat := make([]string, len(v.List))
		for i, e := range v.List {
			flat[i] = escape(e, op.reserved)
		}
		return strings.Join(flat, ",")
	default:
		return escape(cut(v.Text, s.max), op.reserved)
	}
}

// cut is the first n characters of s; zero means all.
func cut(s string, n int) string {
	if n == 0 {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
