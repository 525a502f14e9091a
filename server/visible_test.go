package server

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// only shows entries whose name does not contain the word to callers other than
// admin.
func only(word string) func(context.Context, Entry) bool {
	return func(ctx context.Context, e Entry) bool {
		return CallFrom(ctx).Principal() == "admin" || !strings.Contains(e.Name, word)
	}
}

func secretService(opts ...Option) *Service {
	s := NewService("")
	for _, name := range []string{"open", "secret"} {
		Tool(s, name, says("ran"), opts...)
		Prompt(s, name, func(context.Context, struct {
			A string `json:"a" mcp:"enum=x|y,optional"`
		}) (string, error) {
			return "ran", nil
		}, opts...)
		Resource(s, "x://"+name, says("ran"), opts...)
		Resource(s, "x://"+name+"/{id}", func(context.Context, idIn) (string, error) { return "ran", nil }, opts...)
	}
	return s
}

// TestHiddenEntries: a hidden entry is in no list, and using it fails as if it
// did not exist (M-TOOL-004, M-TOOL-030, M-RES-021, M-COMP-008).
func TestHiddenEntries(t *testing.T) {
	byService := NewService("", Visible(only("secret")))
	Tool(byService, "secret", says("ran"))
	Tool(byService, "open", says("ran"))
	for name, srv := range map[string]*Server{
		"of the server": configured(t, Config{Visible: only("secret")}, secretService()),
		"of each entry": serverOf(t, secretService(Visible(only("secret")))),
	} {
		t.Run("a predicate "+name, func(t *testing.T) { testHidden(t, srv) })
	}
	t.Run("a predicate of the service", func(t *testing.T) {
		srv := serverOf(t, byService)
		if names, _ := page(t, srv, nil, "ada"); !cmp.Equal(names, []string{"open"}) {
			t.Errorf("listed %v", names)
		}
		wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"secret"}`), mcp.CodeInvalidParams, `unknown tool "secret"`)
	})
	t.Run("all predicates must agree", func(t *testing.T) {
		srv := configured(t, Config{Visible: only("a")}, numbered("a", 0, 1), numbered("b", 0, 1, Visible(only("b"))), numbered("c", 0, 1))
		if names, _ := page(t, srv, nil, ""); !cmp.Equal(names, []string{"c_t00"}) {
			t.Errorf("listed %v", names)
		}
	})
}

func testHidden(t *testing.T, srv *Server) {
	t.Helper()
	uses := []struct{ method, params string }{
		{mcp.MethodToolsCall, `{"name":"NAME"}`},
		{mcp.MethodPromptsGet, `{"name":"NAME"}`},
		{mcp.MethodResourcesRead, `{"uri":"x://NAME"}`},
		{mcp.MethodResourcesRead, `{"uri":"x://NAME/7"}`},
		{mcp.MethodComplete, `{"ref":{"type":"ref/prompt","name":"NAME"},"argument":{"name":"a","value":""}}`},
		{mcp.MethodComplete, `{"ref":{"type":"ref/resource","uri":"x://NAME/{id}"},"argument":{"name":"id","value":""}}`},
	}
	for _, use := range uses {
		for _, c := range []struct{ principal, name string }{{"ada", "open"}, {"admin", "open"}, {"admin", "secret"}} {
			x := request(use.method, strings.ReplaceAll(use.params, "NAME", c.name))
			x.caller.principal = c.principal
			if r := ask(t, srv, x); r.Error != nil {
				t.Errorf("%s %s by %s: %+v", use.method, x.params.Raw, c.principal, r.Error)
			}
		}
		hidden := request(use.method, strings.ReplaceAll(use.params, "NAME", "secret"))
		hidden.caller.principal = "ada"
		missing := ask(t, srv, request(use.method, strings.ReplaceAll(use.params, "NAME", "absent")))
		got := ask(t, srv, hidden)
		if got.Error == nil {
			t.Fatalf("%s: served %s", use.method, got.Result)
		}
		// Nothing tells a hidden entry from one that does not exist.
		want := *missing.Error
		want.Message = strings.ReplaceAll(want.Message, "absent", "secret")
		want.Data = []byte(strings.ReplaceAll(string(want.Data), "absent", "secret"))
		if diff := cmp.Diff(want, *got.Error); diff != "" {
			t.Errorf("%s (-missing +hidden):\n%s", use.method, diff)
		}
	}
	for _, method := range []string{mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourceTemplatesList} {
		for principal, want := range map[string]bool{"ada": false, "admin": true, "": false} {
			x := request(method, `{}`)
			x.caller.principal = principal
			r := ask(t, srv, x)
			if got := strings.Contains(string(r.Result), "secret"); got != want || !strings.Contains(string(r.Result), "open") {
				t.Errorf("%s for %q: %s", method, principal, r.Result)
			}
			if !strings.Contains(string(r.Result), `"cacheScope":"private"`) { // CACHE-01
				t.Errorf("%s: not private: %s", method, r.Result)
			}
		}
	}
}

// TestHiddenPages: pages are full whatever is hidden, and their end says nothing
// about what is hidden behind it.
func TestHiddenPages(t *testing.T) {
	hide := Visible(func(ctx context.Context, _ Entry) bool { return CallFrom(ctx).Principal() == "admin" })
	srv := configured(t, Config{PageSize: 2}, numbered("a", 0, 3), numbered("b", 0, 9, hide), numbered("c", 0, 1), numbered("d", 0, 9, hide))
	if diff := cmp.Diff([][]string{{"a_t00", "a_t01"}, {"a_t02", "c_t00"}}, pages(t, srv, "ada")); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if n := len(pages(t, srv, "admin")); n != 11 {
		t.Errorf("admin has %d pages, want 11", n)
	}
}

// TestHiddenTemplateIsNotPassedOver: what a hidden family has is not read
// through another one.
func TestHiddenTemplateIsNotPassedOver(t *testing.T) {
	s := NewService("")
	Resource(s, "file:///private/{id}", func(context.Context, idIn) (string, error) { return "private", nil }, Visible(only("private")))
	Resource(s, "file:///{+id}", func(_ context.Context, in idIn) (string, error) { return "any " + in.ID, nil })
	srv := serverOf(t, s)
	wantError(t, srv, request(mcp.MethodResourcesRead, `{"uri":"file:///private/key"}`), mcp.CodeInvalidParams, "unknown resource")
}

// TestEntry: what a predicate is told.
func TestEntry(t *testing.T) {
	var got []Entry
	s := NewService("notes")
	Tool(s, "t", says(""), ReadOnly(), Meta("k", 1))
	Prompt(s, "p", says(""))
	Resource(s, "x://r", says(""))
	Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil })
	srv := configured(t, Config{Visible: func(_ context.Context, e Entry) bool { got = append(got, e); return true }}, s)
	for _, method := range []string{mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourceTemplatesList} {
		ask(t, srv, request(method, `{}`))
	}
	want := []Entry{
		{Kind: KindTool, Service: "notes", Name: "notes_t", Declared: "t", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)}, Meta: mcp.Meta{"k": []byte("1")}},
		{Kind: KindPrompt, Service: "notes", Name: "notes.p", Declared: "p"},
		{Kind: KindResource, Service: "notes", Name: "x://r", Declared: "x://r"},
		{Kind: KindTemplate, Service: "notes", Name: "x://{id}", Declared: "x://{id}"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
