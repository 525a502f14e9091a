package server

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestInterceptors: around every request, outermost first, in every era.
func TestInterceptors(t *testing.T) {
	var seen []string
	note := func(name string) Interceptor {
		return func(ctx context.Context, call *Call, next Next) (any, error) {
			seen = append(seen, name+" "+call.Method()+" "+call.Name())
			result, err := next(ctx, call)
			seen = append(seen, fmt.Sprintf("%s %T %v", name, result, err))
			return result, err
		}
	}
	s := failing(errors.New("own"))
	Tool(s, "fine", says("ok"))
	srv := configured(t, Config{Interceptors: []Interceptor{note("a"), note("b")}}, s)
	tests := []struct {
		method, params string
		want           []string
	}{
		{mcp.MethodToolsCall, `{"name":"fine"}`, []string{"a tools/call fine", "b tools/call fine", "b *mcp.CallToolResult <nil>", "a *mcp.CallToolResult <nil>"}},
		{mcp.MethodToolsCall, `{"name":"t"}`, []string{"a tools/call t", "b tools/call t", "b <nil> own", "a <nil> own"}},
		{mcp.MethodResourcesRead, `{"uri":"x://none"}`, []string{"a resources/read x://none", "b resources/read x://none", `b <nil> unknown resource "x://none": invalid params (-32602)`, `a <nil> unknown resource "x://none": invalid params (-32602)`}},
		{"no/such", `{}`, nil},
	}
	for _, tt := range tests {
		for _, p := range mcp.Profiles() {
			seen = nil
			ask(t, srv, requestIn(p, tt.method, tt.params))
			if diff := cmp.Diff(tt.want, seen); diff != "" {
				t.Errorf("%v %s %s (-want +got):\n%s", p, tt.method, tt.params, diff)
			}
		}
	}
}

// TestInterceptorDecides: an interceptor may refuse, replace and add to the
// context, and its errors are answered as a handler's.
func TestInterceptorDecides(t *testing.T) {
	type key struct{}
	s := NewService("")
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) { return fmt.Sprint(ctx.Value(key{})), nil })
	Prompt(s, "p", says(""))
	with := func(in Interceptor) *Server { return configured(t, Config{Interceptors: []Interceptor{in}}, s) }
	tool := func() *exchange { return request(mcp.MethodToolsCall, `{"name":"t"}`) }

	srv := with(func(ctx context.Context, c *Call, next Next) (any, error) {
		return next(context.WithValue(ctx, key{}, "added"), c)
	})
	if got := outline(t, ask(t, srv, tool())); got != "added" {
		t.Errorf("context: %s", got)
	}
	srv = with(func(context.Context, *Call, Next) (any, error) { return nil, Refuse("too many") })
	if got := outline(t, ask(t, srv, tool())); got != "isError too many" {
		t.Errorf("refusal of a tool: %s", got)
	}
	wantError(t, srv, request(mcp.MethodPromptsGet, `{"name":"p"}`), mcp.CodeInvalidParams, "too many")
	srv = with(func(context.Context, *Call, Next) (any, error) { return nil, wrap(mcp.Errorf(4000, "own")) })
	wantError(t, srv, request(mcp.MethodToolsList, `{}`), 4000, "own")
	srv = with(func(context.Context, *Call, Next) (any, error) {
		return &mcp.ListToolsResult{Tools: []mcp.Tool{{Name: "other", InputSchema: []byte(`{"type":"object"}`)}}}, nil
	})
	if names, _ := page(t, srv, nil, ""); !cmp.Equal(names, []string{"other"}) {
		t.Errorf("replaced list: %v", names)
	}
	for name, result := range map[string]any{"nothing": nil, "no result": 7, "a nil result": (*mcp.CallToolResult)(nil)} {
		srv = with(func(context.Context, *Call, Next) (any, error) { return result, nil })
		t.Run(name, func(t *testing.T) { wantError(t, srv, tool(), mcp.CodeInternal) })
	}
}
