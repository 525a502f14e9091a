package mcptest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

// TestNestedCalls: a client calls the server before it answers the server's
// question, though one call at a time is all that the server runs (CON-01).
func TestNestedCalls(t *testing.T) {
	build := func(t testing.TB) *server.Server {
		s := server.NewService("")
		server.Tool(s, "ask", func(ctx context.Context, _ struct{}) (string, error) {
			where, err := server.Elicit[city](ctx, "where", "Where?")
			return where.City, err
		}, server.Doc("asks"))
		server.Tool(s, "know", func(context.Context, struct{}) (string, error) { return "Oslo", nil }, server.Doc("knows"))
		srv, err := server.New(server.Config{
			Info: mcp.Implementation{Name: "nested", Version: "1"}, Session: server.SessionConfig{MaxInFlight: 1},
		}, s)
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
	var own *client.Client
	cfg := client.Config{Elicit: func(ctx context.Context, _ mcp.ElicitParams) (*mcp.ElicitResult, error) {
		r, err := own.Call(ctx, "know", nil)
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: mcp.ActionAccept, Content: json.RawMessage(`{"city":"` + r.Text() + `"}`)}, nil
	}}
	mcptest.Eras(t, build, cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		own = c
		r, err := c.Call(t.Context(), "ask", nil)
		if cell.Spoken < mcp.Legacy20250618 { // DN-19
			if err != nil || !r.IsError {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
		if err != nil || r.Text() != "Oslo" {
			t.Errorf("%v, %v", r, err)
		}
	})
}
