package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

func TestScan(t *testing.T) {
	raw := []byte(` { "name" : "n\n" , "uri":"u","arguments":{"name":"inner","a":[1,{"_meta":2}]},"cursor":null,"taskId":"t",` +
		`"inputResponses":{},"requestState":"","ref":{"type":"ref/prompt"},"notifications":{"x":true},"other":1,` +
		`"_meta":{` + keyVersion + `:"v",` + keyInfo + `:{"name":"c"},` + keyCaps + `:{},` + keyLevel + `:"info","progressToken":9007199254740993,"name":"no"} } `)
	want := Params{
		Raw: raw, Version: []byte(`"v"`), ClientInfo: []byte(`{"name":"c"}`), Capabilities: []byte(`{}`), LogLevel: []byte(`"info"`),
		ProgressToken: []byte(`9007199254740993`), Name: []byte(`"n\n"`), URI: []byte(`"u"`),
		Meta:      []byte(`{` + keyVersion + `:"v",` + keyInfo + `:{"name":"c"},` + keyCaps + `:{},` + keyLevel + `:"info","progressToken":9007199254740993,"name":"no"}`),
		Arguments: []byte(`{"name":"inner","a":[1,{"_meta":2}]}`), Cursor: []byte(`null`), TaskID: []byte(`"t"`),
		InputResponses: []byte(`{}`), RequestState: []byte(`""`), Ref: []byte(`{"type":"ref/prompt"}`), Notifications: []byte(`{"x":true}`),
	}
	if diff := cmp.Diff(want, Scan(raw)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, c := range []string{"", "null", "[]", `"name"`, "7", "{}", " {} "} {
		if diff := cmp.Diff(Params{Raw: []byte(c)}, Scan([]byte(c))); diff != "" {
			t.Errorf("%q: -want +got:\n%s", c, diff)
		}
	}
	if p := Scan(nil); p.Raw != nil {
		t.Errorf("no params have Raw %q", p.Raw)
	}
}

// TestScanTwin: a member that another reader might take for a known one is told
// (JSON-01); names that resemble none are not.
func TestScanTwin(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"a"}`: "", `{"task":1,"other":2,"names":3}`: "", `{"Other":1,"ÄRGER":2}`: "", `{"taskId":1,"inputResponses":2,"requestState":3}`: "",
		`{"Name":"a","name":"b"}`: "Name", `{"name":"b","NAME":"a"}`: "NAME", `{"_META":{}}`: "_META", `{"taskid":1}`: "taskid",
		`{"requeststate":1}`: "requeststate", `{"inputresponses":1}`: "inputresponses", `{"\u004eame":1}`: "Name", `{"tasKId":1}`: "tasKId", `{"URI":1,"Uri":2}`: "URI",
	} {
		if got := string(Scan([]byte(in)).Twin); got != want {
			t.Errorf("%s: twin %q, want %q", in, got, want)
		}
	}
}

// TestScanSlices: appending to a slice of Params does not reach the message.
func TestScanSlices(t *testing.T) {
	raw := []byte(`{"_meta":{"progressToken":1},"name":"n","cursor":"c"}`)
	p := Scan(raw)
	_ = append(p.Meta, "xxxx"...)
	_ = append(p.Name, "xxxx"...)
	_ = append(p.ProgressToken, "xxxx"...)
	if got := string(raw); got != `{"_meta":{"progressToken":1},"name":"n","cursor":"c"}` {
		t.Errorf("the message is now %s", got)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{`"a"`, "a", true}, {`""`, "", true}, {`"\u00e9\n\""`, "é\n\"", true}, {`"\ud83d\ude00"`, "😀", true},
		{``, "", false}, {`null`, "", false}, {`7`, "", false}, {`{}`, "", false}, {`["a"]`, "", false},
	} {
		if got, ok := String([]byte(c.in)); got != c.want || ok != c.ok {
			t.Errorf("String(%s) = %q, %v; want %q, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		callParams, `{}`, `null`, `[]`, `{"_meta":null}`, `{"_meta":{},"name":{"name":1}}`, `{"na\u006de":"x","\u005fmeta":{"progressToken":"\""}}`,
		`{"name":"a","_meta":`, `{"a":[{"}":"]"}],"cursor":"\\"}`, "{\"name\":\"\x80\"}", `{"_meta":{"progressToken":1e5},"uri":-0}`, "{\"name\"", `{"_meta":{"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := Scan(raw)
		_, _ = p.DeclaredVersion()
		_ = p.checkModern()
		if jsonx.Check(raw, 0) != nil {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			object = nil
		}
		var meta map[string]json.RawMessage
		if json.Unmarshal(object["_meta"], &meta) != nil {
			meta = nil
		}
		for name, got := range map[string][]byte{
			"_meta": p.Meta, "name": p.Name, "uri": p.URI, "arguments": p.Arguments, "cursor": p.Cursor, "taskId": p.TaskID,
			"inputResponses": p.InputResponses, "requestState": p.RequestState, "ref": p.Ref, "notifications": p.Notifications,
		} {
			if string(got) != string(object[name]) {
				t.Errorf("%s of %s is %s, want %s", name, raw, got, object[name])
			}
		}
		for name, got := range map[string][]byte{
			keyVersion: p.Version, keyInfo: p.ClientInfo, keyCaps: p.Capabilities, keyLevel: p.LogLevel, `"progressToken"`: p.ProgressToken,
		} {
			if want := meta[name[1:len(name)-1]]; string(got) != string(want) {
				t.Errorf("_meta[%s] of %s is %s, want %s", name, raw, got, want)
			}
		}
	})
}
