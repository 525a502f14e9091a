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

// told is a subscriber of everything, and of one resource.
type told struct{ *subscriber }

func watched(t testing.TB, srv *Server, uri string) told {
	t.Helper()
	s := &subscriber{lists: toolList | promptList | resourceList, wake: func() {}, hurried: true}
	srv.bus.join(s)
	t.Cleanup(func() { srv.bus.leave(s) })
	if uri != "" {
		if _, err := srv.bus.watch(s, uri); err != nil {
			t.Fatal(err)
		}
	}
	return told{s}
}

// changes are those since the last time.
func (s told) changes() []change {
	var all []change
	for c, ok := s.take(); ok; c, ok = s.take() {
		all = append(all, c)
	}
	return all
}

// TestAddRemove: a running server offers what it has at the moment, and says
// which lists changed.
func TestAddRemove(t *testing.T) {
	srv := serverOf(t, numbered("a", 0, 1))
	got := watched(t, srv, "x://b")
	both := NewService("b")
	Tool(both, "t", says("b"))
	Prompt(both, "p", says("b"))
	Resource(both, "x://b", says("b"))
	wantError(t, srv, request(mcp.MethodPromptsList, `{}`), mcp.CodeMethodNotFound)
	if err := srv.Add(both); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]change{{lists: toolList}, {lists: promptList}, {lists: resourceList}}, got.changes(), cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if names, _ := page(t, srv, nil, ""); !slices.Equal(names, []string{"a_t00", "b_t"}) {
		t.Errorf("tools: %v", names)
	}
	if r := ask(t, srv, request(mcp.MethodPromptsList, `{}`)); r.Error != nil {
		t.Errorf("prompts: %+v", r.Error)
	}
	if err := srv.Remove("b"); err != nil {
		t.Fatal(err)
	}
	if all := got.changes(); len(all) != 3 {
		t.Errorf("changes: %v", all)
	}
	wantError(t, srv, request(mcp.MethodPromptsList, `{}`), mcp.CodeMethodNotFound)
	wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"b_t"}`), mcp.CodeInvalidParams)
	if err := srv.Add(both); err != nil {
		t.Errorf("add again: %v", err)
	}
	got.changes()
	srv.Updated("x://b")
	srv.Updated("") // nothing changed
	if diff := cmp.Diff([]change{{uri: "x://b", of: "x://b"}}, got.changes(), cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("update (-want +got):\n%s", diff)
	}
}

// TestAddFaults: a service that cannot be added changes nothing.
func TestAddFaults(t *testing.T) {
	srv := serverOf(t, numbered("a", 0, 1))
	got := watched(t, srv, "")
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
	if all := got.changes(); all != nil {
		t.Errorf("changes: %v", all)
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
