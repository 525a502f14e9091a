package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// program is one compiled copy of a hand-written schema. The library has no
// bound on the work of a validation, so every schema of the copy is given a
// format check of ours: it runs before a schema looks at any other that could
// multiply the work, and it counts. That makes the copy good for one
// validation at a time.
type program struct {
	root    *jsonschema.Schema
	schemas map[string]*jsonschema.Schema // by location, for suggestions
	formats bool
	left    int
}

// errTooMuch ends a validation whose work is used up. It crosses the library
// as a panic, for as an error it would only fail the branch it arises in.
var errTooMuch = errors.New("too much work")

// run validates x.
func (p *program) run(x any, work int) (err error) {
	p.left = work
	defer func() {
		if r := recover(); r != nil {
			if r != errTooMuch { //nolint:errorlint // the very value
				panic(r) //nolint:forbidigo // not ours to hide
			}
			err = Faults{{Message: "is too large, or combines too much, to be checked against the schema"}}
		}
	}()
	failed := p.root.Validate(x)
	if failed == nil {
		return nil
	}
	var verdict *jsonschema.ValidationError
	if !errors.As(failed, &verdict) {
		return failed
	}
	t := translator{instance: x, schemas: p.schemas}
	return t.faults(verdict)
}

// instrument puts the counter into s and all schemas it leads to.
func (p *program) instrument(s *jsonschema.Schema) {
	if s == nil || p.schemas[s.Location] == s {
		return
	}
	p.schemas[s.Location] = s
	if s.Bool == nil {
		s.Format = p.counter(s)
	}
	for _, sub := range children(s) {
		p.instrument(sub)
	}
}

// counter is the format check that charges a visit of s.
func (p *program) counter(s *jsonschema.Schema) *jsonschema.Format {
	name, check := "", func(any) error { return nil }
	if p.formats && s.Format != nil {
		name, check = s.Format.Name, s.Format.Validate
	}
	fixed := 1 + len(s.AllOf) + len(s.AnyOf) + len(s.OneOf) + len(s.Required) + len(s.Dependencies) +
		len(s.DependentSchemas) + len(s.DependentRequired)
	chosen := takeChoices(s)
	each := 1 + len(s.PatternProperties)
	if s.PropertyNames != nil {
		each++
	}
	if s.Contains != nil {
		each++
	}
	if s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil {
		each += fixed // the evaluated are merged from every branch
	}
	unique, pattern := s.UniqueItems, s.Pattern != nil || p.formats
	return &jsonschema.Format{Name: name, Validate: func(x any) error {
		work := fixed
		switch x := x.(type) {
		case []any:
			work += each * len(x)
			if unique {
				work += size(x)
			}
		case map[string]any:
			work += each * len(x)
		case string:
			if pattern {
				work += len(x) / 64
			}
		}
		if chosen != nil {
			work += size(x)
		}
		if p.left -= work; p.left < 0 {
			panic(errTooMuch) //nolint:forbidigo // run recovers it, from any depth
		}
		if chosen != nil && !chosen.values[string(appendValue(nil, x))] {
			return chosen
		}
		return check(x)
	}}
}

// choice is the enum or const of a schema, as a set of canonical values: the
// library would compare with each in turn. As an error it says that the value
// is not among them.
type choice struct {
	values map[string]bool
	want   []any
	single bool // of const
}

// Error is never shown: the fault says what was wanted.
func (c *choice) Error() string { return "not among the choices" }

// takeChoices takes enum and const out of s.
func takeChoices(s *jsonschema.Schema) *choice {
	if s.Enum == nil && s.Const == nil {
		return nil
	}
	c := &choice{values: map[string]bool{}}
	if s.Enum != nil {
		c.want = s.Enum.Values
	}
	if s.Const != nil {
		both := s.Enum == nil
		for _, v := range c.want {
			both = both || string(appendValue(nil, v)) == string(appendValue(nil, *s.Const))
		}
		c.want, c.single = []any{*s.Const}, true
		if !both {
			c.want = nil // const and enum exclude each other
		}
	}
	for _, v := range c.want {
		c.values[string(appendValue(nil, v))] = true
	}
	s.Enum, s.Const = nil, nil
	return c
}

// size counts the values in x.
func size(x any) int {
	n := 1
	switch x := x.(type) {
	case []any:
		for _, item := range x {
			n += size(item)
		}
	case map[string]any:
		for _, item := range x {
			n += size(item)
		}
	}
	return n
}

// children are the schemas that s refers to.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		out = append(out, list...)
	}
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, sub := range m {
			out = append(out, sub)
		}
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	mixed := []any{s.AdditionalProperties, s.Items, s.AdditionalItems}
	for _, dep := range s.Dependencies {
		mixed = append(mixed, dep)
	}
	for _, x := range mixed {
		switch x := x.(type) {
		case *jsonschema.Schema:
			out = append(out, x)
		case []*jsonschema.Schema:
			out = append(out, x...)
		}
	}
	return out
}
