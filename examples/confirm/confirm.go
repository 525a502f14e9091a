// Package confirm is the story of a tool that asks its user before it does what
// cannot be undone. It asks in one line, and need not know how the answer comes.
package confirm

import (
	"context"
	"fmt"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// Notes are notes that can be deleted.
type Notes struct {
	mu    sync.Mutex
	notes map[int]string
	log   []string
}

// region ask

// DeleteIn are the arguments of delete.
type DeleteIn struct {
	ID int `json:"id" doc:"which note"`
}

// Confirm is the form that the user sees.
type Confirm struct {
	Reason string `json:"reason" doc:"why it can go" mcp:"enum=done|wrong|duplicate,default=done"`
}

// Delete asks the user, and deletes the note if the user agrees. Where the
// client is asked by a result that ends the call, this function runs twice: once
// up to the question, and once more when the answer is there. What it does before
// its question must not happen twice, so it says so.
func (n *Notes) Delete(ctx context.Context, in DeleteIn) (string, error) {
	_, err := server.Once(ctx, "log", func(context.Context) (bool, error) {
		n.record("asked to delete %d", in.ID)
		return true, nil
	})
	if err != nil {
		return "", err
	}
	why, err := server.Elicit[Confirm](ctx, "confirm", fmt.Sprintf("Delete note %d?", in.ID))
	if err != nil {
		return "", err // the question, or that the user declined
	}
	n.remove(in.ID)
	return fmt.Sprintf("deleted note %d, which was %s", in.ID, why.Reason), nil
}

// endregion

// Log is what was recorded.
func (n *Notes) Log() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.log...)
}

// Count is how many notes are left.
func (n *Notes) Count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.notes)
}

func (n *Notes) record(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, fmt.Sprintf(format, args...))
}

func (n *Notes) remove(id int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.notes, id)
}

// NewServer publishes delete for two notes.
func NewServer() (*server.Server, *Notes, error) {
	n := &Notes{notes: map[int]string{1: "milk", 2: "bread"}}
	s := server.NewService("notes")
	server.Tool(s, "delete", n.Delete, server.Doc("delete a note"), server.Destructive())
	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "notes", Version: "1.0.0"}}, s)
	return srv, n, err
}
