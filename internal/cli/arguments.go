package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// property is one argument of a tool, as its schema says.
type property struct {
	name     string
	types    []string
	required bool
}

// properties reads the top level of an object schema, in its order. A schema it
// cannot read has none.
func properties(schema json.RawMessage) []property {
	if jsonx.KindOf(schema) != jsonx.Object || jsonx.Check(schema, jsonx.DefaultDepth) != nil {
		return nil
	}
	var required []string
	if raw, ok := jsonx.Lookup(schema, "required"); ok {
		_ = jsonx.Unmarshal(raw, &required) // a malformed list requires nothing here; the server judges
	}
	raw, ok := jsonx.Lookup(schema, "properties")
	if !ok || jsonx.KindOf(raw) != jsonx.Object {
		return nil
	}
	var all []property
	for name, sub := range jsonx.Members(raw) {
		p := property{name: string(name), required: slices.Contains(required, string(name))}
		if jsonx.KindOf(sub) == jsonx.Object {
			if t, ok := jsonx.Lookup(sub, "type"); ok {
				p.types = typeWords(t)
			}
		}
		all = append(all, p)
	}
	return all
}

func typeWords(raw []byte) []string {
	var one string
	if jsonx.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	_ = jsonx.Unmarshal(raw, &many) // neither form: no type is known
	return many
}

// buildArguments makes the arguments object of a call from words of the form
// name=value or name:=JSON. A value is a string unless the tool's schema says
// that the argument is something else.
func buildArguments(words []string, schema json.RawMessage) (json.RawMessage, error) {
	props := properties(schema)
	obj := []byte("{}")
	seen := map[string]bool{}
	for _, word := range words {
		name, value, raw, err := cutWord(word)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, usagef("argument %q is given twice", name)
		}
		seen[name] = true
		var encoded []byte
		switch {
		case raw:
			if err := jsonx.Check([]byte(value), jsonx.DefaultDepth); err != nil {
				return nil, usagef("argument %q: %q is no JSON: %w", name, value, err)
			}
			encoded = []byte(value)
		default:
			encoded = typedValue(value, props, name)
		}
		obj = jsonx.SetMember(obj, name, encoded)
	}
	return obj, nil
}

// cutWord splits name=value and name:=JSON at the first equals sign.
func cutWord(word string) (name, value string, raw bool, err error) {
	name, value, ok := strings.Cut(word, "=")
	if !ok || name == "" || name == ":" {
		return "", "", false, usagef("%q is no argument; write name=value, or name:=JSON", word)
	}
	if n, isRaw := strings.CutSuffix(name, ":"); isRaw {
		return n, value, true, nil
	}
	return name, value, false, nil
}

// typedValue encodes value as the type the schema names, and as a string when
// it names none or the value is not of it: the server then says what is wrong.
func typedValue(value string, props []property, name string) []byte {
	i := slices.IndexFunc(props, func(p property) bool { return p.name == name })
	if i >= 0 && !slices.Contains(props[i].types, "string") && jsonx.Check([]byte(value), jsonx.DefaultDepth) == nil {
		kinds := map[string]jsonx.Kind{
			"integer": jsonx.Number, "number": jsonx.Number, "boolean": jsonx.Bool,
			"array": jsonx.Array, "object": jsonx.Object, "null": jsonx.Null,
		}
		for _, t := range props[i].types {
			if kinds[t] == jsonx.KindOf([]byte(value)) {
				return []byte(value)
			}
		}
		if len(props[i].types) == 0 {
			return []byte(value)
		}
	}
	return jsonx.AppendString(nil, value)
}

// buildStrings makes the string arguments of a prompt from words of the form
// name=value.
func buildStrings(words []string) (map[string]string, error) {
	args := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, usagef("%q is no argument; write name=value", word)
		}
		if _, twice := args[name]; twice {
			return nil, usagef("argument %q is given twice", name)
		}
		args[name] = value
	}
	return args, nil
}
