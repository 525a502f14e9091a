package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// anyObject is the schema of a tool that says nothing about its arguments. The
// member is required and never null.
const anyObject = `{"type":"object"}`

// toolFor is t as p can express it (DN-03, DN-04, DN-08, DN-10, DN-11).
func toolFor(p mcp.Profile, t mcp.Tool) mcp.Tool {
	if p != onlyTasks {
		t.Execution = nil
	}
	if p < sinceIcons {
		t.Icons = nil
	}
	if p < sinceTitles {
		t.Annotations = titledFor(p, t)
		t.Title = ""
	}
	if p < sinceObjectMeta {
		t.Meta = nil
	}
	if p < sinceStructured || p < sinceAnyStructured && !objectSchema(t.OutputSchema) {
		t.OutputSchema = nil
	}
	if len(t.InputSchema) == 0 {
		t.InputSchema = []byte(anyObject)
	}
	if p < sinceAnySchema {
		t.InputSchema = objectProperties(t.InputSchema)
		t.OutputSchema = objectProperties(t.OutputSchema)
	}
	return t
}

// titledFor moves the tool's title to where 2025-03-26 had it, and drops the
// annotations where there were none.
func titledFor(p mcp.Profile, t mcp.Tool) *mcp.ToolAnnotations {
	if p < sinceToolAnnotations {
		return nil
	}
	if t.Title == "" || t.Annotations != nil && t.Annotations.Title != "" {
		return t.Annotations
	}
	var a mcp.ToolAnnotations
	if t.Annotations != nil {
		a = *t.Annotations
	}
	a.Title = t.Title
	return &a
}

// objectSchema reports whether the schema's root says type object, which
// revisions before 2026-07-28 demand.
func objectSchema(schema json.RawMessage) bool {
	s, ok := String(lookup(schema, "type"))
	return ok && s == "object"
}

// objectProperties writes the boolean schemas among the properties of the root
// as objects, since older revisions type them so. Every other byte stays.
func objectProperties(schema json.RawMessage) json.RawMessage {
	properties := lookup(schema, "properties")
	out := properties
	for name, value := range jsonx.Members(properties) {
		switch string(value) {
		case "true":
			out = jsonx.SetMember(out, string(name), []byte(`{}`))
		case "false":
			out = jsonx.SetMember(out, string(name), []byte(`{"not":{}}`))
		}
	}
	if bytes.Equal(out, properties) {
		return schema
	}
	return jsonx.SetMember(schema, "properties", out)
}

// structuredFor is a result's structured content and blocks as p can express
// them (DN-05, DN-09). What is dropped leaves its text behind.
func structuredFor(p mcp.Profile, content []mcp.Content, structured json.RawMessage) ([]mcp.Content, json.RawMessage, error) {
	if structured == nil || p >= sinceAnyStructured {
		return content, structured, nil
	}
	if p >= sinceStructured && jsonx.KindOf(structured) == jsonx.Object {
		return content, structured, nil
	}
	if err := jsonx.Check(structured, 0); err != nil {
		return nil, nil, fmt.Errorf("write structuredContent: %w", err)
	}
	if hasTwin(content, structured) {
		return content, nil, nil
	}
	// The blocks are the handler's; what is appended must not reach its array.
	out := make([]mcp.Content, len(content), len(content)+1)
	copy(out, content)
	return append(out, mcp.Text(string(jsonx.AppendCompact(nil, structured)))), nil, nil
}

// hasTwin reports whether a text block holds the same JSON.
func hasTwin(content []mcp.Content, structured json.RawMessage) bool {
	var canonical []byte
	for _, c := range content {
		t, ok := c.(*mcp.TextContent)
		if !ok || t == nil {
			continue
		}
		if t.Text == string(structured) {
			return true
		}
		if canonical == nil {
			canonical = canonicalize(structured)
		}
		if same := canonicalize([]byte(t.Text)); same != nil && bytes.Equal(same, canonical) {
			return true
		}
	}
	return false
}

// canonicalize writes JSON so that equal values have equal bytes; nil for what
// is no JSON.
func canonicalize(raw []byte) []byte {
	v := jsontext.Value(bytes.Clone(raw))
	if v.Canonicalize() != nil {
		return nil
	}
	return v
}
