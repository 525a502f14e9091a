package mcptest_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
)

func collect[T any](t *testing.T, seq iter.Seq2[T, error], name func(T) string) []string {
	t.Helper()
	var out []string
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, name(v))
	}
	return out
}

// TestLists: all pages, in a stable order, without what is hidden (M-TOOL-005,
// M-PAGE-005, PAGE-04).
func TestLists(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		toolName := func(t mcp.Tool) string { return t.Name }
		first := collect(t, c.Tools(t.Context()), toolName)
		if len(first) != 12 || strings.Contains(strings.Join(first, " "), "secret") {
			t.Errorf("tools %q", first)
		}
		if diff := cmp.Diff(first, collect(t, c.Tools(t.Context()), toolName)); diff != "" {
			t.Errorf("the order changed:\n%s", diff)
		}
		for _, l := range []struct {
			name      string
			got, want []string
		}{
			{"resources", collect(t, c.Resources(t.Context()), func(r mcp.Resource) string { return r.URI }), []string{"bin://logo", "broken://x", "note://about"}},
			{"templates", collect(t, c.ResourceTemplates(t.Context()), func(r mcp.ResourceTemplate) string { return r.URITemplate }), []string{"note://{id}"}},
			{"prompts", collect(t, c.Prompts(t.Context()), func(p mcp.Prompt) string { return p.Name }), []string{"k.broken", "k.cook"}},
		} {
			if diff := cmp.Diff(l.want, l.got); diff != "" {
				t.Errorf("%s:\n%s", l.name, diff)
			}
		}
	})
}

// TestToolMetadata: what each revision can say about a tool (legacy 21.5, DN-03,
// DN-04, DN-08).
func TestToolMetadata(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name != "k_add" {
				continue
			}
			got := map[string]bool{
				"title": tool.Title != "", "annotations": tool.Annotations != nil, "icons": tool.Icons != nil,
				"outputSchema": tool.OutputSchema != nil, "meta": tool.Meta["com.example/kind"] != nil,
			}
			p := cell.Spoken
			want := map[string]bool{
				"title": p >= mcp.Legacy20250618, "annotations": p >= mcp.Legacy20250326, "icons": p >= mcp.Legacy20251125,
				"outputSchema": p >= mcp.Legacy20250618, "meta": p >= mcp.Legacy20250618,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if p >= mcp.Legacy20250326 && (!tool.Annotations.ReadOnly() || !tool.Annotations.Idempotent() || tool.DisplayName() != "Adder") {
				t.Errorf("annotations %+v, shown as %q", tool.Annotations, tool.DisplayName())
			}
			return
		}
		t.Error("k_add is not listed")
	})
}

// TestServerInfo: identity, capabilities and instructions arrive in either era.
func TestServerInfo(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := c.Server()
		if s.Info.Name != "kitchen" || s.Instructions != "taste everything" || s.Profile != cell.Spoken {
			t.Errorf("%+v", s)
		}
		if s.Capabilities.Tools == nil || s.Capabilities.Resources == nil || s.Capabilities.Prompts == nil {
			t.Errorf("capabilities %+v", s.Capabilities)
		}
		if (s.Capabilities.Completions != nil) != (cell.Spoken >= mcp.Legacy20250326) {
			t.Errorf("completions %+v", s.Capabilities.Completions)
		}
		if v := c.Verdict(); v.Profile != cell.Spoken {
			t.Errorf("verdict %+v", v)
		}
	})
}

// TestResources: text, binary, templates with typed variables, and what is not
// there (L-RES-07, M-RES-009, DN-12).
func TestResources(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		res, err := c.Read(t.Context(), "bin://logo")
		if err != nil || len(res.Contents) != 1 || string(res.Contents[0].Blob) != "\x00\xff" || res.Contents[0].MIMEType != "image/png" {
			t.Errorf("binary: %+v, %v", res, err)
		}
		res, err = c.Read(t.Context(), "note://7")
		if err != nil || len(res.Contents) != 1 || res.Contents[0].Text != "note 7" || res.Contents[0].URI != "note://7" {
			t.Errorf("template: %+v, %v", res, err)
		}
		for _, uri := range []string{"note://999", "note://seven", "other://x", "note://%2e%2e%2fetc"} {
			if _, err := c.Read(t.Context(), uri); !errors.Is(err, mcp.ErrNotFound) {
				t.Errorf("%s: %v", uri, err)
			}
		}
		_, err = c.Read(t.Context(), "broken://x")
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeInternal || strings.Contains(err.Error(), errKitchen.Error()) {
			t.Errorf("a failure: %v", err)
		}
	})
}

// TestPrompts: typed arguments, defaults, faults and hidden failures (PRM-07,
// M-PRM-011).
func TestPrompts(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		res, err := c.Prompt(t.Context(), "k.cook", map[string]string{"dish": "soup"})
		if err != nil || len(res.Messages) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		if text, ok := res.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != "cook soup for 2 hours" || res.Messages[0].Role != mcp.RoleUser {
			t.Errorf("%+v", res.Messages[0])
		}
		for name, args := range map[string]map[string]string{"k.cook": {"dish": "stone"}, "k.none": nil} {
			_, err := c.Prompt(t.Context(), name, args)
			var e *mcp.Error
			if !errors.As(err, &e) || e.Code != mcp.CodeInvalidParams {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err = c.Prompt(t.Context(), "k.broken", nil)
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeInternal || strings.Contains(err.Error(), errKitchen.Error()) {
			t.Errorf("a failure: %v", err)
		}
	})
}

// TestCompletion: enums complete themselves; unknown references and arguments
// are refused (COMP-04, COMP-05).
func TestCompletion(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		ref := mcp.Reference{Type: mcp.RefPrompt, Name: "k.cook"}
		res, err := c.Complete(t.Context(), mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteArgument{Name: "dish", Value: "s"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"soup", "stew", "salad"}, res.Completion.Values); diff != "" {
			t.Error(diff)
		}
		res, err = c.Complete(t.Context(), mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteArgument{Name: "hours", Value: "1"}})
		if err != nil || res.Completion.Values == nil || len(res.Completion.Values) != 0 {
			t.Errorf("an argument without suggestions: %+v, %v", res, err)
		}
		ref.Name = "k.none"
		_, err = c.Complete(t.Context(), mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteArgument{Name: "dish"}})
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeInvalidParams {
			t.Errorf("an unknown prompt: %v", err)
		}
	})
}

// TestUnknownMethod: refused with the code, and the connection goes on (RPC-09).
func TestUnknownMethod(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		_, err := c.Request(t.Context(), "com.example/none", nil)
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeMethodNotFound {
			t.Errorf("%v", err)
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// TestBadCursor: a cursor that is none of the server's (M-PAGE-006, PAGE-05).
func TestBadCursor(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		for _, cursor := range []string{"garbage", "", "AAAA"} {
			_, err := c.Request(t.Context(), mcp.MethodToolsList, mcp.ListParams{Cursor: &cursor})
			var e *mcp.Error
			if !errors.As(err, &e) || e.Code != mcp.CodeInvalidParams {
				t.Errorf("%q: %v", cursor, err)
			}
		}
	})
}
