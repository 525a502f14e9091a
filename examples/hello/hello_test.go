package hello_test

import (
	"net/http/httptest"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/hello"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := hello.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestStory: the tool answers the same on every transport and revision.
func TestStory(t *testing.T) {
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		out, err := client.Call[hello.Greeting](t.Context(), c, "hello_greet", hello.GreetIn{Name: "Ada", Loud: true})
		if err != nil || out.Text != "Hello, Ada!" {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// TestAsk: the client of the README.
func TestAsk(t *testing.T) {
	hs := httptest.NewServer(build(t).Handler())
	defer hs.Close()
	got, err := hello.Ask(t.Context(), hs.URL, "Ada")
	if err != nil || got != "Hello, Ada" {
		t.Errorf("%q, %v", got, err)
	}
}
