package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// everything is the checklist for the server @modelcontextprotocol/server-everything,
// which serves a catalog of its own.
var everything = []check{
	{"tools", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Tools(ctx)
		return contains(err, got, "echo", "get-sum", "get-structured-content", "get-tiny-image")
	}},
	{"resources", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Resources(ctx)
		if err == nil && len(got) == 0 {
			err = errors.New("no resources")
		}
		return "", err
	}},
	{"templates", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Templates(ctx)
		return contains(err, got, "demo://resource/dynamic/text/{resourceId}")
	}},
	{"prompts", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Prompts(ctx)
		return contains(err, got, "args-prompt(city, state?)", "completable-prompt(department, name)")
	}},
	{"echo", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "echo", `{"message":"Grüße, 世界 👋"}`)
		return "", same(err, r, Result{Text: "Echo: Grüße, 世界 👋"})
	}},
	{"sum", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "get-sum", `{"a":2,"b":0.5}`)
		return "", same(err, r, Result{Text: "The sum of 2 and 0.5 is 2.5."})
	}},
	{"structured", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "get-structured-content", `{"location":"Chicago"}`)
		return "", sameResult(c, err, r, `{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`)
	}},
	{"bad-arguments", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "get-sum", `{"a":"two"}`)
		if err == nil && r.IsError {
			return "isError", nil
		}
		return refused(c, err)
	}},
	{"read", func(ctx context.Context, c Conn) (string, error) {
		uri, text, err := c.Read(ctx, "demo://resource/dynamic/text/7")
		if err == nil && !strings.HasPrefix(text, "Resource 7: ") {
			err = fmt.Errorf("text %q", text)
		}
		return "", same(err, uri, "demo://resource/dynamic/text/7")
	}},
	{"prompt", func(ctx context.Context, c Conn) (string, error) {
		role, text, err := c.Prompt(ctx, "args-prompt", map[string]string{"city": "Oslo"})
		return "", same(err, []string{role, text}, []string{"user", "What's weather in Oslo?"})
	}},
	{"complete", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Complete(ctx, "completable-prompt", "department", "S")
		return "", same(err, got, []string{"Sales", "Support"})
	}},
	{"unknown-tool", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "nothing", `{}`)
		if err == nil && r.IsError {
			return "isError", nil
		}
		return refused(c, err)
	}},
}

func contains(err error, got []string, want ...string) (string, error) {
	for _, w := range want {
		if err == nil && !slices.Contains(got, w) {
			err = fmt.Errorf("no %q in %q", w, got)
		}
	}
	return "", err
}
