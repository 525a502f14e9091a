// Package serving is the story of a server in the open: who may use it, how
// long anything may take, and how it ends.
package serving

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region auth

type userKey struct{}

// Authenticated lets those requests through whose bearer token belongs to a
// user. It is ordinary middleware: handlers of every revision see the context
// of the HTTP request they belong to.
func Authenticated(next http.Handler, userOf func(token string) (user string, ok bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		user, ok := userOf(token)
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcp"`)
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	})
}

// WhoAmI is a tool that knows who asks.
func WhoAmI(ctx context.Context, _ struct{}) (string, error) {
	user, ok := ctx.Value(userKey{}).(string)
	if !ok {
		return "", server.Refuse("nobody is logged in")
	}
	return user, nil
}

// endregion

// region http

// Serve serves until ctx ends, and then lets calls that run finish for a while.
func Serve(ctx context.Context, addr string, srv *server.Server, h http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	hs := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- hs.ListenAndServe() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(srv.Drain(end), hs.Shutdown(end))
}

// endregion

// NewServer publishes whoami.
func NewServer() (*server.Server, error) {
	s := server.NewService("")
	server.Tool(s, "whoami", WhoAmI, server.Doc("who is asking"), server.ReadOnly())
	return server.New(server.Config{Info: mcp.Implementation{Name: "serving", Version: "1.0.0"}}, s)
}
