package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// pagesBy answers tools/list by the cursor it is asked with; "-" is none.
func pagesBy(t *testing.T, page func(cursor string) string) act {
	return func(w http.ResponseWriter, s seen) {
		cursor := s.param(t, "cursor")
		if cursor == "" {
			cursor = "-"
		}
		result(page(cursor))(w, s)
	}
}

func toolPage(next string, names ...string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, `{"name":"`+n+`","inputSchema":{"type":"object"}}`)
	}
	more := ""
	if next != "" {
		more = `,"nextCursor":` + next
	}
	return `{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `]` + more + `}`
}

// TestPages: cursors, the empty one too, are followed to the end and no further
// (PAG-01, M-PAGE).
func TestPages(t *testing.T) {
	n := 0
	for _, tc := range []struct {
		name   string
		legacy bool
		page   func(cursor string) string
		want   string
		err    error
		limits Limits
	}{
		{name: "one page", page: func(string) string { return toolPage("", "a", "b") }, want: "a b"},
		{name: "nextCursor is null", page: func(string) string { return toolPage("null", "a") }, want: "a"},
		{name: "no entries", page: func(string) string { return toolPage("") }, want: ""},
		{name: "tools is null", page: func(string) string { return `{"tools":null}` }, want: ""},
		{name: "three pages", want: "a b c", page: func(c string) string {
			return map[string]string{"-": toolPage(`"1"`, "a"), `"1"`: toolPage(`"2"`, "b"), `"2"`: toolPage("", "c")}[c]
		}},
		{name: "an empty page in the middle", want: "a c", page: func(c string) string {
			return map[string]string{"-": toolPage(`"1"`, "a"), `"1"`: toolPage(`"2"`), `"2"`: toolPage("", "c")}[c]
		}},
		{name: "the empty cursor is one", want: "a b", page: func(c string) string {
			return map[string]string{"-": toolPage(`""`, "a"), `""`: toolPage("", "b")}[c]
		}},
		{name: "the empty cursor is the end of older lists", legacy: true, want: "a", page: func(string) string { return toolPage(`""`, "a") }},
		{name: "the same cursor for ever", page: func(string) string { return toolPage(`"same"`, "a") }, want: "a a", err: mcp.ErrInvalidResponse},
		{name: "the empty cursor for ever", page: func(string) string { return toolPage(`""`, "a") }, want: "a a", err: mcp.ErrInvalidResponse},
		{name: "two cursors in turn", page: func(c string) string {
			if c == `"A"` {
				return toolPage(`"B"`, "x")
			}
			return toolPage(`"A"`, "y")
		}, want: "y x y", err: mcp.ErrInvalidResponse},
		{name: "new cursors for ever", limits: Limits{Pages: 3}, want: "a a a", err: mcp.ErrTooLarge, page: func(string) string {
			n++
			return toolPage(fmt.Sprintf(`"%d"`, n), "a")
		}},
		{name: "more entries than allowed", limits: Limits{Entries: 2}, page: func(string) string { return toolPage("", "a", "b", "c") }, want: "a b", err: mcp.ErrTooLarge},
		{name: "no list", page: func(string) string { return `{}` }, err: mcp.ErrInvalidResponse},
	} {
		t.Run(tc.name, func(t *testing.T) {
			on := modern(nil)
			if tc.legacy {
				on = legacy("2025-11-25", "", nil)
			}
			on["tools/list"] = []act{pagesBy(t, tc.page)}
			s := newScript(t, on)
			cfg := config()
			cfg.Limits = tc.limits
			c := connected(t, HTTP(s.URL), cfg)
			var names []string
			var failure error
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					failure = err
					continue // it is the last thing that comes
				}
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("listed %q, want %q", got, tc.want)
			}
			if !errors.Is(failure, tc.err) || failure != nil && !strings.HasPrefix(failure.Error(), "list tools: ") {
				t.Errorf("error is %v, want %v", failure, tc.err)
			}
		})
	}
}

// TestLists: the other three lists, stopping in the middle, and a server that
// offers none.
func TestLists(t *testing.T) {
	s := newScript(t, modern(map[string][]act{
		"resources/list":           {result(`{"resources":[{"uri":"a:1","name":"one","size":9007199254740993,"x":[1]},{"uri":"a:2","name":"two"}]}`)},
		"resources/templates/list": {result(`{"resourceTemplates":[{"uriTemplate":"a:{id}","name":"t"}]}`)},
		"prompts/list":             {faultAt(404, -32601, "no prompts here")},
	}))
	c := connected(t, HTTP(s.URL), config())
	ctx := t.Context()
	for r, err := range c.Resources(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if r.URI != "a:1" || *r.Size != 9007199254740993 || string(r.Extra) != `{"x":[1]}` {
			t.Errorf("resource is %+v", r)
		}
		break
	}
	var templates []string
	for r, err := range c.ResourceTemplates(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		templates = append(templates, r.URITemplate)
	}
	if diff := cmp.Diff([]string{"a:{id}"}, templates); diff != "" {
		t.Errorf("templates (-want +got):\n%s", diff)
	}
	for _, err := range c.Prompts(ctx) {
		if !errors.Is(err, &mcp.Error{Code: mcp.CodeMethodNotFound}) {
			t.Errorf("error is %v", err)
		}
	}
}
