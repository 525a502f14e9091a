// Package confirm is the story of a tool that asks the user before it acts, with
// one handler for both eras.
package confirm

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region server

// DeleteIn names what to delete.
type DeleteIn struct {
	Name string `json:"name" doc:"the file"`
}

// Sure is the form the user sees.
type Sure struct {
	Reason string `json:"reason" doc:"for the log" mcp:"default=no longer needed"`
}

// Delete asks first. Where the protocol has sessions the question goes out while
// the handler waits; where it has none the handler runs again with the answer.
func Delete(ctx context.Context, in DeleteIn) (string, error) {
	sure, err := server.Elicit[Sure](ctx, "sure", "Delete "+in.Name+"?")
	if errors.Is(err, mcp.ErrDeclined) {
		return "kept " + in.Name, nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("deleted %s (%s)", in.Name, sure.Reason), nil
}

// endregion

// NewServer publishes delete.
func NewServer() (*server.Server, error) {
	s := server.NewService("")
	server.Tool(s, "delete", Delete, server.Doc("delete a file"), server.Destructive())
	return server.New(server.Config{Info: mcp.Implementation{Name: "files", Version: "1.0.0"}}, s)
}

// region client

// Answering is the configuration of a client whose user says yes to everything;
// a real one shows params.Message and the form.
func Answering() client.Config {
	return client.Config{
		Info: mcp.Implementation{Name: "agent", Version: "1.0.0"},
		Elicit: func(_ context.Context, _ mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ActionAccept}, nil
		},
	}
}

// endregion
