package server

import (
	"context"
	"testing"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// client is a session of the newest legacy revision, without a transport.
type client struct {
	t   testing.TB
	srv *Server
	*session
}

func sessionOf(t testing.TB, srv *Server) *client {
	t.Helper()
	x := requestIn(mcp.NewestLegacy, mcp.MethodInitialize, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`)
	if r := ask(t, srv, x); r.Error != nil {
		t.Fatalf("initialize: %+v", r.Error)
	}
	x.session.opened()
	t.Cleanup(x.session.end)
	return &client{t: t, srv: srv, session: x.session}
}

// ask makes a request in the session.
func (c *client) ask(method, params string) response {
	c.t.Helper()
	return c.askAs(context.Background(), method, params)
}

func (c *client) askAs(ctx context.Context, method, params string) response {
	c.t.Helper()
	x := requestIn(mcp.NewestLegacy, method, params)
	x.session, x.caller, x.era = c.session, c.session.caller(), wire.For(mcp.NewestLegacy)
	return parsed(c.t, c.srv.serve(ctx, x))
}
