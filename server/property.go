package server

import (
	"encoding/json"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// property is one argument of a prompt or variable of a template, read from the
// schema of its handler's In.
type property struct {
	name, title, doc string
	required         bool
	// scalar: the value can be written as a string.
	scalar bool
	// list: the value is an array of scalars.
	list bool
	// choices are the values there are, when there are few.
	choices []string
}

// propertiesOf reads the properties of an object schema, in their order.
func propertiesOf(schema json.RawMessage) ([]property, error) {
	var root struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := jsonx.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	required := make(map[string]bool)
	for _, name := range root.Required {
		required[name] = true
	}
	var out []property
	for name, raw := range jsonx.Members(root.Properties) {
		p := property{name: string(name), required: required[string(name)]}
		if err := p.read(raw); err != nil {
			return nil, fmt.Errorf("property %q: %w", name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// kindWords are the types whose values can be written as a string.
var kindWords = map[string]bool{"string": true, "integer": true, "number": true, "boolean": true}

func (p *property) read(raw []byte) error {
	var s struct {
		Title string            `json:"title"`
		Doc   string            `json:"description"`
		Type  json.RawMessage   `json:"type"`
		Enum  []json.RawMessage `json:"enum"`
		Items json.RawMessage   `json:"items"`
	}
	if jsonx.KindOf(raw) != jsonx.Object {
		p.scalar = true // true: anything goes
		return nil
	}
	if err := jsonx.Unmarshal(raw, &s); err != nil {
		return err
	}
	p.title, p.doc = s.Title, s.Doc
	types := typeWords(s.Type)
	p.scalar = len(types) > 0
	for _, t := range types {
		if t == "array" {
			p.list = true
		}
		p.scalar = p.scalar && (kindWords[t] || t == "null")
	}
	for _, v := range s.Enum {
		switch jsonx.KindOf(v) {
		case jsonx.String:
			sc := jsonx.NewScanner(v)
			p.choices = append(p.choices, sc.String())
		case jsonx.Number, jsonx.Bool:
			p.choices = append(p.choices, string(v))
		default: // nothing a client could send as a string
		}
	}
	if len(types) > 0 && types[0] == "boolean" && s.Enum == nil {
		p.choices = []string{"true", "false"}
	}
	return nil
}

// typeWords are the words of a type keyword, which is a string or an array.
func typeWords(raw json.RawMessage) []string {
	var one string
	if jsonx.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	if jsonx.Unmarshal(raw, &many) == nil {
		return many
	}
	return nil
}
