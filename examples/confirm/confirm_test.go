package confirm_test

import (
	"context"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/confirm"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := confirm.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// canAsk tells the revisions that have elicitation.
func canAsk(cell mcptest.Cell) bool { return cell.Spoken >= mcp.Legacy20250618 }

// TestAccepted: the user's yes, with the form's default filled in, in every
// revision that can ask.
func TestAccepted(t *testing.T) {
	mcptest.Eras(t, build, confirm.Answering(), func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		out, err := client.Call[string](t.Context(), c, "delete", confirm.DeleteIn{Name: "a.txt"})
		if !canAsk(cell) {
			if err == nil {
				t.Errorf("a revision without elicitation answered %q", out)
			}
			return
		}
		if err != nil || out != "deleted a.txt (no longer needed)" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

// TestDeclined: no is an answer too.
func TestDeclined(t *testing.T) {
	cfg := confirm.Answering()
	cfg.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ActionDecline}, nil
	}
	mcptest.Eras(t, build, cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		out, err := client.Call[string](t.Context(), c, "delete", confirm.DeleteIn{Name: "a.txt"})
		if canAsk(cell) && (err != nil || out != "kept a.txt") {
			t.Errorf("%q, %v", out, err)
		}
	})
}
