package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCapabilityPresence: an object declares, whatever is in it; null, false and
// every other type do not (CAP-14).
func TestCapabilityPresence(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     mcp.ServerCapabilities
	}{
		{"none", `{}`, mcp.ServerCapabilities{}},
		{"an empty object", `{"tools":{},"logging":{}}`, mcp.ServerCapabilities{Tools: &mcp.ListCapability{}, Logging: &mcp.Settings{}}},
		{"null", `{"tools":null,"prompts":{}}`, mcp.ServerCapabilities{Prompts: &mcp.ListCapability{}}},
		{"false", `{"tools":false,"resources":false}`, mcp.ServerCapabilities{}},
		{"true is no object", `{"tools":true,"completions":1,"tasks":[],"extensions":"x"}`, mcp.ServerCapabilities{}},
		{"flags", `{"resources":{"subscribe":true,"listChanged":false}}`, mcp.ServerCapabilities{Resources: &mcp.ResourcesCapability{Subscribe: true}}},
		{"flags that are null", `{"tools":{"listChanged":null}}`, mcp.ServerCapabilities{Tools: &mcp.ListCapability{}}},
		{"JSON-07: unknown ones", `{"tools":{"listChanged":true,"future":1},"brandNew":{}}`, mcp.ServerCapabilities{
			Tools: &mcp.ListCapability{ListChanged: true, Extra: mcp.Extra(`{"future":1}`)},
			Extra: mcp.Extra(`{"brandNew":{}}`),
		}},
		{"unknown ones beside a null", `{"tools":null,"brandNew":null}`, mcp.ServerCapabilities{Extra: mcp.Extra(`{"brandNew":null}`)}},
		{"extensions", `{"extensions":{"com.example/x":{"n":9007199254740993}}}`, mcp.ServerCapabilities{
			Extensions: map[string]json.RawMessage{"com.example/x": json.RawMessage(`{"n":9007199254740993}`)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got mcp.ServerCapabilities
			if err := json.Unmarshal([]byte(c.in), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestClientCapabilityPresence(t *testing.T) {
	var got mcp.ClientCapabilities
	in := `{"roots":{"listChanged":true},"sampling":null,"elicitation":{"url":{}},"tasks":false,"experimental":{"a/b":{}}}`
	if err := json.Unmarshal([]byte(in), &got); err != nil {
		t.Fatal(err)
	}
	want := mcp.ClientCapabilities{
		Roots:        &mcp.RootsCapability{ListChanged: true},
		Elicitation:  &mcp.ElicitationCapability{URL: &mcp.Settings{}},
		Experimental: map[string]json.RawMessage{"a/b": json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFailedReadChangesNothing: a value that cannot be read leaves the old one.
func TestFailedReadChangesNothing(t *testing.T) {
	got := mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}}
	for _, bad := range []string{`[]`, `7`, `{"roots":{"listChanged":"yes"}}`, `{"roots":{},"roots":{}}`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s is accepted", bad)
		}
		if got.Roots == nil || got.Roots.ListChanged {
			t.Errorf("%s leaves %+v", bad, got)
		}
	}
}

// TestElicitationModes: no mode means forms (M-ELI-003, CAP-11).
func TestElicitationModes(t *testing.T) {
	for _, c := range []struct {
		in        string
		form, url bool
	}{
		{`{}`, false, false},
		{`{"elicitation":null}`, false, false},
		{`{"elicitation":{}}`, true, false},
		{`{"elicitation":{"form":{}}}`, true, false},
		{`{"elicitation":{"url":{}}}`, false, true},
		{`{"elicitation":{"form":{},"url":{}}}`, true, true},
	} {
		var got mcp.ClientCapabilities
		if err := json.Unmarshal([]byte(c.in), &got); err != nil {
			t.Fatal(err)
		}
		if got.Elicitation.CanForm() != c.form || got.Elicitation.CanURL() != c.url {
			t.Errorf("%s: form %v, url %v", c.in, got.Elicitation.CanForm(), got.Elicitation.CanURL())
		}
	}
}
