package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
	"github.com/diglot-mcp/diglot/transport"
)

type addIn struct {
	A int `json:"a" doc:"first number"`
	B int `json:"b" doc:"second number"`
}

type addOut struct {
	Sum int `json:"sum" doc:"the sum"`
}

// adder is the server of the examples.
func adder() *server.Server {
	s := server.NewService("math")
	server.Tool(s, "add", func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }, server.Doc("add two numbers"))
	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "math", Version: "1"}}, s)
	if err != nil {
		log.Fatal(err)
	}
	return srv
}

var info = mcp.Implementation{Name: "example", Version: "1"}

func ExampleConnect() {
	hs := httptest.NewServer(adder().Handler())
	defer hs.Close()

	ctx := context.Background()
	c, err := client.Connect(ctx, client.HTTP(hs.URL), client.Config{Info: info})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for tool, err := range c.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, "–", tool.Description)
	}
	out, err := client.Call[addOut](ctx, c, "math_add", addIn{A: 40, B: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Sum, c.Server().Profile.Version())
	// Output:
	// math_add – add two numbers
	// 42 2026-07-28
}

func ExampleHTTP() {
	target := client.HTTP("https://host.example/mcp",
		client.BearerFunc(func(context.Context) (string, error) { return os.Getenv("TOKEN"), nil }),
		client.Header("X-Team", "search"))
	fmt.Println(target)
	// Output: https://host.example/mcp
}

func ExampleCommand() {
	target := client.Command("npx", "-y", "@modelcontextprotocol/server-everything").
		Dir("/tmp").
		Env(map[string]string{"API_KEY": os.Getenv("API_KEY")})
	fmt.Println(target)
	// Output: npx
}

func ExampleDial() {
	ctx := context.Background()
	srv := adder()
	served := make(chan error, 1)
	target := client.Dial(func(context.Context) (transport.Conn, error) {
		near, far := transport.Pipe()
		go func() { served <- srv.Serve(ctx, far) }()
		return near, nil
	})
	c, err := client.Connect(ctx, target, client.Config{Info: info, Profile: mcp.Legacy20250618})
	if err != nil {
		log.Fatal(err)
	}
	r, err := c.Call(ctx, "math_add", map[string]int{"a": 1, "b": 2}, client.Timeout(5*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text())
	if err := c.Close(); err != nil {
		log.Fatal(err)
	}
	<-served
	// Output: {"sum":3}
}

func ExampleClient_Verdict() {
	hs := httptest.NewServer(adder().Handler())
	defer hs.Close()

	ctx := context.Background()
	first, err := client.Connect(ctx, client.HTTP(hs.URL), client.Config{Info: info})
	if err != nil {
		log.Fatal(err)
	}
	verdict := first.Verdict() // keep it, as JSON, until the next start
	if err := first.Close(); err != nil {
		log.Fatal(err)
	}
	again, err := client.Connect(ctx, client.HTTP(hs.URL), client.Config{Info: info, Prior: verdict})
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close()
	fmt.Println(verdict.Profile, again.Server().Info.Name)
	// Output: MODERN_2026_07_28 math
}
