// Package schema is the story of arguments: what the tags say, and what a model
// is told when it gets them wrong.
package schema

import (
	"context"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

// region arguments

// Order is how results are sorted.
type Order string

// SearchIn are the arguments of search. A field is required unless it is a
// pointer, has omitempty, or a default.
type SearchIn struct {
	Query string   `json:"query" doc:"text to look for" mcp:"minlen=1"`
	Order Order    `json:"order" doc:"sort order" mcp:"enum=newest|oldest,default=newest"`
	Limit int      `json:"limit" doc:"at most this many" mcp:"default=10,min=1,max=50"`
	Tags  []string `json:"tags,omitempty" doc:"only notes with all of these" mcp:"maxitems=5"`
}

// endregion

// SearchOut is the result of search.
type SearchOut struct {
	Query string   `json:"query"`
	Order Order    `json:"order"`
	Limit int      `json:"limit"`
	Tags  []string `json:"tags"`
}

// Search answers with what it was asked, defaults filled in.
func Search(_ context.Context, in SearchIn) (SearchOut, error) {
	return SearchOut(in), nil
}

// NewServer publishes search.
func NewServer() (*server.Server, error) {
	s := server.NewService("notes")
	server.Tool(s, "search", Search, server.Doc("search notes"), server.ReadOnly())
	return server.New(server.Config{Info: mcp.Implementation{Name: "notes", Version: "1.0.0"}}, s)
}
