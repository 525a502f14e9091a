package client

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// form is what a server asks its user to fill in: a flat object of primitive
// fields (ELI-04 to ELI-06, M-ELI-008 to M-ELI-010).
type form struct {
	fields    []field // in the server's order
	validator *schema.Validator
}

type field struct {
	name string
	// initial is the value that stands there when the user enters none, or nil.
	initial []byte
}

// parseForm reads a requested schema.
func parseForm(raw []byte) (*form, error) {
	if jsonx.KindOf(raw) != jsonx.Object {
		return nil, errors.New("requestedSchema is no object; a form has one with its fields in properties")
	}
	if kind, _ := jsonx.Lookup(raw, "type"); kind != nil && string(kind) != `"object"` {
		return nil, fmt.Errorf("requestedSchema has type %s; a form is an object", clip(string(kind)))
	}
	properties, _ := jsonx.Lookup(raw, "properties")
	if properties != nil && jsonx.KindOf(properties) != jsonx.Object {
		return nil, errors.New("properties of requestedSchema is no object")
	}
	var f form
	for name, value := range jsonx.Members(objectOr(properties)) {
		if err := flat(value); err != nil {
			return nil, fmt.Errorf("field %q %w; the fields of a form are strings, numbers, booleans and choices", clip(string(name)), err)
		}
		initial, _ := jsonx.Lookup(value, "default")
		f.fields = append(f.fields, field{name: string(name), initial: initial})
	}
	var err error
	if f.validator, err = schema.Compile(raw, schema.AssertFormats()); err != nil {
		return nil, fmt.Errorf("requestedSchema cannot be used: %w", err)
	}
	return &f, nil
}

// flat reports a field that is no primitive and no choice. A type that is left
// out, or is a list of types, is for the schema to judge.
func flat(field []byte) error {
	if jsonx.KindOf(field) != jsonx.Object {
		return errors.New("has no schema")
	}
	if _, nested := jsonx.Lookup(field, "properties"); nested {
		return errors.New("is an object")
	}
	raw, _ := jsonx.Lookup(field, "type")
	kind, ok := wire.String(raw)
	if !ok {
		return nil
	}
	switch kind {
	case "string", "number", "integer", "boolean":
		return nil
	case "array":
		items, _ := jsonx.Lookup(field, "items")
		if jsonx.KindOf(items) == jsonx.Object {
			for _, choices := range []string{"enum", "anyOf", "oneOf"} {
				if _, ok := jsonx.Lookup(items, choices); ok {
					return nil
				}
			}
		}
		return errors.New("is a list without choices")
	default:
		return fmt.Errorf("has type %q", clip(kind))
	}
}

// filled is what the user entered with the defaults of what was left out, if it
// is what the form asks for (ELI-09, ELI-23, M-ELI-011, M-ELI-041). null is no
// value.
func (f *form) filled(content []byte) ([]byte, error) {
	if len(content) == 0 || jsonx.KindOf(content) == jsonx.Null {
		content = []byte("{}")
	}
	out, err := f.entered(content)
	if err != nil {
		return nil, err
	}
	for _, field := range f.fields {
		if _, entered := jsonx.Lookup(out, field.name); !entered && field.initial != nil {
			out = jsonx.SetMember(out, field.name, field.initial)
		}
	}
	if err := f.validator.Validate(out); err != nil {
		return nil, fmt.Errorf("content does not fit the form: %w", err)
	}
	return out, nil
}

// entered is content without null.
func (f *form) entered(content []byte) ([]byte, error) {
	if err := jsonx.Check(content, 0); err != nil {
		return nil, fmt.Errorf("content is no JSON: %w", err)
	}
	if kind := jsonx.KindOf(content); kind != jsonx.Object {
		return nil, fmt.Errorf("content is %s; it is an object with a member for each field", clip(string(content)))
	}
	out := content
	for name, value := range jsonx.Members(content) {
		if !f.has(string(name)) {
			return nil, fmt.Errorf("content has %q, which the form does not ask for; its fields are %s", clip(string(name)), f.names())
		}
		switch jsonx.KindOf(value) {
		case jsonx.Null:
			out = jsonx.DeleteMember(out, string(name))
		case jsonx.Object:
			return nil, fmt.Errorf("content has an object for %q; values are strings, numbers, booleans and lists of strings", clip(string(name)))
		}
	}
	return out, nil
}

func (f *form) has(name string) bool {
	for _, field := range f.fields {
		if field.name == name {
			return true
		}
	}
	return false
}

func (f *form) names() string {
	if len(f.fields) == 0 {
		return "none"
	}
	var all []string
	for _, field := range f.fields {
		all = append(all, strconv.Quote(clip(field.name)))
	}
	return strings.Join(all, ", ")
}

// openable checks a URL that the user is to open (ELI-12, M-ELI-014). What is
// no web page is refused: other schemes start programs.
func openable(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return errors.New("url is missing")
	case err != nil:
		return fmt.Errorf("url is %q, which is no URL", clip(raw))
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("url is %q; only absolute http and https URLs are shown to users", clip(raw))
	}
	return nil
}

// elicited is a handler's answer as it is sent: checked, with the form's
// defaults, and with content only where it belongs (ELI-07, ELI-08, M-ELI-015,
// M-ELI-016). f is nil for a URL.
func elicited(f *form, r *mcp.ElicitResult) (*mcp.ElicitResult, error) {
	if r == nil {
		return nil, errors.New("answer is nil; use an *mcp.ElicitResult with an Action, or an error")
	}
	out := *r
	switch out.Action {
	case mcp.ActionDecline, mcp.ActionCancel:
		out.Content = nil
	case mcp.ActionAccept:
		if f == nil {
			out.Content = nil
			break
		}
		var err error
		if out.Content, err = f.filled(out.Content); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("action is %q, which is none of accept, decline and cancel", clip(out.Action))
	}
	return &out, nil
}
