package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

func declarePrompts(s *server.Service) {
	server.Prompt(s, "greet", greet, server.Doc("greet somebody"),
		server.Complete("name", prefixed("Ada", "Alan", "Barbara", "Grace")))
	server.Prompt(s, "summarize", summarize, server.Doc("summarize a note"), server.Title("Summarize a note"))
}

// GreetIn are the arguments of greet.
type GreetIn struct {
	Name string `json:"name" doc:"whom to greet"`
	Tone string `json:"tone" doc:"how" mcp:"enum=warm|formal,default=warm"`
}

func greet(_ context.Context, in GreetIn) (string, error) {
	return fmt.Sprintf("Greet %s in a %s tone, in one sentence.", in.Name, in.Tone), nil
}

// SummarizeIn are the arguments of summarize.
type SummarizeIn struct {
	ID    string `json:"id" doc:"the note's id"`
	Words int    `json:"words" doc:"at most this many words" mcp:"default=50,min=5,max=500"`
}

func summarize(_ context.Context, in SummarizeIn) ([]mcp.PromptMessage, error) {
	return []mcp.PromptMessage{
		mcp.UserText(fmt.Sprintf("Summarize this note in at most %d words.", in.Words)),
		{Role: mcp.RoleUser, Content: mcp.Link("note://"+in.ID, in.ID)},
	}, nil
}

func prefixed(all ...string) func(context.Context, string, map[string]string) ([]string, error) {
	return func(_ context.Context, typed string, _ map[string]string) ([]string, error) {
		var out []string
		for _, v := range all {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(typed)) {
				out = append(out, v)
			}
		}
		return out, nil
	}
}
