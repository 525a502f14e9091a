package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// service declares every fixture. The suite sends its header probes to the first
// tool of the list, without arguments, so that the first one must accept that.
func service(live *changes) (*server.Service, error) {
	media, err := newMedia()
	if err != nil {
		return nil, err
	}
	s := server.NewService("")
	declareTools(s, media)
	declareAsking(s)
	declareResources(s, media)
	declarePrompts(s, media)
	live.declare(s)
	return s, nil
}

type none struct{}

func declareTools(s *server.Service, m *media) {
	server.Tool(s, "test_simple_text", func(context.Context, none) (string, error) {
		return "This is a simple text response for testing.", nil
	}, server.Doc("answers with one block of text"))
	server.Tool(s, "test_image_content", func(context.Context, none) (mcp.Content, error) {
		return mcp.Image(m.png, "image/png"), nil
	}, server.Doc("answers with a picture"))
	server.Tool(s, "test_audio_content", func(context.Context, none) (mcp.Content, error) {
		return mcp.Audio(m.wav, "audio/wav"), nil
	}, server.Doc("answers with a sound"))
	server.Tool(s, "test_embedded_resource", func(context.Context, none) (mcp.Content, error) {
		return embedded("test://embedded-resource"), nil
	}, server.Doc("answers with an embedded resource"))
	server.Tool(s, "test_multiple_content_types", func(context.Context, none) ([]mcp.Content, error) {
		return []mcp.Content{
			mcp.Text("Multiple content types test:"),
			mcp.Image(m.png, "image/png"),
			embedded("test://mixed-content-resource"),
		}, nil
	}, server.Doc("answers with text, a picture and a resource"))
	server.Tool(s, "test_error_handling", func(context.Context, none) (string, error) {
		return "", errors.New("this tool intentionally returns an error for testing")
	}, server.Doc("fails"))
	server.Tool(s, "test_tool_with_logging", logThrice, server.Doc("logs three lines while it runs"))
	server.Tool(s, "test_tool_with_progress", progressThrice, server.Doc("reports progress three times while it runs"))
	server.Tool(s, "test_reconnection", reconnect, server.Doc("lets go of its caller, who comes back for the reply"))

	server.Tool(s, "test_x_mcp_header", func(_ context.Context, in regional) (string, error) {
		return "region: " + in.Region, nil
	}, server.Doc("has an argument that is mirrored in a header"))
	server.Tool(s, "test_missing_capability", func(context.Context, none) (string, error) {
		return "the client can sample", nil
	}, server.Doc("needs a client that can sample"), server.Needs(mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{}}))
	server.Tool(s, "test_logging_tool", func(ctx context.Context, _ none) (string, error) {
		server.Log(ctx).Info("a line for those who asked for lines")
		return "logged, if somebody listens", nil
	}, server.Doc("tries to log"))
	server.RawTool(s, mcp.Tool{
		Name: "json_schema_2020_12_tool", Description: "has a schema that uses JSON Schema 2020-12", InputSchema: json.RawMessage(schema202012),
	}, func(_ context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("received " + string(args))}}, nil
	})
}

type regional struct {
	Region string `json:"region,omitempty" doc:"where to run" mcp:"header=Region"`
}

// step is the pause between two notifications that the suite asks for.
const step = 50 * time.Millisecond

func logThrice(ctx context.Context, _ none) (string, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, step); err != nil {
				return "", err
			}
		}
		server.Log(ctx).Info(line)
	}
	return "Tool with logging executed successfully", nil
}

func progressThrice(ctx context.Context, _ none) (string, error) {
	for i, done := range []float64{0, 50, 100} {
		if i > 0 {
			if err := pause(ctx, step); err != nil {
				return "", err
			}
		}
		server.Progress(ctx, done, 100, "")
	}
	return "Tool with progress executed successfully", nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func embedded(uri string) mcp.Content {
	return mcp.Embed(mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content."})
}

// schema202012 must reach the client as it stands here.
const schema202012 = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
}`
