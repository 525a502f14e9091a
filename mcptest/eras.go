package mcptest

import (
	"context"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
	"github.com/diglot-mcp/diglot/transport"
)

// Transport is how a cell of the matrix carries messages.
type Transport string

// The transports of the matrix.
const (
	// HTTP is Streamable HTTP over a loopback socket.
	HTTP Transport = "http"
	// Stdio is newline-delimited messages over operating system pipes, as
	// between a host and a child process.
	Stdio Transport = "stdio"
	// Memory is an in-memory pipe.
	Memory Transport = "memory"
)

// Cell is one place of the matrix.
type Cell struct {
	// Transport carries the messages.
	Transport Transport
	// Asked is the profile the client is configured with.
	Asked mcp.Profile
	// Spoken is the revision that is spoken in the end.
	Spoken mcp.Profile
}

// String names the cell, such as "http/2025-06-18" or "stdio/auto".
func (cell Cell) String() string {
	if cell.Asked == mcp.Auto {
		return string(cell.Transport) + "/auto"
	}
	return string(cell.Transport) + "/" + cell.Asked.Version()
}

// Cells lists the matrix: each transport with AUTO and with every revision
// pinned.
func Cells() []Cell {
	var cells []Cell
	for _, tr := range []Transport{HTTP, Stdio, Memory} {
		cells = append(cells, Cell{Transport: tr, Asked: mcp.Auto, Spoken: mcp.Newest})
		for _, p := range mcp.Profiles() {
			cells = append(cells, Cell{Transport: tr, Asked: p, Spoken: p})
		}
	}
	return cells
}

// Eras runs test once for each cell of the matrix, as subtests, with a client
// connected to a server that build makes anew for the cell. cfg is the client's
// configuration; its Profile is the cell's.
func Eras(t *testing.T, build func(t testing.TB) *server.Server, cfg client.Config, test func(t *testing.T, cell Cell, c *client.Client)) {
	t.Helper()
	for _, cell := range Cells() {
		t.Run(cell.String(), func(t *testing.T) {
			cfg := cfg
			cfg.Profile = cell.Asked
			c := cell.connect(t, build(t), cfg)
			if got := c.Server().Profile; got != cell.Spoken {
				t.Fatalf("connected with %v, want %v", got, cell.Spoken)
			}
			test(t, cell, c)
		})
	}
}

func (cell Cell) connect(t *testing.T, srv *server.Server, cfg client.Config) *client.Client {
	t.Helper()
	switch cell.Transport {
	case HTTP:
		hs := httptest.NewServer(srv.Handler())
		t.Cleanup(hs.Close)
		return connect(t, client.HTTP(hs.URL), cfg)
	case Stdio:
		return connect(t, client.Dial(func(context.Context) (transport.Conn, error) { return pipes(t, srv) }), cfg)
	default:
		return Connect(t, srv, cfg)
	}
}

// pipes serves srv on a pair of operating system pipes and returns the client's
// end.
func pipes(t *testing.T, srv *server.Server) (transport.Conn, error) {
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		_ = fromClient.Close() // nothing was written yet
		_ = toServer.Close()
		return nil, err
	}
	serve(t, srv, transport.Lines(fromClient, toClient, transport.Options{}))
	return transport.Lines(fromServer, toServer, transport.Options{}), nil
}
