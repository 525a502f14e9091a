package mcp_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestNullSlices: lists that are required are written as [], lists that are not
// are left out (JSON-04).
func TestNullSlices(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{mcp.ListToolsResult{}, `{"tools":[]}`},
		{mcp.ListResourcesResult{}, `{"resources":[]}`},
		{mcp.ListResourceTemplatesResult{}, `{"resourceTemplates":[]}`},
		{mcp.ListPromptsResult{}, `{"prompts":[]}`},
		{mcp.CallToolResult{}, `{"content":[]}`},
		{mcp.ReadResourceResult{}, `{"contents":[]}`},
		{mcp.GetPromptResult{}, `{"messages":[]}`},
		{mcp.CompleteResult{}, `{"completion":{"values":[],"hasMore":false}}`},
		{mcp.ListRootsResult{}, `{"roots":[]}`},
		{mcp.DiscoverResult{}, `{"supportedVersions":[],"capabilities":{}}`},
		{mcp.CreateMessageResult{}, `{"role":"","content":[],"model":""}`},
		{mcp.Prompt{Name: "p"}, `{"name":"p"}`},
		{mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{}}, `{"name":"p"}`},
		{mcp.Filter{Resources: []string{}}, `{}`},
		{mcp.UnsupportedVersion{}, `{"supported":[],"requested":""}`},
	} {
		first, err := json.Marshal(c.in)
		if err != nil || string(first) != c.want {
			t.Errorf("encoding/json writes %T as %s (%v), want %s", c.in, first, err, c.want)
		}
		second, err := jsonv2.Marshal(c.in)
		if err != nil || string(second) != c.want {
			t.Errorf("json v2 writes %T as %s (%v), want %s", c.in, second, err, c.want)
		}
	}
}

// TestPresence: absent, null, zero and empty are four things (T-06).
func TestPresence(t *testing.T) {
	for _, in := range []string{
		`{"content":[],"structuredContent":null}`,
		`{"content":[],"structuredContent":false}`,
		`{"content":[],"structuredContent":{}}`,
		`{"content":[]}`,
	} {
		var r mcp.CallToolResult
		if err := jsonv2.Unmarshal([]byte(in), &r); err != nil {
			t.Fatal(err)
		}
		if out, err := jsonv2.Marshal(r); err != nil || string(out) != in {
			t.Errorf("%s comes out as %s (%v)", in, out, err)
		}
	}
	for _, in := range []string{
		`{"ttlMs":0,"cacheScope":"public","tools":[],"nextCursor":""}`,
		`{"tools":[]}`,
	} {
		var r mcp.ListToolsResult
		if err := jsonv2.Unmarshal([]byte(in), &r); err != nil {
			t.Fatal(err)
		}
		if out, err := jsonv2.Marshal(r); err != nil || string(out) != in {
			t.Errorf("%s comes out as %s (%v)", in, out, err)
		}
	}
	var p mcp.CallToolParams
	if err := jsonv2.Unmarshal([]byte(`{"name":"t","inputResponses":{},"requestState":""}`), &p); err != nil {
		t.Fatal(err)
	}
	if p.Arguments != nil || p.InputResponses == nil || p.RequestState == nil {
		t.Errorf("presence is lost: %+v", p)
	}
}

// TestRawStaysRaw: integers beyond 2^53, number spellings, escapes and unknown
// members survive a round trip (JSON-07, RPC-12).
func TestRawStaysRaw(t *testing.T) {
	const in = `{"name":"t","arguments":{"n":9223372036854775807,"d":1.50,"e":1E+2,"s":"\u00e9\/"},` +
		`"_meta":{"com.example/x":123456789012345678901234567890},"com.example/y":{"z":[0.10]}}`
	var p mcp.CallToolParams
	if err := jsonv2.Unmarshal([]byte(in), &p); err != nil {
		t.Fatal(err)
	}
	out, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, string(out)); diff != "" {
		t.Errorf("-in +out:\n%s", diff)
	}
}

func TestDisplayName(t *testing.T) {
	for _, c := range []struct {
		in   mcp.Tool
		want string
	}{
		{mcp.Tool{Name: "n"}, "n"},
		{mcp.Tool{Name: "n", Annotations: &mcp.ToolAnnotations{}}, "n"},
		{mcp.Tool{Name: "n", Annotations: &mcp.ToolAnnotations{Title: "a"}}, "a"},
		{mcp.Tool{Name: "n", Title: "t", Annotations: &mcp.ToolAnnotations{Title: "a"}}, "t"},
	} {
		if got := c.in.DisplayName(); got != c.want {
			t.Errorf("DisplayName of %+v is %q, want %q", c.in, got, c.want)
		}
	}
}

// TestToolHints: what is not said has the protocol's default (M-TOOL-013).
func TestToolHints(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name                                         string
		in                                           *mcp.ToolAnnotations
		readOnly, destructive, idempotent, openWorld bool
	}{
		{"nil", nil, false, true, false, true},
		{"zero", &mcp.ToolAnnotations{}, false, true, false, true},
		{"all true", &mcp.ToolAnnotations{ReadOnlyHint: &yes, DestructiveHint: &yes, IdempotentHint: &yes, OpenWorldHint: &yes}, true, true, true, true},
		{"all false", &mcp.ToolAnnotations{ReadOnlyHint: &no, DestructiveHint: &no, IdempotentHint: &no, OpenWorldHint: &no}, false, false, false, false},
	} {
		a := c.in
		if a.ReadOnly() != c.readOnly || a.Destructive() != c.destructive || a.Idempotent() != c.idempotent || a.OpenWorld() != c.openWorld {
			t.Errorf("%s: %v %v %v %v", c.name, a.ReadOnly(), a.Destructive(), a.Idempotent(), a.OpenWorld())
		}
	}
}

// TestCacheHints: nothing, a negative time and an unknown scope mean no caching
// and private; huge times do not overflow (CACHE-02).
func TestCacheHints(t *testing.T) {
	ms := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		in     mcp.CacheHint
		ttl    time.Duration
		public bool
	}{
		{mcp.CacheHint{}, 0, false},
		{mcp.CacheHint{TTLMs: ms(0), CacheScope: mcp.CachePublic}, 0, true},
		{mcp.CacheHint{TTLMs: ms(-1)}, 0, false},
		{mcp.CacheHint{TTLMs: ms(1500), CacheScope: "PUBLIC"}, 1500 * time.Millisecond, false},
		{mcp.CacheHint{TTLMs: ms(math.MaxInt64)}, (math.MaxInt64 / 1_000_000) * time.Millisecond, false},
		{mcp.Cache(1500*time.Microsecond, mcp.CachePublic), time.Millisecond, true},
		{mcp.Cache(-time.Second, mcp.CachePrivate), 0, false},
	} {
		if c.in.TTL() != c.ttl || c.in.Public() != c.public {
			t.Errorf("%+v: %v, public %v; want %v, %v", c.in, c.in.TTL(), c.in.Public(), c.ttl, c.public)
		}
	}
}

func TestLogLevels(t *testing.T) {
	order := []mcp.LogLevel{mcp.LevelDebug, mcp.LevelInfo, mcp.LevelNotice, mcp.LevelWarning, mcp.LevelError, mcp.LevelCritical, mcp.LevelAlert, mcp.LevelEmergency}
	for i, l := range order {
		if l.Severity() != i || !l.Valid() {
			t.Errorf("%q has severity %d, want %d", l, l.Severity(), i)
		}
	}
	for _, bad := range []mcp.LogLevel{"", "Debug", "warn", "trace"} {
		if bad.Valid() || bad.Severity() != -1 {
			t.Errorf("%q is a level", bad)
		}
	}
}

// TestResourceContents: text or blob, one of them, an empty one too.
func TestResourceContents(t *testing.T) {
	for _, in := range []string{
		`{"uri":"a","text":""}`, `{"uri":"a","blob":""}`, `{"uri":"a","mimeType":"b/c","text":"t","_meta":{"k":1},"x":2}`,
	} {
		var c mcp.ResourceContents
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if out, err := c.MarshalJSON(); err != nil || string(out) != in {
			t.Errorf("%s comes out as %s (%v)", in, out, err)
		}
	}
	for _, bad := range []string{`{"uri":"a"}`, `{"uri":"a","text":null}`, `{"uri":"a","text":"","blob":""}`, `{"uri":"a","blob":"%"}`, `null `} {
		kept := mcp.ResourceContents{URI: "kept"}
		if err := kept.UnmarshalJSON([]byte(bad)); err == nil || kept.URI != "kept" {
			t.Errorf("%s gives %v and leaves %+v", bad, err, kept)
		}
	}
}

func TestTextOfResult(t *testing.T) {
	r := &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("a"), mcp.Image(nil, "a/b"), mcp.Text(""), mcp.Text("c")}}
	if got := r.Text(); got != "a\n\nc" {
		t.Errorf("Text is %q", got)
	}
	if got := (&mcp.CallToolResult{}).Text(); got != "" {
		t.Errorf("Text of nothing is %q", got)
	}
	m := mcp.AssistantText("x")
	if m.Role != mcp.RoleAssistant || mcp.UserText("x").Role != mcp.RoleUser {
		t.Errorf("roles are %q and %q", m.Role, mcp.UserText("x").Role)
	}
	if !strings.HasPrefix(mcp.MetaServerInfo, "io.modelcontextprotocol/") {
		t.Error("a reserved key has lost its prefix")
	}
}
