package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/internal/demo"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// Bounds of the HTTP server.
const (
	headerPatience   = 10 * time.Second
	idlePatience     = 2 * time.Minute
	shutdownPatience = 10 * time.Second
)

func (a *app) serve() *cobra.Command {
	var addr string
	var stdio bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "publish the built-in demo service, for clients of every revision",
		Long: `serve publishes the built-in demo service at /mcp, for clients of both eras.

With --stdio it speaks on standard input and output instead, so that a host can
start it. --profile pins one revision.`,
		Example: "  diglot serve --addr 127.0.0.1:8333\n  diglot serve --stdio",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("serve takes no arguments, only flags; got %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			srv, err := a.demoServer()
			if err != nil {
				return err
			}
			if stdio {
				return srv.ServeStdio(cmd.Context())
			}
			return a.serveHTTP(cmd.Context(), addr, srv)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8333", "address to listen on")
	cmd.Flags().BoolVar(&stdio, "stdio", false, "speak on standard input and output")
	return cmd
}

func (a *app) demoServer() (*server.Server, error) {
	profile, err := a.parsedProfile()
	if err != nil {
		return nil, err
	}
	return server.New(server.Config{
		Info:         mcp.Implementation{Name: "diglot-demo", Version: Version, Title: "diglot demo"},
		Instructions: demo.Instructions,
		Profile:      profile,
		Logger:       slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, demo.Service())
}

func (a *app) serveHTTP(ctx context.Context, addr string, srv *server.Server) error {
	if err := loopback(addr); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	hs := &http.Server{Handler: mux, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	a.printf("serving %s (%s)\n", a.styled(bold, "http://"+ln.Addr().String()+"/mcp"), spoken(a.profile))
	done := make(chan error, 1)
	go func() { done <- hs.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
	defer cancel()
	err = errors.Join(srv.Drain(end), hs.Shutdown(end))
	if err != nil {
		err = errors.Join(err, hs.Close())
	}
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func spoken(profile string) string {
	p, err := mcp.ParseProfile(profile)
	if err != nil || p == mcp.Auto {
		return "every revision from 2024-11-05 to 2026-07-28"
	}
	return "revision " + p.Version() + " only"
}

// loopback refuses to publish without authentication what other machines can
// reach.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("address %q: %w; give HOST:PORT", addr, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return usagef("address %q can be reached from other machines, and the demo has no authentication; use 127.0.0.1:PORT", addr)
}
