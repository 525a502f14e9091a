package server

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/diglot-mcp/diglot/transport"
)

// ServeStdio serves the client that started this program, over its standard
// input and output, as [Server.Serve] does. Nothing else may be written to
// standard output meanwhile; [transport.ClaimStdout] with Serve makes sure of it.
//
// While it runs, a client that stopped reading is an error and no signal that
// kills the program. It is called once in a program.
func (s *Server) ServeStdio(ctx context.Context) error {
	// A write to a broken standard output raises the signal, and ends the program
	// unless somebody listens for it (STD-10).
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	return s.Serve(ctx, transport.Stdio(transport.Options{MaxMessage: int(s.cfg.Limits.Message)}))
}
