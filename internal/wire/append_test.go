package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// TestAppendPage: pages are joined from encoded entries.
func TestAppendPage(t *testing.T) {
	ms, next := int64(5), ""
	for _, c := range []struct {
		name           string
		page           Page
		stamp          *Stamp
		modern, legacy string
	}{
		{"empty", Page{Member: "tools"}, nil,
			`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}`, `{"tools":[]}`},
		{"entries and cursor", Page{Member: "prompts", Entries: [][]byte{[]byte(`{"name":"a"}`), []byte(`{"name":"b"}`)}, NextCursor: &next}, goldenStamp,
			`{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"1"}},"ttlMs":0,"cacheScope":"public","prompts":[{"name":"a"},{"name":"b"}],"nextCursor":""}`,
			`{"prompts":[{"name":"a"},{"name":"b"}],"nextCursor":""}`},
		{"own hint", Page{Member: "resources", Hint: mcp.CacheHint{TTLMs: &ms}}, &Stamp{Hint: mcp.CacheHint{CacheScope: mcp.CachePublic}},
			`{"resultType":"complete","ttlMs":5,"cacheScope":"private","resources":[]}`, `{"resources":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range mcp.Profiles() {
				want := c.legacy
				if p.Modern() {
					want = c.modern
				}
				got, err := For(p).AppendResult(nil, &c.page, c.stamp)
				if err != nil || string(got) != want {
					t.Errorf("%v: %s (%v), want %s", p, got, err, want)
				}
			}
		})
	}
}

// TestAppendEntry: values and pointers alike, nothing else.
func TestAppendEntry(t *testing.T) {
	for _, c := range []struct {
		entry any
		want  string
	}{
		{mcp.Tool{Name: "t"}, `{"name":"t","inputSchema":{"type":"object"}}`},
		{&mcp.Tool{Name: "t"}, `{"name":"t","inputSchema":{"type":"object"}}`},
		{mcp.Resource{URI: "u", Name: "n"}, `{"uri":"u","name":"n"}`},
		{&mcp.Resource{URI: "u", Name: "n"}, `{"uri":"u","name":"n"}`},
		{mcp.ResourceTemplate{URITemplate: "u", Name: "n"}, `{"uriTemplate":"u","name":"n"}`},
		{&mcp.ResourceTemplate{URITemplate: "u", Name: "n"}, `{"uriTemplate":"u","name":"n"}`},
		{mcp.Prompt{Name: "p"}, `{"name":"p"}`},
		{&mcp.Prompt{Name: "p"}, `{"name":"p"}`},
	} {
		for _, p := range mcp.Profiles() {
			got, err := For(p).AppendEntry([]byte("x"), c.entry)
			if err != nil || string(got) != "x"+c.want {
				t.Errorf("%v: %T is %s (%v), want %s", p, c.entry, got, err, c.want)
			}
		}
	}
	for _, bad := range []any{nil, 7, mcp.Icon{}, mcp.Tool{Name: "t", InputSchema: json.RawMessage(`{`)}} {
		if got, err := For(mcp.Newest).AppendEntry(nil, bad); err == nil {
			t.Errorf("%#v is written as %s", bad, got)
		}
	}
}

// TestSchemasKeepTheirBytes: every keyword survives, known or not, with its
// numbers, escapes and order; only boolean properties change, and only in the
// revisions that cannot have them (DN-11, VAL-07).
func TestSchemasKeepTheirBytes(t *testing.T) {
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"x","type":"object","$defs":{"a":{"$anchor":"q","type":["string","null"]}},` +
		`"properties":{"a":{"$ref":"#/$defs/a"},"yes":true,"b\u0031":{"const":null},"no":false,"properties":{"type":"object","properties":{"deep":true}}},` +
		`"patternProperties":{"^x":true},"unevaluatedProperties":false,"if":{"required":["a"]},"then":true,"dependentRequired":{"a":["b1"]},` +
		`"prefixItems":[true],"x-vendor":{"n":1.50,"e":1E+2,"big":123456789012345678901234567890,"s":"\u00e9\/"}}`
	converted := strings.NewReplacer(`"yes":true`, `"yes":{}`, `"no":false`, `"no":{"not":{}}`).Replace(schema)
	for _, p := range mcp.Profiles() {
		want := schema
		if p.Legacy() {
			want = converted
		}
		got, err := For(p).AppendEntry(nil, mcp.Tool{Name: "t", InputSchema: json.RawMessage(schema)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(lookup(got, "inputSchema"))); diff != "" {
			t.Errorf("%v: -want +got:\n%s", p, diff)
		}
	}
	for _, odd := range []string{`{"type":"object","properties":true}`, `{"type":"object","properties":[true]}`, `{"type":"object"}`} {
		if got := objectProperties(json.RawMessage(odd)); string(got) != odd {
			t.Errorf("%s becomes %s", odd, got)
		}
	}
}

// TestAppendResultRefuses: no panic and no broken message, whatever a handler
// returns; what was written before stays (JSON-04).
func TestAppendResultRefuses(t *testing.T) {
	bad := json.RawMessage(`{"a":`)
	for _, c := range []struct {
		name   string
		result any
		want   string
	}{
		{"nothing", nil, "nil"},
		{"a nil pointer", (*mcp.CallToolResult)(nil), "nil"},
		{"a value", mcp.CallToolResult{}, "no pointer"},
		{"no result", &mcp.Tool{}, "no result"},
		{"a nil block", &mcp.CallToolResult{Content: []mcp.Content{nil}}, "content[0]: the block is nil"},
		{"a nil text", &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(""), (*mcp.TextContent)(nil)}}, "content[1]: the block is nil"},
		{"a nil picture", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.ImageContent)(nil)}}, "the block is nil"},
		{"a nil sound", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.AudioContent)(nil)}}, "the block is nil"},
		{"a nil resource", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.EmbeddedResource)(nil)}}, "the block is nil"},
		{"a nil link", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.ResourceLink)(nil)}}, "the block is nil"},
		{"a nil unknown block", &mcp.CallToolResult{Content: []mcp.Content{(*mcp.UnknownContent)(nil)}}, "the block is nil"},
		{"an unknown block without bytes", &mcp.CallToolResult{Content: []mcp.Content{&mcp.UnknownContent{}}}, "content[0]"},
		{"broken structured content", &mcp.CallToolResult{StructuredContent: bad}, "structuredContent"},
		{"empty structured content", &mcp.CallToolResult{StructuredContent: json.RawMessage{}}, "structuredContent"},
		{"two structured values", &mcp.CallToolResult{StructuredContent: json.RawMessage(`{}{}`)}, "structuredContent"},
		{"a broken _meta", &mcp.CallToolResult{Result: mcp.Result{Meta: mcp.Meta{"a/b": bad}}}, `_meta["a/b"]`},
		{"a broken unknown member", &mcp.CallToolResult{Result: mcp.Result{Extra: mcp.Extra(`{"a"`)}}, "unknown members"},
		{"an unknown member that is known", &mcp.CallToolResult{Result: mcp.Result{Extra: mcp.Extra(`{"content":[]}`)}}, `"content" is a known one`},
		{"a second type", &mcp.GetPromptResult{Result: mcp.Result{Extra: mcp.Extra(`{"resultType":"x"}`)}}, "is a known one"},
		{"a message without block", &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{}}}, "messages[0]"},
		{"broken contents", &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{Extra: mcp.Extra(`[]`)}}}, "contents[0]"},
		{"a broken entry", &mcp.ListToolsResult{Tools: []mcp.Tool{{InputSchema: bad}}}, "tools[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range mcp.Profiles() {
				got, err := For(p).AppendResult([]byte("before"), c.result, goldenStamp)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v: written as %s, error %v; want one that says %q", p, got, err, c.want)
				}
				if !strings.HasPrefix(string(got), "before") {
					t.Errorf("%v: what was before is gone: %q", p, got)
				}
			}
		})
	}
	if _, err := For(mcp.Newest).AppendResult(nil, &mcp.InputRequiredResult{}, nil); err == nil {
		t.Error("a result that asks for nothing is written")
	}
}

// TestOneLine: a line break would end a frame on some transports (T-43).
func TestOneLine(t *testing.T) {
	pretty := json.RawMessage("{\r\n  \"a\": \"x y\",\n  \"b\": [ 1.50 ]\n}")
	result := &mcp.CallToolResult{
		Result:            mcp.Result{Meta: mcp.Meta{"a/b": pretty}, Extra: mcp.Extra("{\n\"c/d\": {\n}}")},
		Content:           []mcp.Content{&mcp.UnknownContent{Type: "t", Raw: json.RawMessage("{\n\"type\":\"t\"}")}},
		StructuredContent: pretty,
	}
	for _, p := range mcp.Profiles() {
		for name, write := range map[string]func() ([]byte, error){
			"result": func() ([]byte, error) { return For(p).AppendResult(nil, result, goldenStamp) },
			"entry":  func() ([]byte, error) { return For(p).AppendEntry(nil, mcp.Tool{InputSchema: pretty}) },
			"params": func() ([]byte, error) { return For(p).AppendParams(nil, "com.example/x", pretty, goldenSelf) },
			"notification": func() ([]byte, error) {
				out, _, err := For(p).AppendNotification(nil, "com.example/x", pretty)
				return out, err
			},
		} {
			out, err := write()
			if err != nil {
				t.Fatalf("%v %s: %v", p, name, err)
			}
			if bytes.ContainsAny(out, "\r\n") || !strings.Contains(string(out), "x y") || !strings.Contains(string(out), "1.50") {
				t.Errorf("%v: the %s is %q", p, name, out)
			}
			if err := jsonx.Check(out, 0); err != nil {
				t.Errorf("%v: the %s is no JSON: %v", p, name, err)
			}
		}
	}
}

// TestTextKeepsItsCharacters: only what must be escaped is (JSON-06).
func TestTextKeepsItsCharacters(t *testing.T) {
	const text = "<a href=\"x?y=1&z=2\">\u2028😀</a>"
	for _, p := range mcp.Profiles() {
		out, err := For(p).AppendResult(nil, &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(text), &mcp.TextContent{Text: text, Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}}}}}, nil)
		if err != nil || strings.Count(string(out), `<a href=\"x?y=1&z=2\">`) != 2 {
			t.Errorf("%v: %s (%v)", p, out, err)
		}
	}
}

func TestAppendParamsForms(t *testing.T) {
	modern, legacy := For(mcp.Modern20260728), For(mcp.Legacy20251125)
	least := &Self{}
	for _, c := range []struct {
		name   string
		era    Era
		params any
		self   *Self
		want   string
	}{
		{"nothing, modern", modern, nil, least, `{"_meta":{` + keyVersion + `:"2026-07-28",` + keyCaps + `:{}}}`},
		{"nothing, legacy", legacy, nil, least, `{}`},
		{"null", legacy, json.RawMessage(`null`), least, `{}`},
		{"bytes", legacy, []byte(`{"a":1}`), least, `{"a":1}`},
		{"raw keeps order, numbers and escapes", legacy, json.RawMessage(`{"z":1.50,"\u0061":"\/","n":123456789012345678901234567890}`), least,
			`{"z":1.50,"a":"\/","n":123456789012345678901234567890}`},
		{"the caller's token stays", modern, json.RawMessage(`{"_meta":{"progressToken":"mine","b/c":2}}`), least,
			`{"_meta":{` + keyVersion + `:"2026-07-28",` + keyCaps + `:{},"progressToken":"mine","b/c":2}}`},
		{"an emptied _meta goes", legacy, json.RawMessage(`{"_meta":{` + keyVersion + `:"2026-07-28",` + keyCaps + `:{}},"a":1}`), least, `{"a":1}`},
		{"nobody is described", modern, json.RawMessage(`{"_meta":{"progressToken":1}}`), nil, `{"_meta":{"progressToken":1}}`},
		{"a null _meta goes", legacy, json.RawMessage(`{"_meta":null}`), least, `{}`},
		{"a task of a vendor's method stays", modern, json.RawMessage(`{"task":1,"context":2,"requestState":"s"}`), nil, `{"task":1,"context":2,"requestState":"s"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.era.AppendParams([]byte("before"), "com.example/x", c.params, c.self)
			if err != nil || string(got) != "before"+c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
	for _, bad := range []any{json.RawMessage(`[]`), json.RawMessage(`{"a":1,"a":2}`), json.RawMessage(`{`), []int{1}, "text", func() {}} {
		if got, err := modern.AppendParams([]byte("before"), "com.example/x", bad, least); err == nil || string(got) != "before" {
			t.Errorf("%v is written as %s (%v)", bad, got, err)
		}
	}
}

// TestQuestions: what cannot be asked matches ErrCannotAsk (DN-16 to DN-19).
func TestQuestions(t *testing.T) {
	url := mcp.ElicitParams{Mode: mcp.ModeURL, URL: "https://example.com", ElicitationID: "1"}
	multi := json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{"m":{"type":"array","items":{"enum":["a"]}}}}}`)
	audio := mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{{Role: "user", Content: mcp.Blocks{mcp.Audio(nil, "audio/wav")}}}}
	tools := json.RawMessage(`{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)
	for _, c := range []struct {
		name, method string
		params       any
		since        mcp.Profile
	}{
		{"form", mcp.MethodElicit, mcp.ElicitParams{Message: "?"}, mcp.Legacy20250618},
		{"url", mcp.MethodElicit, url, mcp.Legacy20251125},
		{"several choices, raw", mcp.MethodElicit, multi, mcp.Legacy20251125},
		{"sound", mcp.MethodCreateMessage, &audio, mcp.Legacy20250326},
		{"tools, raw", mcp.MethodCreateMessage, tools, mcp.Legacy20251125},
		{"roots", mcp.MethodRootsList, nil, mcp.Legacy20241105},
	} {
		for _, p := range mcp.Profiles() {
			_, err := For(p).AppendParams(nil, c.method, c.params, nil)
			if want := p < c.since; want != errors.Is(err, mcp.ErrCannotAsk) || !want && err != nil {
				t.Errorf("%s in %v: %v", c.name, p, err)
			}
		}
	}
}
