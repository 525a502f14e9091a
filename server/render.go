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

var contentType = reflect.TypeFor[mcp.Content]()

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
		return taking(func(text string) (*mcp.CallToolResult, error) { return textResult(text), nil }), nil, nil
	case t.Kind() == reflect.Struct && t.NumField() == 0:
		return func(any) (*mcp.CallToolResult, error) { return new(mcp.CallToolResult), nil }, nil, nil
	case t == reflect.TypeFor[*mcp.CallToolResult]():
		return taking(wholeResult), nil, nil
	case t == reflect.TypeFor[mcp.CallToolResult]():
		return taking(func(r mcp.CallToolResult) (*mcp.CallToolResult, error) { return &r, nil }), nil, nil
	case t == reflect.TypeFor[[]mcp.Content]():
		return taking(contentResult), nil, nil
	case t.Implements(contentType):
		return renderBlock, nil, nil
	case t.Kind() == reflect.Slice && t.Elem().Implements(contentType):
		return renderBlocks, nil, nil
	case reflect.PointerTo(t).Implements(contentType):
		return nil, nil, fmt.Errorf("%s is content only as a pointer; return *%s", t, t)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return taking(anyResult), nil, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return taking(rawResult), nil, nil
	}
	plan, err := schema.Of(t)
	if err != nil {
		return nil, nil, err
	}
	return renderPlan(plan), plan.JSON(), nil
}

// taking adapts a function that takes a T to one that takes a pointer to a T,
// which is what is known when types are looked at through reflection.
func taking[T, R any](f func(T) (R, error)) func(out any) (R, error) {
	return func(out any) (R, error) {
		v, ok := out.(*T)
		if !ok {
			var none R
			return none, &faulty{"internal error", fmt.Errorf("the handler returned %T, not %v", out, reflect.TypeFor[T]())}
		}
		return f(*v)
	}
}

func wholeResult(r *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	if r == nil {
		return nil, &faulty{"internal error", errNoResult}
	}
	return r, nil
}

// renderBlock and renderBlocks take content of concrete types.
func renderBlock(out any) (*mcp.CallToolResult, error) {
	return contentResult([]mcp.Content{block(reflect.ValueOf(out).Elem())})
}

func renderBlocks(out any) (*mcp.CallToolResult, error) {
	v := reflect.ValueOf(out).Elem()
	blocks := make([]mcp.Content, v.Len())
	for i := range blocks {
		blocks[i] = block(v.Index(i))
	}
	return contentResult(blocks)
}

func block(v reflect.Value) mcp.Content {
	c, _ := reflect.TypeAssert[mcp.Content](v) // nil is found by contentResult
	return c
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

func rawResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	if raw == nil {
		return new(mcp.CallToolResult), nil
	}
	if err := jsonx.Check(raw, 0); err != nil {
		return nil, &faulty{"internal error", fmt.Errorf("the handler's JSON: %w", err)}
	}
	return structured(raw), nil
}

// anyResult decides by the value at hand.
func anyResult(out any) (*mcp.CallToolResult, error) {
	switch v := out.(type) {
	case nil:
		return new(mcp.CallToolResult), nil
	case string:
		return textResult(v), nil
	case *mcp.CallToolResult:
		return wholeResult(v)
	case mcp.Content:
		return contentResult([]mcp.Content{v})
	case []mcp.Content:
		return contentResult(v)
	case json.RawMessage:
		return rawResult(v)
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
