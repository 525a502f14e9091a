package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// headerKeyword marks an argument that HTTP clients repeat in a header.
const headerKeyword = "x-mcp-header"

// Header says that an argument is mirrored in an HTTP header (MCP 2026-07-28,
// Streamable HTTP, custom headers).
type Header struct {
	// Path leads to the argument from the root of the arguments, by name.
	Path []string
	// Name is the annotation's value; the header is Mcp-Param-<Name>.
	Name string
	// Type is string, integer or boolean.
	Type string
}

// HeadersOf collects the x-mcp-header annotations of a tool's input schema, in
// the order of the text. An annotation is an error when its value is no HTTP
// token, when another one has the same name (ignoring case), when its schema
// has another type than string, integer or boolean (alone, or in an array with
// "null"), and when anything but properties leads to it from the root; the
// error then names all such annotations. A member called x-mcp-header where no
// keyword can stand (as a property, in const, enum, default, examples) is none.
func HeadersOf(raw json.RawMessage) ([]Header, error) {
	if err := jsonx.Check(raw, 0); err != nil {
		return nil, fmt.Errorf("look for %s: %w", headerKeyword, err)
	}
	h := headerWalk{names: map[string]string{}}
	h.schema(raw, nil, "", true)
	if len(h.faults) > 0 {
		return nil, fmt.Errorf("%s: %s", headerKeyword, strings.Join(h.faults, "; "))
	}
	return h.found, nil
}

// ObjectRoot says why raw cannot be the inputSchema of a tool: it must be a
// schema object whose type is the one word "object". A root that is only a $ref
// or says ["object"] will not do (MCP, tools, data types).
func ObjectRoot(raw json.RawMessage) error {
	if err := jsonx.Check(raw, 0); err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	if jsonx.KindOf(raw) != jsonx.Object {
		return fmt.Errorf("input schema must be an object; got %s", shown(raw))
	}
	typ, ok := jsonx.Lookup(raw, "type")
	if !ok {
		return errors.New(`input schema must have "type":"object" at its root; it has no type`)
	}
	s := jsonx.NewScanner(typ)
	if s.Kind() != jsonx.String || s.String() != "object" {
		return fmt.Errorf(`input schema must have "type":"object" at its root; got %s`, shown(typ))
	}
	return nil
}

type headerWalk struct {
	found  []Header
	names  map[string]string // folded name: pointer of the first
	faults []string
}

// schema visits one schema. path is where its value lies in the arguments,
// pointer where the schema lies in the document; pure says that only
// properties lead here.
func (h *headerWalk) schema(raw []byte, path []string, pointer string, pure bool) {
	if jsonx.KindOf(raw) != jsonx.Object {
		return
	}
	for name, value := range jsonx.Members(raw) {
		switch at := pointer + "/" + escapePointer(string(name)); {
		case string(name) == headerKeyword:
			h.annotation(raw, value, path, pointer, pure)
		case string(name) == "properties" && jsonx.KindOf(value) == jsonx.Object:
			for prop, sub := range jsonx.Members(value) {
				inner := append(slices.Clip(path), string(prop))
				h.schema(sub, inner, at+"/"+escapePointer(string(prop)), pure)
			}
		default:
			for step, sub := range subschemas(string(name), value) {
				h.schema(sub, path, at+step, false)
			}
		}
	}
}

func (h *headerWalk) annotation(schema, value []byte, path []string, pointer string, pure bool) {
	fail := func(format string, args ...any) {
		h.faults = append(h.faults, "at #"+pointer+": "+fmt.Sprintf(format, args...))
	}
	if jsonx.KindOf(value) != jsonx.String {
		fail("the value must be a string; got %s", shown(value))
		return
	}
	s := jsonx.NewScanner(value)
	name := s.String()
	switch typ := headerType(schema); {
	case name == "":
		fail("the name is empty")
	case !isToken(name):
		fail("%s is no HTTP token; use letters, digits and !#$%%&'*+-.^_`|~", quote(name))
	case !pure || len(path) == 0:
		fail("%s must stand on an argument that is reached through properties alone", quote(name))
	case typ == "":
		fail("%s must stand on a string, an integer or a boolean", quote(name))
	case h.names[strings.ToLower(name)] != "":
		fail("%s is already the name at #%s", quote(name), h.names[strings.ToLower(name)])
	default:
		h.names[strings.ToLower(name)] = pointer
		h.found = append(h.found, Header{Path: path, Name: name, Type: typ})
	}
}

// headerType is the schema's type if it may be mirrored.
func headerType(schema []byte) string {
	raw, _ := jsonx.Lookup(schema, "type")
	s := jsonx.NewScanner(raw)
	typ := ""
	switch s.Kind() {
	case jsonx.String:
		typ = s.String()
	case jsonx.Array:
		n, null := 0, false
		for s.EnterArray(); s.More(); n++ {
			if s.Kind() != jsonx.String {
				return ""
			}
			if t := s.String(); t == "null" {
				null = true
			} else {
				typ = t
			}
		}
		if n > 2 || n == 2 && !null {
			return ""
		}
	}
	switch typ {
	case "string", "integer", "boolean":
		return typ
	}
	return ""
}

// isToken reports whether s is a token of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && !isLetter(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// escapePointer escapes a step of a JSON Pointer (RFC 6901).
func escapePointer(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}
