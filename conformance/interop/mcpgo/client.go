package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

type conn struct {
	c        *client.Client
	revision string
}

func connect(ctx context.Context, era string, t peer.Target) (peer.Conn, error) {
	var tr transport.Interface
	if t.Command != nil {
		tr = transport.NewStdio(t.Command[0], nil, t.Command[1:]...)
	} else {
		h, err := transport.NewStreamableHTTP(t.URL)
		if err != nil {
			return nil, err
		}
		tr = h
	}
	var opts []client.ClientOption
	req := mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "mcp-go", Version: "1.2.1"},
	}}
	if era != "auto" {
		opts = append(opts, client.WithProtocolVersion(era))
		req.Params.ProtocolVersion = era
	}
	c := client.NewClient(tr, opts...)
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	if _, err := c.Initialize(ctx, req); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return conn{c, c.ProtocolVersion()}, nil
}

func (c conn) Revision() string { return c.revision }

func (c conn) Close() error { return c.c.Close() }

// Code maps the errors of this library back to the codes they stand for.
func (c conn) Code(err error) int {
	switch {
	case errors.Is(err, mcp.ErrInvalidParams):
		return mcp.INVALID_PARAMS
	case errors.Is(err, mcp.ErrResourceNotFound):
		return mcp.RESOURCE_NOT_FOUND
	case errors.Is(err, mcp.ErrInternalError):
		return mcp.INTERNAL_ERROR
	case errors.Is(err, mcp.ErrMethodNotFound):
		return mcp.METHOD_NOT_FOUND
	}
	return 1 // nothing this checklist allows
}

func (c conn) Tools(ctx context.Context) ([]string, error) {
	r, err := c.c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(r.Tools))
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

func (c conn) Resources(ctx context.Context) ([]string, error) {
	r, err := c.c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	uris := make([]string, 0, len(r.Resources))
	for _, res := range r.Resources {
		uris = append(uris, res.URI)
	}
	return uris, nil
}

func (c conn) Templates(ctx context.Context) ([]string, error) {
	r, err := c.c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return nil, err
	}
	uris := make([]string, 0, len(r.ResourceTemplates))
	for _, t := range r.ResourceTemplates {
		uris = append(uris, t.URITemplate.Raw())
	}
	return uris, nil
}

func (c conn) Prompts(ctx context.Context) ([]string, error) {
	r, err := c.c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	list := make([]string, 0, len(r.Prompts))
	for _, p := range r.Prompts {
		args := make(map[string]bool)
		order := make([]string, 0, len(p.Arguments))
		for _, a := range p.Arguments {
			args[a.Name], order = a.Required, append(order, a.Name)
		}
		list = append(list, peer.Signature(p.Name, order, args))
	}
	return list, nil
}

func (c conn) Call(ctx context.Context, tool, args string) (peer.Result, error) {
	r, err := c.c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}})
	if err != nil {
		return peer.Result{}, err
	}
	out := peer.Result{IsError: r.IsError, Structured: string(r.RawStructuredContent)}
	for _, block := range r.Content {
		if t, ok := block.(mcp.TextContent); ok {
			out.Text += t.Text
		}
	}
	return out, nil
}

func (c conn) Read(ctx context.Context, uri string) (gotURI, text string, err error) {
	r, err := c.c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
	if err != nil {
		return "", "", err
	}
	if len(r.Contents) != 1 {
		return "", "", errors.New("no contents")
	}
	t, ok := r.Contents[0].(mcp.TextResourceContents)
	if !ok {
		return "", "", errors.New("no text")
	}
	return t.URI, t.Text, nil
}

func (c conn) Prompt(ctx context.Context, name string, args map[string]string) (role, text string, err error) {
	r, err := c.c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name, Arguments: args}})
	if err != nil {
		return "", "", err
	}
	if len(r.Messages) != 1 {
		return "", "", errors.New("no messages")
	}
	t, ok := r.Messages[0].Content.(mcp.TextContent)
	if !ok {
		return "", "", errors.New("no text")
	}
	return string(r.Messages[0].Role), t.Text, nil
}

func (c conn) Complete(ctx context.Context, prompt, argument, prefix string) ([]string, error) {
	r, err := c.c.Complete(ctx, mcp.CompleteRequest{Params: mcp.CompleteParams{
		Ref:      mcp.PromptReference{Type: "ref/prompt", Name: prompt},
		Argument: mcp.CompleteArgument{Name: argument, Value: prefix},
	}})
	if err != nil {
		return nil, err
	}
	return r.Completion.Values, nil
}
