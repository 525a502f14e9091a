package serving_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/serving"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := serving.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func userOf(token string) (string, bool) { return "ada", token == "secret" }

// TestStory: the user of the token reaches the handler in every revision, and
// nobody gets in without one.
func TestStory(t *testing.T) {
	hs := httptest.NewServer(serving.Authenticated(build(t).Handler(), userOf))
	defer hs.Close()
	for _, profile := range append(mcp.Profiles(), mcp.Auto) {
		t.Run(profile.String(), func(t *testing.T) {
			cfg := client.Config{Info: mcp.Implementation{Name: "test", Version: "1"}, Profile: profile}
			c, err := client.Connect(t.Context(), client.HTTP(hs.URL, client.Bearer("secret")), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if user, err := client.Call[string](t.Context(), c, "whoami", nil); err != nil || user != "ada" {
				t.Errorf("%q, %v", user, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			c, err = client.Connect(t.Context(), client.HTTP(hs.URL, client.Bearer("guess")), cfg)
			if err == nil { // a pinned modern profile sends nothing before the first request
				_, err = c.Call(t.Context(), "whoami", nil)
				_ = c.Close()
			}
			if e, ok := errors.AsType[*client.AuthError](err); !ok || e.Status != 401 {
				t.Errorf("a wrong token gave %v", err)
			}
		})
	}
}

// TestNobody: without the middleware, the tool says that nobody is there.
func TestNobody(t *testing.T) {
	c := mcptest.Connect(t, build(t), client.Config{})
	_, err := client.Call[string](t.Context(), c, "whoami", nil)
	if e, ok := errors.AsType[*mcp.ToolError](err); !ok || e.Text != "nobody is logged in" {
		t.Errorf("%v", err)
	}
}

// TestServe: the server ends with its context, and says what is wrong with an
// address.
func TestServe(t *testing.T) {
	srv := build(t)
	if err := serving.Serve(t.Context(), "127.0.0.1:none", srv, srv.Handler()); err == nil {
		t.Error("a wrong address is no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := serving.Serve(ctx, "127.0.0.1:0", srv, srv.Handler()); err != nil {
		t.Error(err)
	}
}
