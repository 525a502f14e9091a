package wire

import (
	"fmt"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendResult appends result as p can express it.
func appendResult(p mcp.Profile, dst []byte, result any, stamp *Stamp) ([]byte, error) {
	if r, ok := result.(*mcp.CallToolResult); ok && r != nil {
		return appendCallTool(p, dst, r, stamp)
	}
	if err := expressible(p, result); err != nil {
		return dst, err
	}
	switch r := result.(type) {
	case *Page:
		return appendPage(p, dst, r, stamp)
	case *mcp.ReadResourceResult:
		return appendRead(p, dst, r, stamp)
	case *mcp.GetPromptResult:
		return appendPrompt(p, dst, r, stamp)
	case *mcp.ListToolsResult:
		return appendList(p, dst, &r.Result, r.CacheHint, "tools", r.Tools, r.NextCursor, stamp)
	case *mcp.ListResourcesResult:
		return appendList(p, dst, &r.Result, r.CacheHint, "resources", r.Resources, r.NextCursor, stamp)
	case *mcp.ListResourceTemplatesResult:
		return appendList(p, dst, &r.Result, r.CacheHint, "resourceTemplates", r.ResourceTemplates, r.NextCursor, stamp)
	case *mcp.ListPromptsResult:
		return appendList(p, dst, &r.Result, r.CacheHint, "prompts", r.Prompts, r.NextCursor, stamp)
	case *mcp.ElicitResult, *mcp.CreateMessageResult, *mcp.ListRootsResult:
		return appendAnswer(p, dst, r)
	default:
		return appendOther(p, dst, r, stamp)
	}
}

// expressible reports results that p has no word for.
func expressible(p mcp.Profile, result any) error {
	if v := reflect.ValueOf(result); v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("write result: %T is nil or no pointer", result)
	}
	lacking := ""
	switch result.(type) {
	case *mcp.DiscoverResult:
		if p.Legacy() {
			lacking = "discovery"
		}
	case *mcp.InputRequiredResult:
		if p.Legacy() {
			lacking = "result that asks for input"
		}
	case *mcp.InitializeResult:
		if p.Modern() {
			lacking = "handshake"
		}
	}
	if lacking != "" {
		return fmt.Errorf("write result: revision %s has no %s", p.Version(), lacking)
	}
	return nil
}

func appendCallTool(p mcp.Profile, dst []byte, r *mcp.CallToolResult, stamp *Stamp) ([]byte, error) {
	if err := typed(p, &r.Result); err != nil {
		return dst, err
	}
	dst, err := appendHead(p, dst, &r.Result, stamp)
	if err != nil {
		return dst, err
	}
	content, structured, err := structuredFor(p, r.Content, r.StructuredContent)
	if err != nil {
		return dst, err
	}
	if dst, err = appendBlocks(p, appendName(dst, "content"), content); err != nil {
		return dst, err
	}
	if structured != nil {
		if dst, err = appendRaw(append(dst, `,"structuredContent":`...), structured); err != nil {
			return dst, fmt.Errorf("write structuredContent: %w", err)
		}
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return closeResult(dst, &r.Result, "content", "structuredContent", "isError")
}

func appendRead(p mcp.Profile, dst []byte, r *mcp.ReadResourceResult, stamp *Stamp) ([]byte, error) {
	if err := typed(p, &r.Result); err != nil {
		return dst, err
	}
	dst, err := appendHead(p, dst, &r.Result, stamp)
	if err != nil {
		return dst, err
	}
	dst = append(appendName(appendHint(p, dst, r.CacheHint, stamp), "contents"), '[')
	contents := contentsFor(p, r.Contents)
	for i := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendContents(dst, &contents[i]); err != nil {
			return dst, fmt.Errorf("write contents[%d]: %w", i, err)
		}
	}
	return closeResult(append(dst, ']'), &r.Result, "contents", "ttlMs", "cacheScope")
}

func appendPrompt(p mcp.Profile, dst []byte, r *mcp.GetPromptResult, stamp *Stamp) ([]byte, error) {
	if err := typed(p, &r.Result); err != nil {
		return dst, err
	}
	dst, err := appendHead(p, dst, &r.Result, stamp)
	if err != nil {
		return dst, err
	}
	if r.Description != "" {
		dst = jsonx.AppendString(appendName(dst, "description"), r.Description)
	}
	dst = append(appendName(dst, "messages"), '[')
	for i, m := range r.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"role":`...)
		dst = append(jsonx.AppendString(dst, string(m.Role)), `,"content":`...)
		if dst, err = appendBlock(dst, contentFor(p, m.Content, i)); err == nil {
			dst, err = closeObject(dst, m.Extra, "role", "content")
		}
		if err != nil {
			return dst, fmt.Errorf("write messages[%d]: %w", i, err)
		}
	}
	return closeResult(append(dst, ']'), &r.Result, "description", "messages")
}

// typed reports a type that the result cannot have (DN-02).
func typed(p mcp.Profile, r *mcp.Result) error {
	if r.ResultType != "" && r.ResultType != mcp.ResultComplete {
		return fmt.Errorf("write result: revision %s has no such result of type %q", p.Version(), clip(string(r.ResultType)))
	}
	return nil
}

// closeResult ends a result with its unknown members.
func closeResult(dst []byte, r *mcp.Result, known ...string) ([]byte, error) {
	if r.Extra == nil {
		return append(dst, '}'), nil
	}
	return closeObject(dst, r.Extra, append(known, "resultType", "_meta")...)
}

// closeObject ends an object with its unknown members. One that bears the name
// of a known member would make two of it.
func closeObject(dst []byte, extra mcp.Extra, known ...string) ([]byte, error) {
	if extra == nil {
		return append(dst, '}'), nil
	}
	if err := jsonx.Check(extra, 0); err != nil {
		return dst, fmt.Errorf("write unknown members: %w", err)
	}
	for name, value := range jsonx.Members(extra) {
		for _, k := range known {
			if string(name) == k {
				return dst, fmt.Errorf("write unknown members: %q is a known one", k)
			}
		}
		dst = jsonx.AppendCompact(appendName(dst, string(name)), value)
	}
	return append(dst, '}'), nil
}
