package server

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCapabilitiesMatchBehaviour: what is declared works, what is not declared is
// -32601 (M-DISC-007, M-DISC-008, M-ERR-016, VAL-15, GW-05).
func TestCapabilitiesMatchBehaviour(t *testing.T) {
	probes := map[string][]string{
		"tools":       {mcp.MethodToolsList, mcp.MethodToolsCall},
		"resources":   {mcp.MethodResourcesList, mcp.MethodResourceTemplatesList, mcp.MethodResourcesRead},
		"prompts":     {mcp.MethodPromptsList, mcp.MethodPromptsGet},
		"completions": {mcp.MethodComplete},
	}
	tests := []struct {
		name    string
		declare func(s *Service)
		want    []string
	}{
		{"nothing", func(*Service) {}, nil},
		{"tools", func(s *Service) { Tool(s, "t", says("")) }, []string{"tools"}},
		{"a resource", func(s *Service) { Resource(s, "x://r", says("")) }, []string{"resources"}},
		{"a template", func(s *Service) {
			Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil })
		}, []string{"resources"}},
		{"a prompt", func(s *Service) { Prompt(s, "p", says("")) }, []string{"prompts"}},
		{"a prompt that completes", func(s *Service) {
			Prompt(s, "p", func(context.Context, greetIn) (string, error) { return "", nil })
		}, []string{"completions", "prompts"}},
		{"a template that completes", func(s *Service) {
			Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil },
				Complete("id", func(context.Context, string, map[string]string) ([]string, error) { return nil, nil }))
		}, []string{"completions", "resources"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewService("")
			tt.declare(s)
			srv := serverOf(t, s)
			var d struct {
				Capabilities map[string]json.RawMessage
			}
			result(t, srv, request(mcp.MethodDiscover, `{}`), &d)
			want := map[string]json.RawMessage{"logging": json.RawMessage(`{}`)}
			for _, c := range tt.want {
				want[c] = json.RawMessage(announcing[c])
			}
			if diff := cmp.Diff(want, d.Capabilities); diff != "" {
				t.Fatalf("capabilities (-want +got):\n%s", diff)
			}
			for _, p := range mcp.Profiles() {
				for capability, methods := range probes {
					for _, method := range methods {
						r := ask(t, srv, requestIn(p, method, `{}`))
						missing := r.Error != nil && r.Error.Code == int(mcp.CodeMethodNotFound)
						if _, declared := want[capability]; missing == declared {
							t.Errorf("%v %s: declared is %v, got %+v", p, method, declared, r.Error)
						}
						if status := map[bool]int{true: 404, false: 200}[p == mcp.Newest]; missing && r.status != status {
							t.Errorf("%v %s: status %d, want %d (M-HDR-005, DN-14)", p, method, r.status, status)
						}
					}
				}
			}
		})
	}
}

// announcing is how capabilities are declared: whatever may change on a running
// server is announced (TOOL-19, L-RES-10).
var announcing = map[string]string{
	"tools": `{"listChanged":true}`, "prompts": `{"listChanged":true}`, "resources": `{"subscribe":true,"listChanged":true}`, "completions": `{}`,
}

// TestVersions: one list, the newest first; a pinned server has one revision
// (M-VER-008, T-05).
func TestVersions(t *testing.T) {
	if diff := cmp.Diff([]string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}, serverOf(t).supported); diff != "" {
		t.Errorf("auto (-want +got):\n%s", diff)
	}
	for _, p := range mcp.Profiles() {
		if diff := cmp.Diff([]string{p.Version()}, configured(t, Config{Profile: p}).supported); diff != "" {
			t.Errorf("%v (-want +got):\n%s", p, diff)
		}
	}
}

// TestUnknownMethods: methods of the other era, of nobody, and of the listening
// side (M-ERR-016, RPC-09).
func TestUnknownMethods(t *testing.T) {
	srv := serverOf(t, numbered("", 0, 1))
	for _, method := range []string{"", "no/such", "tools/List", "Tools/list", "notifications/initialized", "sampling/createMessage", "roots/list"} {
		for _, p := range mcp.Profiles() {
			wantError(t, srv, requestIn(p, method, `{}`), mcp.CodeMethodNotFound, "method not found")
		}
	}
	for _, method := range []string{mcp.MethodInitialize, mcp.MethodPing, mcp.MethodSetLevel, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe} {
		wantError(t, srv, request(method, `{}`), mcp.CodeMethodNotFound)
	}
	for _, method := range []string{mcp.MethodDiscover, mcp.MethodListen} {
		wantError(t, srv, requestIn(mcp.NewestLegacy, method, `{}`), mcp.CodeMethodNotFound)
	}
}
