package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

type user struct {
	Username string `json:"username" doc:"name of the user"`
	Email    string `json:"email" doc:"address of the user"`
}

type profile struct {
	Name     string  `json:"name" doc:"name of the user" mcp:"default=John Doe"`
	Age      int     `json:"age" doc:"age in years" mcp:"default=30"`
	Score    float64 `json:"score" doc:"points so far" mcp:"default=95.5"`
	Status   string  `json:"status" doc:"what the user does" mcp:"enum=active|inactive|pending,default=active"`
	Verified bool    `json:"verified" doc:"whether the address is known" mcp:"default=true"`
}

type named struct {
	Name string `json:"name"`
}

type agreed struct {
	OK bool `json:"ok"`
}

type chosen struct {
	Color string `json:"color"`
}

type placed struct {
	Context string `json:"context"`
}

type prompted struct {
	Prompt string `json:"prompt" doc:"what to ask the model"`
}

type messaged struct {
	Message string `json:"message" doc:"what to ask the user"`
}

// declareAsking declares what asks the client.
func declareAsking(s *server.Service) {
	server.Tool(s, "test_sampling", func(ctx context.Context, in prompted) (string, error) {
		r, err := server.Sample(ctx, "answer", question(in.Prompt, 100))
		if err != nil {
			return "", err
		}
		return "LLM response: " + spoken(r), nil
	}, server.Doc("asks the client's model"))
	server.Tool(s, "test_elicitation", func(ctx context.Context, in messaged) (string, error) {
		u, err := server.Elicit[user](ctx, "user", in.Message)
		return fmt.Sprintf("User response: %s <%s>", u.Username, u.Email), err
	}, server.Doc("asks the user who it is"))
	server.Tool(s, "test_elicitation_sep1034_defaults", func(ctx context.Context, _ none) (string, error) {
		p, err := server.Elicit[profile](ctx, "profile", "Check your profile")
		return fmt.Sprintf("Elicitation completed: %+v", p), err
	}, server.Doc("asks the user, with a default for every kind of field"))
	server.Tool(s, "test_elicitation_sep1330_enums", func(ctx context.Context, _ none) (string, error) {
		values, err := server.ElicitForm(ctx, "choices", "Choose", json.RawMessage(enums))
		return "Elicitation completed: " + string(values), err
	}, server.Doc("asks the user to choose, in every form there is"))
	server.Tool(s, "test_streaming_elicitation", func(ctx context.Context, _ none) (string, error) {
		a, err := server.Elicit[agreed](ctx, "confirm", "Go on?")
		return fmt.Sprint("confirmed: ", a.OK), err
	}, server.Doc("asks the user, on whatever stream there is"))
	declareRounds(s)
}

// declareRounds declares what ends by asking for input.
func declareRounds(s *server.Service) {
	const prefix = "test_input_required_result_"
	tool := func(name, doc string, fn func(ctx context.Context, _ none) (string, error)) {
		server.Tool(s, prefix+name, fn, server.Doc(doc))
	}
	tool("elicitation", "asks the user for a name", func(ctx context.Context, _ none) (string, error) {
		n, err := server.Elicit[named](ctx, "user_name", "What is your name?")
		return "Hello, " + n.Name + "!", err
	})
	tool("sampling", "asks the client's model", func(ctx context.Context, _ none) (string, error) {
		r, err := server.Sample(ctx, "capital_question", question("What is the capital of France?", 100))
		if err != nil {
			return "", err
		}
		return spoken(r), nil
	})
	tool("list_roots", "asks for the client's roots", func(ctx context.Context, _ none) (string, error) {
		roots, err := server.Roots(ctx)
		return fmt.Sprintf("%d roots: %v", len(roots), roots), err
	})
	confirm := func(ctx context.Context, _ none) (string, error) {
		a, err := server.Elicit[agreed](ctx, "confirm", "Please confirm")
		return fmt.Sprint("state-ok: ", a.OK), err
	}
	tool("request_state", "asks the user, and needs its state back", confirm)
	tool("tampered_state", "asks the user, and refuses a state that was changed", confirm)
	tool("multiple_inputs", "asks the user, the model and the client at once", func(ctx context.Context, _ none) (string, error) {
		var (
			n        named
			greeting mcp.CreateMessageResult
			roots    []mcp.Root
		)
		err := server.Ask(ctx,
			server.AskForm("user_name", "What is your name?", &n),
			server.AskModel("greeting", question("Generate a greeting", 50), &greeting),
			server.AskRoots(&roots))
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s, with %d roots", spoken(&greeting), n.Name, len(roots)), nil
	})
	tool("multi_round", "asks the user twice", func(ctx context.Context, _ none) (string, error) {
		n, err := server.Elicit[named](ctx, "step1", "What is your name?")
		if err != nil {
			return "", err
		}
		c, err := server.Elicit[chosen](ctx, "step2", "What is your favorite color, "+n.Name+"?")
		return n.Name + " likes " + c.Color, err
	})
	tool("capabilities", "asks the user, or the model where nobody can ask the user", func(ctx context.Context, _ none) (string, error) {
		n, err := server.Elicit[named](ctx, "user_name", "What is your name?")
		if !errors.Is(err, mcp.ErrCannotAsk) {
			return "Hello, " + n.Name + "!", err
		}
		r, err := server.Sample(ctx, "invented_name", question("Invent a name", 50))
		if err != nil {
			return "", err
		}
		return "Hello, " + spoken(r) + "!", nil
	})
	server.Prompt(s, prefix+"prompt", func(ctx context.Context, _ none) (string, error) {
		p, err := server.Elicit[placed](ctx, "user_context", "What context should the prompt use?")
		return "Use this context: " + p.Context, err
	}, server.Doc("a prompt that asks the user for a context"))
}

// question is a request to a model.
func question(text string, tokens int64) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		MaxTokens: tokens,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text(text)}}},
	}
}

// spoken is the text of what a model said.
func spoken(r *mcp.CreateMessageResult) string {
	var text strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}

// enums is a form with every way to write a choice. Titles of values can only be
// written by hand.
const enums = `{
  "type": "object",
  "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [
      {"const": "value1", "title": "First Option"},
      {"const": "value2", "title": "Second Option"},
      {"const": "value3", "title": "Third Option"}
    ]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [
      {"const": "value1", "title": "First Choice"},
      {"const": "value2", "title": "Second Choice"},
      {"const": "value3", "title": "Third Choice"}
    ]}},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
  },
  "required": []
}`
