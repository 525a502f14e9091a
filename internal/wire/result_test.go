package wire

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// TestResultRaw: a raw result is given as it came, once its type is known.
func TestResultRaw(t *testing.T) {
	const in = `{ "resultType" : "complete", "n":1.50, "ttlMs":-1 }`
	for _, p := range mcp.Profiles() {
		src := []byte(in)
		var raw json.RawMessage
		if _, err := For(p).Result("com.example/x", src, &raw); err != nil || string(raw) != in {
			t.Errorf("%v: %s (%v)", p, raw, err)
		}
		src[0] = 'x'
		if raw[0] == 'x' {
			t.Errorf("%v: the result shares memory with the message", p)
		}
	}
	var raw json.RawMessage
	for _, bad := range []string{`{"resultType":"odd"}`, `{"resultType":"input_required","requestState":"s"}`, `[]`, `null`, `7`} {
		if _, err := For(mcp.Newest).Result("com.example/x", []byte(bad), &raw); !errors.Is(err, mcp.ErrInvalidResponse) || raw != nil {
			t.Errorf("%s gives %s, %v", bad, raw, err)
		}
	}
	in2 := `{"resultType":"input_required","requestState":"s"}`
	input, err := For(mcp.Newest).Result(mcp.MethodToolsCall, []byte(in2), &raw)
	if err != nil || input == nil || *input.RequestState != "s" || raw != nil {
		t.Errorf("%s gives %v, %s, %v", in2, input, raw, err)
	}
}

// TestResultOfVendor: a vendor's result decodes into any type.
func TestResultOfVendor(t *testing.T) {
	var got struct {
		N int `json:"n"`
	}
	for _, p := range mcp.Profiles() {
		if _, err := For(p).Result("com.example/x", []byte(`{"n":7,"other":1}`), &got); err != nil || got.N != 7 {
			t.Errorf("%v: %+v (%v)", p, got, err)
		}
	}
}

// TestQuickReadAgrees: the short way gives what the library gives, or nothing.
func TestQuickReadAgrees(t *testing.T) {
	for _, c := range []struct {
		in    string
		quick bool
	}{
		{`{"resultType":"complete","_meta":{"a/b":{"c":1.50}},"content":[{"type":"text","text":"a\n"},{"text":"","type":"text"}],"structuredContent":[1, 2],"isError":true}`, true},
		{`{}`, true},
		{`{"content":[]}`, true},
		{` { "content" : [ ] } `, true},
		{`{"structuredContent":null,"isError":false}`, true},
		{`{"content":[{"type":"text"}]}`, true},
		{`{"content":null}`, false},
		{`{"_meta":null}`, false},
		{`{"isError":null}`, false},
		{`{"x":1}`, false},
		{`{"content":[{"type":"text","text":"a","x":1}]}`, false},
		{`{"content":[{"type":"image","data":"","mimeType":""}]}`, false},
		{`{"content":[{"text":"a"}]}`, false},
		{`{"content":[{"type":"text","text":1}]}`, false},
		{`{"content":["a"]}`, false},
		{`{"content":{}}`, false},
		{`{"resultType":7}`, false},
	} {
		kept := mcp.CallToolResult{IsError: true}
		if got := quickCallTool([]byte(c.in), &kept); got != c.quick {
			t.Errorf("%s: quick is %v", c.in, got)
			continue
		}
		if !c.quick {
			if diff := cmp.Diff(mcp.CallToolResult{IsError: true}, kept); diff != "" {
				t.Errorf("%s: the result was changed:\n%s", c.in, diff)
			}
			continue
		}
		var want mcp.CallToolResult
		unmarshal(t, []byte(c.in), &want)
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Errorf("%s: -library +quick:\n%s", c.in, diff)
		}
	}
}

func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"resultType":"complete","content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}}`,
		`{"content":[{"type":"resource","resource":{"uri":"a","text":"","annotations":{}}},{"type":"audio","data":"","mimeType":""}],"x":1}`,
		`{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":""}`,
		`{"tools":[{"name":"a","title":"t","inputSchema":{"type":"object","properties":{"p":true}}}],"ttlMs":1e3,"cacheScope":"x","nextCursor":""}`,
		`{"resources":null}`, `{"contents":[{"uri":"a","blob":"AA=="}]}`, `{"messages":[{"role":"user","content":{"type":"hologram"}}]}`,
		`{"supportedVersions":[],"capabilities":{"tools":false},"serverInfo":{}}`, `{"completion":{"values":[]}}`,
		`{"protocolVersion":"x","capabilities":{},"serverInfo":{"name":"","version":""}}`, `{"prompts":[{"name":"p","arguments":[{"name":"a"}]}]}`,
		`{"resultType":null}`, `[]`, `{"_meta":{"io.modelcontextprotocol/serverInfo":null}}`, `{"action":"accept","content":{"a":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if jsonx.Check(raw, 0) != nil {
			return
		}
		for method, k := range kinds {
			for _, p := range mcp.Profiles() {
				fuzzResult(t, p, method, k, raw)
			}
		}
	})
}

// fuzzResult: a result is invalid, or it can be written in every revision that
// has it, as sound JSON, and is read again as what it was.
func fuzzResult(t *testing.T, p mcp.Profile, method string, k kind, raw []byte) {
	t.Helper()
	into := k.result()
	input, err := For(p).Result(method, raw, into)
	if err != nil {
		if !errors.Is(err, mcp.ErrInvalidResponse) {
			t.Fatalf("%v %s: the error of %s is %v", p, method, raw, err)
		}
		return
	}
	value := into
	if input != nil {
		value = input
	}
	for _, q := range mcp.Profiles() {
		out, err := For(q).AppendResult(nil, value, goldenStamp)
		if err != nil {
			continue
		}
		if err := jsonx.Check(out, 0); err != nil {
			t.Fatalf("%v %s: %s is written as %s: %v", q, method, raw, out, err)
		}
		if q != mcp.Newest || answered[method] {
			continue
		}
		again := k.result()
		if _, err := For(q).Result(method, out, again); err != nil {
			t.Fatalf("%v %s: %s is written as %s and not read: %v", q, method, raw, out, err)
		}
	}
}
