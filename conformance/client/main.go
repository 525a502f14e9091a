// Command client is the client that the official conformance suite judges. The
// suite starts a server, gives its URL as the last argument, and says in the
// environment which scenario to play:
//
//	MCP_CONFORMANCE_SCENARIO=tools_call client http://localhost:3000/mcp
//
// The exit status is 0 when the client did what the scenario asks for; whether
// that was right is for the suite to say.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// limit is less than the suite's own patience, so that what went wrong is said.
const limit = 25 * time.Second

func main() {
	if err := run(os.Args, os.Getenv("MCP_CONFORMANCE_SCENARIO")); err != nil {
		fmt.Fprintln(os.Stderr, "conformance client:", err)
		os.Exit(1)
	}
}

func run(args []string, name string) (err error) {
	if len(args) < 2 {
		return errors.New("the URL of the server must be the last argument")
	}
	play, known := scenarios[name]
	if !known {
		return fmt.Errorf("scenario %q is none of %q", name, names())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, err := client.Connect(ctx, client.HTTP(args[len(args)-1]), client.Config{
		Info: mcp.Implementation{Name: "diglot-conformance-client", Version: "1.0.0"},
		// Some of the suite's servers answer the probe with a result that is no
		// discovery, and mean the older era by it.
		Lenient: true,
		Elicit:  fillIn,
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return play(ctx, c)
}

func names() []string {
	all := make([]string, 0, len(scenarios))
	for name := range scenarios {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
