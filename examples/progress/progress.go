// Package progress is the story of a call that takes its time: it reports how
// far it has come, logs, and stops when nobody waits any more.
package progress

import (
	"context"
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region progress

// BuildIn are the arguments of build.
type BuildIn struct {
	Steps int `json:"steps" doc:"how many steps" mcp:"default=3,min=1,max=100"`
}

// Build reports each step. Progress and Log do nothing when the caller did not
// ask, or when there is no caller, as in a test.
func Build(ctx context.Context, in BuildIn) (string, error) {
	for i := range in.Steps {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		server.Progress(ctx, float64(i+1), float64(in.Steps), fmt.Sprintf("step %d", i+1))
		server.Log(ctx).Info("built", "step", i+1)
	}
	return "done", nil
}

// endregion

// NewServer publishes build.
func NewServer() (*server.Server, error) {
	s := server.NewService("")
	server.Tool(s, "build", Build, server.Doc("build something"))
	return server.New(server.Config{Info: mcp.Implementation{Name: "builder", Version: "1.0.0"}}, s)
}
