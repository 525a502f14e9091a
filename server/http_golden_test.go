package server_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

type echoIn struct {
	Text string `json:"text" doc:"what to say"`
}

type echoOut struct {
	Text string `json:"text" doc:"what was said"`
}

type locateIn struct {
	Region string `json:"region" doc:"where" mcp:"header=Region"`
}

// goldenService has one of everything the recorded exchanges need.
func goldenService() *server.Service {
	s := server.NewService("")
	server.Tool(s, "echo", func(_ context.Context, in echoIn) (echoOut, error) { return echoOut(in), nil }, server.Doc("say it again"))
	server.Tool(s, "locate", func(_ context.Context, in locateIn) (string, error) { return "in " + in.Region, nil }, server.Doc("find it"))
	server.Tool(s, "steps", func(ctx context.Context, _ struct{}) (string, error) {
		server.Progress(ctx, 1, 2, "half")
		server.Log(ctx).Info("half way", "step", 1)
		server.Progress(ctx, 2, 2, "")
		return "done", nil
	}, server.Doc("take two steps"))
	server.Tool(s, "confirm", func(context.Context, struct{}) (string, error) { return "yes", nil },
		server.Doc("ask first"), server.Needs(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}))
	server.Resource(s, "note://{id}", func(_ context.Context, in struct {
		ID string `json:"id"`
	}) (string, error) {
		return "note " + in.ID, nil
	}, server.Name("note"), server.Doc("a note"))
	server.Prompt(s, "greet", func(_ context.Context, in struct {
		Name string `json:"name" doc:"whom"`
	}) (string, error) {
		return "Greet " + in.Name, nil
	}, server.Doc("greet somebody"))
	return s
}

// TestGoldenHTTP plays recorded requests and compares statuses, headers and
// bodies with what was recorded. An archive may pin the profile of its server
// ("profile: NAME") or have it keep no sessions ("stateless: yes").
func TestGoldenHTTP(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			mcptest.Golden(t, "testdata/http/"+era+"/*.txtar", func(t testing.TB) http.Handler {
				_, name, _ := strings.Cut(t.Name(), era+"/")
				cfg := server.Config{Info: mcp.Implementation{Name: "golden", Version: "1"}}
				configure(t, &cfg, "testdata/http/"+era+"/"+name+".txtar")
				srv, err := server.New(cfg, goldenService())
				if err != nil {
					t.Fatal(err)
				}
				return srv.Handler()
			})
		})
	}
}

// configure reads what an archive says about its server.
func configure(t testing.TB, cfg *server.Config, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\n-- ")
	for line := range strings.Lines(comment) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "profile: "); ok {
			if cfg.Profile, err = mcp.ParseProfile(name); err != nil {
				t.Fatal(err)
			}
		}
		cfg.Session.Stateless = cfg.Session.Stateless || strings.TrimSpace(line) == "stateless: yes"
	}
}
