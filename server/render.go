package server

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// render makes a result of what a tool's handler returned, given as a pointer.
type render func(out any) (*mcp.CallToolResult, error)

var (
	contentType = reflect.TypeFor[mcp.Content]()
	resultType  = reflect.TypeFor[mcp.CallToolResult]()
)

// rendering chooses how values of Out become results, and what their output
// schema is. declared is the schema the options gave, or nil.
func rendering[Out any](declared json.RawMessage) (render, json.RawMessage, error) {
	show, output, err := renderOf(reflect.TypeFor[Out]())
	if err != nil || declared == nil {
		return show, output, err
	}
	check, err := outputCheck(declared)
	if err != nil {
		return nil, nil, fmt.Errorf("output schema: %w", err)
	}
	return func(out any) (*mcp.CallToolResult, error) {
		r, err := show(out)
		if err != nil {
			return nil, err
		}
		return r, check(r)
	}, declared, nil
}

func renderOf(t reflect.Type) (render, json.RawMessage, error) {
	switch {
	case t == reflect.TypeFor[string]():
		return renderText, nil, nil
	case t.Kind() == reflect.Struct && t.NumField() == 0:
		return renderNothing, nil, nil
	case t == reflect.TypeFor[*mcp.CallToolResult]() || t == resultType:
		return renderResult, nil, nil
	case t.Implements(contentType):
		return renderBlock, nil, nil
	case t.Kind() == reflect.Slice && t.Elem().Implements(contentType):
		return renderBlocks, nil, nil
	case reflect.PointerTo(t).Implements(contentType):
		return nil, nil, fmt.Errorf("%s is content only as a pointer; return *%s", t, t)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return renderAny, nil, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return renderRaw, nil, nil
	}
	plan, err := schema.Of(t)
	if err != nil {
		return nil, nil, err
	}
	return renderPlan(plan), plan.JSON(), nil
}

func renderText(out any) (*mcp.CallToolResult, error) { return textResult(*out.(*string)), nil }

func renderNothing(any) (*mcp.CallToolResult, error) { return &mcp.CallToolResult{}, nil }

func renderResult(out any) (*mcp.CallToolResult, error) {
	switch r := out.(type) {
	case **mcp.CallToolResult:
		if *r == nil {
			return nil, &faulty{"internal error", errNoResult}
		}
		return *r, nil
	default:
		return out.(*mcp.CallToolResult), nil
	}
}

func renderBlock(out any) (*mcp.CallToolResult, error) {
	v := reflect.ValueOf(out).Elem()
	if v.IsNil() {
		return nil, &faulty{"internal error", errNoResult}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{v.Interface().(mcp.Content)}}, nil
}

func renderBlocks(out any) (*mcp.CallToolResult, error) {
	if blocks, ok := out.(*[]mcp.Content); ok {
		return contentResult(*blocks)
	}
	v := reflect.ValueOf(out).Elem()
	blocks := make([]mcp.Content, v.Len())
	for i := range blocks {
		blocks[i] = v.Index(i).Interface().(mcp.Content)
	}
	return contentResult(blocks)
}

// contentResult refuses nil blocks here, where the handler can be blamed.
func contentResult(blocks []mcp.Content) (*mcp.CallToolResult, error) {
	for i, b := range blocks {
		if b == nil || reflect.ValueOf(b).IsNil() {
			return nil, &faulty{"internal error", fmt.Errorf("block %d of the result is nil", i)}
		}
	}
	return &mcp.CallToolResult{Content: blocks}, nil
}

func renderRaw(out any) (*mcp.CallToolResult, error) {
	raw := *out.(*json.RawMessage)
	if raw == nil {
		return &mcp.CallToolResult{}, nil
	}
	if err := jsonx.Check(raw, 0); err != nil {
		return nil, &faulty{"internal error", fmt.Errorf("the handler's JSON: %w", err)}
	}
	return structured(raw), nil
}

// renderAny decides by the value at hand.
func renderAny(out any) (*mcp.CallToolResult, error) {
	switch v := (*out.(*any)).(type) {
	case nil:
		return &mcp.CallToolResult{}, nil
	case string:
		return textResult(v), nil
	case *mcp.CallToolResult:
		return renderResult(&v)
	case mcp.Content:
		return contentResult([]mcp.Content{v})
	case []mcp.Content:
		return contentResult(v)
	case json.RawMessage:
		return renderRaw(&v)
	default:
		raw, err := jsonx.Marshal(v)
		if err != nil {
			return nil, &faulty{"internal error", err}
		}
		return structured(raw), nil
	}
}

// renderPlan writes structured content by the plan of its type, which checks it
// against the schema while writing.
func renderPlan(plan *schema.Plan) render {
	return func(out any) (*mcp.CallToolResult, error) {
		raw, err := plan.Append(make([]byte, 0, 128), out)
		if err != nil {
			return nil, misfit(err)
		}
		return structured(raw), nil
	}
}

func textResult(text string) *mcp.CallToolResult {
	r := new(oneBlock)
	r.text.Text = text
	return r.result()
}

// structured is a result of JSON for programs, and the same as text for models
// (M-TOOL-021).
func structured(raw []byte) *mcp.CallToolResult {
	r := new(oneBlock)
	r.text.Text = string(raw)
	r.StructuredContent = raw
	return r.result()
}

// oneBlock is a result and its only block in one piece of memory.
type oneBlock struct {
	mcp.CallToolResult
	text   mcp.TextContent
	blocks [1]mcp.Content
}

func (r *oneBlock) result() *mcp.CallToolResult {
	r.blocks[0] = &r.text
	r.Content = r.blocks[:]
	return &r.CallToolResult
}
