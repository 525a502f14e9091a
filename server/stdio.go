package server

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/diglot-mcp/diglot/transport"
)

// ServeStdio serves the client that started this program, over its standard
// input and output, as [Server.Serve] does. Until it returns os.Stdout is
// standard error, so that a stray print of some library does not break the
// stream, and a client that stopped reading is an error and no signal.
//
// It changes both for the whole program: call it once, from main.
func (s *Server) ServeStdio(ctx context.Context) error {
	// A write to a broken standard output kills the program unless somebody
	// listens for the signal.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	conn, release := transport.ClaimStdout(transport.Options{MaxMessage: int(s.cfg.Limits.Message)})
	defer release()
	return s.Serve(ctx, conn)
}
