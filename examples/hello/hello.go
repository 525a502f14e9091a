// Package hello is the smallest story: a server with one tool, and a client
// that calls it.
package hello

import (
	"context"
	"net/http"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region server

// GreetIn is what a model fills in. The tags become its JSON Schema.
type GreetIn struct {
	Name string `json:"name" doc:"whom to greet"`
	Loud bool   `json:"loud" doc:"shout" mcp:"default=false"`
}

// Greeting is the structured result.
type Greeting struct {
	Text string `json:"text" doc:"the greeting"`
}

// Greet is an ordinary function; it knows nothing of protocols.
func Greet(_ context.Context, in GreetIn) (Greeting, error) {
	text := "Hello, " + in.Name
	if in.Loud {
		text += "!"
	}
	return Greeting{Text: text}, nil
}

// NewServer publishes it to clients of every revision.
func NewServer() (*server.Server, error) {
	s := server.NewService("hello")
	server.Tool(s, "greet", Greet, server.Doc("greet somebody"), server.ReadOnly())
	return server.New(server.Config{Info: mcp.Implementation{Name: "hello", Version: "1.0.0"}}, s)
}

// endregion

// region serve

// ListenAndServe serves both eras on one endpoint.
func ListenAndServe(addr string) error {
	srv, err := NewServer()
	if err != nil {
		return err
	}
	http.Handle("/mcp", srv.Handler())
	return http.ListenAndServe(addr, nil) //nolint:gosec // the example is about the handler; see docs/guide.md for timeouts
}

// endregion

// region client

// Ask connects to any server, whatever it speaks, and calls the tool.
func Ask(ctx context.Context, url, name string) (string, error) {
	c, err := client.Connect(ctx, client.HTTP(url), client.Config{
		Info: mcp.Implementation{Name: "asker", Version: "1.0.0"},
	})
	if err != nil {
		return "", err
	}
	defer c.Close() //nolint:errcheck // nothing was left to do

	out, err := client.Call[Greeting](ctx, c, "hello_greet", GreetIn{Name: name})
	return out.Text, err
}

// endregion
