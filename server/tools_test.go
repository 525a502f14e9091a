package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

type addIn struct {
	A float64 `json:"a" doc:"first number"`
	B float64 `json:"b" doc:"second number"`
}

type sum struct {
	Sum float64 `json:"sum" doc:"a + b"`
}

func add(_ context.Context, in addIn) (sum, error) { return sum{in.A + in.B}, nil }

// TestToolResults: what a handler returns decides what its caller sees.
func TestToolResults(t *testing.T) {
	tests := []struct {
		name    string
		declare func(s *Service)
		want    string // the result's own members
	}{
		{"string", func(s *Service) { Tool(s, "t", says("a<b>&c")) }, `"content":[{"type":"text","text":"a<b>&c"}]`}, // JSON-06
		{"empty string", func(s *Service) { Tool(s, "t", says("")) }, `"content":[{"type":"text","text":""}]`},
		{"nothing", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (struct{}, error) { return struct{}{}, nil })
		}, `"content":[]`}, // JSON-04
		{"struct (M-TOOL-021)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (sum, error) { return sum{3}, nil })
		}, `"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}`},
		{"pointer to struct", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (*sum, error) { return &sum{3}, nil })
		}, `"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}`},
		{"nil slice (JSON-04)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]int, error) { return nil, nil })
		}, `"content":[{"type":"text","text":"[]"}],"structuredContent":[]`},
		{"number (VAL-10)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (int, error) { return 7, nil })
		}, `"content":[{"type":"text","text":"7"}],"structuredContent":7`},
		{"large integers (JSON-03)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]int64, error) { return []int64{9007199254740993}, nil })
		}, `"content":[{"type":"text","text":"[9007199254740993]"}],"structuredContent":[9007199254740993]`},
		{"raw JSON (JSON-03)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (json.RawMessage, error) {
				return json.RawMessage(`{"big":18446744073709551615,"z":1.0}`), nil
			})
		}, `"content":[{"type":"text","text":"{\"big\":18446744073709551615,\"z\":1.0}"}],"structuredContent":{"big":18446744073709551615,"z":1.0}`},
		{"raw null is a value (M-TOOL-020, T-06)", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (json.RawMessage, error) { return json.RawMessage(`null`), nil })
		}, `"content":[{"type":"text","text":"null"}],"structuredContent":null`},
		{"no raw JSON", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (json.RawMessage, error) { return nil, nil })
		}, `"content":[]`},
		{"content", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (mcp.Content, error) { return mcp.Link("x://a", "a"), nil })
		}, `"content":[{"type":"resource_link","uri":"x://a","name":"a"}]`},
		{"concrete content", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (*mcp.ImageContent, error) {
				return mcp.Image([]byte("png"), "image/png"), nil
			})
		}, `"content":[{"type":"image","data":"cG5n","mimeType":"image/png"}]`},
		{"several contents", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]mcp.Content, error) {
				return []mcp.Content{mcp.Text("a"), mcp.Audio([]byte("wav"), "audio/wav")}, nil
			})
		}, `"content":[{"type":"text","text":"a"},{"type":"audio","data":"d2F2","mimeType":"audio/wav"}]`},
		{"several of one content", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]*mcp.TextContent, error) {
				return []*mcp.TextContent{mcp.Text("a")}, nil
			})
		}, `"content":[{"type":"text","text":"a"}]`},
		{"no contents", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]mcp.Content, error) { return nil, nil })
		}, `"content":[]`},
		{"whole result", func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("quota")}, IsError: true}, nil
			})
		}, `"content":[{"type":"text","text":"quota"}],"isError":true`},
		{"any: nothing", func(s *Service) { Tool(s, "t", anything(nil)) }, `"content":[]`},
		{"any: string", func(s *Service) { Tool(s, "t", anything("s")) }, `"content":[{"type":"text","text":"s"}]`},
		{"any: map", func(s *Service) { Tool(s, "t", anything(map[string]any{"b": []int(nil), "a": 1})) },
			`"content":[{"type":"text","text":"{\"a\":1,\"b\":[]}"}],"structuredContent":{"a":1,"b":[]}`},
		{"any: content", func(s *Service) { Tool(s, "t", anything(mcp.Text("c"))) }, `"content":[{"type":"text","text":"c"}]`},
		{"any: contents", func(s *Service) { Tool(s, "t", anything([]mcp.Content{mcp.Text("c")})) }, `"content":[{"type":"text","text":"c"}]`},
		{"any: result", func(s *Service) { Tool(s, "t", anything(&mcp.CallToolResult{})) }, `"content":[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewService("")
			tt.declare(s)
			r := ask(t, serverOf(t, s), request(mcp.MethodToolsCall, `{"name":"t"}`))
			want := `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},` + tt.want + `}`
			if diff := cmp.Diff(want, string(r.Result)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func anything(v any) func(context.Context, nothing) (any, error) {
	return func(context.Context, nothing) (any, error) { return v, nil }
}

// TestToolWithoutResult: a handler that returns neither a result nor an error is
// the server's fault, and says so in the log (CON-14).
func TestToolWithoutResult(t *testing.T) {
	tests := map[string]func(s *Service){
		"nil result": func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (*mcp.CallToolResult, error) { return nil, nil })
		},
		"nil content": func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) (mcp.Content, error) { return nil, nil })
		},
		"nil block": func(s *Service) {
			Tool(s, "t", func(context.Context, nothing) ([]mcp.Content, error) { return []mcp.Content{nil}, nil })
		},
		"nil pointer":    func(s *Service) { Tool(s, "t", func(context.Context, nothing) (*sum, error) { return nil, nil }) },
		"broken JSON":    func(s *Service) { Tool(s, "t", anything(json.RawMessage(`{`))) },
		"any nil result": func(s *Service) { Tool(s, "t", anything((*mcp.CallToolResult)(nil))) },
		"any nil block":  func(s *Service) { Tool(s, "t", anything((*mcp.TextContent)(nil))) },
		"any channel":    func(s *Service) { Tool(s, "t", anything(make(chan int))) },
		"raw nil result": func(s *Service) {
			RawTool(s, mcp.Tool{Name: "t"}, func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return nil, nil })
		},
	}
	for name, declare := range tests {
		t.Run(name, func(t *testing.T) {
			s := NewService("")
			declare(s)
			var log strings.Builder
			srv := configured(t, Config{Logger: testLogger(&log)}, s)
			r := wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"t"}`), mcp.CodeInternal)
			if r.status != 200 || strings.Contains(r.Error.Message, "nil") {
				t.Errorf("status %d, message %q", r.status, r.Error.Message)
			}
			if !strings.Contains(log.String(), "name=t") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}

type argsIn struct {
	S string  `json:"s" mcp:"optional"`
	N int64   `json:"n" mcp:"optional"`
	F float64 `json:"f" mcp:"optional"`
	D int     `json:"d" mcp:"default=10,min=1,max=50"`
}

// TestToolArguments: what is accepted, coerced and refused.
func TestToolArguments(t *testing.T) {
	var got argsIn
	lenient := NewService("")
	Tool(lenient, "t", func(_ context.Context, in argsIn) (string, error) { got = in; return "", nil })
	srv := serverOf(t, lenient)
	good := []struct {
		name, args string
		want       argsIn
	}{
		{"absent (VAL-01)", ``, argsIn{D: 10}},
		{"null counts as absent (VAL-01)", `null`, argsIn{D: 10}},
		{"empty (VAL-01)", `{}`, argsIn{D: 10}},
		{"1.0 is an integer (VAL-02)", `{"n":1.0}`, argsIn{N: 1, D: 10}},
		{"exact beyond 2^53 (JSON-03)", `{"n":9007199254740993}`, argsIn{N: 9007199254740993, D: 10}},
		{"strings stay strings (JSON-09)", `{"s":"{\"a\":1}"}`, argsIn{S: `{"a":1}`, D: 10}},
		{"a string of digits stays one (JSON-09)", `{"s":"007"}`, argsIn{S: "007", D: 10}},
		{"coerced number", `{"n":"5"}`, argsIn{N: 5, D: 10}},
		{"case variant is another name (JSON-01)", `{"n":1,"s":"x"}`, argsIn{N: 1, S: "x", D: 10}},
	}
	for _, tt := range good {
		t.Run(tt.name, func(t *testing.T) {
			got = argsIn{}
			if r := callTool(t, srv, "t", tt.args); r.IsError {
				t.Fatal(r.Text())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
	bad := []struct {
		name, args string
		says       []string
	}{
		{"all faults at once (VAL-02, M-TOOL-025, T-55)", `{"n":"x","d":99}`, []string{"2 problems", "n: ", `"x"`, "d: ", "99"}},
		{"unknown name with a suggestion", `{"ss":1}`, []string{`"ss"`, `did you mean "s"?`}},
		{"case variant is unknown (JSON-01)", `{"N":1}`, []string{`"N"`}},
		{"1E400 is no float (JSON-03)", `{"f":1E400}`, []string{"f: "}},
	}
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			r := callTool(t, srv, "t", tt.args)
			if !r.IsError {
				t.Fatalf("accepted: %+v", got)
			}
			for _, want := range tt.says {
				if !strings.Contains(r.Text(), want) {
					t.Errorf("%q does not say %q", r.Text(), want)
				}
			}
		})
	}
	malformed := map[string][]string{
		`{"name":"t","arguments":[]}`:   {"params.arguments must be an object; got an array"}, // VAL-01
		`{"name":"t","arguments":"{}"}`: {"params.arguments must be an object; got a string"},
		`{"name":"t","arguments":7}`:    {"params.arguments must be an object; got a number"},
		`{"arguments":{}}`:              {"params.name is missing"}, // RPC-13
		`{"name":7}`:                    {"params.name"},
		`{"name":""}`:                   {"params.name"},
		`{"name":null}`:                 {"params.name"},
		`{"Name":"t"}`:                  {"names are case-sensitive"}, // JSON-01, T-50
		`[]`:                            {"params must be an object; got an array"},
		`"t"`:                           {"params must be an object; got a string"},
		``:                              {"params.name is missing"}, // RPC-07
		`{"name":"nope"}`:               {`unknown tool "nope"`},    // M-TOOL-024, VAL-02
	}
	for params, says := range malformed {
		t.Run("malformed "+params, func(t *testing.T) {
			wantError(t, srv, request(mcp.MethodToolsCall, params), mcp.CodeInvalidParams, says...)
		})
	}
}

// TestStrict: nothing is coerced, by the tool or for the whole service.
func TestStrict(t *testing.T) {
	one := NewService("one")
	Tool(one, "t", add, Strict())
	Tool(one, "lenient", add)
	all := NewService("all", Strict())
	Tool(all, "t", add)
	srv := serverOf(t, one, all)
	for name, refused := range map[string]bool{"one_t": true, "one_lenient": false, "all_t": true} {
		if r := callTool(t, srv, name, `{"a":"1","b":2}`); r.IsError != refused {
			t.Errorf("%s: isError is %v, want %v: %s", name, r.IsError, refused, r.Text())
		}
	}
}

// TestRawTool: arguments pass as they were sent once they fit the schema.
func TestRawTool(t *testing.T) {
	s := NewService("")
	echo := func(_ context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(string(args))}}, nil
	}
	RawTool(s, mcp.Tool{Name: "free"}, echo)
	RawTool(s, mcp.Tool{Name: "bound", InputSchema: json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"properties":{"n":{"$ref":"#/definitions/N"}},"required":["n"],"definitions":{"N":{"type":"integer","minimum":1}}}`)}, echo)
	srv := serverOf(t, s)
	tests := []struct {
		name, tool, args, want string
		isError                bool
	}{
		{"none is {}", "free", ``, `{}`, false},
		{"bytes survive (JSON-03)", "free", `{"id":9007199254740993,"e":1E400,"z":1.0,"dec":0.1000000000000000055}`, `{"id":9007199254740993,"e":1E400,"z":1.0,"dec":0.1000000000000000055}`, false},
		{"draft-07 (VAL-07, M-JS-004)", "bound", `{"n":3,"x":true}`, `{"n":3,"x":true}`, false},
		{"nothing is coerced", "bound", `{"n":"3"}`, "n", true},
		{"missing (VAL-02)", "bound", `{}`, "n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := callTool(t, srv, tt.tool, tt.args)
			if r.IsError != tt.isError || !tt.isError && r.Text() != tt.want || !strings.Contains(r.Text(), tt.want) {
				t.Errorf("got %q, isError %v", r.Text(), r.IsError)
			}
		})
	}
	t.Run("the schema is listed as it was written (VAL-07, M-JS-013)", func(t *testing.T) {
		r := ask(t, srv, request(mcp.MethodToolsList, `{}`))
		for _, want := range []string{`"definitions":`, `"http://json-schema.org/draft-07/schema#"`} {
			if !strings.Contains(string(r.Result), want) {
				t.Errorf("%s has no %s", r.Result, want)
			}
		}
	})
}

// TestOutputSchema: a result that breaks the tool's promise is never sent
// (VAL-11, M-TOOL-022), and failures are not held to it (T-45).
func TestOutputSchema(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	returning := func(r *mcp.CallToolResult) func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
		return func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return r, nil }
	}
	s := NewService("")
	RawTool(s, mcp.Tool{Name: "fits", OutputSchema: schema}, returning(&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":1}`)}))
	RawTool(s, mcp.Tool{Name: "failed"}, returning(&mcp.CallToolResult{IsError: true, Content: []mcp.Content{mcp.Text("quota")}}), OutputSchema(schema))
	RawTool(s, mcp.Tool{Name: "misfit", OutputSchema: schema}, returning(&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":"1"}`)}))
	RawTool(s, mcp.Tool{Name: "absent", OutputSchema: schema}, returning(&mcp.CallToolResult{}))
	RawTool(s, mcp.Tool{Name: "broken", OutputSchema: schema}, returning(&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":1`)}))
	Tool(s, "typed", func(context.Context, nothing) (struct {
		N int `json:"n" mcp:"max=5"`
	}, error) {
		return struct {
			N int `json:"n" mcp:"max=5"`
		}{9}, nil
	})
	Tool(s, "declared", anything(map[string]string{"n": "x"}), OutputSchema(schema))
	Tool(s, "declared_fits", anything(map[string]int{"n": 2}), OutputSchema(schema))
	srv := serverOf(t, s)
	for _, name := range []string{"fits", "failed", "declared_fits"} {
		callTool(t, srv, name, "")
	}
	for _, name := range []string{"misfit", "absent", "broken", "typed", "declared"} {
		wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"`+name+`"}`), mcp.CodeInternal, "the tool's result does not fit its output schema")
	}
}

// TestToolDescription: what options and raw descriptions say is listed.
func TestToolDescription(t *testing.T) {
	s := NewService("")
	Tool(s, "none", says(""))
	Tool(s, "all", add, Doc("adds"), Title("Add"), ReadOnly(), Additive(), Idempotent(), ClosedWorld(),
		Icons(mcp.Icon{Src: "https://x/i.png"}), Meta("com.example/k", map[string]int{"a": 1}))
	RawTool(s, mcp.Tool{Name: "raw", Title: "old", Description: "old", Annotations: &mcp.ToolAnnotations{Title: "t", ReadOnlyHint: new(true)},
		Meta: mcp.Meta{"com.example/a": json.RawMessage(`1`)}, Extra: mcp.Extra(`{"x-new":[1]}`)}, rawNothing,
		Title("new"), Destructive(), OpenWorld(), Meta("com.example/b", 2))
	r := ask(t, serverOf(t, s), request(mcp.MethodToolsList, `{}`))
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(r.Result, &list); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"name":"all","title":"Add","description":"adds","inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"first number"},"b":{"type":"number","description":"second number"}},"required":["a","b"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"sum":{"type":"number","description":"a + b"}},"required":["sum"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"icons":[{"src":"https://x/i.png"}],"_meta":{"com.example/k":{"a":1}}}`,
		`{"name":"none","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`, // VAL-06, M-TOOL-007
		`{"name":"raw","title":"new","description":"old","inputSchema":{"type":"object"},"annotations":{"title":"t","readOnlyHint":true,"destructiveHint":true,"openWorldHint":true},"_meta":{"com.example/a":1,"com.example/b":2},"x-new":[1]}`,
	}
	var got []string
	for _, tool := range list.Tools {
		got = append(got, string(tool))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestHandlerErrors: docs/errors.md, row by row, for tools.
func TestToolErrors(t *testing.T) {
	s := NewService("")
	fails := func(name string, err error) {
		Tool(s, name, func(context.Context, nothing) (string, error) { return "ignored", err })
	}
	fails("ordinary", errors.New("disk full"))
	fails("refused", Refuse("no %s today", "fish"))
	fails("content", &mcp.ToolError{Text: "x", Content: []mcp.Content{mcp.Text("a"), mcp.Text("b")}})
	fails("wrapped", wrap(&mcp.ToolError{Text: "inner"}))
	srv := serverOf(t, s)
	for name, want := range map[string]string{"ordinary": "disk full", "refused": "no fish today", "content": "a\nb", "wrapped": "inner"} {
		if r := callTool(t, srv, name, ""); !r.IsError || r.Text() != want {
			t.Errorf("%s: got %q, isError %v, want %q", name, r.Text(), r.IsError, want)
		}
	}
}
