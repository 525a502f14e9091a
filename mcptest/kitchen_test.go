package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// kitchen is a server with one entry for each feature, made anew for each cell
// of the matrix.
func kitchen(t testing.TB) *server.Server {
	t.Helper()
	s := server.NewService("k", server.Doc("everything once"))
	declareTools(s)
	declareRest(s)
	hidden := server.NewService("hidden")
	server.Tool(hidden, "secret", func(context.Context, struct{}) (string, error) { return "seen", nil }, server.Doc("not for everybody"))
	srv, err := server.New(server.Config{
		Info:         mcp.Implementation{Name: "kitchen", Version: "1", Title: "Kitchen", Description: "for tests"},
		Instructions: "taste everything",
		PageSize:     4,
		Visible:      func(_ context.Context, e server.Entry) bool { return e.Service != "hidden" },
	}, s, hidden)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

type pair struct {
	A int64 `json:"a" doc:"first"`
	B int64 `json:"b" doc:"second" mcp:"default=1,min=0"`
}

type sum struct {
	Sum   int64   `json:"sum"`
	Parts []int64 `json:"parts"`
}

type word struct {
	Word string `json:"word" mcp:"default=x"`
}

type regional struct {
	Region string `json:"region,omitempty" mcp:"header=Region"`
	Count  int    `json:"count,omitempty" mcp:"header=Count"`
}

var errKitchen = errors.New("the oven is cold")

func declareTools(s *server.Service) {
	server.Tool(s, "add", func(_ context.Context, in pair) (sum, error) { return sum{Sum: in.A + in.B}, nil },
		server.Doc("add"), server.Title("Adder"), server.ReadOnly(), server.Idempotent(),
		server.Icons(mcp.Icon{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}}),
		server.Meta("com.example/kind", "math"))
	server.Tool(s, "blocks", blocks, server.Doc("one block of each type"))
	server.Tool(s, "list", func(context.Context, struct{}) ([]string, error) { return []string{"a", "b"}, nil }, server.Doc("a result that is an array"))
	server.Tool(s, "fail", func(context.Context, word) (string, error) { return "", errKitchen }, server.Doc("fail"))
	server.Tool(s, "refuse", func(_ context.Context, in word) (string, error) { return "", server.Refuse("no %s today", in.Word) }, server.Doc("refuse"))
	server.Tool(s, "protocol", func(context.Context, struct{}) (string, error) {
		return "", fmt.Errorf("deep down: %w", &mcp.Error{Code: 4711, Message: "mine", Data: json.RawMessage(`{"n":9007199254740993}`)})
	}, server.Doc("fail as the protocol does"))
	server.Tool(s, "panic", func(context.Context, struct{}) (string, error) { panic("flambé") }, server.Doc("panic"))
	server.Tool(s, "wait", func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}, server.Doc("wait until cancelled"))
	server.Tool(s, "regional", func(_ context.Context, in regional) (string, error) {
		return fmt.Sprintf("%s/%d", in.Region, in.Count), nil
	}, server.Doc("mirrored arguments"))
	server.Tool(s, "whoami", func(ctx context.Context, _ struct{}) (string, error) {
		c := server.CallFrom(ctx)
		return strings.Join([]string{c.Client().Name, c.Profile().Version(), c.Method(), c.Name()}, " "), nil
	}, server.Doc("who calls"))
	server.Tool(s, "ask", func(context.Context, struct{}) (string, error) { return "asked", nil }, server.Doc("needs the user"),
		server.Needs(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &mcp.Settings{}}}))
	server.RawTool(s, mcp.Tool{
		Name: "raw", Description: "by hand",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"v":{}},"required":["v"],"$comment":"kept","x-own":{"a":[1]}}`),
	}, func(_ context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(string(args))}, StructuredContent: args}, nil
	})
}

func blocks(context.Context, struct{}) ([]mcp.Content, error) {
	unknown, err := mcp.ParseContent([]byte(`{"type":"hologram","depth":9007199254740993}`))
	return []mcp.Content{
		mcp.Text("text"), mcp.Image([]byte{1, 2}, "image/png"), mcp.Audio([]byte{3}, "audio/wav"),
		mcp.Link("note://1", "one"), mcp.Embed(mcp.ResourceContents{URI: "note://1", MIMEType: "text/plain", Text: "first"}), unknown,
	}, err
}

func declareRest(s *server.Service) {
	server.Resource(s, "note://about", func(context.Context, struct{}) (string, error) { return "notes", nil }, server.Doc("about"), server.MIME("text/plain"))
	server.Resource(s, "bin://logo", func(context.Context, struct{}) ([]byte, error) { return []byte{0, 255}, nil }, server.Name("logo"), server.MIME("image/png"))
	server.Resource(s, "note://{id}", func(_ context.Context, in struct {
		ID int `json:"id"`
	},
	) (string, error) {
		if in.ID > 100 {
			return "", mcp.ErrNotFound
		}
		return fmt.Sprintf("note %d", in.ID), nil
	}, server.Name("note"))
	server.Resource(s, "broken://x", func(context.Context, struct{}) (string, error) { return "", errKitchen }, server.Name("broken"))
	server.Prompt(s, "cook", func(_ context.Context, in struct {
		Dish  string `json:"dish" doc:"what to cook" mcp:"enum=soup|stew|salad"`
		Hours int    `json:"hours" mcp:"default=2,min=1,max=9"`
	},
	) (string, error) {
		return fmt.Sprintf("cook %s for %d hours", in.Dish, in.Hours), nil
	}, server.Doc("cook something"))
	server.Prompt(s, "broken", func(context.Context, struct{}) (string, error) { return "", errKitchen }, server.Doc("fails"))
}
