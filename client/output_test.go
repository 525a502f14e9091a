package client

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestOutput: results against the output schema of their tool (VAL-09 to
// VAL-11, VAL-07).
func TestOutput(t *testing.T) {
	const object = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	for _, tc := range []struct {
		name, schema, result string
		text                 string // in the error; "" when it fits
	}{
		{"fits", object, `{"content":[],"structuredContent":{"n":1}}`, ""},
		{"1.0 is an integer", object, `{"content":[],"structuredContent":{"n":1.0}}`, ""},
		{"does not fit", object, `{"content":[{"type":"text","text":"see"}],"structuredContent":{"n":"x"}}`, "n"},
		{"is missing", object, `{"content":[{"type":"text","text":"see"}]}`, "no structuredContent"},
		{"VAL-11 a failure has nothing to fit", object, `{"content":[{"type":"text","text":"quota"}],"isError":true}`, ""},
		{"VAL-10 array", `{"type":"array","items":{"type":"integer"}}`, `{"content":[],"structuredContent":[1,2]}`, ""},
		{"VAL-10 false", `{"type":"boolean"}`, `{"content":[],"structuredContent":false}`, ""},
		{"VAL-10 null is a value", `{"type":"null"}`, `{"content":[],"structuredContent":null}`, ""},
		{"VAL-10 null is not absent", object, `{"content":[],"structuredContent":null}`, "object"},
		{"draft-07 with definitions", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"$ref":"#/definitions/N"}},"definitions":{"N":{"type":"integer"}}}`, `{"content":[],"structuredContent":{"n":"x"}}`, "n"},
		{"VAL-09 a reference to the network fails closed", `{"type":"object","properties":{"n":{"$ref":"http://127.0.0.1:1/x"}}}`, `{"content":[],"structuredContent":{"n":1}}`, "cannot be used"},
		{"VAL-07 a dialect nobody knows", `{"$schema":"https://example.com/my-dialect","type":"object"}`, `{"content":[],"structuredContent":{"n":1}}`, "cannot be used"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for mode, name := range map[OutputCheck]string{OutputStrict: "strict", OutputLogged: "logged", OutputTrusted: "trusted"} {
				t.Run(name, func(t *testing.T) {
					var text log
					cfg := config()
					cfg.Output, cfg.Logger = mode, text.logger()
					s := newScript(t, modern(map[string][]act{
						"tools/list": {result(`{"tools":[{"name":"x","inputSchema":{"type":"object"},"outputSchema":` + tc.schema + `}]}`)},
						"tools/call": {result(tc.result)},
					}))
					c := connected(t, HTTP(s.URL), cfg)
					// Before it is listed, nothing is known about the tool.
					if _, err := c.Call(t.Context(), "x", nil); err != nil {
						t.Fatal(err)
					}
					listed(t, c)
					r, err := c.Call(t.Context(), "x", nil)
					if tc.text == "" || mode != OutputStrict {
						if err != nil || r == nil {
							t.Fatalf("result %v, error %v", r, err)
						}
						if logged := text.String(); (mode == OutputLogged && tc.text != "") != strings.Contains(logged, "output schema") {
							t.Errorf("log is %q", logged)
						}
						return
					}
					var out *OutputError
					if !errors.As(err, &out) || !errors.Is(err, mcp.ErrInvalidResponse) || !strings.Contains(err.Error(), tc.text) {
						t.Fatalf("error is %v, want %q in it", err, tc.text)
					}
					if out.Result == nil || out.Tool != "x" {
						t.Errorf("error holds %+v", out)
					}
				})
			}
		})
	}
}

type found struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// TestTypedCall: a result as a Go value (JSON-03).
func TestTypedCall(t *testing.T) {
	exchange := func(t *testing.T, raw string) *Client {
		s := newScript(t, modern(map[string][]act{"tools/call": {result(raw)}}))
		return connected(t, HTTP(s.URL), config())
	}
	t.Run("structured, exact", func(t *testing.T) {
		c := exchange(t, `{"content":[{"type":"text","text":"no"}],"structuredContent":{"id":9007199254740993,"name":"a"}}`)
		got, err := Call[found](t.Context(), c, "x", nil)
		if err != nil || got != (found{9007199254740993, "a"}) {
			t.Errorf("got %+v, error %v", got, err)
		}
		raw, err := Call[json.RawMessage](t.Context(), c, "x", nil)
		if err != nil || string(raw) != `{"id":9007199254740993,"name":"a"}` {
			t.Errorf("got %s, error %v", raw, err)
		}
	})
	t.Run("text as JSON", func(t *testing.T) {
		c := exchange(t, `{"content":[{"type":"text","text":"{\"id\":7}"}]}`)
		got, err := Call[found](t.Context(), c, "x", nil)
		if err != nil || got.ID != 7 {
			t.Errorf("got %+v, error %v", got, err)
		}
		text, err := Call[string](t.Context(), c, "x", nil)
		if err != nil || text != `{"id":7}` {
			t.Errorf("got %q, error %v", text, err)
		}
	})
	for name, raw := range map[string]string{
		"text that is no JSON": `{"content":[{"type":"text","text":"hello"}]}`,
		"no text":              `{"content":[]}`,
		"another type":         `{"content":[],"structuredContent":{"id":"x"}}`,
		"too large a number":   `{"content":[],"structuredContent":{"id":1e30}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Call[found](t.Context(), exchange(t, raw), "x", nil)
			if err == nil || got != (found{}) || !strings.HasPrefix(err.Error(), `call tool "x": `) {
				t.Errorf("got %+v, error %v", got, err)
			}
		})
	}
	t.Run("a failed tool is an error", func(t *testing.T) {
		_, err := Call[found](t.Context(), exchange(t, `{"content":[{"type":"text","text":"quota"}],"isError":true}`), "x", nil)
		var failed *mcp.ToolError
		if !errors.As(err, &failed) || failed.Text != "quota" || len(failed.Content) != 1 {
			t.Errorf("error is %v", err)
		}
	})
}

// TestArguments: an object or nothing reaches the server (VAL-01, JSON-06).
func TestArguments(t *testing.T) {
	type in struct {
		Query string   `json:"query"`
		Tags  []string `json:"tags"`
		Limit *int     `json:"limit,omitempty"`
	}
	for _, tc := range []struct {
		name string
		args any
		want string // "-" for an error
	}{
		{"none", nil, ""},
		{"nil raw", json.RawMessage(nil), ""},
		{"null", json.RawMessage("null"), ""},
		{"nil map", map[string]any(nil), "{}"},
		{"struct", in{Query: "<a&b>"}, `{"query":"<a&b>","tags":[]}`},
		{"pointer", &in{}, `{"query":"","tags":[]}`},
		{"raw", json.RawMessage(`{ "z":1E400 }`), `{"z":1E400}`},
		{"array", []int{1}, "-"},
		{"string", "x", "-"},
		{"raw string", json.RawMessage(`"{}"`), "-"},
		{"raw garbage", json.RawMessage(`{`), "-"},
		{"raw with duplicates", json.RawMessage(`{"a":1,"a":2}`), "-"},
		{"function", func() {}, "-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {result(okResult)}}))
			c := connected(t, HTTP(s.URL), config())
			_, err := c.Call(t.Context(), "x", tc.args)
			if tc.want == "-" {
				if err == nil || !strings.HasPrefix(err.Error(), `call tool "x": arguments: `) || len(s.sent()) != 1 {
					t.Errorf("error %v, sent %q", err, s.sent())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, s.got("tools/call", 0).param(t, "arguments")); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestResults: what a result may be by its type (MOD-16, UP-12, JSON-07).
func TestResults(t *testing.T) {
	legacyOn := func(raw string) map[string][]act {
		return legacy("2025-11-25", "", map[string][]act{"tools/call": {result(raw)}})
	}
	modernOn := func(raw string) map[string][]act { return modern(map[string][]act{"tools/call": {result(raw)}}) }
	for _, tc := range []struct {
		name string
		on   map[string][]act
		err  error
	}{
		{"legacy, absent", legacyOn(`{"content":[]}`), nil},
		{"modern, absent", modernOn(`{"content":[]}`), nil},
		{"complete", modernOn(`{"content":[],"resultType":"complete"}`), nil},
		{"null", modernOn(`{"content":[],"resultType":null}`), mcp.ErrInvalidResponse},
		{"capital", modernOn(`{"content":[],"resultType":"Complete"}`), mcp.ErrInvalidResponse},
		{"empty", modernOn(`{"content":[],"resultType":""}`), mcp.ErrInvalidResponse},
		{"task", modernOn(`{"content":[],"resultType":"task"}`), mcp.ErrInvalidResponse},
		{"number", modernOn(`{"content":[],"resultType":7}`), mcp.ErrInvalidResponse},
		{"a result that is an array", modernOn(`[]`), mcp.ErrInvalidResponse},
		{"input", modernOn(`{"resultType":"input_required","requestState":"s","inputRequests":{"confirm":{"method":"elicitation/create","params":{"message":"sure?"}}}}`), mcp.ErrCannotAsk},
		{"input without anything", modernOn(`{"resultType":"input_required"}`), mcp.ErrInvalidResponse},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, tc.on)
			_, err := connected(t, HTTP(s.URL), config()).Call(t.Context(), "x", nil)
			if !errors.Is(err, tc.err) {
				t.Errorf("error is %v, want %v", err, tc.err)
			}
			if errors.Is(tc.err, mcp.ErrCannotAsk) {
				var asks *InputRequiredError
				if !errors.As(err, &asks) || asks.Result.RequestState == nil || *asks.Result.RequestState != "s" {
					t.Errorf("error is %v", err)
				}
			}
		})
	}
	t.Run("unknown members and blocks stay", func(t *testing.T) {
		raw := `{"content":[{"type":"text","text":"a","x-new":{"k":[1,2]}},{"type":"hologram","data":"..."}],"structuredContent":{"a":18446744073709551615},"_meta":{"com.example/x":1},"futureField":true}`
		s := newScript(t, modern(map[string][]act{"tools/call": {result(raw)}}))
		r, err := connected(t, HTTP(s.URL), config()).Call(t.Context(), "x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := r.Content[1].(*mcp.UnknownContent); !ok || u.Type != "hologram" {
			t.Errorf("second block is %#v", r.Content[1])
		}
		if string(r.StructuredContent) != `{"a":18446744073709551615}` || string(r.Extra) != `{"futureField":true}` {
			t.Errorf("result is %+v", r)
		}
	})
}

// TestRequests: the other requests, and what is refused before it is sent.
func TestRequests(t *testing.T) {
	s := newScript(t, modern(map[string][]act{
		"resources/read":      {result(`{"contents":[{"uri":"a:b","text":"t"}]}`), fault(-32602, "no", `{"uri":"a:b"}`), fault(-32002, "no", `{"uri":"a:b"}`)},
		"prompts/get":         {result(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`)},
		"completion/complete": {result(`{"completion":{"values":["x"],"total":0,"hasMore":false}}`)},
		"vendor/method":       {result(`{"anything":[1,2]}`)},
	}))
	c := connected(t, HTTP(s.URL), config())
	ctx := t.Context()
	read, err := c.Read(ctx, "a:b")
	if err != nil || read.Contents[0].Text != "t" {
		t.Errorf("read %+v, error %v", read, err)
	}
	for range 2 {
		if _, err := c.Read(ctx, "a:b"); !errors.Is(err, mcp.ErrNotFound) || !strings.Contains(err.Error(), `read resource "a:b"`) {
			t.Errorf("error is %v", err)
		}
	}
	prompt, err := c.Prompt(ctx, "p", map[string]string{"k": "v"})
	if err != nil || len(prompt.Messages) != 1 || s.got("prompts/get", 0).param(t, "arguments") != `{"k":"v"}` {
		t.Errorf("prompt %+v, error %v", prompt, err)
	}
	done, err := c.Complete(ctx, mcp.CompleteParams{Ref: mcp.Reference{Type: mcp.RefPrompt, Name: "p"}, Argument: mcp.CompleteArgument{Name: "k"}}, Meta(mcp.Meta{"a/b": json.RawMessage("1")}))
	if err != nil || done.Completion.Values[0] != "x" || *done.Completion.Total != 0 || s.got("completion/complete", 0).param(t, "_meta", "a/b") != "1" {
		t.Errorf("completion %+v, error %v", done, err)
	}
	raw, err := c.Request(ctx, "vendor/method", json.RawMessage(`{"a":1,"_meta":{"x/y":1,"a/b":0}}`), Meta(mcp.Meta{"a/b": json.RawMessage("1")}))
	if err != nil || string(raw) != `{"anything":[1,2]}` {
		t.Errorf("result %s, error %v", raw, err)
	}
	if got := s.got("vendor/method", 0); got.param(t, "_meta", "a/b") != "1" || got.param(t, "_meta", "x/y") != "1" || got.Header.Get(headerMethod) != "vendor/method" {
		t.Errorf("sent %s", got.Body)
	}
	for _, method := range []string{mcp.MethodPing, mcp.MethodInitialize, mcp.MethodResourcesSubscribe, "a method"} {
		if _, err := c.Request(ctx, method, nil); err == nil {
			t.Errorf("%s was sent (UP-11)", method)
		}
	}
	for _, params := range []any{"x", json.RawMessage(`[]`), json.RawMessage(`{`)} {
		if _, err := c.Request(ctx, "vendor/method", params); err == nil {
			t.Errorf("%v was sent", params)
		}
	}
	if err := c.Ping(ctx); err != nil || s.got("server/discover", 1).id() == "" {
		t.Errorf("ping: %v", err)
	}
	if _, err := c.Call(ctx, "x", nil, Timeout(0)); err == nil || !strings.Contains(err.Error(), "not positive") {
		t.Errorf("error is %v", err)
	}
	t.Run("ping of older revisions", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "", map[string][]act{"ping": {result(`{}`), fault(-32601, "no")}}))
		c := connected(t, HTTP(s.URL), config())
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.Ping(t.Context()); !errors.Is(err, &mcp.Error{Code: mcp.CodeMethodNotFound}) {
			t.Errorf("error is %v", err)
		}
		if _, err := c.Request(t.Context(), mcp.MethodDiscover, nil); err == nil {
			t.Error("server/discover was sent (UP-01)")
		}
	})
}
