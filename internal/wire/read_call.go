package wire

import (
	"encoding/json"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// quickCallTool reads the result nearly every tool call has: plain text blocks,
// structured content, a _meta. It reports false, and leaves r as it was, for
// everything else and everything wrong, which the JSON library then reads.
func quickCallTool(raw []byte, r *mcp.CallToolResult) bool {
	var out mcp.CallToolResult
	s := jsonx.NewScanner(raw)
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			*r = out
			return true
		}
		kind := s.Kind()
		switch string(name) {
		case "resultType":
			if kind != jsonx.String {
				return false
			}
			out.ResultType = mcp.ResultType(s.String())
		case "_meta":
			if out.Meta, ok = quickMeta(&s); !ok {
				return false
			}
		case "content":
			if out.Content, ok = quickTexts(&s); !ok {
				return false
			}
		case "structuredContent":
			out.StructuredContent = clone(s.Skip())
		case "isError":
			if kind != jsonx.Bool {
				return false
			}
			out.IsError = s.Bool()
		default:
			return false
		}
	}
}

func quickMeta(s *jsonx.Scanner) (mcp.Meta, bool) {
	if s.Kind() != jsonx.Object {
		return nil, false
	}
	meta := mcp.Meta{}
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return meta, true
		}
		meta[string(name)] = clone(s.Skip())
	}
}

func quickTexts(s *jsonx.Scanner) ([]mcp.Content, bool) {
	if s.Kind() != jsonx.Array {
		return nil, false
	}
	blocks := []mcp.Content{}
	for s.EnterArray(); s.More(); {
		text, ok := quickText(s)
		if !ok {
			return nil, false
		}
		blocks = append(blocks, text)
	}
	return blocks, true
}

// quickText reads a block of type text with no member but its text.
func quickText(s *jsonx.Scanner) (*mcp.TextContent, bool) {
	if s.Kind() != jsonx.Object {
		return nil, false
	}
	var c mcp.TextContent
	typed := false
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return &c, typed
		}
		if s.Kind() != jsonx.String {
			return nil, false
		}
		switch string(name) {
		case "type":
			kind, _ := s.StringBytes()
			if string(kind) != "text" {
				return nil, false
			}
			typed = true
		case "text":
			c.Text = s.String()
		default:
			return nil, false
		}
	}
}

func clone(raw []byte) json.RawMessage { return append(json.RawMessage(nil), raw...) }
