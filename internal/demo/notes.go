package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// maxNotes bounds the notebook, which anybody may write to.
const maxNotes = 1000

// notebook keeps notes in memory. It is safe for concurrent use.
type notebook struct {
	mu    sync.Mutex
	notes map[string]string
}

func newNotebook() *notebook {
	return &notebook{notes: map[string]string{
		"welcome": "# Welcome\n\nThis note is a resource. Save your own with the tool demo_note_save.\n",
	}}
}

func declareNotes(s *server.Service, n *notebook) {
	server.Tool(s, "note_save", n.save, server.Doc("keep a note under an id, replacing what was there"), server.Idempotent())
	server.Tool(s, "note_delete", n.remove, server.Doc("delete a note"), server.Destructive())
	server.Resource(s, "demo://about", about, server.Doc("what this server is"), server.MIME("text/plain"), server.Title("About"))
	server.Resource(s, "note://{id}", n.read, server.Doc("a note"), server.MIME("text/markdown"),
		server.Complete("id", n.complete))
}

// SaveIn are the arguments of note_save.
type SaveIn struct {
	ID   string `json:"id" doc:"letters, digits and dashes" mcp:"pattern='^[a-z0-9-]{1,40}$'"`
	Text string `json:"text" doc:"the note, in Markdown" mcp:"maxlen=10000"`
}

// Saved is the result of note_save.
type Saved struct {
	URI string `json:"uri" doc:"where to read the note"`
}

func (n *notebook) save(_ context.Context, in SaveIn) (Saved, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, there := n.notes[in.ID]; !there && len(n.notes) >= maxNotes {
		return Saved{}, server.Refuse("the notebook is full: %d notes; delete one first", maxNotes)
	}
	n.notes[in.ID] = in.Text
	return Saved{URI: "note://" + in.ID}, nil
}

// NoteIn names a note.
type NoteIn struct {
	ID string `json:"id" doc:"the note's id"`
}

func (n *notebook) remove(_ context.Context, in NoteIn) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, there := n.notes[in.ID]; !there {
		return "", server.Refuse("there is no note %q", in.ID)
	}
	delete(n.notes, in.ID)
	return fmt.Sprintf("note %q is gone", in.ID), nil
}

func (n *notebook) read(_ context.Context, in NoteIn) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text, there := n.notes[in.ID]
	if !there {
		return "", fmt.Errorf("note %q: %w", in.ID, mcp.ErrNotFound)
	}
	return text, nil
}

func (n *notebook) complete(_ context.Context, typed string, _ map[string]string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var ids []string
	for id := range n.notes {
		if strings.HasPrefix(id, typed) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func about(context.Context, struct{}) (string, error) {
	return "diglot's demonstration server: every feature once, in either era.", nil
}
