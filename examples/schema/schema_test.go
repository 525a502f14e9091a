package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/schema"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := schema.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestStory: defaults are filled in, scalars are coerced, and a model that gets
// arguments wrong is told all faults at once, in every era.
func TestStory(t *testing.T) {
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		out, err := client.Call[schema.SearchOut](t.Context(), c, "notes_search", map[string]any{"query": "x", "limit": "5"})
		want := schema.SearchOut{Query: "x", Order: "newest", Limit: 5, Tags: []string{}}
		if diff := cmp.Diff(want, out); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}

		_, err = client.Call[schema.SearchOut](t.Context(), c, "notes_search", map[string]any{"qeury": "x", "limit": 99, "order": "best"})
		var failed *mcp.ToolError
		if !errors.As(err, &failed) {
			t.Fatalf("wrong arguments gave %v", err)
		}
		for _, part := range []string{`"qeury"`, `"query"`, "50", "newest", "oldest"} {
			if !strings.Contains(failed.Text, part) {
				t.Errorf("the model is not told %s:\n%s", part, failed.Text)
			}
		}
	})
}
