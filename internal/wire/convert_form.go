package wire

import (
	"encoding/json"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// plainForm writes a form's schema for 2025-06-18 (DN-18): titled choices as
// enum and enumNames, no defaults but those of booleans, no $schema. A choice of
// several has no equivalent.
func plainForm(schema json.RawMessage) (json.RawMessage, error) {
	o := object{dst: make([]byte, 0, len(schema))}
	o.open()
	for name, value := range jsonx.Members(schema) {
		switch string(name) {
		case "$schema":
		case "properties":
			properties, err := plainFields(value)
			if err != nil {
				return nil, err
			}
			o.member(name, properties)
		default:
			o.member(name, value)
		}
	}
	return o.close(), nil
}

func plainFields(properties []byte) ([]byte, error) {
	o := object{}
	o.open()
	for name, value := range jsonx.Members(properties) {
		kind, _ := String(lookup(value, "type"))
		if kind == "array" {
			return nil, fmt.Errorf("the field %q takes several choices, which a form cannot there", clip(string(name)))
		}
		o.member(name, plainField(value, kind))
	}
	return o.close(), nil
}

func plainField(field []byte, kind string) []byte {
	o := object{}
	o.open()
	for name, value := range jsonx.Members(field) {
		switch {
		case string(name) == "default" && kind != "boolean":
		case string(name) == "oneOf" && jsonx.KindOf(value) == jsonx.Array:
			values, names := choices(value)
			o.member([]byte("enum"), values)
			o.member([]byte("enumNames"), names)
		default:
			o.member(name, value)
		}
	}
	return o.close()
}

// choices splits [{"const":v,"title":t}] into values and titles. A choice
// without a title is shown by its value.
func choices(oneOf []byte) (values, names []byte) {
	values, names = []byte{'['}, []byte{'['}
	s := jsonx.NewScanner(oneOf)
	for s.EnterArray(); s.More(); {
		choice := s.Skip()
		value := lookup(choice, "const")
		if value == nil {
			continue
		}
		title := lookup(choice, "title")
		if title == nil {
			title = value
		}
		if len(values) > 1 {
			values, names = append(values, ','), append(names, ',')
		}
		values, names = append(values, value...), append(names, title...)
	}
	return append(values, ']'), append(names, ']')
}

// object writes a JSON object member by member.
type object struct {
	dst   []byte
	begun bool
}

func (o *object) open() { o.dst = append(o.dst, '{') }

// member appends a member with an encoded value.
func (o *object) member(name, value []byte) {
	if o.begun {
		o.dst = append(o.dst, ',')
	}
	o.begun = true
	o.dst = jsonx.AppendStringBytes(o.dst, name)
	o.dst = append(o.dst, ':')
	o.dst = append(o.dst, value...)
}

func (o *object) close() []byte { return append(o.dst, '}') }
