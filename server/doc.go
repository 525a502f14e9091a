// Package server publishes tools, resources and prompts to clients of every
// revision of the Model Context Protocol.
//
// Handlers are ordinary functions, declared on a [Service]:
//
//	s := server.NewService("notes")
//	server.Tool(s, "search", search, server.Doc("search notes"), server.ReadOnly())
//	server.Resource(s, "note://{id}", read, server.MIME("text/markdown"))
//	server.Prompt(s, "summarize", summarize)
//	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "notes", Version: "1.0.0"}}, s)
//
// Declaring never fails: what is wrong with an entry is kept, and [New] returns
// all of it at once.
//
// A handler does not know which revision its caller speaks. It receives decoded
// and validated arguments, returns a Go value, and may use [CallFrom],
// [Progress] and [Log], all of which do nothing outside a call.
//
// # Asking
//
// A handler may ask: the user with [Elicit], the client's model with [Sample], for
// the client's roots with [Roots], and for several things at once with [Ask].
// Where the protocol has the call end with a question, the handler runs again
// when the answer is there, so it must ask the same again; [Once] keeps what must
// not happen twice, and [Later] puts a call off.
//
// # Failures
//
// An error a tool returns becomes a result the model can read; the text of an
// error that a resource or prompt returns stays in the log. [Refuse] is for what
// the caller should know in any case, and an error that wraps a [*mcp.Error]
// chooses the code of the protocol error.
package server
