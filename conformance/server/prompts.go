package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

type twoArguments struct {
	Arg1 string `json:"arg1" doc:"first argument"`
	Arg2 string `json:"arg2" doc:"second argument"`
}

type resourceArgument struct {
	ResourceURI string `json:"resourceUri" doc:"URI of the resource to embed"`
}

func declarePrompts(s *server.Service, m *media) {
	server.Prompt(s, "test_simple_prompt", func(context.Context, none) (string, error) {
		return "This is a simple prompt for testing.", nil
	}, server.Doc("a prompt without arguments"))
	server.Prompt(s, "test_prompt_with_arguments", func(_ context.Context, in twoArguments) (string, error) {
		return fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in.Arg1, in.Arg2), nil
	}, server.Doc("a prompt with two required arguments"), server.Complete("arg1", complete))
	server.Prompt(s, "test_prompt_with_embedded_resource", func(_ context.Context, in resourceArgument) ([]mcp.PromptMessage, error) {
		return []mcp.PromptMessage{
			{Role: mcp.RoleUser, Content: embedded(in.ResourceURI)},
			mcp.UserText("Please process the embedded resource above."),
		}, nil
	}, server.Doc("a prompt that embeds a resource"))
	server.Prompt(s, "test_prompt_with_image", func(context.Context, none) ([]mcp.PromptMessage, error) {
		return []mcp.PromptMessage{
			{Role: mcp.RoleUser, Content: mcp.Image(m.png, "image/png")},
			mcp.UserText("Please analyze the image above."),
		}, nil
	}, server.Doc("a prompt with a picture"))
}

// complete offers values for arg1.
func complete(_ context.Context, typed string, _ map[string]string) ([]string, error) {
	var fitting []string
	for _, v := range []string{"paris", "park", "party", "test", "testing"} {
		if strings.HasPrefix(v, typed) {
			fitting = append(fitting, v)
		}
	}
	return fitting, nil
}
