package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// scenarios are what this client can play, by the suite's names.
var scenarios = map[string]func(context.Context, *client.Client) error{
	"initialize":                       listTools,
	"json-schema-ref-no-deref":         listTools,
	"request-metadata":                 listTools,
	"tools_call":                       addNumbers,
	"http-standard-headers":            everyMethod,
	"http-custom-headers":              givenCalls,
	"http-invalid-tool-headers":        callAll,
	"json-schema-2020-12-preservation": echoSchema,

	"elicitation-sep1034-client-defaults": askDefaults,
	"sse-retry":                           reconnect,
	"sep-2322-client-request-state":       keepState,
}

func listTools(ctx context.Context, c *client.Client) error {
	_, err := tools(ctx, c)
	return err
}

func tools(ctx context.Context, c *client.Client) ([]mcp.Tool, error) {
	var list []mcp.Tool
	for t, err := range c.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func addNumbers(ctx context.Context, c *client.Client) error {
	if err := listTools(ctx, c); err != nil {
		return err
	}
	return call(ctx, c, "add_numbers", map[string]any{"a": 5, "b": 3})
}

// call calls a tool; a tool that says it failed is an error here.
func call(ctx context.Context, c *client.Client, name string, args any) error {
	r, err := c.Call(ctx, name, args)
	if err != nil {
		return err
	}
	if r.IsError {
		return fmt.Errorf("tool %q failed: %s", name, r.Text())
	}
	return nil
}

// everyMethod uses each kind of entry once: it lists all, and takes the first.
func everyMethod(ctx context.Context, c *client.Client) error {
	list, err := tools(ctx, c)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		if err := call(ctx, c, list[0].Name, map[string]any{}); err != nil {
			return err
		}
	}
	for r, err := range c.Resources(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.Read(ctx, r.URI); err != nil {
			return err
		}
	}
	for p, err := range c.Prompts(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.Prompt(ctx, p.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// givenCalls makes the calls that the suite writes down in the environment.
func givenCalls(ctx context.Context, c *client.Client) error {
	var given struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given); err != nil {
		return fmt.Errorf("read MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	if err := listTools(ctx, c); err != nil {
		return err
	}
	for _, tc := range given.ToolCalls {
		if err := call(ctx, c, tc.Name, tc.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// callAll calls every tool that the client lets through.
func callAll(ctx context.Context, c *client.Client) error {
	list, err := tools(ctx, c)
	if err != nil {
		return err
	}
	for _, t := range list {
		if err := call(ctx, c, t.Name, map[string]any{"region": "us-west1"}); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema sends the input schema of a tool back as it came.
func echoSchema(ctx context.Context, c *client.Client) error {
	list, err := tools(ctx, c)
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Name == "json_schema_2020_12_tool" {
			return call(ctx, c, "json_schema_echo", map[string]any{"schema": t.InputSchema})
		}
	}
	return errors.New(`there is no tool "json_schema_2020_12_tool"`)
}

// fillIn accepts every form: with a yes where one is to be confirmed, and else
// with the form's defaults, which are the client's to fill in.
func fillIn(_ context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) {
	var form struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(p.RequestedSchema, &form); err != nil {
		return nil, err
	}
	r := &mcp.ElicitResult{Action: mcp.ActionAccept}
	if _, asked := form.Properties["confirmed"]; asked {
		r.Content = json.RawMessage(`{"confirmed":true}`)
	}
	return r, nil
}

// askDefaults calls the tool whose form has a default for each field.
func askDefaults(ctx context.Context, c *client.Client) error {
	if err := listTools(ctx, c); err != nil {
		return err
	}
	return call(ctx, c, "test_client_elicitation_defaults", map[string]any{})
}

// keepState calls tools that ask with and without a state, and tools that ask
// nothing, in between.
func keepState(ctx context.Context, c *client.Client) error {
	if err := listTools(ctx, c); err != nil {
		return err
	}
	for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"} {
		if err := call(ctx, c, name, map[string]any{}); err != nil {
			return err
		}
	}
	return nil
}

// reconnect calls the tool whose stream is cut before the result is on it.
func reconnect(ctx context.Context, c *client.Client) error {
	if err := listTools(ctx, c); err != nil {
		return err
	}
	return call(ctx, c, "test_reconnection", map[string]any{})
}
