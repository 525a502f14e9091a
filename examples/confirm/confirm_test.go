package confirm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/confirm"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

// TestStory: the user agrees, the user declines, and a client of a revision in
// which nobody can be asked is told so; nothing is deleted unasked.
func TestStory(t *testing.T) {
	for answer, want := range map[*mcp.ElicitResult]string{
		{Action: mcp.ActionAccept, Content: json.RawMessage(`{"reason":"wrong"}`)}: "deleted note 1, which was wrong",
		{Action: mcp.ActionDecline}: `the user declined to answer "confirm"`,
	} {
		var notes *confirm.Notes
		build := func(t testing.TB) *server.Server {
			srv, n, err := confirm.NewServer()
			if err != nil {
				t.Fatal(err)
			}
			notes = n
			return srv
		}
		cfg := client.Config{Elicit: func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { return answer, nil }}
		mcptest.Eras(t, build, cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
			r, err := c.Call(t.Context(), "notes_delete", confirm.DeleteIn{ID: 1})
			if err != nil {
				t.Fatal(err)
			}
			left, want := 2, want
			switch {
			case cell.Spoken < mcp.Legacy20250618:
				want = "the client does not support: elicitation by form"
			case answer.Action == mcp.ActionAccept:
				left = 1
			}
			if !strings.Contains(r.Text(), want) || notes.Count() != left || len(notes.Log()) != 1 {
				t.Errorf("%q, %d notes left, log %q", r.Text(), notes.Count(), notes.Log())
			}
		})
	}
}
