package jsonx

import (
	stdjson "encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// strict is how Go values are read and written: names are case-sensitive and
// unique, text is UTF-8, maps are written in key order, nil slices as [], strings
// inside raw JSON with the escapes they have, and a json.Number, which the
// library takes for a string, as the number it is.
var strict = json.JoinOptions(json.DefaultOptionsV2(), json.Deterministic(true),
	jsontext.PreserveRawStrings(true),
	json.WithMarshalers(json.MarshalToFunc(writeNumber)))

func writeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	if n == "" {
		n = "0"
	}
	if jsontext.Value(n).Kind() != '0' {
		return fmt.Errorf("json.Number %q is no number", n)
	}
	return enc.WriteValue(jsontext.Value(n))
}

// Marshal encodes a Go value.
func Marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, strict)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return b, nil
}

// Append appends the encoding of a Go value to dst.
func Append(dst []byte, v any) ([]byte, error) {
	b, err := Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(dst, b...), nil
}

// Unmarshal decodes one JSON value into v. The error names the place in the
// text by its JSON pointer.
func Unmarshal(b []byte, v any, opts ...json.Options) error {
	err := json.Unmarshal(b, v, append([]json.Options{strict}, opts...)...)
	if err == nil {
		return nil
	}
	return fmt.Errorf("read JSON: %w", plainError(err))
}

// plainError says what the library's errors say in our words.
func plainError(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		where := "at the top"
		if semantic.JSONPointer != "" {
			where = fmt.Sprintf("at %q", string(semantic.JSONPointer))
		}
		if semantic.Err != nil {
			return fmt.Errorf("%s: %w", where, semantic.Err)
		}
		if semantic.GoType != nil {
			return fmt.Errorf("%s: a JSON %s does not fit a Go %s", where, semantic.JSONKind, semantic.GoType)
		}
		return fmt.Errorf("%s: %w", where, err)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) && syntactic.Err != nil {
		return fmt.Errorf("at byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	return err
}
