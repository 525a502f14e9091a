package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// Call calls a tool and blocks for its result. args is a struct, a map, or a
// json.RawMessage that holds an object; nil sends no arguments. A member that is
// zero is sent as that, not left out: mark one that has a default omitzero.
// Numbers and strings of raw arguments reach the server in the bytes they have
// here.
//
// A tool that failed is no error: its result has IsError set, and says why in
// words for a model. Errors are those of the protocol and the transport, and
// *[OutputError] for a result that does not fit the output schema of a tool that
// was listed, which holds the result.
func (c *Client) Call(ctx context.Context, name string, args any, opts ...CallOption) (*mcp.CallToolResult, error) {
	r, err := c.callTool(ctx, name, args, opts)
	if err != nil {
		return nil, fmt.Errorf("call tool %q: %w", name, err)
	}
	return r, nil
}

func (c *Client) callTool(ctx context.Context, name string, args any, opts []CallOption) (*mcp.CallToolResult, error) {
	raw, err := object(args)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	k, err := c.begin(ctx, mcp.MethodToolsCall, opts)
	if err != nil {
		return nil, err
	}
	defer k.end()
	k.tool = name
	var r mcp.CallToolResult
	if _, err := k.do(mcp.CallToolParams{Name: name, Arguments: raw, Meta: k.opts.meta}, &r); err != nil {
		return nil, err
	}
	return &r, c.check(name, &r)
}

// object encodes arguments or parameters: an object or nothing (VAL-01).
func object(v any) (json.RawMessage, error) {
	raw, ok := v.(json.RawMessage)
	switch {
	case v == nil || ok && raw == nil:
		return nil, nil
	case ok:
		if err := jsonx.Check(raw, 0); err != nil {
			return nil, err
		}
	default:
		var err error
		if raw, err = jsonx.Marshal(v); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
	}
	switch kind := jsonx.KindOf(raw); {
	case kind == jsonx.Null:
		return nil, nil
	case kind != jsonx.Object:
		return nil, fmt.Errorf("it is encoded as %s; an object is needed: use a struct, a map or a json.RawMessage", clip(string(raw)))
	}
	return raw, nil
}

// Call calls a tool and decodes its result: structuredContent, or where there
// is none the text, which is read as JSON unless T is string. A tool that failed
// is an error that is an *[mcp.ToolError]. See [Client.Call] for the rest.
func Call[T any](ctx context.Context, c *Client, name string, args any, opts ...CallOption) (T, error) {
	var out T
	r, err := c.Call(ctx, name, args, opts...)
	switch {
	case err != nil:
		return out, err
	case r.IsError:
		err = &mcp.ToolError{Text: r.Text(), Content: r.Content}
	default:
		err = decodeResult(r, &out)
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("call tool %q: %w", name, err)
	}
	return out, nil
}

// Read reads a resource. One that does not exist is an error that matches
// mcp.ErrNotFound.
func (c *Client) Read(ctx context.Context, uri string, opts ...CallOption) (*mcp.ReadResourceResult, error) {
	var r mcp.ReadResourceResult
	err := c.request(ctx, mcp.MethodResourcesRead, opts, &r, func(o *callOptions) any {
		return mcp.ReadResourceParams{URI: uri, Meta: o.meta}
	})
	if err != nil {
		return nil, fmt.Errorf("read resource %q: %w", uri, err)
	}
	return &r, nil
}

// Prompt expands a prompt.
func (c *Client) Prompt(ctx context.Context, name string, args map[string]string, opts ...CallOption) (*mcp.GetPromptResult, error) {
	var r mcp.GetPromptResult
	err := c.request(ctx, mcp.MethodPromptsGet, opts, &r, func(o *callOptions) any {
		return mcp.GetPromptParams{Name: name, Arguments: args, Meta: o.meta}
	})
	if err != nil {
		return nil, fmt.Errorf("get prompt %q: %w", name, err)
	}
	return &r, nil
}

// Complete asks for values of an argument of a prompt or resource template.
func (c *Client) Complete(ctx context.Context, params mcp.CompleteParams, opts ...CallOption) (*mcp.CompleteResult, error) {
	var r mcp.CompleteResult
	err := c.request(ctx, mcp.MethodComplete, opts, &r, func(o *callOptions) any {
		if o.meta != nil {
			params.Meta = o.meta
		}
		return params
	})
	if err != nil {
		return nil, fmt.Errorf("complete %q: %w", params.Argument.Name, err)
	}
	return &r, nil
}

// Ping asks whether the server is there and answers: with ping where the
// revision has it, else with server/discover, which also brings what
// [Client.Server] says up to date.
func (c *Client) Ping(ctx context.Context, opts ...CallOption) error {
	if err := c.ping(ctx, opts); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}

func (c *Client) ping(ctx context.Context, opts []CallOption) error {
	meta := func(o *callOptions) any {
		if o.meta == nil {
			return nil
		}
		return mcp.ListParams{Meta: o.meta}
	}
	if c.peer().era.Serves(mcp.MethodPing) {
		return c.request(ctx, mcp.MethodPing, opts, &mcp.EmptyResult{}, meta)
	}
	var r mcp.DiscoverResult
	if err := c.request(ctx, mcp.MethodDiscover, opts, &r, meta); err != nil {
		return err
	}
	c.peer().know(discovered(&r))
	return nil
}

// Request sends any request and returns its result as it came. params is a
// value of package mcp, a json.RawMessage that holds an object, or nil. The
// members of _meta that the protocol reserves are written by the client. A
// method that the revision does not have is refused here; one that the protocol
// does not know is sent.
func (c *Client) Request(ctx context.Context, method string, params any, opts ...CallOption) (json.RawMessage, error) {
	var raw json.RawMessage
	o, err := gather(opts)
	if err == nil {
		params, err = addMeta(params, o.meta)
	}
	if err == nil {
		err = c.request(ctx, method, opts, &raw, func(*callOptions) any { return params })
	}
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", method, err)
	}
	return raw, nil
}

// addMeta adds members to the _meta of params.
func addMeta(params any, meta mcp.Meta) (any, error) {
	if meta == nil {
		return params, nil
	}
	raw, err := object(params)
	if err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	raw = objectOr(raw)
	own, _ := jsonx.Lookup(raw, "_meta")
	own = objectOr(own)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		if err := jsonx.Check(meta[key], 0); err != nil {
			return nil, fmt.Errorf("client.Meta: %q: %w", key, err)
		}
		own = jsonx.SetMember(own, key, meta[key])
	}
	return json.RawMessage(jsonx.SetMember(raw, "_meta", own)), nil
}

// request sends a request whose parameters are made by params.
func (c *Client) request(ctx context.Context, method string, opts []CallOption, into any, params func(*callOptions) any) error {
	k, err := c.begin(ctx, method, opts)
	if err != nil {
		return err
	}
	defer k.end()
	_, err = k.do(params(k.opts), into)
	return err
}
