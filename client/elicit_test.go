package client

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// of is a form's schema with the given properties, and required names.
func of(properties string, required ...string) string {
	list, _ := json.Marshal(append([]string{}, required...))
	return `{"type":"object","properties":{` + properties + `},"required":` + string(list) + `}`
}

// TestFormFilled: what the user accepts is completed with the defaults of the
// form and must then fit it (ELI-04 to ELI-09, ELI-23, M-ELI-008 to M-ELI-011,
// M-ELI-015, M-ELI-041).
func TestFormFilled(t *testing.T) {
	const (
		defaults = `"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},` +
			`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}`
		several = `"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2,"default":["a"]}`
	)
	for _, tc := range []struct {
		name    string
		schema  string
		content string
		want    string
		err     string
	}{
		{"defaults of every kind", of(defaults), `{}`, `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`, ""},
		{"no content at all", of(defaults), ``, `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`, ""},
		{"null content", of(defaults), `null`, `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`, ""},
		{"values are kept", of(defaults), `{"age":1,"verified":false,"name":""}`, `{"age":1,"verified":false,"name":"","score":95.5,"status":"active"}`, ""},
		{"null is no value", of(defaults), `{"age":null,"name":"x","score":null,"status":"pending","verified":true}`, `{"name":"x","status":"pending","verified":true,"age":30,"score":95.5}`, ""},
		{"a required field with a default", of(`"a":{"type":"string","default":"x"}`, "a"), `{}`, `{"a":"x"}`, ""},
		{"a field without a default", of(`"a":{"type":"string"}`), `{}`, `{}`, ""},
		{"a list of choices", of(several), `{"tags":["a","c"]}`, `{"tags":["a","c"]}`, ""},
		{"the default of a list", of(several), `{}`, `{"tags":["a"]}`, ""},
		{"titled choices", of(`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}`), `{"a":"x"}`, `{"a":"x"}`, ""},
		{"titled choices of several", of(`"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}`), `{"a":["x"]}`, `{"a":["x"]}`, ""},
		{"choices with enumNames", of(`"a":{"type":"string","enum":["x"],"enumNames":["X"]}`), `{"a":"x"}`, `{"a":"x"}`, ""},
		{"a large integer", of(`"a":{"type":"integer"}`), `{"a":18446744073709551617}`, `{"a":18446744073709551617}`, ""},
		{"a name like a prototype's", of(`"__proto__":{"type":"string","default":"p"}`), `{}`, `{"__proto__":"p"}`, ""},
		{"a field that may be null", of(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"a":null}`, `{}`, ""},
		{"no fields", `{"type":"object","properties":{}}`, `{}`, `{}`, ""},
		{"a dialect", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"boolean"}}}`, `{"a":true}`, `{"a":true}`, ""},

		{"a required field without a value", of(`"a":{"type":"string"}`, "a"), `{}`, "", "a: required"},
		{"another type", of(defaults), `{"age":"thirty"}`, "", "age"},
		{"no integer", of(defaults), `{"age":1.5}`, "", "age"},
		{"none of the choices", of(defaults), `{"status":"Active"}`, "", "status"},
		{"none of the titled choices", of(`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}`), `{"a":"X"}`, "", "a"},
		{"none of the choices of several", of(several), `{"tags":["z"]}`, "", "tags"},
		{"too many choices", of(several), `{"tags":["a","b","c"]}`, "", "tags"},
		{"too few choices", of(several), `{"tags":[]}`, "", "tags"},
		{"too long", of(`"a":{"type":"string","maxLength":2}`), `{"a":"xyz"}`, "", "a"},
		{"beyond the maximum", of(`"a":{"type":"number","maximum":2}`), `{"a":2.01}`, "", "a"},
		{"no address", of(`"a":{"type":"string","format":"email"}`), `{"a":"nobody"}`, "", "a"},
		{"no date", of(`"a":{"type":"string","format":"date"}`), `{"a":"2026-02-30"}`, "", "a"},
		{"a field nobody asked for", of(defaults), `{"token":"secret"}`, "", `content has "token", which the form does not ask for; its fields are "name", "age"`},
		{"an object", of(`"a":{"type":"string"}`), `{"a":{}}`, "", "object"},
		{"a list of content", of(defaults), `[]`, "", "an object with a member for each field"},
		{"content that is no JSON", of(defaults), `{`, "", "no JSON"},
		{"a default that does not fit", of(`"a":{"type":"integer","default":"x"}`), `{}`, "", "a"},

		{"no schema", ``, `{}`, "", "requestedSchema is no object"},
		{"a schema that is a list", `[]`, `{}`, "", "requestedSchema is no object"},
		{"another type of schema", `{"type":"array","properties":{}}`, `{}`, "", "a form is an object"},
		{"properties that are a list", `{"type":"object","properties":[]}`, `{}`, "", "properties of requestedSchema"},
		{"a nested object", of(`"a":{"type":"object"}`), `{}`, "", `field "a" has type "object"`},
		{"a nested object without a type", of(`"a":{"properties":{}}`), `{}`, "", `field "a" is an object`},
		{"a list without choices", of(`"a":{"type":"array","items":{"type":"string"}}`), `{}`, "", `field "a" is a list without choices`},
		{"a field that is no schema", of(`"a":true`), `{}`, "", `field "a" has no schema`},
		{"a schema that cannot be compiled", of(`"a":{"type":"string","minLength":-1}`), `{}`, "", "cannot be used"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := parseForm([]byte(tc.schema))
			var got []byte
			if err == nil {
				got, err = f.filled([]byte(tc.content))
			}
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("content %s, error %v, want %q in it", got, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

// TestElicited: content goes with accepted forms alone (ELI-07, ELI-08,
// M-ELI-015, M-ELI-016).
func TestElicited(t *testing.T) {
	f, err := parseForm([]byte(of(`"a":{"type":"string","default":"d"}`)))
	if err != nil {
		t.Fatal(err)
	}
	content := json.RawMessage(`{"a":"x"}`)
	for _, tc := range []struct {
		name string
		form *form
		in   *mcp.ElicitResult
		want string
		err  string
	}{
		{"accept", f, &mcp.ElicitResult{Action: "accept", Content: content}, `{"action":"accept","content":{"a":"x"}}`, ""},
		{"accept without content", f, &mcp.ElicitResult{Action: "accept"}, `{"action":"accept","content":{"a":"d"}}`, ""},
		{"decline", f, &mcp.ElicitResult{Action: "decline", Content: content}, `{"action":"decline"}`, ""},
		{"cancel", f, &mcp.ElicitResult{Action: "cancel", Content: content}, `{"action":"cancel"}`, ""},
		{"accept of a URL", nil, &mcp.ElicitResult{Action: "accept", Content: content}, `{"action":"accept"}`, ""},
		{"members of others", f, &mcp.ElicitResult{Action: "decline", Meta: mcp.Meta{"x/y": json.RawMessage("1")}, Extra: mcp.Extra(`{"z":2}`)}, `{"action":"decline","_meta":{"x/y":1},"z":2}`, ""},
		{"no action", f, &mcp.ElicitResult{}, "", "none of accept, decline and cancel"},
		{"another action", f, &mcp.ElicitResult{Action: "Accept"}, "", `"Accept"`},
		{"nil", f, nil, "", "answer is nil"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := elicited(tc.form, tc.in)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("answer %+v, error %v, want %q in it", got, err, tc.err)
				}
				return
			}
			raw, _ := json.Marshal(got)
			if err != nil || string(raw) != tc.want {
				t.Errorf("answer %s, error %v, want %s", raw, err, tc.want)
			}
		})
	}
}

// TestOpenable: only web pages are shown to users (ELI-12, M-ELI-014).
func TestOpenable(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://example.com/a?b=c#d": true, "http://localhost:1/x": true, "HTTPS://EXAMPLE.com": true,
		"": false, "example.com": false, "//example.com": false, "https:": false, "https:///x": false,
		"javascript:alert(1)": false, "file:///etc/passwd": false, "ms-settings:x": false, "https://a b": false, "https://[::1": false,
	} {
		if err := openable(url); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestTurns: tool uses and results take turns in what a model is given (SAMP-12,
// SAMP-13, M-SAM-006 to M-SAM-008, VAL-16).
func TestTurns(t *testing.T) {
	const (
		hello = `{"role":"user","content":{"type":"text","text":"hi"}}`
		use   = `{"role":"assistant","content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"1","name":"t","input":{}},{"type":"tool_use","id":"2","name":"t","input":{}}]}`
		one   = `{"type":"tool_result","toolUseId":"1","content":[]}`
		two   = `{"type":"tool_result","toolUseId":"2","content":[]}`
	)
	user := func(blocks string) string { return `{"role":"user","content":[` + blocks + `]}` }
	for _, tc := range []struct {
		name     string
		messages []string
		err      string
	}{
		{"none", nil, ""},
		{"one", []string{hello}, ""},
		{"uses and their results", []string{hello, use, user(two + "," + one), hello}, ""},
		{"a result is missing", []string{hello, use, user(one)}, "messages[2] does not answer all tool uses"},
		{"no result", []string{hello, use, hello}, "messages[2] does not answer all"},
		{"nothing after a use", []string{hello, use}, "last message"},
		{"text beside results", []string{use, user(one + "," + two + `,{"type":"text","text":"x"}`)}, "messages[1] mixes"},
		{"a result twice", []string{use, user(one + "," + one + "," + two)}, `tool use "1"`},
		{"a result of nothing", []string{hello, user(one)}, `messages[1] has a result for the tool use "1"`},
		{"a use by the user", []string{strings.Replace(use, "assistant", "user", 1)}, "tool use by the user"},
		{"another role", []string{`{"role":"system","content":{"type":"text","text":"x"}}`}, `"system"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var messages []mcp.SamplingMessage
			if err := jsonx.Unmarshal([]byte("["+strings.Join(tc.messages, ",")+"]"), &messages); err != nil {
				t.Fatal(err)
			}
			err := turns(messages)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("error is %v, want %q in it", err, tc.err)
			}
		})
	}
}

// FuzzForm: whatever form and content, what is sent fits the form.
func FuzzForm(f *testing.F) {
	f.Add(of(`"a":{"type":"string","default":"x"},"b":{"type":"array","items":{"enum":["x"]}}`, "a"), `{"b":["x"]}`)
	f.Add(of(`"a":{"type":["string","null"]}`), `{"a":null}`)
	f.Add(`{"type":"object","properties":{"\u0061":{"default":1}}}`, `{"a":2}`)
	f.Add(`{"properties":{"":{}}}`, `{"":"x"}`)
	f.Fuzz(func(t *testing.T, schema, content string) {
		if jsonx.Check([]byte(schema), 0) != nil {
			return // only messages that were checked come this far
		}
		form, err := parseForm([]byte(schema))
		if err != nil {
			return
		}
		got, err := form.filled([]byte(content))
		if err != nil {
			return
		}
		if err := form.validator.Validate(got); err != nil {
			t.Errorf("content %s: %v", got, err)
		}
		for name := range jsonx.Members(got) {
			if !form.has(string(name)) {
				t.Errorf("content %s has %q", got, name)
			}
		}
	})
}
