package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// toolSpec is what a tool is besides its name and its options.
type toolSpec struct {
	// base is the description a raw tool was declared with.
	base mcp.Tool
	// output is the schema of structured results, nil when there is none.
	output json.RawMessage
	// mirrors are the arguments that HTTP clients repeat in headers.
	mirrors []mirror
	// run calls the handler with encoded arguments, nil for none. Without an error
	// the result is not nil.
	run func(ctx context.Context, args []byte) (*mcp.CallToolResult, error)
}

// Tool declares a tool. In is a struct whose fields are the arguments, or
// anything else that is an object in JSON; package schema says what types and
// tags mean. Arguments are checked before fn runs: those that do not fit are a
// result with isError that names every fault. Scalars of the wrong type that can
// only mean one thing are accepted, unless [Strict] is said.
//
// Out decides what a result looks like:
//
//   - string: one block of text.
//   - an [mcp.Content], or a slice of them: those blocks.
//   - [*mcp.CallToolResult]: that result.
//   - struct{}: nothing.
//   - any: what the value at hand is, by the rules above and below.
//   - everything else: structured content, with the same JSON as text. The tool
//     then has an output schema, and a result that does not fit it is an error of
//     the server.
//
// fn runs concurrently with itself, with a context that ends when the caller
// gives up. An error it returns is a result with isError and the error's text,
// see the package comment.
func Tool[In, Out any](s *Service, name string, fn func(ctx context.Context, in In) (Out, error), opts ...Option) {
	d := &declaration{kind: KindTool, name: name, about: settingsOf(onTool, opts)}
	if fn == nil {
		d.fault("the handler is nil")
	}
	how := []schema.Option{schema.Object()}
	if d.about.strict || s.settings.strict {
		how = append(how, schema.Strict())
	}
	in, err := schema.For[In](how...)
	if err != nil {
		d.fault("arguments: %w", err)
	}
	show, output, err := rendering[Out](d.about.output)
	if err != nil {
		d.fault("result: %w", err)
	}
	if len(d.faults) == 0 {
		d.tool = &toolSpec{
			base:    mcp.Tool{InputSchema: in.JSON()},
			output:  output,
			mirrors: newMirrors(in.Headers()),
			run: func(ctx context.Context, args []byte) (*mcp.CallToolResult, error) {
				var call struct {
					in  In
					out Out
				}
				if err := in.DecodeChecked(args, &call.in); err != nil {
					return nil, badArguments(err)
				}
				var err error
				if call.out, err = fn(ctx, call.in); err != nil {
					return nil, err
				}
				return show(&call.out)
			},
		}
	}
	s.declare(d)
}

// badArguments is the error for arguments that do not fit the schema, written
// for the model that chose them (M-TOOL-025, T-55).
func badArguments(err error) error {
	return &mcp.ToolError{Text: "invalid arguments: " + err.Error()}
}

// RawTool declares a tool whose schemas are written by hand, in any dialect
// package schema can check. tool.Name is the name within the service; an absent
// InputSchema is {"type":"object"}. Options add to what tool says and replace it.
//
// fn gets the arguments as they were sent once they fit the schema, {} when there
// were none; nothing is coerced, and defaults are not filled in. The bytes are
// fn's to keep. Its result is checked against the output schema, if there is one.
// See [Tool] for errors and concurrency.
func RawTool(s *Service, tool mcp.Tool, fn func(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error), opts ...Option) {
	d := &declaration{kind: KindTool, name: tool.Name, about: settingsOf(onRawTool, opts)}
	if fn == nil {
		d.fault("the handler is nil")
	}
	if tool.InputSchema == nil {
		tool.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if d.about.output != nil {
		tool.OutputSchema = d.about.output
	}
	input, err := compileInput(tool.InputSchema)
	if err != nil {
		d.fault("input schema: %w", err)
	}
	headers, err := schema.HeadersOf(tool.InputSchema)
	if err != nil {
		d.fault("input schema: %w", err)
	}
	check, err := outputCheck(tool.OutputSchema)
	if err != nil {
		d.fault("output schema: %w", err)
	}
	if len(d.faults) == 0 {
		d.tool = &toolSpec{base: tool, output: tool.OutputSchema, mirrors: newMirrors(headers),
			run: func(ctx context.Context, args []byte) (*mcp.CallToolResult, error) {
				if args == nil {
					args = []byte("{}")
				}
				if err := input.Validate(args); err != nil {
					return nil, badArguments(err)
				}
				result, err := fn(ctx, bytes.Clone(args))
				if err != nil {
					return nil, err
				}
				if err := check(result); err != nil {
					return nil, err
				}
				return result, nil
			}}
	}
	s.declare(d)
}

// compileInput compiles an input schema and checks that its root is an object by
// the letter (M-TOOL-007, T-63).
func compileInput(raw json.RawMessage) (*schema.Validator, error) {
	v, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	if t, ok := jsonx.Lookup(raw, "type"); !ok || string(t) != `"object"` {
		return nil, errors.New(`the root must say "type": "object"`)
	}
	return v, nil
}

// outputCheck makes the check of whole results against an output schema, which
// may be absent. Results that say isError are not checked (T-45).
func outputCheck(raw json.RawMessage) (func(*mcp.CallToolResult) error, error) {
	var v *schema.Validator
	if raw != nil {
		if jsonx.KindOf(raw) != jsonx.Object {
			return nil, errors.New("it is no JSON object") // M-TOOL-008: not true or false
		}
		var err error
		if v, err = schema.Compile(raw); err != nil {
			return nil, err
		}
	}
	return func(r *mcp.CallToolResult) error {
		switch {
		case r == nil:
			return &faulty{"internal error", errNoResult}
		case v == nil || r.IsError:
			return nil
		case r.StructuredContent == nil:
			return misfit(errors.New("there is no structured content"))
		}
		if err := jsonx.Check(r.StructuredContent, 0); err != nil {
			return misfit(err)
		}
		if err := v.Validate(r.StructuredContent); err != nil {
			return misfit(err)
		}
		return nil
	}, nil
}

// misfit is the error for a result that breaks the tool's own promise: a fault
// of the server (M-TOOL-022).
func misfit(err error) error {
	return &faulty{"the tool's result does not fit its output schema", err}
}

// tool makes the description that clients see.
func (d *declaration) toolValue(full string) mcp.Tool {
	t := d.tool.base
	t.Name = full
	t.OutputSchema = d.tool.output
	override(&t.Title, d.about.title)
	override(&t.Description, d.about.doc)
	if d.about.hints != nil {
		t.Annotations = mergeHints(t.Annotations, d.about.hints)
	}
	if d.about.icons != nil {
		t.Icons = d.about.icons
	}
	t.Meta = mergeMeta(t.Meta, d.about.meta)
	return t
}

func override(field *string, value string) {
	if value != "" {
		*field = value
	}
}

// mergeHints is a copy of base in which what says is said.
func mergeHints(base, says *mcp.ToolAnnotations) *mcp.ToolAnnotations {
	if base == nil {
		return says
	}
	merged := *base
	for _, h := range []struct{ to, from **bool }{
		{&merged.ReadOnlyHint, &says.ReadOnlyHint}, {&merged.DestructiveHint, &says.DestructiveHint},
		{&merged.IdempotentHint, &says.IdempotentHint}, {&merged.OpenWorldHint, &says.OpenWorldHint},
	} {
		if *h.from != nil {
			*h.to = *h.from
		}
	}
	return &merged
}

func mergeMeta(base, more mcp.Meta) mcp.Meta {
	if len(base) == 0 {
		return more
	}
	merged := make(mcp.Meta, len(base)+len(more))
	maps.Copy(merged, base)
	maps.Copy(merged, more)
	return merged
}

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, x *exchange) (any, error) {
	e := x.catalog.tools[x.call.name]
	if !e.admits(ctx) {
		return nil, x.call.unknown()
	}
	x.call.service = e.Service
	args := x.params.Arguments
	if jsonx.KindOf(args) == jsonx.Null {
		args = nil // VAL-01: null counts as absent
	}
	if x.mirrored && len(e.tool.mirrors) > 0 {
		if err := compareMirrors(e.tool.mirrors, x.header, args); err != nil {
			return nil, err
		}
	}
	if err := e.needs(x); err != nil {
		return nil, err
	}
	if err := x.resume(ctx); err != nil {
		return nil, err
	}
	r, err := e.tool.run(ctx, args)
	if err != nil {
		return nil, err // not a nil result in an interface
	}
	return r, nil
}

// admits reports whether there is an entry and the caller may see it.
func (e *entry) admits(ctx context.Context) bool { return e != nil && shown(ctx, &e.Entry, e.shownBy) }

// aimTool reads the name of the tool, and checks that the arguments are an
// object: anything else is no call at all (T-55).
func aimTool(x *exchange) *mcp.Error {
	if err := aimName(x, "tool"); err != nil {
		return err
	}
	switch k := jsonx.KindOf(x.params.Arguments); k {
	case jsonx.Invalid, jsonx.Null, jsonx.Object:
		return nil
	default:
		return mcp.Errorf(mcp.CodeInvalidParams, "params.arguments must be an object; got %s", describe(k))
	}
}

func describe(k jsonx.Kind) string {
	if k == jsonx.Object || k == jsonx.Array {
		return fmt.Sprintf("an %v", k)
	}
	return fmt.Sprintf("a %v", k)
}
