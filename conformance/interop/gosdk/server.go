package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

// handler serves on HTTP. This SDK speaks the modern era only without sessions,
// and sessions only in the legacy era.
func handler(era string) (http.Handler, error) {
	if era == "modern" {
		return nil, errors.New("go-sdk cannot refuse the legacy era")
	}
	s := newServer()
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: era == "both"}), nil
}

func serveStdio(ctx context.Context, _ string) error {
	return newServer().Run(ctx, &mcp.StdioTransport{})
}

type addIn struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func newServer() *mcp.Server {
	s := mcp.NewServer(info, &mcp.ServerOptions{CompletionHandler: complete})
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "adds two numbers"},
		func(_ context.Context, _ *mcp.CallToolRequest, in addIn) (*mcp.CallToolResult, addOut, error) {
			return nil, addOut{in.A + in.B}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "always fails"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("failed as asked")
		})
	// The low-level form, which keeps the bytes of the argument.
	s.AddTool(&mcp.Tool{
		Name: "echo", Description: "returns its argument",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"value":{}},"required":["value"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"value":{}},"required":["value"]}`),
	}, echo)
	s.AddResource(&mcp.Resource{URI: "note://1", Name: "first", Description: "the first note", MIMEType: "text/plain"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "note://{id}", Name: "note", Description: "a note", MIMEType: "text/plain",
	}, read)
	s.AddPrompt(&mcp.Prompt{
		Name: "greet", Description: "greets somebody",
		Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}},
	}, greet)
	return s
}

func echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(in.Value)}},
		StructuredContent: map[string]json.RawMessage{"value": in.Value},
	}, nil
}

func read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, "note://"))
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: req.Params.URI, MIMEType: "text/plain", Text: "note " + id,
	}}}, nil
}

func greet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{
		Role: "user", Content: &mcp.TextContent{Text: "Hello, " + req.Params.Arguments["name"] + "!"},
	}}}, nil
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: peer.Completions(req.Params.Argument.Value)}}, nil
}
