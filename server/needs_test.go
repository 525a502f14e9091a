package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestNeeds: a request that lacks a capability its target cannot do without is
// refused before the handler runs, naming what is missing and only that
// (M-META-007, M-META-008, MOD-12).
func TestNeeds(t *testing.T) {
	form := &mcp.ElicitationCapability{Form: &mcp.Settings{}}
	url := &mcp.ElicitationCapability{URL: &mcp.Settings{}}
	tests := []struct {
		name string
		need mcp.ClientCapabilities
		have string
		want string // empty: served
	}{
		{"nothing needed", mcp.ClientCapabilities{}, `{}`, ``},
		{"elicitation", mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}, `{}`, `{"elicitation":{"form":{}}}`},
		{"elicitation, declared", mcp.ClientCapabilities{Elicitation: form}, `{"elicitation":{}}`, ``},
		{"URL elicitation", mcp.ClientCapabilities{Elicitation: url}, `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
		{"forms, of a client that only opens URLs", mcp.ClientCapabilities{Elicitation: form}, `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
		{"sampling", mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{}}, `{"roots":{}}`, `{"sampling":{}}`},
		{"sampling with tools", mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{Tools: &mcp.Settings{}}}, `{"sampling":{}}`, `{"sampling":{"tools":{}}}`},
		{"sampling with context, declared", mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{Context: &mcp.Settings{}}}, `{"sampling":{"context":{}}}`, ``},
		{"roots", mcp.ClientCapabilities{Roots: &mcp.RootsCapability{ListChanged: true}}, `{}`, `{"roots":{}}`},
		{"several, one missing", mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}, Sampling: &mcp.SamplingCapability{}}, `{"roots":{}}`, `{"sampling":{}}`},
		{"an extension", mcp.ClientCapabilities{Extensions: map[string]json.RawMessage{"com.example/x": nil}}, `{}`, `{"extensions":{"com.example/x":{}}}`},
		{"an extension, declared", mcp.ClientCapabilities{Extensions: map[string]json.RawMessage{"com.example/x": nil}}, `{"extensions":{"com.example/x":{"a":1}}}`, ``},
		{"an experiment", mcp.ClientCapabilities{Experimental: map[string]json.RawMessage{"e": json.RawMessage(`{"v":1}`)}}, ``, `{"experimental":{"e":{"v":1}}}`},
		{"what cannot be read is not declared", mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}}, `{"roots":[]}`, `{"roots":{}}`},
		{"tasks", mcp.ClientCapabilities{Tasks: json.RawMessage(`{}`)}, `{}`, `{"tasks":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewService("")
			Tool(s, "t", says("ran"), Needs(tt.need))
			Prompt(s, "p", says("ran"), Needs(tt.need))
			Resource(s, "x://r", says("ran"), Needs(tt.need))
			srv := serverOf(t, s)
			for method, params := range targets {
				x := request(method, params)
				if tt.have != "" {
					x.caller.capabilities = []byte(tt.have)
				}
				if tt.want == "" {
					if r := ask(t, srv, x); r.Error != nil {
						t.Errorf("%s: refused: %+v", method, r.Error)
					}
					continue
				}
				r := wantError(t, srv, x, mcp.CodeMissingCapability)
				if got, want := string(r.Error.Data), `{"requiredCapabilities":`+tt.want+`}`; got != want || r.status != 400 {
					t.Errorf("%s: status %d, data %s, want %s", method, r.status, got, want)
				}
			}
		})
	}
	t.Run("older revisions have no such error (DN-13)", func(t *testing.T) {
		s := NewService("")
		Tool(s, "t", says("ran"), Needs(mcp.ClientCapabilities{Elicitation: form}))
		srv := serverOf(t, s)
		r := ask(t, srv, requestIn(mcp.Legacy20250618, mcp.MethodToolsCall, `{"name":"t"}`))
		if got := outline(t, r); !strings.HasPrefix(got, "isError ") || !strings.Contains(got, "elicitation") {
			t.Errorf("got %s", got)
		}
	})
}
