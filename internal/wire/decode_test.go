package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func TestDecodeParams(t *testing.T) {
	cursor := ""
	for _, c := range []struct {
		name, params string
		want         any
	}{
		{"RPC-07: absent", ``, &mcp.ListParams{}},
		{"RPC-07: null", `null`, &mcp.ListParams{}},
		{"RPC-07: empty", `{}`, &mcp.ListParams{}},
		{"RPC-07: null cursor and _meta", `{"cursor":null,"_meta":null}`, &mcp.ListParams{}},
		{"T-06: the empty cursor", `{"cursor":""}`, &mcp.ListParams{Cursor: &cursor}},
		{"call", `{"name":"t","arguments":{"n":9007199254740993}}`, &mcp.CallToolParams{Name: "t", Arguments: json.RawMessage(`{"n":9007199254740993}`)}},
		{"VAL-01: no arguments", `{"name":"t"}`, &mcp.CallToolParams{Name: "t"}},
		{"VAL-01: null arguments are absent", `{"name":"t","arguments":null}`, &mcp.CallToolParams{Name: "t"}},
		{"JSON-07: unknown members stay", `{"name":"t","x":{"Name":1.50}}`, &mcp.CallToolParams{Name: "t", Extra: mcp.Extra(`{"x":{"Name":1.50}}`)}},
		{"T-34: an empty state is a state", `{"name":"t","requestState":""}`, &mcp.CallToolParams{Name: "t", Retry: mcp.Retry{RequestState: &cursor}}},
		{"prompt", `{"name":"p","arguments":{"a":"1"}}`, &mcp.GetPromptParams{Name: "p", Arguments: map[string]string{"a": "1"}}},
		{"null log data", `{"level":"info","data":null}`, &mcp.LogParams{Level: "info", Data: json.RawMessage(`null`)}},
		{"VAL-18: completion without value", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`,
			&mcp.CompleteParams{Ref: mcp.Reference{Type: "ref/prompt", Name: "p"}, Argument: mcp.CompleteArgument{Name: "a"}}},
		{"VAL-18: null arguments of the context", `{"ref":{"type":"ref/resource","uri":"u"},"argument":{"name":"a","value":"x"},"context":{"arguments":null}}`,
			&mcp.CompleteParams{Ref: mcp.Reference{Type: "ref/resource", URI: "u"}, Argument: mcp.CompleteArgument{Name: "a", Value: "x"}, Context: &mcp.CompleteContext{}}},
		{"a _meta of any keys", `{"uri":"u","_meta":{"A":1,"a":2}}`,
			&mcp.ReadResourceParams{URI: "u", Meta: mcp.Meta{"A": json.RawMessage("1"), "a": json.RawMessage("2")}}},
		{"arguments of any case", `{"name":"t","arguments":{"Name":1,"name":2}}`, &mcp.CallToolParams{Name: "t", Arguments: json.RawMessage(`{"Name":1,"name":2}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Scan([]byte(c.params))
			got := newOf(c.want)
			if err := DecodeParams(&p, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDecodeParamsRefuses(t *testing.T) {
	for _, c := range []struct {
		name, params, want string
		into               any
	}{
		{"RPC-07: a list", `[]`, "params is an array", new(mcp.ListParams)},
		{"RPC-07: a string", `"x"`, "params is a string", new(mcp.ListParams)},
		{"RPC-07: a number", `0`, "params is a number", new(mcp.ListParams)},
		{"no params, name required", ``, "params.name is required and is absent", new(mcp.CallToolParams)},
		{"RPC-07: null name", `{"name":null,"arguments":null}`, "params.name is required and is null", new(mcp.CallToolParams)},
		{"RPC-07: null ref", `{"ref":null,"argument":null}`, "params.ref is required and is null", new(mcp.CompleteParams)},
		{"no uri", `{}`, "params.uri is required", new(mcp.ReadResourceParams)},
		{"a name that is a number", `{"name":1}`, "params.name is a number; it is a string", new(mcp.CallToolParams)},
		{"a cursor that is a number", `{"cursor":7}`, "params.cursor is a number; it is a string", new(mcp.ListParams)},
		{"VAL-01: arguments that are a list", `{"name":"t","arguments":[]}`, "params.arguments is an array; it is an object", new(mcp.CallToolParams)},
		{"VAL-01: arguments that are text", `{"name":"t","arguments":"{}"}`, "params.arguments is a string; it is an object", new(mcp.CallToolParams)},
		{"M-PRM-006: a prompt argument that is no string", `{"name":"p","arguments":{"n":1}}`, "params.arguments.n is a number; it is a string", new(mcp.GetPromptParams)},
		{"a nested member", `{"ref":{"type":"ref/prompt","name":[]},"argument":{"name":"a","value":""}}`, "params.ref.name is an array; it is a string", new(mcp.CompleteParams)},
		{"a bad kind of reference", `{"ref":{"type":"ref/tool","name":"t"},"argument":{"name":"a","value":""}}`, `params.ref.type is "ref/tool"`, new(mcp.CompleteParams)},
		{"a reference without name", `{"ref":{"type":"ref/prompt"},"argument":{"name":"a","value":""}}`, "params.ref.name is missing", new(mcp.CompleteParams)},
		{"a reference without uri", `{"ref":{"type":"ref/resource","name":"x"},"argument":{"name":"a","value":""}}`, "params.ref.uri is missing", new(mcp.CompleteParams)},
		{"an argument without name", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"value":""}}`, "params.argument.name is missing", new(mcp.CompleteParams)},
		{"an unknown level", `{"level":"warn"}`, `params.level is "warn"`, new(mcp.SetLevelParams)},
		{"no clientInfo", `{"protocolVersion":"2025-11-25","capabilities":{}}`, "params.clientInfo is required", new(mcp.InitializeParams)},
		{"T-50: a name in another case", `{"name":"t","Arguments":{}}`, `params.Arguments is no member; names are case-sensitive, and this one is spelt "arguments"`, new(mcp.CallToolParams)},
		{"T-50: a second name", `{"name":"t","Name":"u"}`, `spelt "name"`, new(mcp.CallToolParams)},
		{"T-50: of an embedded part", `{"name":"t","requeststate":"x"}`, `spelt "requestState"`, new(mcp.CallToolParams)},
		{"T-50: deep inside", `{"ref":{"type":"ref/prompt","name":"p","NAME":"q"},"argument":{"name":"a","value":""}}`, `params.ref.NAME is no member`, new(mcp.CompleteParams)},
		{"T-50: in a list", `{"messages":[{"role":"user","Role":"x","content":{"type":"text","text":""}}],"maxTokens":1}`, `params.messages.Role is no member`, new(mcp.CreateMessageParams)},
		{"a bad block", `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},"oops"]}],"maxTokens":1}`, "params.messages.0.content.1 cannot be read", new(mcp.CreateMessageParams)},
		{"a capability of the wrong type", `{"protocolVersion":"x","capabilities":{"roots":{"listChanged":1}},"clientInfo":{"name":"c","version":"1"}}`,
			"params.capabilities.roots.listChanged is a number; it is a boolean", new(mcp.InitializeParams)},
		{"an integer that is none", `{"messages":[],"maxTokens":1.5}`, "params.maxTokens", new(mcp.CreateMessageParams)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Scan([]byte(c.params))
			checkFault(t, DecodeParams(&p, c.into), c.want)
		})
	}
}
