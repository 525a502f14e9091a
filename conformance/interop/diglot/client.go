package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

type conn struct{ c *client.Client }

func connect(ctx context.Context, era string, t peer.Target) (peer.Conn, error) {
	profile, err := mcp.ParseProfile(era)
	if err != nil {
		return nil, err
	}
	var target client.Target
	if t.Command != nil {
		target = client.Command(t.Command[0], t.Command[1:]...)
	} else {
		target = client.HTTP(t.URL)
	}
	c, err := client.Connect(ctx, target, client.Config{
		Info: info, Profile: profile, Stderr: os.Stderr, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

func (c conn) Revision() string { return c.c.Server().Profile.Version() }

func (c conn) Close() error { return c.c.Close() }

func (c conn) Code(err error) int {
	if e, ok := errors.AsType[*mcp.Error](err); ok {
		return int(e.Code)
	}
	return 1 // an error that did not come from the other side
}

func (c conn) Tools(ctx context.Context) ([]string, error) {
	return collect(c.c.Tools(ctx), func(t mcp.Tool) string { return t.Name })
}

func (c conn) Resources(ctx context.Context) ([]string, error) {
	return collect(c.c.Resources(ctx), func(r mcp.Resource) string { return r.URI })
}

func (c conn) Templates(ctx context.Context) ([]string, error) {
	return collect(c.c.ResourceTemplates(ctx), func(t mcp.ResourceTemplate) string { return t.URITemplate })
}

func (c conn) Prompts(ctx context.Context) ([]string, error) {
	return collect(c.c.Prompts(ctx), func(p mcp.Prompt) string {
		required := make(map[string]bool)
		order := make([]string, 0, len(p.Arguments))
		for _, a := range p.Arguments {
			required[a.Name], order = a.Required, append(order, a.Name)
		}
		return peer.Signature(p.Name, order, required)
	})
}

func collect[T any](seq iter.Seq2[T, error], name func(T) string) ([]string, error) {
	var list []string
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		list = append(list, name(v))
	}
	return list, nil
}

func (c conn) Call(ctx context.Context, tool, args string) (peer.Result, error) {
	r, err := c.c.Call(ctx, tool, json.RawMessage(args))
	if err != nil {
		return peer.Result{}, err
	}
	return peer.Result{Text: r.Text(), Structured: string(r.StructuredContent), IsError: r.IsError}, nil
}

func (c conn) Read(ctx context.Context, uri string) (gotURI, text string, err error) {
	r, err := c.c.Read(ctx, uri)
	if err != nil {
		return "", "", err
	}
	if len(r.Contents) != 1 {
		return "", "", fmt.Errorf("%d contents", len(r.Contents))
	}
	return r.Contents[0].URI, r.Contents[0].Text, nil
}

func (c conn) Prompt(ctx context.Context, name string, args map[string]string) (role, text string, err error) {
	r, err := c.c.Prompt(ctx, name, args)
	if err != nil {
		return "", "", err
	}
	if len(r.Messages) != 1 {
		return "", "", fmt.Errorf("%d messages", len(r.Messages))
	}
	t, ok := r.Messages[0].Content.(*mcp.TextContent)
	if !ok {
		return "", "", errors.New("no text")
	}
	return string(r.Messages[0].Role), t.Text, nil
}

func (c conn) Complete(ctx context.Context, prompt, argument, prefix string) ([]string, error) {
	r, err := c.c.Complete(ctx, mcp.CompleteParams{
		Ref:      mcp.Reference{Type: mcp.RefPrompt, Name: prompt},
		Argument: mcp.CompleteArgument{Name: argument, Value: prefix},
	})
	if err != nil {
		return nil, err
	}
	return r.Completion.Values, nil
}
