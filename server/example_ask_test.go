package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
	"github.com/diglot-mcp/diglot/transport"
)

// call calls the only tool of srv with a user who agrees to everything.
func call(srv *server.Server, err error, form string) {
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	near, far := transport.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(ctx, far) // ends with the connection
	}()
	c, err := client.Connect(ctx, client.Dial(func(context.Context) (transport.Conn, error) { return near, nil }), client.Config{
		Info: mcp.Implementation{Name: "example", Version: "1"},
		Elicit: func(_ context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) {
			fmt.Println("asked:", p.Message)
			return &mcp.ElicitResult{Action: mcp.ActionAccept, Content: json.RawMessage(form)}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///home/ada"}}, nil },
	})
	if err == nil {
		var r *mcp.CallToolResult
		if r, err = c.Call(ctx, "tool", nil); err == nil {
			fmt.Println(r.Text())
		}
		_ = c.Close()
	}
	if err != nil {
		fmt.Println(err)
	}
	cancel()
	<-done
}

func ExampleElicit() {
	type Trip struct {
		To   string `json:"to" doc:"where to"`
		Days int    `json:"days" doc:"for how long" mcp:"default=7,min=1"`
	}
	s := server.NewService("")
	server.Tool(s, "tool", func(ctx context.Context, _ struct{}) (string, error) {
		trip, err := server.Elicit[Trip](ctx, "trip", "Where do you want to go?")
		switch {
		case errors.Is(err, mcp.ErrDeclined):
			return "no trip then", nil
		case err != nil:
			return "", err
		}
		return fmt.Sprintf("%d days in %s", trip.Days, trip.To), nil
	})
	srv, err := server.New(server.Config{Info: info}, s)
	call(srv, err, `{"to":"Oslo"}`)
	// Output:
	// asked: Where do you want to go?
	// 7 days in Oslo
}

// Several questions are one round.
func ExampleAsk() {
	type Who struct {
		Name string `json:"name"`
	}
	s := server.NewService("")
	server.Tool(s, "tool", func(ctx context.Context, _ struct{}) (string, error) {
		var who Who
		var roots []mcp.Root
		if err := server.Ask(ctx, server.AskForm("who", "Who are you?", &who), server.AskRoots(&roots)); err != nil {
			return "", err
		}
		return who.Name + " at " + roots[0].URI, nil
	})
	srv, err := server.New(server.Config{Info: info}, s)
	call(srv, err, `{"name":"Ada"}`)
	// Output:
	// asked: Who are you?
	// Ada at file:///home/ada
}

// What happens before a question happens again when the answer is there, unless
// it is kept.
func ExampleOnce() {
	drafts := 0
	s := server.NewService("")
	server.Tool(s, "tool", func(ctx context.Context, _ struct{}) (string, error) {
		draft, err := server.Once(ctx, "draft", func(context.Context) (int, error) { drafts++; return drafts, nil })
		if err != nil {
			return "", err
		}
		if _, err := server.Elicit[struct{}](ctx, "publish", fmt.Sprintf("Publish draft %d?", draft)); err != nil {
			return "", err
		}
		return fmt.Sprintf("published draft %d of %d", draft, drafts), nil
	})
	srv, err := server.New(server.Config{Info: info}, s)
	call(srv, err, `{}`)
	// Output:
	// asked: Publish draft 1?
	// published draft 1 of 1
}

// A handler that passes on the questions of somebody else drives its rounds
// itself.
func ExampleInputRequired() {
	s := server.NewService("")
	server.Tool(s, "tool", func(ctx context.Context, _ struct{}) (string, error) {
		round := server.RoundFrom(ctx)
		if answer, ok := round.Responses["q"]; ok {
			return round.State + ": " + string(answer), nil
		}
		return "", &server.InputRequired{
			Requests: map[string]mcp.InputRequest{"q": {
				Method: mcp.MethodElicit,
				Params: json.RawMessage(`{"message":"Which one?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`),
			}},
			State: "upstream 7",
		}
	})
	srv, err := server.New(server.Config{Info: info}, s)
	call(srv, err, `{"n":3}`)
	// Output:
	// asked: Which one?
	// upstream 7: {"action":"accept","content":{"n":3}}
}
