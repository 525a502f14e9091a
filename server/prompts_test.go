package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

type greetIn struct {
	Name string `json:"name" doc:"whom" mcp:"title=Name"`
	Tone string `json:"tone" doc:"how" mcp:"enum=warm|formal,default=warm"`
	N    int    `json:"n" mcp:"optional,min=1"`
	Loud bool   `json:"loud" mcp:"optional"`
	Age  *int   `json:"age,omitzero"`
}

func promptServer(t *testing.T) *Server {
	t.Helper()
	s := NewService("")
	Prompt(s, "greet", func(_ context.Context, in greetIn) (string, error) {
		raw, err := json.Marshal(in)
		return string(raw), err
	}, Doc("greets"), Title("Greet"), Icons(mcp.Icon{Src: "data:,x"}), Meta("k", 1))
	Prompt(s, "bare", says("hello"))
	return serverOf(t, s)
}

// TestPromptList: arguments are listed from the handler's type (M-PRM-005).
func TestPromptList(t *testing.T) {
	r := ask(t, promptServer(t), request(mcp.MethodPromptsList, `{}`))
	want := `"prompts":[{"name":"bare"},{"name":"greet","title":"Greet","description":"greets","arguments":[` +
		`{"name":"name","title":"Name","description":"whom","required":true},{"name":"tone","description":"how"},{"name":"n"},{"name":"loud"},{"name":"age"}],` +
		`"icons":[{"src":"data:,x"}],"_meta":{"k":1}}]}`
	if !strings.HasSuffix(string(r.Result), want) {
		t.Errorf("got %s\nwant …%s", r.Result, want)
	}
}

// TestPromptArguments: strings are coerced, defaulted and checked, and what does
// not fit is -32602 with all faults (M-PRM-006, M-PRM-011, M-PRM-012).
func TestPromptArguments(t *testing.T) {
	srv := promptServer(t)
	good := map[string]string{
		`{"name":"Ada"}`: `{"name":"Ada","tone":"warm","n":0,"loud":false}`,
		`{"name":"7","tone":"formal","n":"3","loud":"true"}`: `{"name":"7","tone":"formal","n":3,"loud":true}`,
	}
	for args, want := range good {
		var got mcp.GetPromptResult
		result(t, srv, request(mcp.MethodPromptsGet, `{"name":"greet","arguments":`+args+`}`), &got)
		if diff := cmp.Diff([]mcp.PromptMessage{mcp.UserText(want)}, got.Messages); diff != "" || got.Description != "greets" {
			t.Errorf("%s: %q (-want +got):\n%s", args, got.Description, diff)
		}
	}
	bad := map[string][]string{
		`{"name":"greet"}`: {"invalid arguments: name: required"},
		`{"name":"greet","arguments":{"name":"a","tone":"rude","n":"0"}}`: {"2 problems", "tone: ", "n: "},
		`{"name":"greet","arguments":{"name":7}}`:                         {`params.arguments: "name" must be a string; got a number`},
		`{"name":"greet","arguments":{"name":null}}`:                      {`"name" must be a string; got a null`},
		`{"name":"greet","arguments":[]}`:                                 {"params.arguments must be an object"},
		`{"name":"greet","arguments":{"name":"a","nme":"b"}}`:             {`"nme"`},
		`{"name":"bare","arguments":{"x":"y"}}`:                           {`"x"`},
		`{"name":"none"}`:                                                 {`unknown prompt "none"`},
		`{}`:                                                              {"params.name is missing"},
	}
	for params, says := range bad {
		wantError(t, srv, request(mcp.MethodPromptsGet, params), mcp.CodeInvalidParams, says...)
	}
}

// TestPromptResults: what a handler may return.
func TestPromptResults(t *testing.T) {
	s := NewService("")
	Prompt(s, "string", says("a"))
	Prompt(s, "message", func(context.Context, nothing) (mcp.PromptMessage, error) { return mcp.AssistantText("a"), nil })
	Prompt(s, "messages", func(context.Context, nothing) ([]mcp.PromptMessage, error) {
		return []mcp.PromptMessage{mcp.UserText("a"), mcp.AssistantText("b")}, nil
	})
	Prompt(s, "content", func(context.Context, nothing) (*mcp.ImageContent, error) {
		return mcp.Image([]byte("p"), "image/png"), nil
	})
	Prompt(s, "contents", func(context.Context, nothing) ([]mcp.Content, error) {
		return []mcp.Content{mcp.Text("a"), mcp.Link("x://l", "l")}, nil
	})
	Prompt(s, "result", func(context.Context, nothing) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "own", Messages: []mcp.PromptMessage{mcp.UserText("a")}}, nil
	}, Doc("declared"))
	Prompt(s, "empty", func(context.Context, nothing) ([]mcp.PromptMessage, error) { return nil, nil })
	Prompt(s, "nil", func(context.Context, nothing) (*mcp.GetPromptResult, error) { return nil, nil })
	Prompt(s, "role", func(context.Context, nothing) (mcp.PromptMessage, error) {
		return mcp.PromptMessage{Role: "system", Content: mcp.Text("a")}, nil
	})
	Prompt(s, "blank", func(context.Context, nothing) (mcp.PromptMessage, error) {
		return mcp.PromptMessage{Role: mcp.RoleUser}, nil
	})
	srv := serverOf(t, s)
	for name, want := range map[string]string{
		"string":   `"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`,
		"message":  `"messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]}`,
		"messages": `"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}}]}`,
		"content":  `"messages":[{"role":"user","content":{"type":"image","data":"cA==","mimeType":"image/png"}}]}`,
		"contents": `"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"resource_link","uri":"x://l","name":"l"}}]}`,
		"result":   `"description":"own","messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`,
		"empty":    `"messages":[]}`, // JSON-04
	} {
		r := ask(t, srv, request(mcp.MethodPromptsGet, `{"name":"`+name+`"}`))
		if !strings.HasSuffix(string(r.Result), want) {
			t.Errorf("%s: got %s, want …%s", name, r.Result, want)
		}
	}
	for _, name := range []string{"nil", "role", "blank"} {
		wantError(t, srv, request(mcp.MethodPromptsGet, `{"name":"`+name+`"}`), mcp.CodeInternal, "internal error")
	}
}
