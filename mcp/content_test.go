package mcp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func TestParseContent(t *testing.T) {
	size := int64(9007199254740993)
	for _, c := range []struct {
		name, in string
		want     mcp.Content
	}{
		{"text", `{"type":"text","text":"a"}`, mcp.Text("a")},
		{"text with the type last", `{"text":"a","type":"text"}`, mcp.Text("a")},
		{"empty text", `{"type":"text","text":""}`, mcp.Text("")},
		{"picture", `{"type":"image","data":"AAE=","mimeType":"image/png"}`, mcp.Image([]byte{0, 1}, "image/png")},
		{"sound", `{"type":"audio","data":"AAE=","mimeType":"audio/wav"}`, mcp.Audio([]byte{0, 1}, "audio/wav")},
		{"link", `{"type":"resource_link","uri":"a://b","name":"n","size":9007199254740993}`,
			&mcp.ResourceLink{Resource: mcp.Resource{URI: "a://b", Name: "n", Size: &size}}},
		{"embedded text", `{"type":"resource","resource":{"uri":"a://b","text":"x"}}`,
			mcp.Embed(mcp.ResourceContents{URI: "a://b", Text: "x"})},
		{"embedded blob, empty", `{"type":"resource","resource":{"uri":"a://b","blob":""}}`,
			mcp.Embed(mcp.ResourceContents{URI: "a://b", Blob: []byte{}})},
		{"tool use", `{"type":"tool_use","id":"1","name":"t","input":{"n":1e400}}`,
			&mcp.ToolUseContent{ID: "1", Name: "t", Input: json.RawMessage(`{"n":1e400}`)}},
		{"tool result", `{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"ok"}],"isError":true}`,
			&mcp.ToolResultContent{ToolUseID: "1", Content: []mcp.Content{mcp.Text("ok")}, IsError: true}},
		{"JSON-07: an unknown member", `{"type":"text","text":"a","x-new":{"k":[1,2]}}`,
			&mcp.TextContent{Text: "a", Extra: mcp.Extra(`{"x-new":{"k":[1,2]}}`)}},
		{"JSON-07: an unknown type", `{"type":"hologram","data":"..."}`,
			&mcp.UnknownContent{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram","data":"..."}`)}},
		{"a type in another case is unknown", `{"type":"Text","text":"a"}`,
			&mcp.UnknownContent{Type: "Text", Raw: json.RawMessage(`{"type":"Text","text":"a"}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := mcp.ParseContent([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			var typ struct {
				Type string `json:"type"`
			}
			if err := json.Unmarshal([]byte(c.in), &typ); err != nil || got.ContentType() != typ.Type {
				t.Errorf("ContentType is %q, want %q (%v)", got.ContentType(), typ.Type, err)
			}
		})
	}
}

func TestParseContentRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", ``, "object"},
		{"null", `null`, "object"},
		{"a string", `"oops"`, "object"},
		{"an array", `[]`, "object"},
		{"no type", `{"text":"a"}`, `no "type"`},
		{"a type that is null", `{"type":null}`, `no "type"`},
		{"a type that is a number", `{"type":1}`, "/type"},
		{"text that is a number", `{"type":"text","text":1}`, "/text"},
		{"text twice", `{"type":"text","text":"a","text":"b"}`, "text"},
		{"the type twice", `{"type":"text","type":"image"}`, "type"},
		{"data that is no base64", `{"type":"image","data":"%%","mimeType":"a/b"}`, "/data"},
		{"a resource with text and blob", `{"type":"resource","resource":{"uri":"a","text":"","blob":""}}`, "both"},
		{"a resource with neither", `{"type":"resource","resource":{"uri":"a"}}`, "neither"},
		{"more than one value", `{"type":"text","text":"a"}{}`, ""},
		{"VAL-16: a bad block in a tool result", `{"type":"tool_result","toolUseId":"1","content":["oops"]}`, "/content/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := mcp.ParseContent([]byte(c.in))
			if err == nil {
				t.Fatalf("accepted as %#v", got)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read content: ") {
				t.Errorf("error %q does not say %q", err, c.want)
			}
		})
	}
}

// TestErrorsNameThePlace: the pointer leads through every level (VAL-16).
func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct {
		in, want string
		into     any
	}{
		{`{"content":[{"type":"text","text":"a"},{"type":"text","text":1}]}`, "/content/1/text", new(mcp.CallToolResult)},
		{`{"content":["oops"]}`, "/content/0", new(mcp.CallToolResult)},
		{`{"messages":[{"role":"user","content":{"type":"image","data":7}}]}`, "/messages/0/content/data", new(mcp.GetPromptResult)},
		{`{"role":"user","model":"m","content":[{"type":"text","text":"a"},{"type":"tool_result","content":[{"type":"text","text":{}}]}]}`,
			"/content/1/content/0/text", new(mcp.CreateMessageResult)},
		{`{"tools":[{"name":"a","inputSchema":{}},{"name":2}]}`, "/tools/1/name", new(mcp.ListToolsResult)},
		{`{"capabilities":{"tools":{"listChanged":"yes"}}}`, "/capabilities/tools/listChanged", new(mcp.InitializeResult)},
	} {
		err := jsonv2.Unmarshal([]byte(c.in), c.into)
		var semantic *jsonv2.SemanticError
		if !errors.As(err, &semantic) {
			t.Errorf("%s: error is %v", c.in, err)
			continue
		}
		if string(semantic.JSONPointer) != c.want {
			t.Errorf("%s: the error is placed at %q, want %q (%v)", c.in, semantic.JSONPointer, c.want, err)
		}
	}
}

// TestUnknownContent: a block of an unknown type does not hide its neighbours,
// and every byte of it comes out again (JSON-07).
func TestUnknownContent(t *testing.T) {
	const in = `{"content":[{"type":"text","text":"a"},{"type":"hologram","n":12345678901234567890.50,"s":"\u00e9\/"},{"type":"text","text":"b"}]}`
	var r mcp.CallToolResult
	if err := jsonv2.Unmarshal([]byte(in), &r); err != nil {
		t.Fatal(err)
	}
	if got := r.Text(); got != "a\nb" {
		t.Errorf("Text is %q", got)
	}
	out, err := jsonv2.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{`12345678901234567890.50`, `hologram`} {
		if !strings.Contains(string(out), token) {
			t.Errorf("%s is lost in %s", token, out)
		}
	}
	var u mcp.UnknownContent
	if err := json.Unmarshal([]byte(`{"type":"text","text":"kept"}`), &u); err != nil || u.Type != "text" {
		t.Errorf("a block read as unknown has type %q (%v)", u.Type, err)
	}
	if _, err := json.Marshal(&mcp.UnknownContent{Type: "x"}); err == nil {
		t.Error("an unknown block without bytes is written")
	}
}

// TestContentOfTheWrongType: a concrete block reads its own type only.
func TestContentOfTheWrongType(t *testing.T) {
	var text mcp.TextContent
	err := json.Unmarshal([]byte(`{"type":"image","data":"","mimeType":"a/b"}`), &text)
	if err == nil || !strings.Contains(err.Error(), `"image"`) {
		t.Errorf("a picture read as text gives %v", err)
	}
}

// TestBlocks: one block is an object, several are an array, and either is read
// (VAL-16).
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"one", `{"type":"text","text":"a"}`, `{"type":"text","text":"a"}`},
		{"one in an array", `[{"type":"text","text":"a"}]`, `{"type":"text","text":"a"}`},
		{"after white space", " \n[]", `[]`},
		{"none", `[]`, `[]`},
		{"two", `[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"t","input":{}}]`,
			`[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"t","input":{}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b mcp.Blocks
			if err := json.Unmarshal([]byte(c.in), &b); err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != c.out {
				t.Errorf("written as %s, want %s", out, c.out)
			}
		})
	}
	for _, bad := range []string{`"text"`, `null`, `[1]`, `{}`, `7`} {
		var b mcp.Blocks
		if err := b.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, b)
		}
	}
	if out, err := json.Marshal(mcp.Blocks(nil)); err != nil || string(out) != "[]" {
		t.Errorf("no blocks are written as %s (%v)", out, err)
	}
}

// TestRequiredMembersAreWritten: what a block needs is there even when empty.
func TestRequiredMembersAreWritten(t *testing.T) {
	for _, c := range []struct {
		in   mcp.Content
		want string
	}{
		{&mcp.TextContent{}, `{"type":"text","text":""}`},
		{&mcp.ImageContent{}, `{"type":"image","data":"","mimeType":""}`},
		{&mcp.AudioContent{}, `{"type":"audio","data":"","mimeType":""}`},
		{mcp.Link("", ""), `{"type":"resource_link","uri":"","name":""}`},
		{mcp.Embed(mcp.ResourceContents{}), `{"type":"resource","resource":{"uri":"","text":""}}`},
		{&mcp.ToolUseContent{}, `{"type":"tool_use","id":"","name":"","input":{}}`},
		{&mcp.ToolResultContent{}, `{"type":"tool_result","toolUseId":"","content":[]}`},
	} {
		got, err := json.Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%T is written as %s (%v), want %s", c.in, got, err, c.want)
		}
	}
}

func FuzzParseContent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"text","text":"a"}`, `{"type":"image","data":"AAE=","mimeType":"image/png"}`,
		`{"type":"resource","resource":{"uri":"a","blob":""},"annotations":{"audience":["user"],"priority":0.5}}`,
		`{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"ok"}]}`,
		`{"type":"hologram","n":1e999}`, `{"type":1}`, `null`, `[]`, `{"type":"text","type":"text"}`, "{\"type\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := mcp.ParseContent(in)
		if err != nil {
			return
		}
		out, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("%s is read but not written: %v", in, err)
		}
		again, err := mcp.ParseContent(out)
		if err != nil {
			t.Fatalf("%s is written as %s and not read again: %v", in, out, err)
		}
		if again.ContentType() != c.ContentType() {
			t.Fatalf("%s changes its type to %s", in, out)
		}
		second, err := json.Marshal(again)
		if err != nil || string(second) != string(out) {
			t.Fatalf("%s is written as %s, then as %s (%v)", in, out, second, err)
		}
	})
}
