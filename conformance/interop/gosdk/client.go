package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

type conn struct{ s *mcp.ClientSession }

func connect(ctx context.Context, era string, t peer.Target) (peer.Conn, error) {
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: t.URL}
	if t.Command != nil {
		cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
		cmd.Stderr = os.Stderr
		transport = &mcp.CommandTransport{Command: cmd}
	}
	if era == "auto" {
		era = "" // the newest, and down from there
	}
	s, err := mcp.NewClient(info, nil).Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, err
	}
	return conn{s}, nil
}

func (c conn) Revision() string { return c.s.InitializeResult().ProtocolVersion }

func (c conn) Close() error { return c.s.Close() }

func (c conn) Code(err error) int {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return int(e.Code)
	}
	return 1 // an error that did not come from the other side
}

func (c conn) Tools(ctx context.Context) (names []string, err error) {
	for t, err := range c.s.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, t.Name)
	}
	return names, nil
}

func (c conn) Resources(ctx context.Context) (uris []string, err error) {
	for r, err := range c.s.Resources(ctx, nil) {
		if err != nil {
			return nil, err
		}
		uris = append(uris, r.URI)
	}
	return uris, nil
}

func (c conn) Templates(ctx context.Context) (uris []string, err error) {
	for t, err := range c.s.ResourceTemplates(ctx, nil) {
		if err != nil {
			return nil, err
		}
		uris = append(uris, t.URITemplate)
	}
	return uris, nil
}

func (c conn) Prompts(ctx context.Context) (list []string, err error) {
	for p, err := range c.s.Prompts(ctx, nil) {
		if err != nil {
			return nil, err
		}
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
	r, err := c.s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return peer.Result{}, err
	}
	out := peer.Result{IsError: r.IsError}
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			out.Text += t.Text
		}
	}
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return out, err
		}
		out.Structured = string(b)
	}
	return out, nil
}

func (c conn) Read(ctx context.Context, uri string) (gotURI, text string, err error) {
	r, err := c.s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", "", err
	}
	if len(r.Contents) != 1 {
		return "", "", errors.New("no contents")
	}
	return r.Contents[0].URI, r.Contents[0].Text, nil
}

func (c conn) Prompt(ctx context.Context, name string, args map[string]string) (role, text string, err error) {
	r, err := c.s.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return "", "", err
	}
	if len(r.Messages) != 1 {
		return "", "", errors.New("no messages")
	}
	t, _ := r.Messages[0].Content.(*mcp.TextContent)
	if t == nil {
		return "", "", errors.New("no text")
	}
	return string(r.Messages[0].Role), t.Text, nil
}

func (c conn) Complete(ctx context.Context, prompt, argument, prefix string) ([]string, error) {
	r, err := c.s.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: prompt},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: prefix},
	})
	if err != nil {
		return nil, err
	}
	return r.Completion.Values, nil
}
