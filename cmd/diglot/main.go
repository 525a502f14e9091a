// Command diglot serves, inspects and calls MCP servers of any revision.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/diglot-mcp/diglot/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
