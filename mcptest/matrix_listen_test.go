package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

// next is the next event of a subscription.
func next(t *testing.T, sub *client.Subscription) client.Event {
	t.Helper()
	for e := range sub.Events() {
		return e
	}
	t.Fatalf("the subscription ended: %v", sub.Err())
	return client.Event{}
}

// TestListen: one way to hear of changes of lists and of resources, in every
// revision (M-SUB-003, M-SUB-011, M-SUB-012, RES-08, L-RES-09, L-RES-10).
func TestListen(t *testing.T) {
	var srv *server.Server
	build := func(t testing.TB) *server.Server {
		srv = kitchen(t)
		return srv
	}
	ask := mcp.Filter{Tools: true, Resources: []string{"bin://logo"}}
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		sub, err := c.Listen(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if cell.Transport == mcptest.HTTP && cell.Spoken == mcp.Legacy20241105 {
			// There is no stream that a change could be told on.
			if diff := cmp.Diff(mcp.Filter{}, sub.Filter()); diff != "" {
				t.Error(diff)
			}
			return
		}
		if diff := cmp.Diff(ask, sub.Filter()); diff != "" {
			t.Fatal(diff)
		}
		extra := server.NewService("x", server.Doc("added while it runs"))
		server.Tool(extra, "late", func(context.Context, struct{}) (string, error) { return "", nil }, server.Doc("late"))
		if err := srv.Add(extra); err != nil {
			t.Fatal(err)
		}
		if got := next(t, sub); got != (client.Event{Change: client.ToolsChanged}) {
			t.Errorf("after a tool was added: %+v", got)
		}
		srv.Updated("note://about") // which nobody watches
		srv.Updated("bin://logo")
		if got := next(t, sub); got != (client.Event{Change: client.ResourceUpdated, URI: "bin://logo"}) {
			t.Errorf("after a resource was updated: %+v", got)
		}
		if err := sub.Close(); err != nil || !errors.Is(sub.Err(), mcp.ErrClosed) {
			t.Errorf("%v, %v", err, sub.Err())
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// TestListenBeside: subscriptions of one client hear what each asked for, and
// calls go on beside them (M-SUB-010, SUB-04).
func TestListenBeside(t *testing.T) {
	var srv *server.Server
	build := func(t testing.TB) *server.Server {
		srv = kitchen(t)
		return srv
	}
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		if cell.Transport == mcptest.HTTP && cell.Spoken == mcp.Legacy20241105 {
			return // nothing can be told; see TestListen
		}
		uris := []string{"bin://logo", "note://about"}
		var subs []*client.Subscription
		for i := range 4 {
			sub, err := c.Listen(t.Context(), mcp.Filter{Resources: uris[i%2 : i%2+1]})
			if err != nil {
				t.Fatal(err)
			}
			subs = append(subs, sub)
		}
		if err := subs[0].Close(); err != nil {
			t.Fatal(err)
		}
		for _, uri := range uris {
			srv.Updated(uri)
		}
		for i, sub := range subs[1:] {
			if got, want := next(t, sub), uris[(i+1)%2]; got.URI != want {
				t.Errorf("subscription %d: %+v, want %s", i+1, got, want)
			}
		}
		if _, err := client.Call[sum](t.Context(), c, "k_add", map[string]any{"a": 1}); err != nil {
			t.Error(fmt.Errorf("a call: %w", err))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if !errors.Is(subs[3].Err(), mcp.ErrClosed) {
			t.Error(subs[3].Err())
		}
	})
}
