package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

func handler(era string) (http.Handler, error) {
	opts := []server.StreamableHTTPOption{server.WithStateful(true)}
	switch era {
	case "modern":
		return nil, errors.New("mcp-go cannot refuse the legacy era")
	case "legacy":
		opts = append(opts, server.WithStreamableHTTPProtocolVersions("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"))
	}
	return server.NewStreamableHTTPServer(newServer(), opts...), nil
}

func serveStdio(ctx context.Context, _ string) error {
	return server.NewStdioServer(newServer()).Listen(ctx, os.Stdin, os.Stdout)
}

func newServer() *server.MCPServer {
	s := server.NewMCPServer("mcp-go", "1.2.1",
		server.WithToolCapabilities(false), server.WithPromptCapabilities(false), server.WithResourceCapabilities(false, false),
		server.WithCompletions(), server.WithPromptCompletionProvider(completer{}))
	s.AddTool(mcp.NewTool("add", mcp.WithDescription("adds two numbers"),
		mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()),
		mcp.WithRawOutputSchema(json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`))), add)
	s.AddTool(mcp.NewTool("fail", mcp.WithDescription("always fails")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("failed as asked"), nil
		})
	s.AddTool(mcp.NewToolWithRawSchema("echo", "returns its argument",
		json.RawMessage(`{"type":"object","properties":{"value":{}},"required":["value"]}`)), echo)
	s.AddResource(mcp.NewResource("note://1", "first", mcp.WithResourceDescription("the first note"), mcp.WithMIMEType("text/plain")), read)
	s.AddResourceTemplate(mcp.NewResourceTemplate("note://{id}", "note",
		mcp.WithTemplateDescription("a note"), mcp.WithTemplateMIMEType("text/plain")), read)
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithPromptDescription("greets somebody"),
		mcp.WithArgument("name", mcp.RequiredArgument())), greet)
	return s
}

func add(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a, err := req.RequireFloat("a")
	if err != nil {
		return mcp.NewToolResultErrorFromErr("a", err), nil
	}
	b, err := req.RequireFloat("b")
	if err != nil {
		return mcp.NewToolResultErrorFromErr("b", err), nil
	}
	return mcp.NewToolResultStructured(map[string]float64{"sum": a + b}, strconv.FormatFloat(a+b, 'g', -1, 64)), nil
}

func echo(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	value := req.GetArguments()["value"]
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultStructured(map[string]any{"value": value}, string(text)), nil
}

func read(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, "note://"))
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "note " + id}}, nil
}

func greet(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Hello, "+req.Params.Arguments["name"]+"!")),
	}), nil
}

type completer struct{}

func (completer) CompletePromptArgument(
	_ context.Context, _ string, arg mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	return &mcp.Completion{Values: peer.Completions(arg.Value)}, nil
}
