// Command server is the server that the official conformance suite judges. It
// serves, at /mcp and in every revision, the tools, resources and prompts the
// suite looks for by name, with the behaviour the suite expects of them.
//
//	server -addr 127.0.0.1:3001
//
// It prints its URL once it accepts connections, so that -addr may leave the
// port to the system: 127.0.0.1:0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:3001", "`host:port` to listen on")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance server:", err)
		os.Exit(1)
	}
}

// run serves until the process is told to end.
func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var live changes
	svc, err := service(&live)
	if err != nil {
		return err
	}
	srv, err := server.New(server.Config{
		Info:         mcp.Implementation{Name: "diglot-conformance-server", Version: "1.0.0"},
		Instructions: "Fixtures for the official conformance suite.",
		Logger:       slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, svc, changingTools(), changingPrompts())
	if err != nil {
		return err
	}
	live.srv = srv
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	fmt.Printf("http://%s/mcp\n", listener.Addr())

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(srv.Drain(grace), web.Shutdown(grace))
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
