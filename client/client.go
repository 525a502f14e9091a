package client

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/diglot-mcp/diglot/mcp"
)

// Client is a handle on a server. It is safe for concurrent use. Close it when
// it is no longer needed.
type Client struct{}

// Connect connects.
func Connect(ctx context.Context, target Target, cfg Config) (*Client, error) {
	return nil, mcp.ErrClosed
}

// Close closes.
func (c *Client) Close() error { return nil }

// Server is what is known of the server.
func (c *Client) Server() Server { return Server{} }

// Verdict is what negotiation found out.
func (c *Client) Verdict() Verdict { return Verdict{} }

// Ping asks whether the server is there.
func (c *Client) Ping(ctx context.Context) error { return mcp.ErrClosed }

// Request sends a request.
func (c *Client) Request(ctx context.Context, method string, params any, opts ...CallOption) (json.RawMessage, error) {
	return nil, mcp.ErrClosed
}

// Tools lists tools.
func (c *Client) Tools(ctx context.Context) iter.Seq2[mcp.Tool, error] {
	return func(func(mcp.Tool, error) bool) {}
}

// Resources lists resources.
func (c *Client) Resources(ctx context.Context) iter.Seq2[mcp.Resource, error] {
	return func(func(mcp.Resource, error) bool) {}
}

// ResourceTemplates lists resource templates.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[mcp.ResourceTemplate, error] {
	return func(func(mcp.ResourceTemplate, error) bool) {}
}

// Prompts lists prompts.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[mcp.Prompt, error] {
	return func(func(mcp.Prompt, error) bool) {}
}

// Call calls a tool.
func (c *Client) Call(ctx context.Context, name string, args any, opts ...CallOption) (*mcp.CallToolResult, error) {
	return nil, mcp.ErrClosed
}

// Call calls a tool and decodes its result.
func Call[T any](ctx context.Context, c *Client, name string, args any, opts ...CallOption) (T, error) {
	var zero T
	return zero, mcp.ErrClosed
}

// Read reads a resource.
func (c *Client) Read(ctx context.Context, uri string, opts ...CallOption) (*mcp.ReadResourceResult, error) {
	return nil, mcp.ErrClosed
}

// Prompt expands a prompt.
func (c *Client) Prompt(ctx context.Context, name string, args map[string]string, opts ...CallOption) (*mcp.GetPromptResult, error) {
	return nil, mcp.ErrClosed
}

// Complete completes an argument.
func (c *Client) Complete(ctx context.Context, params mcp.CompleteParams, opts ...CallOption) (*mcp.CompleteResult, error) {
	return nil, mcp.ErrClosed
}
