package mcptest

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
	"github.com/diglot-mcp/diglot/transport"
)

// patience bounds every wait of this package. It is far beyond what a healthy
// test needs, so that reaching it means a hang.
const patience = 30 * time.Second

// Connect joins srv and a new client in memory and returns the client. Both
// ends are shut down, and waited for, when the test ends. An empty cfg.Info is
// filled in.
func Connect(t testing.TB, srv *server.Server, cfg client.Config) *client.Client {
	t.Helper()
	target := client.Dial(func(context.Context) (transport.Conn, error) {
		near, far := transport.Pipe()
		serve(t, srv, far)
		return near, nil
	})
	return connect(t, target, cfg)
}

// serve runs srv on conn until the test ends.
func serve(t testing.TB, srv *server.Server, conn transport.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, conn) }()
	t.Cleanup(func() {
		cancel()
		_ = conn.Close() // ends the reading side; its error is Serve's to report
		select {
		case err := <-done:
			if err != nil && !benign(err) {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(patience):
			t.Errorf("serve: still running %v after its connection was closed", patience)
		}
	})
}

func benign(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, mcp.ErrClosed)
}

// connect connects a client and closes it when the test ends, before what was
// registered earlier.
func connect(t testing.TB, target client.Target, cfg client.Config) *client.Client {
	t.Helper()
	if cfg.Info.Name == "" {
		cfg.Info = mcp.Implementation{Name: "mcptest", Version: "1"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := client.Connect(ctx, target, cfg)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil && !benign(err) {
			t.Errorf("close client: %v", err)
		}
	})
	return c
}
