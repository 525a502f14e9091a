package main

import (
	"context"
	"sync"

	"github.com/diglot-mcp/diglot/server"
)

// changes are the tools that change what the server offers, every time they are
// called. They replace a service that only exists for that, so that the lists are
// never longer than before.
type changes struct {
	// srv is set before it is served.
	srv *server.Server
	// one replaces at a time.
	one sync.Mutex
}

func (c *changes) declare(s *server.Service) {
	server.Tool(s, "test_trigger_tool_change", func(context.Context, none) (string, error) {
		return "the list of tools has changed", c.replace(changingTools())
	}, server.Doc("changes the list of tools"))
	server.Tool(s, "test_trigger_prompt_change", func(context.Context, none) (string, error) {
		return "the list of prompts has changed", c.replace(changingPrompts())
	}, server.Doc("changes the list of prompts"))
}

func changingTools() *server.Service {
	s := server.NewService("changing-tools")
	server.Tool(s, "tool", func(context.Context, none) (string, error) {
		return "this tool is new", nil
	}, server.Doc("comes and goes"))
	return s
}

func changingPrompts() *server.Service {
	s := server.NewService("changing-prompts")
	server.Prompt(s, "prompt", func(context.Context, none) (string, error) {
		return "This prompt is new.", nil
	}, server.Doc("comes and goes"))
	return s
}

// replace puts a service in the place of the one of its name.
func (c *changes) replace(s *server.Service) error {
	c.one.Lock()
	defer c.one.Unlock()
	if err := c.srv.Remove(s.Name()); err != nil {
		return err
	}
	return c.srv.Add(s)
}
