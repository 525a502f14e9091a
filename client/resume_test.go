package client

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestManual: a manual request hands the questions to its caller, who goes on
// with the answers (M-MRTR-027 to M-MRTR-034, MRT-03, MRT-10).
func TestManual(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"tools/call": {
		result(asks(`"\u0041"`, form_(`"a"`)+","+roots(`"r"`)+`,"v":{"method":"vendor/ask"}`)),
		result(asks(`"2"`, page(`"p"`)+","+model(`"m"`))),
		result(okResult),
	}}))
	c := connected(t, HTTP(s.URL), config())
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &mcp.Settings{}}, Roots: &mcp.RootsCapability{ListChanged: true}}
	args := map[string]int{"n": 1}
	stopped := func(opts ...CallOption) *InputRequiredError {
		t.Helper()
		_, err := c.Call(t.Context(), "x", args, opts...)
		var required *InputRequiredError
		if !errors.As(err, &required) || required.Err != nil || errors.Is(err, mcp.ErrCannotAsk) {
			t.Fatalf("error is %v", err)
		}
		return required
	}
	first := stopped(Manual(can))
	if len(first.Result.InputRequests) != 3 || *first.Result.RequestState != "A" || !strings.Contains(first.Error(), `"a" (elicitation/create), "r" (roots/list), "v" (vendor/ask)`) {
		t.Errorf("stopped with %v", first)
	}
	if got := s.got("tools/call", 0).param(t, "_meta", mcp.MetaClientCapabilities); got != `{"roots":{},"elicitation":{"form":{}}}` {
		t.Errorf("declared %s", got)
	}
	second := stopped(Manual(can), Resume(first.Result, Answers{
		"a": &mcp.ElicitResult{Action: mcp.ActionAccept},
		"r": &mcp.ListRootsResult{},
		"v": json.RawMessage(`{"big":12345678901234567890}`),
	}))
	if got := s.got("tools/call", 1); got.param(t, "inputResponses") != `{"a":{"action":"accept","content":{"ok":true}},"r":{"roots":[]},"v":{"big":12345678901234567890}}` ||
		got.param(t, "requestState") != `"A"` || got.param(t, "arguments") != `{"n":1}` {
		t.Errorf("sent %s", got.Body)
	}
	r, err := c.Call(t.Context(), "x", args, Resume(second.Result, Answers{
		"p": &mcp.ElicitResult{Action: mcp.ActionDecline},
		"m": &mcp.CreateMessageResult{Model: "m", Content: mcp.Blocks{mcp.Text("t")}},
	}))
	if err != nil || r.Text() != "ok" {
		t.Errorf("result %v, error %v", r, err)
	}
	if got := s.got("tools/call", 2); got.param(t, "inputResponses") != `{"m":{"role":"assistant","content":{"type":"text","text":"t"},"model":"m"},"p":{"action":"decline"}}` || got.param(t, "requestState") != `"2"` {
		t.Errorf("sent %s", got.Body)
	}
}

// TestManualThenHandlers: what is resumed without Manual goes on by itself, and
// a manual request declares what there are handlers for unless it says more.
func TestManualThenHandlers(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"tools/call": {result(asks(`"1"`, form_(`"a"`))), result(asks("", form_(`"b"`))), result(okResult)}}))
	c := connected(t, HTTP(s.URL), answering(nil))
	_, err := c.Call(t.Context(), "x", nil, Manual(mcp.ClientCapabilities{}))
	var required *InputRequiredError
	if !errors.As(err, &required) {
		t.Fatal(err)
	}
	if got := s.got("tools/call", 0).param(t, "_meta", mcp.MetaClientCapabilities); !strings.Contains(got, `"elicitation"`) {
		t.Errorf("declared %s", got)
	}
	if _, err := c.Call(t.Context(), "x", nil, Resume(required.Result, Answers{"a": &mcp.ElicitResult{Action: mcp.ActionCancel}})); err != nil {
		t.Fatal(err)
	}
	if got := roundsOf(t, s, "tools/call", 3)[2]; got != (round{Answers: `{"b":{"action":"accept","content":{"ok":true}}}`}) {
		t.Errorf("last round %+v", got)
	}
}

// TestRequestResumed: a request that is made of raw parameters is one in rounds
// as well, and its own members of that kind do not come back.
func TestRequestResumed(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"tools/call": {result(asks("", form_(`"a"`))), result(okResult)}}))
	c := connected(t, HTTP(s.URL), answering(nil))
	raw, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"x","arguments":{},"inputResponses":{"z":{}},"requestState":"mine"}`))
	if err != nil || !strings.Contains(string(raw), `"ok"`) {
		t.Errorf("result %s, error %v", raw, err)
	}
	got := roundsOf(t, s, "tools/call", 2)
	if got[0] != (round{`{"z":{}}`, `"mine"`}) || got[1] != (round{Answers: `{"a":{"action":"accept","content":{"ok":true}}}`}) {
		t.Errorf("rounds %+v", got)
	}
}

// TestResumeFaults: answers that do not fit their questions are not sent
// (M-MRTR-027, MRT-07).
func TestResumeFaults(t *testing.T) {
	state := "s"
	confirm := mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`{` + strings.TrimPrefix(confirmForm, `"params":{`))}
	question := func(q mcp.InputRequest) *mcp.InputRequiredResult {
		return &mcp.InputRequiredResult{InputRequests: map[string]mcp.InputRequest{"k": q}, RequestState: &state}
	}
	accept := &mcp.ElicitResult{Action: mcp.ActionAccept}
	for _, tc := range []struct {
		name    string
		asks    *mcp.InputRequiredResult
		answers Answers
		text    string
	}{
		{"nothing to resume", nil, nil, "nothing to resume"},
		{"no answer", question(confirm), nil, `question "k" has no answer`},
		{"an answer to nothing", question(confirm), Answers{"k": accept, "l": accept}, `no question "l"; there are ["k"]`},
		{"a form answered with roots", question(confirm), Answers{"k": &mcp.ListRootsResult{}}, "an *mcp.ElicitResult is needed"},
		{"a form answered with nil", question(confirm), Answers{"k": nil}, "an *mcp.ElicitResult is needed"},
		{"content that does not fit", question(confirm), Answers{"k": &mcp.ElicitResult{Action: "accept", Content: json.RawMessage(`{"ok":"yes"}`)}}, "does not fit the form"},
		{"raw content that is no object", question(confirm), Answers{"k": json.RawMessage(`[]`)}, "no object"},
		{"raw content that is no JSON", question(confirm), Answers{"k": json.RawMessage(`{`)}, "no object"},
		{"a form that cannot be read", question(mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`{"message":1}`)}), Answers{"k": accept}, "cannot be read"},
		{"a form without a schema", question(mcp.InputRequest{Method: mcp.MethodElicit}), Answers{"k": accept}, "cannot be answered"},
		{"sampling answered with a form", question(mcp.InputRequest{Method: mcp.MethodCreateMessage}), Answers{"k": accept}, "an *mcp.CreateMessageResult is needed"},
		{"sampling without a model", question(mcp.InputRequest{Method: mcp.MethodCreateMessage}), Answers{"k": &mcp.CreateMessageResult{}}, "no Model"},
		{"roots answered with a form", question(mcp.InputRequest{Method: mcp.MethodRootsList}), Answers{"k": accept}, "an *mcp.ListRootsResult is needed"},
		{"a root that is no file", question(mcp.InputRequest{Method: mcp.MethodRootsList}), Answers{"k": &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "home"}}}}, `"home"`},
		{"an unknown question", question(mcp.InputRequest{Method: "vendor/ask"}), Answers{"k": accept}, "json.RawMessage"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(nil))
			_, err := connected(t, HTTP(s.URL), config()).Call(t.Context(), "x", nil, Resume(tc.asks, tc.answers))
			if err == nil || !strings.Contains(err.Error(), "client.Resume: ") || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error is %v, want %q in it", err, tc.text)
			}
			if sent := s.sent(); len(sent) != 1 {
				t.Errorf("sent %q", sent)
			}
		})
	}
	t.Run("a request that cannot be resumed", func(t *testing.T) {
		s := newScript(t, modern(nil))
		_, err := connected(t, HTTP(s.URL), config()).Request(t.Context(), "completion/complete", nil, Resume(question(confirm), Answers{"k": accept}))
		if err == nil || !strings.Contains(err.Error(), "completion/complete cannot be resumed") {
			t.Errorf("error is %v (M-MRTR-003)", err)
		}
	})
	t.Run("a server of the other era", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "", map[string][]act{"tools/call": {result(okResult)}}))
		_, err := connected(t, HTTP(s.URL), config()).Call(t.Context(), "x", nil, Resume(question(confirm), Answers{"k": accept}))
		if !errors.Is(err, mcp.ErrEra) || !strings.Contains(err.Error(), "2025-11-25") {
			t.Errorf("error is %v (UP-01)", err)
		}
	})
	t.Run("capabilities that cannot be written", func(t *testing.T) {
		s := newScript(t, modern(nil))
		can := mcp.ClientCapabilities{Extensions: map[string]json.RawMessage{"x/y": json.RawMessage(`{`)}}
		if _, err := connected(t, HTTP(s.URL), config()).Call(t.Context(), "x", nil, Manual(can)); err == nil || !strings.Contains(err.Error(), "client.Manual") {
			t.Errorf("error is %v", err)
		}
	})
}
