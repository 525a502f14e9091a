// Package peer is what the Go programs of the interop tests share: the command
// line, the little service in words, and the checklist a client goes through.
//
//	PEER serve stdio|http [both|modern|legacy]
//	PEER check REVISION|auto URL
//	PEER check REVISION|auto -- COMMAND ARGS
//	PEER exact REVISION|auto URL
//	PEER exact REVISION|auto -- COMMAND ARGS
//	PEER everything REVISION|auto -- COMMAND ARGS
//
// "exact" also asks for an integer that no float64 holds, of servers that can
// carry it; "everything" has the checks for the server of that name.
//
// A server on HTTP prints its URL once it accepts connections, and ends when its
// standard input does. A client prints one JSON line per check.
package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"time"
)

// A Program is one peer. Eras of servers are "both", "modern" and "legacy";
// a client's is "auto" or the revision it is to speak.
type Program struct {
	// HTTP returns the handler that serves the service at /mcp.
	HTTP func(era string) (http.Handler, error)
	// Stdio serves the service on standard input and output until input ends.
	Stdio func(ctx context.Context, era string) error
	// Connect connects a client.
	Connect func(ctx context.Context, era string, t Target) (Conn, error)
}

// A Target is the server to connect to: a URL, or a command to start.
type Target struct {
	URL     string
	Command []string
}

const usage = "usage: serve stdio|http [ERA] | check|exact|everything ERA URL | check|exact|everything ERA -- COMMAND ARGS"

// lists are the checklists by the verb that asks for them.
var lists = map[string][]check{"check": checklist, "exact": slices.Concat(checklist, exact), "everything": everything}

// Main does what the command line asks for and returns the exit status.
func Main(p Program) int {
	if err := p.run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (p Program) run(args []string) error {
	switch {
	case len(args) >= 2 && args[0] == "serve":
		era := "both"
		if len(args) > 2 {
			era = args[2]
		}
		switch args[1] {
		case "stdio":
			return p.Stdio(context.Background(), era)
		case "http":
			h, err := p.HTTP(era)
			if err != nil {
				return err
			}
			return serveHTTP(h)
		}
	case len(args) > 3 && lists[args[0]] != nil && args[2] == "--":
		return p.check(lists[args[0]], args[1], Target{Command: args[3:]})
	case len(args) == 3 && lists[args[0]] != nil:
		return p.check(lists[args[0]], args[1], Target{URL: args[2]})
	}
	return errors.New(usage)
}

// serveHTTP serves on a free loopback port until standard input ends: a server
// must not outlive who started it.
func serveHTTP(h http.Handler) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = srv.Close()
	}()
	fmt.Printf("http://%s/mcp\n", l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (p Program) check(list []check, era string, t Target) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	say := printer(os.Stdout)
	conn, err := p.Connect(ctx, era, t)
	if err != nil {
		say("connect", err, "")
		return errors.New("cannot connect")
	}
	say("connect", nil, conn.Revision())
	failed := goThrough(ctx, list, conn, say)
	if err := conn.Close(); err != nil {
		say("close", err, "")
		failed++
	} else {
		say("close", nil, "")
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}
