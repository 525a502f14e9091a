package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
	"github.com/diglot-mcp/diglot/transport"
)

var info = mcp.Implementation{Name: "notes", Version: "1.0.0"}

// talk serves srv in memory and lets use talk to it.
func talk(srv *server.Server, err error, use func(ctx context.Context, c *client.Client)) {
	if err != nil {
		fmt.Println(err)
		return
	}
	near, far := transport.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(ctx, far) // ends with the connection
	}()
	dial := client.Dial(func(context.Context) (transport.Conn, error) { return near, nil })
	c, err := client.Connect(ctx, dial, client.Config{Info: mcp.Implementation{Name: "example", Version: "1"}})
	if err != nil {
		fmt.Println(err)
	} else {
		use(ctx, c)
		_ = c.Close()
	}
	cancel()
	<-done
}

func ExampleNew() {
	s := server.NewService("notes", server.Doc("personal notes"))
	server.Tool(s, "count", func(context.Context, struct{}) (string, error) { return "3 notes", nil },
		server.Doc("count the notes"), server.ReadOnly())

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		for tool, err := range c.Tools(ctx) {
			fmt.Println(tool.Name, "-", tool.Description, err)
		}
	})
	// Output: notes_count - count the notes <nil>
}

// What is wrong with services is said by New, all at once.
func ExampleNew_faults() {
	s := server.NewService("notes")
	server.Tool[struct{}, string](s, "count", nil)
	server.Prompt(s, "sum up", func(context.Context, struct{}) (int, error) { return 0, nil })

	_, err := server.New(server.Config{Info: info}, s)
	fmt.Println(err)
	// Output:
	// service "notes": tool "count": the handler is nil
	// service "notes": prompt "sum up": result: a prompt cannot return int; return string, mcp.Content, mcp.PromptMessage, a slice of those, or *mcp.GetPromptResult
}

func ExampleTool() {
	type SearchIn struct {
		Query string `json:"query" doc:"text to look for"`
		Order string `json:"order" doc:"sort order"      mcp:"enum=newest|oldest,default=newest"`
		Limit int    `json:"limit" doc:"at most this many" mcp:"default=10,min=1,max=50"`
	}
	type Found struct {
		Titles []string `json:"titles" doc:"titles of notes"`
	}
	search := func(_ context.Context, in SearchIn) (Found, error) {
		return Found{Titles: []string{fmt.Sprintf("%s, %s, %d", in.Query, in.Order, in.Limit)}}, nil
	}

	s := server.NewService("notes")
	server.Tool(s, "search", search, server.Doc("search notes"), server.ReadOnly())

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Call(ctx, "notes_search", map[string]any{"query": "tea", "limit": "5"})
		fmt.Println(string(r.StructuredContent), err)
		r, err = c.Call(ctx, "notes_search", map[string]any{"querry": "tea", "limit": 99})
		fmt.Println(r.Text(), err)
	})
	// Output:
	// {"titles":["tea, newest, 5"]} <nil>
	// invalid arguments: 3 problems:
	// - limit: must be at most 50; got 99
	// - unknown argument "querry"; got "tea"; did you mean "query"?
	// - query: required, but missing <nil>
}

func ExampleRawTool() {
	s := server.NewService("")
	server.RawTool(s, mcp.Tool{
		Name:        "echo",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`),
	}, func(_ context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("got " + string(args))}}, nil
	})

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Call(ctx, "echo", json.RawMessage(`{"n":9007199254740993}`))
		fmt.Println(r.Text(), err)
	})
	// Output: got {"n":9007199254740993} <nil>
}

func ExampleResource() {
	notes := map[string]string{"tea": "# Tea\n"}
	read := func(_ context.Context, in struct {
		ID string `json:"id" doc:"the note's id"`
	}) (string, error) {
		text, ok := notes[in.ID]
		if !ok {
			return "", fmt.Errorf("note %q: %w", in.ID, mcp.ErrNotFound)
		}
		return text, nil
	}

	s := server.NewService("notes")
	server.Resource(s, "note://{id}", read, server.Doc("a note"), server.MIME("text/markdown"))

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Read(ctx, "note://tea")
		fmt.Printf("%q %s %v\n", r.Contents[0].Text, r.Contents[0].MIMEType, err)
		_, err = c.Read(ctx, "note://coffee")
		fmt.Println(errors.Is(err, mcp.ErrNotFound))
	})
	// Output:
	// "# Tea\n" text/markdown <nil>
	// true
}

func ExamplePrompt() {
	type GreetIn struct {
		Name string `json:"name" doc:"whom to greet"`
		Tone string `json:"tone" doc:"how" mcp:"enum=warm|formal,default=warm"`
	}
	greet := func(_ context.Context, in GreetIn) (string, error) {
		return fmt.Sprintf("Greet %s in a %s tone.", in.Name, in.Tone), nil
	}

	s := server.NewService("mail")
	server.Prompt(s, "greet", greet, server.Doc("greet somebody"))

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Prompt(ctx, "mail.greet", map[string]string{"name": "Ada"})
		fmt.Println(r.Messages[0].Role, r.Messages[0].Content.(*mcp.TextContent).Text, err)
	})
	// Output: user Greet Ada in a warm tone. <nil>
}

func ExampleComplete() {
	people := func(_ context.Context, typed string, _ map[string]string) ([]string, error) {
		var out []string
		for _, name := range []string{"Ada", "Alan", "Grace"} {
			if strings.HasPrefix(name, typed) {
				out = append(out, name)
			}
		}
		return out, nil
	}
	s := server.NewService("mail")
	server.Prompt(s, "greet", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Greet " + in.Name, nil
	}, server.Complete("name", people))

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Complete(ctx, mcp.CompleteParams{
			Ref:      mcp.Reference{Type: mcp.RefPrompt, Name: "mail.greet"},
			Argument: mcp.CompleteArgument{Name: "name", Value: "A"},
		})
		fmt.Println(r.Completion.Values, err)
	})
	// Output: [Ada Alan] <nil>
}

func ExampleProgress() {
	s := server.NewService("")
	server.Tool(s, "copy", func(ctx context.Context, _ struct{}) (string, error) {
		for i := range 3 {
			server.Progress(ctx, float64(i+1), 3, fmt.Sprintf("file %d", i+1))
		}
		server.Log(ctx).Warn("slow disk", "disk", "sda")
		return "done", nil
	})

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Call(ctx, "copy", nil, client.LogLevel(mcp.LevelInfo),
			client.OnProgress(func(p mcp.ProgressParams) { fmt.Println(p.Progress, "of", *p.Total, p.Message) }),
			client.OnLog(func(l mcp.LogParams) { fmt.Println(l.Level, string(l.Data)) }))
		fmt.Println(r.Text(), err)
	})
	// Output:
	// 1 of 3 file 1
	// 2 of 3 file 2
	// 3 of 3 file 3
	// warning {"msg":"slow disk","disk":"sda"}
	// done <nil>
}

// A handler that uses its call works without one, as in a test.
func ExampleCallFrom() {
	whoami := func(ctx context.Context, _ struct{}) (string, error) {
		call := server.CallFrom(ctx)
		server.Progress(ctx, 1, 1, "looking")
		return fmt.Sprintf("%q over %q", call.Client().Name, call.Method()), nil
	}
	fmt.Println(whoami(context.Background(), struct{}{}))

	s := server.NewService("")
	server.Tool(s, "whoami", whoami)
	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Call(ctx, "whoami", nil)
		fmt.Println(r.Text(), err)
	})
	// Output:
	// "" over "" <nil>
	// "example" over "tools/call" <nil>
}

func ExampleVisible() {
	admins := server.Visible(func(ctx context.Context, _ server.Entry) bool {
		return server.CallFrom(ctx).Principal() == "admin"
	})
	s := server.NewService("disk")
	server.Tool(s, "usage", func(context.Context, struct{}) (string, error) { return "42%", nil })
	server.Tool(s, "format", func(context.Context, struct{}) (string, error) { return "gone", nil }, server.Destructive(), admins)

	srv, err := server.New(server.Config{Info: info}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		for tool := range c.Tools(ctx) {
			fmt.Println(tool.Name)
		}
		_, err := c.Call(ctx, "disk_format", nil)
		fmt.Println(err)
	})
	// Output:
	// disk_usage
	// call tool "disk_format": unknown tool "disk_format": invalid params (-32602)
}

func ExampleInterceptor() {
	audit := func(ctx context.Context, call *server.Call, next server.Next) (any, error) {
		result, err := next(ctx, call)
		if call.Name() != "" {
			fmt.Println("audit:", call.Method(), call.Name(), err)
		}
		return result, err
	}
	s := server.NewService("")
	server.Tool(s, "buy", func(context.Context, struct{}) (string, error) { return "", server.Refuse("no money left") })

	srv, err := server.New(server.Config{Info: info, Interceptors: []server.Interceptor{audit}}, s)
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		r, err := c.Call(ctx, "buy", nil)
		fmt.Println(r.IsError, r.Text(), err)
	})
	// Output:
	// audit: tools/call buy no money left
	// true no money left <nil>
}

func ExampleServer_Add() {
	srv, err := server.New(server.Config{Info: info})
	talk(srv, err, func(ctx context.Context, c *client.Client) {
		extra := server.NewService("extra")
		server.Tool(extra, "hi", func(context.Context, struct{}) (string, error) { return "hi", nil })
		if err := srv.Add(extra); err != nil {
			fmt.Println(err)
		}
		r, err := c.Call(ctx, "extra_hi", nil)
		fmt.Println(r.Text(), err)
		fmt.Println(srv.Remove("extra"), srv.Remove("extra"))
	})
	// Output:
	// hi <nil>
	// <nil> remove service "extra": not found
}

func ExampleConfig() {
	_ = server.Config{
		Info:         mcp.Implementation{Name: "notes", Version: "1.0.0", Title: "Notes"},
		Instructions: "Search before you write.",
		PageSize:     50,
		Cache:        server.Cache{Lists: mcp.Cache(5*time.Minute, mcp.CachePublic)},
		Limits:       server.Limits{Call: time.Minute},
		Logger:       slog.New(slog.DiscardHandler),
	}
	// Output:
}
