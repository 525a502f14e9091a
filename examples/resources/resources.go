// Package resources is the story of things to read: a fixed one, and a family
// that is named by a template.
package resources

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

var notes = map[string]string{"42": "buy milk", "43": "call home"}

// region resources

// NoteIn is bound to the variables of the template.
type NoteIn struct {
	ID string `json:"id" doc:"the note's number"`
}

// Note reads one note. An error that wraps mcp.ErrNotFound becomes the code the
// client's revision has for it.
func Note(_ context.Context, in NoteIn) (string, error) {
	text, ok := notes[in.ID]
	if !ok {
		return "", fmt.Errorf("note %q: %w", in.ID, mcp.ErrNotFound)
	}
	return text, nil
}

// NewServer publishes a resource, and a template with suggestions for its
// variable.
func NewServer() (*server.Server, error) {
	s := server.NewService("notes")
	server.Resource(s, "note://about", func(context.Context, struct{}) (string, error) {
		return "two notes", nil
	}, server.Doc("what is here"), server.MIME("text/plain"))
	server.Resource(s, "note://{id}", Note, server.Doc("a note"), server.MIME("text/plain"),
		server.Complete("id", suggest))
	return server.New(server.Config{Info: mcp.Implementation{Name: "notes", Version: "1.0.0"}}, s)
}

// endregion

func suggest(_ context.Context, typed string, _ map[string]string) ([]string, error) {
	var ids []string
	for id := range notes {
		if strings.HasPrefix(id, typed) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
