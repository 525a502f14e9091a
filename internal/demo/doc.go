// Package demo is the service that "diglot serve" publishes: a small notebook
// and a few tools, one for each feature a client can meet.
package demo

import "github.com/diglot-mcp/diglot/server"

// Service makes the demo service. Its notes live in memory, one set for each
// call of Service.
func Service() *server.Service {
	s := server.NewService("demo", server.Doc("a notebook, some arithmetic, and a bit of weather"))
	declareTools(s)
	declareNotes(s, newNotebook())
	declarePrompts(s)
	return s
}

// Instructions is what the demo server tells a model about itself.
const Instructions = "A demonstration server. demo_add adds, demo_note_save keeps a note, note://{id} reads it back."
