package prompts_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/prompts"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := prompts.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestStory: strings arrive typed, missing arguments are named, enums complete.
func TestStory(t *testing.T) {
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		res, err := c.Prompt(t.Context(), "code.review", map[string]string{"language": "go", "lines": "20"})
		if err != nil {
			t.Fatal(err)
		}
		want := []mcp.PromptMessage{mcp.UserText("Review the next 20 lines of go."), mcp.AssistantText("Send them.")}
		if diff := cmp.Diff(want, res.Messages); diff != "" {
			t.Error(diff)
		}
		_, err = c.Prompt(t.Context(), "code.review", nil)
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeInvalidParams {
			t.Errorf("a missing argument gave %v", err)
		}
		got, err := c.Complete(t.Context(), mcp.CompleteParams{
			Ref:      mcp.Reference{Type: mcp.RefPrompt, Name: "code.review"},
			Argument: mcp.CompleteArgument{Name: "language", Value: "ja"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"java"}, got.Completion.Values); diff != "" {
			t.Error(diff)
		}
	})
}
