package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

func handler(era string) (http.Handler, error) {
	srv, err := newServer(era)
	if err != nil {
		return nil, err
	}
	return srv.Handler(), nil
}

func serveStdio(ctx context.Context, era string) error {
	srv, err := newServer(era)
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx)
}

// newServer makes a server of the era: "both", or one revision of the other two.
func newServer(era string) (*server.Server, error) {
	profiles := map[string]mcp.Profile{"both": mcp.Auto, "modern": mcp.Modern20260728, "legacy": mcp.Legacy20251125}
	profile, ok := profiles[era]
	if !ok {
		return nil, fmt.Errorf("era %q is none of both, modern, legacy", era)
	}
	s := server.NewService("")
	server.Tool(s, "add", add, server.Doc("adds two numbers"), server.ReadOnly())
	server.Tool(s, "fail", fail, server.Doc("always fails"))
	server.Tool(s, "echo", echo, server.Doc("returns its argument"), server.ReadOnly())
	server.Resource(s, "note://1", first, server.Name("first"), server.Doc("the first note"), server.MIME("text/plain"))
	server.Resource(s, "note://{id}", note, server.Name("note"), server.Doc("a note"), server.MIME("text/plain"))
	server.Prompt(s, "greet", greet, server.Doc("greets somebody"), server.Complete("name", complete))
	return server.New(server.Config{
		Info: info, Profile: profile, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, s)
}

type addIn struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, in addIn) (*mcp.CallToolResult, error) {
	structured, err := json.Marshal(addOut{Sum: in.A + in.B})
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.Text(strconv.FormatFloat(in.A+in.B, 'g', -1, 64))},
		StructuredContent: structured,
	}, nil
}

func fail(context.Context, struct{}) (string, error) { return "", errors.New("failed as asked") }

type echoed struct {
	Value json.RawMessage `json:"value"`
}

func echo(_ context.Context, in echoed) (echoed, error) { return in, nil }

func first(context.Context, struct{}) (string, error) { return "note 1", nil }

type noteIn struct {
	ID string `json:"id"`
}

func note(_ context.Context, in noteIn) (string, error) { return "note " + in.ID, nil }

type greetIn struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in greetIn) (string, error) { return "Hello, " + in.Name + "!", nil }

func complete(_ context.Context, typed string, _ map[string]string) ([]string, error) {
	return peer.Completions(typed), nil
}
