package progress_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/progress"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := progress.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestStory: progress arrives in order and before the result, in every era; the
// oldest revision has no message to go with it.
func TestStory(t *testing.T) {
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		var got []string
		out, err := client.Call[string](t.Context(), c, "build", progress.BuildIn{Steps: 3},
			client.OnProgress(func(p mcp.ProgressParams) { got = append(got, p.Message) }))
		if err != nil || out != "done" {
			t.Fatalf("%q, %v", out, err)
		}
		want := []string{"step 1", "step 2", "step 3"}
		if cell.Spoken == mcp.Legacy20241105 {
			want = []string{"", "", ""}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestWithoutACaller: a handler is an ordinary function.
func TestWithoutACaller(t *testing.T) {
	out, err := progress.Build(context.Background(), progress.BuildIn{Steps: 2})
	if err != nil || out != "done" {
		t.Errorf("%q, %v", out, err)
	}
}
