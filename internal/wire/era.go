package wire

import "github.com/diglot-mcp/diglot/mcp"

// Era reads and writes the messages of one revision. Implementations are
// immutable and safe for concurrent use; [For] returns shared ones.
//
// The interface stays internal, so that methods can be added as revisions come.
type Era interface { //nolint:interfacebloat // one seam: whoever has an era needs all of it
	// Profile is the revision. It is never Auto.
	Profile() mcp.Profile
	// Serves reports whether a client of this revision may send the request or
	// notification named method. Capabilities are not considered.
	Serves(method string) bool
	// Resumes reports whether the request named method may end by asking for
	// input, to be sent again with the answers (M-MRTR-002, M-MRTR-003). Where
	// none may, whoever serves one asks in requests of its own.
	Resumes(method string) bool

	// Check judges what a request says about itself beyond its version: types
	// of the reserved members of _meta, presence where the revision demands it
	// (M-META-002, M-META-005). The error is -32602.
	Check(p *Params) *mcp.Error
	// Capabilities is c as this revision can express it.
	Capabilities(c mcp.ServerCapabilities) mcp.ServerCapabilities
	// ClientCapabilities is c as this revision can express it: what a client
	// encodes for [Self.Capabilities] or sends with initialize.
	ClientCapabilities(c mcp.ClientCapabilities) mcp.ClientCapabilities
	// AppendEntry appends one catalog entry: a mcp.Tool, mcp.Resource,
	// mcp.ResourceTemplate or mcp.Prompt, converted for this revision.
	AppendEntry(dst []byte, entry any) ([]byte, error)
	// AppendResult appends a result object. result is a pointer to one of mcp's
	// result types, or a [*Page]. What the revision lacks is dropped or
	// converted; what it demands on every result comes from stamp.
	AppendResult(dst []byte, result any, stamp *Stamp) ([]byte, error)
	// Refusal is what a client of this revision is told when the request named
	// method fails with err: an error object, or, where the revision has no such
	// error, a tool result that says the same (legacy DN-12, DN-13, DN-15).
	Refusal(method string, err *mcp.Error) (*mcp.CallToolResult, *mcp.Error)
	// Status is the HTTP status an error travels with (M table 14, DN-14).
	Status(err *mcp.Error) int
	// AppendNotification appends a whole JSON-RPC notification. params is a
	// value of mcp or nil. ok is false when the revision has no such
	// notification; dst is then returned as it was.
	AppendNotification(dst []byte, method string, params any) (out []byte, ok bool, err error)

	// AppendParams appends the params object of a request a client sends.
	// params is a value of mcp, raw JSON (an object), or nil. The revision's
	// reserved _meta members are written from self, and stripped where the
	// revision has none (UP-02).
	AppendParams(dst []byte, method string, params any, self *Self) ([]byte, error)
	// Result reads the result of method into into, a pointer to one of mcp's
	// result types or to a json.RawMessage. A result that asks for input comes back
	// as the first value, and into is untouched. The error wraps
	// mcp.ErrInvalidResponse when the result is not what the revision allows.
	Result(method string, raw []byte, into any) (*mcp.InputRequiredResult, error)
	// Failure reads a peer's error: codes of this revision become the newest
	// ones, and conditions that have a sentinel match it under errors.Is.
	Failure(method string, err *mcp.Error) error
}

// Stamp is what a server puts on every result.
type Stamp struct {
	// ServerInfo is the server's identity, encoded; nil leaves it out.
	ServerInfo []byte
	// Hint is used for the six cacheable results that carry none of their own.
	Hint mcp.CacheHint
}

// Self is what a client says about itself with a request.
type Self struct {
	// Info is the client's identity, encoded; nil leaves it out.
	Info []byte
	// Capabilities is what the client can be asked for, encoded; nil means {}.
	Capabilities []byte
	// LogLevel asks for log messages with this request, when not empty.
	LogLevel mcp.LogLevel
	// ProgressToken asks for progress, when not nil: an encoded string or integer.
	ProgressToken []byte
}

// Page is one page of a list whose entries are already encoded for the era
// they are written by.
type Page struct {
	// Member is the name of the list: tools, resources, resourceTemplates, prompts.
	Member string
	// Entries are the encoded entries.
	Entries [][]byte
	// NextCursor leads to the next page, nil at the end.
	NextCursor *string
	// Hint replaces the stamp's when its TTLMs is not nil.
	Hint mcp.CacheHint
}
