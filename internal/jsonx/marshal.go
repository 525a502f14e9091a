package jsonx

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// strict is how Go values are read and written: names are case-sensitive and
// unique, text is UTF-8, maps are written in key order, nil slices as [], strings
// inside raw JSON with the escapes they have, a json.Number, which the library
// takes for a string, as the number it is, and durations and URLs, for which it
// has no form or one of Go's insides, as the text package schema gives them.
var strict = json.JoinOptions(json.DefaultOptionsV2(), json.Deterministic(true),
	jsontext.PreserveRawStrings(true),
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(writeNumber), json.MarshalToFunc(writeDuration), json.MarshalToFunc(writeURL))))

// Texts is an option of [Unmarshal] that reads durations and URLs as [Marshal]
// writes them.
var Texts = json.WithUnmarshalers(json.JoinUnmarshalers(
	json.UnmarshalFromFunc(readDuration), json.UnmarshalFromFunc(readURL)))

func writeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	if n == "" {
		n = "0"
	}
	if jsontext.Value(n).Kind() != '0' {
		return fmt.Errorf("json.Number %q is no number", n)
	}
	return enc.WriteValue(jsontext.Value(n))
}

func writeDuration(enc *jsontext.Encoder, d time.Duration) error {
	return enc.WriteToken(jsontext.String(d.String()))
}

func writeURL(enc *jsontext.Encoder, u url.URL) error {
	return enc.WriteToken(jsontext.String(u.String()))
}

func readDuration(dec *jsontext.Decoder, d *time.Duration) error {
	s, err := readText(dec, "a duration, as in 1m30s")
	if err != nil || s == "" {
		*d = 0
		return err
	}
	*d, err = time.ParseDuration(s)
	return err
}

func readURL(dec *jsontext.Decoder, u *url.URL) error {
	s, err := readText(dec, "a URL")
	if err != nil {
		return err
	}
	parsed, err := url.Parse(s)
	if err != nil {
		return err
	}
	*u = *parsed
	return nil
}

// readText reads a string, and null as the empty one.
func readText(dec *jsontext.Decoder, what string) (string, error) {
	v, err := dec.ReadValue()
	switch {
	case err != nil:
		return "", err
	case v.Kind() == '"':
		b, err := jsontext.AppendUnquote(nil, v)
		return string(b), err
	case v.Kind() == 'n':
		return "", nil
	default:
		return "", fmt.Errorf("%s is not %s", shorten(v), what)
	}
}

// Marshal encodes a Go value. The error names the place in it by a JSON pointer.
func Marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v, strict)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", plainError(err))
	}
	return b, nil
}

// Append appends the encoding of a Go value to dst. On an error it returns dst
// as it was.
func Append(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	if err := json.MarshalWrite(buf, v, strict); err != nil {
		return dst, fmt.Errorf("write JSON: %w", plainError(err))
	}
	return buf.Bytes(), nil
}

// Unmarshal decodes one JSON value into v, as strictly as [Check] unless opts
// say otherwise; names that v does not know are ignored. The error names the
// place in the text by its JSON pointer, and wraps what the type of a value said.
func Unmarshal(b []byte, v any, opts ...json.Options) error {
	err := json.Unmarshal(b, v, append([]json.Options{strict}, opts...)...)
	if err != nil {
		return fmt.Errorf("read JSON: %w", plainError(err))
	}
	return nil
}

// plainError says what the library's errors say in our words.
func plainError(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return fmt.Errorf("%s: %w", place(semantic.JSONPointer), misfit(semantic))
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || syntactic.Err == nil {
		return err
	}
	if syntactic.JSONPointer == "" {
		return fmt.Errorf("at byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	return fmt.Errorf("at %q, byte %d: %w", string(syntactic.JSONPointer), syntactic.ByteOffset, syntactic.Err)
}

func place(p jsontext.Pointer) string {
	if p == "" {
		return "at the top"
	}
	return fmt.Sprintf("at %q", string(p))
}

// misfit says why a value and a Go type do not fit.
func misfit(e *json.SemanticError) error {
	named := "this Go value"
	if t := e.GoType; t != nil {
		named = "a Go " + t.String()
		if t.Name() == "" && t.Kind() == reflect.Struct {
			named = "a Go struct" // its fields would fill the line
		}
	}
	switch {
	case errors.Is(e.Err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range for %s", shorten(e.JSONValue), named)
	case errors.Is(e.Err, strconv.ErrSyntax):
		return fmt.Errorf("%s does not fit %s", shorten(e.JSONValue), named)
	case e.Err != nil && e.JSONKind == 0: // while writing
		return fmt.Errorf("%s: %w", named, e.Err)
	case e.Err != nil:
		return e.Err
	case e.JSONKind != 0:
		// A kind is the first byte of such a value.
		return fmt.Errorf("a JSON %s does not fit %s", kindOf(byte(e.JSONKind)), named)
	default:
		return fmt.Errorf("%s has no JSON form", named)
	}
}

// shorten keeps a stranger's value short in an error.
func shorten(raw []byte) string {
	const most = 40
	if len(raw) == 0 {
		return "the value"
	}
	if len(raw) > most {
		return string(raw[:most]) + "…"
	}
	return string(raw)
}
