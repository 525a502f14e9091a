package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

type sumIn struct {
	A      int64  `json:"a" doc:"first"`
	B      int64  `json:"b" doc:"second"`
	Region string `json:"region" doc:"where" mcp:"optional,header=Region"`
}

type sumOut struct {
	Sum    int64  `json:"sum" doc:"the sum"`
	Region string `json:"region" doc:"where it was found"`
}

type greetIn struct {
	Name string `json:"name" doc:"whom"`
}

// calculator is a server with one of everything, and 300 tools more.
func calculator(t testing.TB) *server.Server {
	s := server.NewService("calc")
	server.Tool(s, "sum", func(ctx context.Context, in sumIn) (sumOut, error) {
		server.Progress(ctx, 1, 2, "half")
		return sumOut{in.A + in.B, in.Region}, nil
	}, server.Doc("add two numbers"))
	server.Tool(s, "fail", func(context.Context, struct{}) (string, error) { return "", errors.New("out of numbers") }, server.Doc("fail"))
	server.Resource(s, "calc://{name}", func(_ context.Context, in greetIn) (string, error) {
		if in.Name != "pi" {
			return "", mcp.ErrNotFound
		}
		return "3.14", nil
	}, server.Doc("constants"))
	server.Prompt(s, "greet", func(_ context.Context, in greetIn) (string, error) { return "hello " + in.Name, nil }, server.Doc("greet"))
	for i := range 300 {
		server.Tool(s, fmt.Sprintf("more%03d", i), func(context.Context, struct{}) (string, error) { return "", nil }, server.Doc("one of many"))
	}
	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "calc", Version: "1"}}, s)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestEras: everything a client does, on every transport and in every revision.
func TestEras(t *testing.T) {
	mcptest.Eras(t, calculator, client.Config{}, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		ctx := t.Context()
		var names []string
		for tool, err := range c.Tools(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if len(names) != 302 || !slices.Contains(names, "calc_sum") {
			t.Errorf("%d tools are listed", len(names))
		}
		// In every revision a typed result comes back typed, be it as structured
		// content or as text.
		var steps []float64
		sum, err := client.Call[sumOut](ctx, c, "calc_sum", sumIn{A: 9007199254740993, B: 1, Region: "Hällo, 世界"},
			client.OnProgress(func(p mcp.ProgressParams) { steps = append(steps, p.Progress) }))
		if diff := cmp.Diff(sumOut{9007199254740994, "Hällo, 世界"}, sum); err != nil || diff != "" {
			t.Errorf("error %v, sum (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff([]float64{1}, steps); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		_, err = client.Call[string](ctx, c, "calc_fail", nil)
		var failed *mcp.ToolError
		if !errors.As(err, &failed) || !strings.Contains(failed.Text, "out of numbers") {
			t.Errorf("error is %v", err)
		}
		if _, err := c.Call(ctx, "calc_nothing", nil); !errors.Is(err, &mcp.Error{Code: mcp.CodeInvalidParams}) {
			t.Errorf("error is %v", err)
		}
		read, err := c.Read(ctx, "calc://pi")
		if err != nil || read.Contents[0].Text != "3.14" {
			t.Errorf("read %+v, error %v", read, err)
		}
		if _, err := c.Read(ctx, "calc://e"); !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("error is %v", err)
		}
		prompt, err := c.Prompt(ctx, "calc.greet", map[string]string{"name": "Ada"})
		if err != nil || len(prompt.Messages) != 1 {
			t.Errorf("prompt %+v, error %v", prompt, err)
		}
		if err := c.Ping(ctx); err != nil {
			t.Error(err)
		}
		if got := c.Server(); got.Info.Name != "calc" || got.Capabilities.Tools == nil {
			t.Errorf("server is %+v", got)
		}
		if got := c.Verdict().Profile; got != cell.Spoken {
			t.Errorf("verdict is %v", got)
		}
	})
}

type visit struct {
	Page  url.URL        `json:"page"`
	Stay  time.Duration  `json:"stay"`
	Pause *time.Duration `json:"pause,omitempty"`
}

// TestSharedTypes: a server and a client may share the types of arguments and
// results, durations and URLs among their members.
func TestSharedTypes(t *testing.T) {
	build := func(t testing.TB) *server.Server {
		s := server.NewService("")
		server.Tool(s, "echo", func(_ context.Context, in visit) (visit, error) { return in, nil })
		srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "echo", Version: "1"}}, s)
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		for _, in := range []visit{
			{Page: url.URL{Scheme: "https", Host: "example.com", Path: "/a"}, Stay: 90 * time.Second},
			{Page: url.URL{Path: "b"}, Pause: new(time.Minute)},
		} {
			out, err := client.Call[visit](t.Context(), c, "echo", in)
			if diff := cmp.Diff(in, out); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		}
	})
}
