// Package prompts is the story of templates a person chooses.
package prompts

import (
	"context"
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region prompts

// ReviewIn are the prompt's arguments. They travel as strings and arrive typed;
// an enum completes by itself.
type ReviewIn struct {
	Language string `json:"language" doc:"programming language" mcp:"enum=go|java|python"`
	Lines    int    `json:"lines" doc:"how much to look at" mcp:"default=100,min=1"`
}

// Review makes the prompt's messages.
func Review(_ context.Context, in ReviewIn) ([]mcp.PromptMessage, error) {
	return []mcp.PromptMessage{
		mcp.UserText(fmt.Sprintf("Review the next %d lines of %s.", in.Lines, in.Language)),
		mcp.AssistantText("Send them."),
	}, nil
}

// NewServer publishes it as code.review.
func NewServer() (*server.Server, error) {
	s := server.NewService("code")
	server.Prompt(s, "review", Review, server.Doc("review code"))
	return server.New(server.Config{Info: mcp.Implementation{Name: "code", Version: "1.0.0"}}, s)
}

// endregion
