package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func numbered(service string, from, to int, opts ...Option) *Service {
	s := NewService(service)
	for i := from; i < to; i++ {
		Tool(s, fmt.Sprintf("t%02d", i), says(""), opts...)
	}
	return s
}

// page asks for one page of tools and returns the names and the next cursor.
func page(t *testing.T, srv *Server, cursor *string, principal string) ([]string, *string) {
	t.Helper()
	params := `{}`
	if cursor != nil {
		params = `{"cursor":` + quoted(*cursor) + `}`
	}
	x := request(mcp.MethodToolsList, params)
	x.caller.principal = principal
	var list mcp.ListToolsResult
	result(t, srv, x, &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, list.NextCursor
}

// pages walks all pages.
func pages(t *testing.T, srv *Server, principal string) [][]string {
	t.Helper()
	var all [][]string
	var cursor *string
	for {
		names, next := page(t, srv, cursor, principal)
		all = append(all, names)
		if next == nil {
			return all
		}
		if len(all) > 100 {
			t.Fatal("the pages do not end")
		}
		cursor = next
	}
}

// TestPages: every entry once, in a stable order, and no cursor at the end
// (M-PAGE-001, M-PAGE-005, M-TOOL-005).
func TestPages(t *testing.T) {
	tests := []struct {
		name        string
		size, count int
		want        []int
	}{
		{"one page", 10, 3, []int{3}},
		{"exactly one page", 3, 3, []int{3}},
		{"several", 3, 7, []int{3, 3, 1}},
		{"one each", 1, 3, []int{1, 1, 1}},
		{"default size", 0, 99, []int{99}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := configured(t, Config{PageSize: tt.size}, numbered("", 0, tt.count))
			var sizes []int
			var names []string
			for _, p := range pages(t, srv, "") {
				sizes = append(sizes, len(p))
				names = append(names, p...)
			}
			if diff := cmp.Diff(tt.want, sizes); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			if !slices.IsSorted(names) || len(slices.Compact(names)) != tt.count {
				t.Errorf("names %v", names)
			}
		})
	}
	t.Run("empty lists are [] on every revision (JSON-04)", func(t *testing.T) {
		s := NewService("")
		Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil })
		srv := serverOf(t, s)
		for _, p := range mcp.Profiles() {
			if r := ask(t, srv, requestIn(p, mcp.MethodResourcesList, `{}`)); !strings.HasSuffix(string(r.Result), `"resources":[]}`) {
				t.Errorf("%v: %s", p, r.Result)
			}
		}
	})
	t.Run("all four lists page", func(t *testing.T) {
		s := NewService("")
		for i := range 3 {
			Tool(s, fmt.Sprint("t", i), says(""))
			Prompt(s, fmt.Sprint("p", i), says(""))
			Resource(s, fmt.Sprint("x://", i), says(""))
			Resource(s, fmt.Sprint("x://", i, "/{id}"), func(context.Context, idIn) (string, error) { return "", nil })
		}
		srv := configured(t, Config{PageSize: 2}, s)
		for _, method := range []string{mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourceTemplatesList} {
			var first struct{ NextCursor string }
			result(t, srv, request(method, `{}`), &first)
			if second := ask(t, srv, request(method, `{"cursor":"`+first.NextCursor+`"}`)); second.Error != nil || strings.Contains(string(second.Result), "nextCursor") {
				t.Errorf("%s: second page is %s %+v", method, second.Result, second.Error)
			}
		}
	})
}

// TestCursorsSurviveChange: a cursor names a place, not a number: what is added
// or removed meanwhile shifts nothing, on this instance or another (M-PAGE-006,
// M-PAGE-007, T-46).
func TestCursorsSurviveChange(t *testing.T) {
	srv := configured(t, Config{PageSize: 3}, numbered("b", 0, 3), numbered("d", 0, 3))
	first, next := page(t, srv, nil, "")
	if diff := cmp.Diff([]string{"b_t00", "b_t01", "b_t02"}, first); diff != "" {
		t.Fatal(diff)
	}
	for _, s := range []*Service{numbered("a", 0, 2), numbered("c", 0, 1)} {
		if err := srv.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := srv.Remove("b"); err != nil { // the cursor's own place is gone
		t.Fatal(err)
	}
	want := []string{"c_t00", "d_t00", "d_t01"}
	if second, _ := page(t, srv, next, ""); !slices.Equal(second, want) {
		t.Errorf("got %v, want %v", second, want)
	}
	other := configured(t, Config{PageSize: 3}, numbered("c", 0, 1), numbered("d", 0, 3))
	if second, _ := page(t, other, next, ""); !slices.Equal(second, want) {
		t.Errorf("another instance: got %v, want %v", second, want)
	}
}

// TestBadCursors: what the server did not issue for this list and caller is
// refused (M-PAGE-006, PAG-01, T-46); null is no cursor.
func TestBadCursors(t *testing.T) {
	s := numbered("", 0, 5)
	for i := range 5 {
		Prompt(s, fmt.Sprint("t0", i), says(""))
	}
	srv := configured(t, Config{PageSize: 2}, s)
	_, tools := page(t, srv, nil, "")
	_, adas := page(t, srv, nil, "ada")
	good := []byte(*tools)
	good[len(good)-2] ^= 1
	for name, cursor := range map[string]string{
		"empty": `""`, "garbage": `"garbage!"`, "base64 of nothing": `"AAAA"`, "a name": `"t01"`, "altered": quoted(string(good)),
		"another caller's": quoted(*adas), "a number": `7`, "an object": `{}`, "huge": quoted(strings.Repeat("A", 1<<16)),
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, srv, request(mcp.MethodToolsList, `{"cursor":`+cursor+`}`), mcp.CodeInvalidParams, "params.cursor")
		})
	}
	t.Run("another list's", func(t *testing.T) {
		wantError(t, srv, request(mcp.MethodPromptsList, `{"cursor":`+quoted(*tools)+`}`), mcp.CodeInvalidParams, "params.cursor is none of this list; begin again without one")
	})
	t.Run("null is none", func(t *testing.T) {
		if r := ask(t, srv, request(mcp.MethodToolsList, `{"cursor":null}`)); r.Error != nil {
			t.Errorf("%+v", r.Error)
		}
	})
}

// TestPagesAgreeOnScope: all pages of a list carry one scope (M-CACHE-024).
func TestPagesAgreeOnScope(t *testing.T) {
	srv := configured(t, Config{PageSize: 2, Cache: Cache{Lists: mcp.CacheHint{CacheScope: mcp.CachePublic}}}, numbered("", 0, 5))
	for _, principal := range []string{"", "ada"} {
		want := mcp.CachePublic
		if principal != "" {
			want = mcp.CachePrivate
		}
		params := `{}`
		for params != "" {
			x := request(mcp.MethodToolsList, params)
			x.caller.principal = principal
			var list mcp.ListToolsResult
			result(t, srv, x, &list)
			if list.CacheScope != want || list.TTLMs == nil || *list.TTLMs != 30_000 {
				t.Errorf("%q, %s: hint %+v", principal, params, list.CacheHint)
			}
			params = ""
			if list.NextCursor != nil {
				params = `{"cursor":` + quoted(*list.NextCursor) + `}`
			}
		}
	}
}

// FuzzCursor: no cursor a client invents does more than be refused, and the ones
// the server makes lead on.
func FuzzCursor(f *testing.F) {
	s := numbered("", 0, 5)
	srv, err := New(Config{Info: testInfo, PageSize: 2}, s)
	if err != nil {
		f.Fatal(err)
	}
	l := srv.catalog.Load().lists[listTools]
	for _, seed := range []string{`""`, `"AAAAAA"`, `null`, `7`, `"\u0000"`, quoted(l.cursor("t01", ""))} {
		f.Add(seed, "name", "principal")
	}
	f.Fuzz(func(t *testing.T, raw, name, principal string) {
		if json.Valid([]byte(raw)) {
			if at, err := l.position([]byte(strings.TrimSpace(raw)), ""); err == nil && (at < 0 || at > len(l.entries)) {
				t.Errorf("position %d of %d", at, len(l.entries))
			}
		}
		own := quoted(l.cursor(name, principal))
		if _, err := l.position([]byte(own), principal); err != nil {
			t.Errorf("cursor of %q, %q: %v", name, principal, err)
		}
		if _, err := l.position([]byte(own), principal+"x"); err == nil {
			t.Errorf("cursor of %q, %q is taken from another caller", name, principal)
		}
	})
}
