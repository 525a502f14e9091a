package wire

import (
	"encoding/json"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func newOf(pointer any) any { return reflect.New(reflect.TypeOf(pointer).Elem()).Interface() }

func TestFor(t *testing.T) {
	for _, p := range mcp.Profiles() {
		if got := For(p).Profile(); got != p {
			t.Errorf("For(%v) speaks %v", p, got)
		}
		if For(p) != For(p) {
			t.Errorf("For(%v) is not shared", p)
		}
	}
	for _, p := range []mcp.Profile{mcp.Auto, 99} {
		if got := For(p).Profile(); got != mcp.Newest {
			t.Errorf("For(%v) speaks %v, want the newest", p, got)
		}
	}
}

// TestServes is tables 21.1 and 21.2 of the difference matrix, from the client:
// x where it may send the message in 24, 03, 06, 11, 26.
func TestServes(t *testing.T) {
	for method, want := range map[string]string{
		"initialize":                               "xxxx-",
		"server/discover":                          "----x",
		"ping":                                     "xxxx-",
		"tools/list":                               "xxxxx",
		"tools/call":                               "xxxxx",
		"prompts/list":                             "xxxxx",
		"prompts/get":                              "xxxxx",
		"resources/list":                           "xxxxx",
		"resources/templates/list":                 "xxxxx",
		"resources/read":                           "xxxxx",
		"resources/subscribe":                      "xxxx-",
		"resources/unsubscribe":                    "xxxx-",
		"subscriptions/listen":                     "----x",
		"completion/complete":                      "xxxxx",
		"logging/setLevel":                         "xxxx-",
		"sampling/createMessage":                   "-----",
		"roots/list":                               "-----",
		"elicitation/create":                       "-----",
		"tasks/get":                                "---x-",
		"tasks/cancel":                             "---x-",
		"tasks/result":                             "---x-",
		"tasks/list":                               "---x-",
		"tasks/update":                             "-----",
		"notifications/initialized":                "xxxx-",
		"notifications/cancelled":                  "xxxxx",
		"notifications/progress":                   "xxxx-",
		"notifications/message":                    "-----",
		"notifications/tools/list_changed":         "-----",
		"notifications/resources/updated":          "-----",
		"notifications/roots/list_changed":         "xxxx-",
		"notifications/elicitation/complete":       "-----",
		"notifications/tasks/status":               "---x-",
		"notifications/subscriptions/acknowledged": "-----",
		"com.example/own":                          "-----",
		"":                                         "-----",
		"Tools/List":                               "-----",
	} {
		var row []byte
		for _, p := range []mcp.Profile{mcp.Legacy20241105, mcp.Legacy20250326, mcp.Legacy20250618, mcp.Legacy20251125, mcp.Modern20260728} {
			if For(p).Serves(method) {
				row = append(row, 'x')
			} else {
				row = append(row, '-')
			}
		}
		if got := string(row); got != want {
			t.Errorf("%q is served in %s, want %s", method, got, want)
		}
	}
}

// TestCapabilities is table 21.3: what each revision can declare.
func TestCapabilities(t *testing.T) {
	full := func() mcp.ServerCapabilities {
		return mcp.ServerCapabilities{
			Tools: &mcp.ListCapability{ListChanged: true}, Resources: &mcp.ResourcesCapability{Subscribe: true}, Prompts: &mcp.ListCapability{},
			Completions: &mcp.Settings{}, Logging: &mcp.Settings{}, Tasks: json.RawMessage(`{}`),
			Extensions:   map[string]json.RawMessage{"com.example/x": json.RawMessage(`{}`), tasksExtension: json.RawMessage(`{}`)},
			Experimental: map[string]json.RawMessage{"a/b": json.RawMessage(`{}`)},
		}
	}
	for p, drop := range map[mcp.Profile]func(*mcp.ServerCapabilities){
		mcp.Modern20260728: func(c *mcp.ServerCapabilities) { c.Tasks = nil },
		mcp.Legacy20251125: func(c *mcp.ServerCapabilities) { delete(c.Extensions, tasksExtension) },
		mcp.Legacy20250618: func(c *mcp.ServerCapabilities) { c.Tasks, c.Extensions = nil, nil },
		mcp.Legacy20250326: func(c *mcp.ServerCapabilities) { c.Tasks, c.Extensions = nil, nil },
		mcp.Legacy20241105: func(c *mcp.ServerCapabilities) { c.Tasks, c.Extensions, c.Completions = nil, nil, nil },
	} {
		in, want := full(), full()
		drop(&want)
		if diff := cmp.Diff(want, For(p).Capabilities(in)); diff != "" {
			t.Errorf("%v: -want +got:\n%s", p, diff)
		}
		if diff := cmp.Diff(full(), in); diff != "" {
			t.Errorf("%v changes its argument:\n%s", p, diff)
		}
	}
	only := mcp.ServerCapabilities{Extensions: map[string]json.RawMessage{tasksExtension: nil}}
	if got := For(mcp.Legacy20251125).Capabilities(only); got.Extensions != nil {
		t.Errorf("an empty map of extensions is left: %v", got.Extensions)
	}
}

func TestClientCapabilities(t *testing.T) {
	settings := &mcp.Settings{}
	full := mcp.ClientCapabilities{
		Roots: &mcp.RootsCapability{ListChanged: true}, Sampling: &mcp.SamplingCapability{Context: settings, Tools: settings},
		Elicitation: &mcp.ElicitationCapability{Form: settings, URL: settings}, Tasks: json.RawMessage(`{}`),
	}
	for p, want := range map[mcp.Profile]mcp.ClientCapabilities{
		mcp.Modern20260728: {Roots: &mcp.RootsCapability{}, Sampling: full.Sampling, Elicitation: full.Elicitation},
		mcp.Legacy20251125: full,
		mcp.Legacy20250618: {Roots: full.Roots, Sampling: &mcp.SamplingCapability{}, Elicitation: &mcp.ElicitationCapability{}},
		mcp.Legacy20250326: {Roots: full.Roots, Sampling: &mcp.SamplingCapability{}},
		mcp.Legacy20241105: {Roots: full.Roots, Sampling: &mcp.SamplingCapability{}},
	} {
		if diff := cmp.Diff(want, For(p).ClientCapabilities(full)); diff != "" {
			t.Errorf("%v: -want +got:\n%s", p, diff)
		}
	}
	url := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: settings}}
	if got := For(mcp.Legacy20250618).ClientCapabilities(url); got.Elicitation != nil {
		t.Error("a client that opens URLs only is said to show forms")
	}
	if !full.Roots.ListChanged || full.Sampling.Tools == nil {
		t.Error("the argument was changed")
	}
}

// TestErasAreShared: one era serves many goroutines, and no conversion changes
// the value it converts.
func TestErasAreShared(t *testing.T) {
	result := &mcp.CallToolResult{
		Content: append(make([]mcp.Content, 0, 8), mcp.Text("a"), mcp.Audio([]byte{1}, "audio/wav"),
			&mcp.ResourceLink{Resource: mcp.Resource{URI: "a://b", Name: "n", Icons: []mcp.Icon{{Src: "data:,"}}}}),
		StructuredContent: json.RawMessage(`[1]`),
	}
	tool := mcp.Tool{Name: "t", Title: "T", InputSchema: json.RawMessage(`{"type":"object","properties":{"p":true}}`), Annotations: &mcp.ToolAnnotations{}}
	before := string(marshal(t, result)) + string(marshal(t, tool))
	var wg sync.WaitGroup
	for _, p := range mcp.Profiles() {
		want, err := For(p).AppendResult(nil, result, goldenStamp)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			wg.Go(func() {
				for range 50 {
					got, err := For(p).AppendResult(nil, result, goldenStamp)
					if err != nil || string(got) != string(want) {
						t.Errorf("%v: %s (%v), want %s", p, got, err, want)
						return
					}
					if _, err := For(p).AppendEntry(nil, tool); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if after := string(marshal(t, result)) + string(marshal(t, tool)); after != before {
		t.Errorf("the values were changed:\n%s\n%s", before, after)
	}
}
