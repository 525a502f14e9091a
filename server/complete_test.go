package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func completionServer(t *testing.T) *Server {
	t.Helper()
	many := func(n int) func(context.Context, string, map[string]string) ([]string, error) {
		return func(context.Context, string, map[string]string) ([]string, error) {
			var out []string
			for i := range n {
				out = append(out, fmt.Sprint("v", i))
			}
			return out, nil
		}
	}
	s := NewService("")
	Prompt(s, "p", func(context.Context, struct {
		Tone  string `json:"tone" mcp:"enum=warm|formal|informal"`
		Loud  bool   `json:"loud"`
		Free  string `json:"free"`
		None  string `json:"none"`
		Exact string `json:"exact"`
		Many  string `json:"many"`
		Echo  string `json:"echo"`
		Fails string `json:"fails"`
	}) (string, error) {
		return "", nil
	},
		Complete("none", many(0)), Complete("exact", many(100)), Complete("many", many(250)),
		Complete("echo", func(_ context.Context, v string, filled map[string]string) ([]string, error) {
			return []string{strconv.Itoa(len(v)), filled["tone"]}, nil
		}),
		Complete("fails", func(context.Context, string, map[string]string) ([]string, error) { return nil, errors.New("secret") }))
	Prompt(s, "bare", says(""))
	Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil }, Complete("id", many(2)))
	Resource(s, "x://fixed", says(""))
	return serverOf(t, s)
}

func completeParams(ref, argument, value, more string) string {
	return `{"ref":` + ref + `,"argument":{"name":"` + argument + `","value":"` + value + `"}` + more + `}`
}

const refP = `{"type":"ref/prompt","name":"p"}`

// TestCompletion: suggestions, best first, at most a hundred (M-COMP-002,
// M-COMP-003, VAL-18).
func TestCompletion(t *testing.T) {
	srv := completionServer(t)
	tests := []struct {
		name, params string
		values       []string // the first and last when there are many
		count        int
		total        int64
		more         bool
	}{
		{"all choices of an enum", completeParams(refP, "tone", "", ""), []string{"warm", "formal", "informal"}, 3, 3, false},
		{"what begins comes before what contains", completeParams(refP, "tone", "F", ""), []string{"formal", "informal"}, 2, 2, false},
		{"booleans", completeParams(refP, "loud", "t", ""), []string{"true"}, 1, 1, false},
		{"nothing known", completeParams(refP, "free", "x", ""), nil, 0, 0, false},
		{"nil values are an empty list (JSON-04)", completeParams(refP, "none", "", ""), nil, 0, 0, false},
		{"a hundred", completeParams(refP, "exact", "", ""), nil, 100, 100, false},
		{"more than a hundred are cut", completeParams(refP, "many", "", ""), nil, 100, 250, true},
		{"what is filled in (M-COMP-004)", completeParams(refP, "echo", "ab", `,"context":{"arguments":{"tone":"warm"}}`), []string{"2", "warm"}, 2, 2, false},
		{"no context", completeParams(refP, "echo", "", ""), []string{"0", ""}, 2, 2, false},
		{"null context", completeParams(refP, "echo", "", `,"context":null`), []string{"0", ""}, 2, 2, false},
		{"10 KB typed", completeParams(refP, "echo", strings.Repeat("a", 10<<10), ""), []string{"10240", ""}, 2, 2, false},
		{"a template", completeParams(`{"type":"ref/resource","uri":"x://{id}"}`, "id", "", ""), []string{"v0", "v1"}, 2, 2, false},
		{"a URI of its family", completeParams(`{"type":"ref/resource","uri":"x://some"}`, "id", "", ""), []string{"v0", "v1"}, 2, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range mcp.Profiles() {
				var got mcp.CompleteResult
				if r := ask(t, srv, requestIn(p, mcp.MethodComplete, tt.params)); r.Error != nil {
					if p == mcp.Legacy20241105 && r.Error.Code == int(mcp.CodeMethodNotFound) {
						continue
					}
					t.Fatalf("%v: %+v", p, r.Error)
				} else if err := got.UnmarshalJSON(r.Result); err != nil {
					t.Fatal(err)
				}
				c := got.Completion
				if c.Values == nil || len(c.Values) != tt.count || c.Total == nil || *c.Total != tt.total || c.HasMore != tt.more {
					t.Errorf("%v: %d values, total %v, more %v", p, len(c.Values), c.Total, c.HasMore)
				}
				if tt.values != nil {
					if diff := cmp.Diff(tt.values, c.Values); diff != "" {
						t.Errorf("%v: values (-want +got):\n%s", p, diff)
					}
				}
			}
		})
	}
}

// TestCompletionFaults: what cannot be completed (M-COMP-005, VAL-18).
func TestCompletionFaults(t *testing.T) {
	srv := completionServer(t)
	bad := map[string][]string{
		completeParams(`{"type":"ref/prompt","name":"nope"}`, "a", "", ""):       {`unknown prompt "nope"`},
		completeParams(refP, "nope", "", ""):                                     {`prompt "p" has no argument "nope"`},
		completeParams(`{"type":"ref/prompt","name":"bare"}`, "a", "", ""):       {`prompt "bare" has no argument "a"`},
		completeParams(`{"type":"ref/resource","uri":"x://fixed"}`, "a", "", ""): {`resource "x://fixed" has no argument "a"`},
		completeParams(`{"type":"ref/resource","uri":"y://none"}`, "a", "", ""):  {`unknown resource "y://none"`},
		completeParams(`{"type":"ref/tool","name":"p"}`, "a", "", ""):            {"ref.type"},
		completeParams(`{"type":"ref/prompt"}`, "a", "", ""):                     {"ref.name"},
		completeParams(`{"type":"ref/resource"}`, "a", "", ""):                   {"ref.uri"},
		`{"ref":` + refP + `}`:                                               {"argument"},
		`{"argument":{"name":"tone","value":""}}`:                            {"ref"},
		`{"ref":` + refP + `,"argument":{"name":"tone","value":7}}`:          {"argument.value"},
		completeParams(refP, "tone", "", `,"context":{"arguments":{"a":1}}`): {"context.arguments"},
		`[]`: {"params"},
	}
	for params, says := range bad {
		wantError(t, srv, request(mcp.MethodComplete, params), mcp.CodeInvalidParams, says...)
	}
	r := wantError(t, srv, request(mcp.MethodComplete, completeParams(refP, "fails", "", "")), mcp.CodeInternal)
	if strings.Contains(r.Error.Message, "secret") {
		t.Errorf("message %q", r.Error.Message)
	}
}
