package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// watched collects the changes of a server.
func watched(srv *Server) *[]change {
	var got []change
	watch := func(c change) { got = append(got, c) }
	srv.watch.Store(&watch)
	return &got
}

// TestAddRemove: a running server offers what it has at the moment, and says
// which lists changed.
func TestAddRemove(t *testing.T) {
	srv := serverOf(t, numbered("a", 0, 1))
	got := watched(srv)
	both := NewService("b")
	Tool(both, "t", says("b"))
	Prompt(both, "p", says("b"))
	Resource(both, "x://b", says("b"))
	wantError(t, srv, request(mcp.MethodPromptsList, `{}`), mcp.CodeMethodNotFound)
	if err := srv.Add(both); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]change{{list: listTools}, {list: listResources}, {list: listPrompts}}, *got, cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if names, _ := page(t, srv, nil, ""); !slices.Equal(names, []string{"a_t00", "b_t"}) {
		t.Errorf("tools: %v", names)
	}
	if r := ask(t, srv, request(mcp.MethodPromptsList, `{}`)); r.Error != nil {
		t.Errorf("prompts: %+v", r.Error)
	}
	*got = nil
	if err := srv.Remove("b"); err != nil {
		t.Fatal(err)
	}
	if len(*got) != 3 {
		t.Errorf("changes: %v", *got)
	}
	wantError(t, srv, request(mcp.MethodPromptsList, `{}`), mcp.CodeMethodNotFound)
	wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"b_t"}`), mcp.CodeInvalidParams)
	if err := srv.Add(both); err != nil {
		t.Errorf("add again: %v", err)
	}
	*got = nil
	srv.Updated("x://b")
	if diff := cmp.Diff([]change{{list: listResources, uri: "x://b"}}, *got, cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("update (-want +got):\n%s", diff)
	}
}

// TestAddFaults: a service that cannot be added changes nothing.
func TestAddFaults(t *testing.T) {
	srv := serverOf(t, numbered("a", 0, 1))
	got := watched(srv)
	before := srv.catalog.Load()
	broken := NewService("b")
	Tool[nothing, string](broken, "t", nil)
	unnamed := NewService("")
	Tool(unnamed, "a_t00", says(""))
	for name, tt := range map[string]struct {
		service *Service
		want    string
	}{
		"nil":       {nil, "add service: it is nil"},
		"twice":     {numbered("a", 5, 6), `add service "a": there is another of that name; give one of them another name`},
		"a fault":   {broken, `add service "b": tool "t": the handler is nil`},
		"a clash":   {unnamed, `add service "": tool "a_t00": the name "a_t00" is already that of tool "t00" of service "a"; rename one of them`},
		"no change": {NewService("empty"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := srv.Add(tt.service)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if tt.want != "" && srv.catalog.Load().services[0] != before.services[0] {
				t.Error("the catalog changed")
			}
		})
	}
	if *got != nil {
		t.Errorf("changes: %v", *got)
	}
	if err := srv.Remove("nope"); !errors.Is(err, mcp.ErrNotFound) || err.Error() != `remove service "nope": not found` {
		t.Errorf("remove: %v", err)
	}
}

// TestRemoveUnnamed: services without a name go together.
func TestRemoveUnnamed(t *testing.T) {
	one, two := NewService(""), NewService("")
	Tool(one, "one", says(""))
	Tool(two, "two", says(""))
	srv := serverOf(t, one, two, numbered("a", 0, 1))
	if err := srv.Remove(""); err != nil {
		t.Fatal(err)
	}
	if names, _ := page(t, srv, nil, ""); !slices.Equal(names, []string{"a_t00"}) {
		t.Errorf("left: %v", names)
	}
}

// TestChangeWhileServing: calls, lists and completions beside changes see one
// catalog each, in every era.
func TestChangeWhileServing(t *testing.T) {
	srv := configured(t, Config{PageSize: 7}, numbered("base", 0, 10))
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("w%d", w)
				if err := srv.Add(numbered(name, 0, 5)); err != nil {
					t.Errorf("add: %v", err)
				}
				if r := callTool(t, srv, name+"_t00", ""); r.IsError {
					t.Errorf("call: %s", r.Text())
				}
				if i%10 == 0 {
					srv.Updated("x://a")
				}
				if err := srv.Remove(name); err != nil {
					t.Errorf("remove: %v", err)
				}
			}
		})
	}
	for _, p := range mcp.Profiles() {
		all.Go(func() {
			for range 50 {
				r := ask(t, srv, requestIn(p, mcp.MethodToolsList, `{}`))
				if r.Error != nil || strings.Count(string(r.Result), `"inputSchema"`) != 7 {
					t.Errorf("%v: %s", p, r.Result)
				}
				wantError(t, srv, requestIn(p, mcp.MethodToolsCall, `{"name":"never"}`), mcp.CodeInvalidParams)
			}
		})
	}
	all.Wait()
	if names, _ := page(t, srv, nil, ""); len(names) != 7 {
		t.Errorf("left: %v", names)
	}
}
