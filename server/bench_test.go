package server

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// benchmark serves the same request again and again, scanning its parameters
// each time as an adapter does.
func benchmark(b *testing.B, srv *Server, p mcp.Profile, method, params string) {
	b.Helper()
	raw, id := []byte(params), jsonrpc.IntID(1)
	ctx := context.Background()
	if r := srv.serve(ctx, &exchange{era: wire.For(p), id: id, method: method, params: wire.Scan(raw)}); r.status != 200 {
		b.Fatalf("%s", r.body)
	}
	b.ReportAllocs()
	for b.Loop() {
		srv.serve(ctx, &exchange{era: wire.For(p), id: id, method: method, params: wire.Scan(raw)})
	}
}

// BenchmarkServe is the core alone: from scanned parameters to the bytes of the
// reply. The budget for a typed tool is 2.5 µs and 12 allocations.
func BenchmarkServe(b *testing.B) {
	s := NewService("demo")
	Tool(s, "add", add)
	Tool(s, "text", func(context.Context, nothing) (string, error) { return "hello", nil })
	RawTool(s, mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)},
		func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return textResult("3"), nil })
	Resource(s, "note://{id}", func(_ context.Context, in idIn) (string, error) { return in.ID, nil })
	Prompt(s, "greet", func(_ context.Context, in greetIn) (string, error) { return in.Name, nil })
	plain := serverOf(b, s)
	next := func(ctx context.Context, c *Call, next Next) (any, error) { return next(ctx, c) }
	around := configured(b, Config{Interceptors: []Interceptor{next, next, next}}, s)
	filtered := configured(b, Config{Visible: func(context.Context, Entry) bool { return true }}, numbered("many", 0, 100))
	many := serverOf(b, numbered("many", 0, 100))

	for _, tt := range []struct {
		name           string
		srv            *Server
		profile        mcp.Profile
		method, params string
	}{
		{"typed tool", plain, mcp.Newest, mcp.MethodToolsCall, `{"name":"demo_add","arguments":{"a":1,"b":2}}`},
		{"typed tool, legacy", plain, mcp.NewestLegacy, mcp.MethodToolsCall, `{"name":"demo_add","arguments":{"a":1,"b":2}}`},
		{"typed tool, three interceptors", around, mcp.Newest, mcp.MethodToolsCall, `{"name":"demo_add","arguments":{"a":1,"b":2}}`},
		{"text tool", plain, mcp.Newest, mcp.MethodToolsCall, `{"name":"demo_text"}`},
		{"raw tool", plain, mcp.Newest, mcp.MethodToolsCall, `{"name":"demo_raw","arguments":{"a":1,"b":2}}`},
		{"bad arguments", plain, mcp.Newest, mcp.MethodToolsCall, `{"name":"demo_add","arguments":{"a":"x","c":2}}`},
		{"resource of a template", plain, mcp.Newest, mcp.MethodResourcesRead, `{"uri":"note://42"}`},
		{"prompt", plain, mcp.Newest, mcp.MethodPromptsGet, `{"name":"demo.greet","arguments":{"name":"Ada"}}`},
		{"list of 100 tools", many, mcp.Newest, mcp.MethodToolsList, `{}`},
		{"list of 100 tools, filtered", filtered, mcp.Newest, mcp.MethodToolsList, `{}`},
		{"discover", plain, mcp.Newest, mcp.MethodDiscover, `{}`},
	} {
		b.Run(tt.name, func(b *testing.B) { benchmark(b, tt.srv, tt.profile, tt.method, tt.params) })
	}
}

// BenchmarkNew is a server of 200 typed tools, from nothing.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := NewService("demo")
		for i := range 200 {
			Tool(s, fmt.Sprintf("t%d", i), func(_ context.Context, in greetIn) (sum, error) { return sum{float64(in.N)}, nil })
		}
		serverOf(b, s)
	}
}
