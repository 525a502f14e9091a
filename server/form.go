package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/schema"
)

// FormOption says one more thing about a form that the user is asked to fill in.
type FormOption interface {
	applyForm(form json.RawMessage) (json.RawMessage, error)
}

type formOption func(form json.RawMessage) (json.RawMessage, error)

func (o formOption) applyForm(form json.RawMessage) (json.RawMessage, error) { return o(form) }

// Prefill is what a field has in it when the user first sees the form, in the
// place of the default of its type. It must be the same when the handler runs
// again; see [Once].
func Prefill(field string, value any) FormOption {
	return formOption(func(form json.RawMessage) (json.RawMessage, error) {
		properties, _ := jsonx.Lookup(form, "properties")
		property, ok := jsonx.Lookup(properties, field)
		if !ok {
			return nil, fmt.Errorf("prefill %q: there is no such field", field)
		}
		encoded, err := jsonx.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("prefill %q: %w", field, err)
		}
		if kind, _ := wire.String(lookup(property, "type")); !holds(kind, encoded) {
			return nil, fmt.Errorf("prefill %q: %s does not fit a field of type %q", field, clip(string(encoded)), kind)
		}
		property = jsonx.SetMember(property, "default", encoded)
		return jsonx.SetMember(form, "properties", jsonx.SetMember(properties, field, property)), nil
	})
}

func prefilled(form json.RawMessage, opts []FormOption) (json.RawMessage, error) {
	var err error
	for _, o := range opts {
		if o == nil {
			return nil, errors.New("an option is nil")
		}
		if form, err = o.applyForm(form); err != nil {
			return nil, err
		}
	}
	return form, nil
}

// holds reports whether a field of a type can hold a value.
func holds(kind string, value []byte) bool {
	switch jsonx.KindOf(value) {
	case jsonx.String:
		return kind == "string"
	case jsonx.Bool:
		return kind == "boolean"
	case jsonx.Array:
		return kind == "array"
	case jsonx.Number:
		_, whole := jsonx.Integer(value)
		return kind == "number" || kind == "integer" && whole
	default:
		return false
	}
}

// form is a struct as a form.
type form struct {
	plan   *schema.Plan
	schema json.RawMessage
}

// formOf is the form of T, which is made once for each server.
func formOf[T any](s *Server) (*form, error) {
	t := reflect.TypeFor[T]()
	if kept, ok := s.forms.Load(t); ok {
		f, _ := kept.(*form) // nothing else is kept
		return f, nil
	}
	f, err := newForm(t)
	if err == nil {
		s.forms.Store(t, f)
	}
	return f, err
}

func newForm(t reflect.Type) (*form, error) {
	// Members that a form does not have are a client's business.
	plan, err := schema.Of(t, schema.Object(), schema.Open())
	if err != nil {
		return nil, err
	}
	described, _ := jsonx.Lookup(plan.JSON(), "properties")
	if described == nil {
		return nil, fmt.Errorf("make a form of %s: use a struct", t)
	}
	var faults []error
	properties := []byte("{")
	for name, property := range jsonx.Members(described) {
		field, err := formField(property)
		if err != nil {
			faults = append(faults, fmt.Errorf("make a form of %s: field %q: %w", t, name, err))
			continue
		}
		if len(properties) > 1 {
			properties = append(properties, ',')
		}
		properties = append(append(jsonx.AppendStringBytes(properties, name), ':'), field...)
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	f := &form{plan: plan}
	f.schema = append(append(append(f.schema, `{"type":"object","properties":`...), properties...), '}')
	if required, ok := jsonx.Lookup(plan.JSON(), "required"); ok {
		f.schema = append(append(f.schema, `,"required":`...), required...)
	}
	f.schema = append(f.schema, '}')
	return f, nil
}

// formWords are what the protocol's forms can say about a field of each type
// (M-ELI-009, M-ELI-010). The rest of what a struct says about one is checked
// when the answer is there.
var formWords = map[string][]string{
	"string":  {"type", "title", "description", "minLength", "maxLength", "format", "enum", "default"},
	"integer": {"type", "title", "description", "minimum", "maximum", "default"},
	"number":  {"type", "title", "description", "minimum", "maximum", "default"},
	"boolean": {"type", "title", "description", "default"},
	"array":   {"type", "title", "description", "items", "minItems", "maxItems", "default"},
}

// formFormats are the formats that a form has.
var formFormats = []string{"email", "uri", "date", "date-time"}

// formField is a property of an inferred schema as a field of a form.
func formField(property []byte) ([]byte, error) {
	kind, _ := wire.String(lookup(property, "type"))
	words := formWords[kind]
	switch {
	case words == nil:
		return nil, errors.New("a form has strings, numbers, booleans and choices, and nothing within them")
	case kind == "array" && !namedChoices(lookup(property, "items")):
		return nil, errors.New("a list in a form is a choice of several; give its strings an enum")
	case kind != "string" && lookup(property, "enum") != nil && kind != "array":
		return nil, errors.New("a choice in a form is one of strings; use a string type")
	case lookup(property, "contentEncoding") != nil:
		return nil, errors.New("a form has no bytes; use a string")
	}
	field := []byte("{")
	for name, value := range jsonx.Members(property) {
		word := string(name)
		if !slices.Contains(words, word) || word == "format" && !formFormat(value) {
			continue
		}
		if len(field) > 1 {
			field = append(field, ',')
		}
		field = append(append(jsonx.AppendString(field, word), ':'), value...)
	}
	return append(field, '}'), nil
}

func formFormat(value []byte) bool {
	format, _ := wire.String(value)
	return slices.Contains(formFormats, format)
}

// namedChoices reports whether items are one of several strings.
func namedChoices(items []byte) bool {
	kind, _ := wire.String(lookup(items, "type"))
	return kind == "string" && lookup(items, "enum") != nil
}

// checkForm says why a schema written by hand is no form: it is a flat object
// (M-ELI-008).
func checkForm(form json.RawMessage) error {
	if err := jsonx.Check(form, 0); err != nil {
		return fmt.Errorf("its schema: %w", err)
	}
	kind, _ := wire.String(lookup(form, "type"))
	properties := lookup(form, "properties")
	if kind != "object" || jsonx.KindOf(properties) != jsonx.Object {
		return errors.New(`its schema must say "type": "object", and have properties`)
	}
	for name, property := range jsonx.Members(properties) {
		kind, _ := wire.String(lookup(property, "type"))
		if formWords[kind] == nil {
			return fmt.Errorf("field %q must say which type it has: string, integer, number, boolean or array", clip(string(name)))
		}
	}
	return nil
}
