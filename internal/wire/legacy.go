package wire

import "github.com/diglot-mcp/diglot/mcp"

// legacy is one of the revisions that open with initialize.
type legacy struct{ profile mcp.Profile }

// Profile is the revision.
func (l *legacy) Profile() mcp.Profile { return l.profile }

// Serves reports whether a client may send method.
func (l *legacy) Serves(method string) bool { return serves(l.profile, method) }

// Resumes is false: no request ends by asking for input.
func (l *legacy) Resumes(string) bool { return false }

// Check judges a request's _meta: its type, and the progress token's.
func (l *legacy) Check(p *Params) *mcp.Error {
	if err := p.checkShape(); err != nil {
		return err
	}
	return p.checkProgressToken()
}

// Capabilities is c as the revision can declare it.
func (l *legacy) Capabilities(c mcp.ServerCapabilities) mcp.ServerCapabilities {
	return serverCapabilitiesFor(l.profile, c)
}

// ClientCapabilities is c as the revision can declare it.
func (l *legacy) ClientCapabilities(c mcp.ClientCapabilities) mcp.ClientCapabilities {
	return clientCapabilitiesFor(l.profile, c)
}

// AppendEntry appends a catalog entry.
func (l *legacy) AppendEntry(dst []byte, entry any) ([]byte, error) {
	return appendEntry(l.profile, dst, entry)
}

// AppendResult appends a result without what came later.
func (l *legacy) AppendResult(dst []byte, result any, stamp *Stamp) ([]byte, error) {
	return appendResult(l.profile, dst, result, stamp)
}

// Refusal says in the revision's terms what it has no code for.
func (l *legacy) Refusal(method string, err *mcp.Error) (*mcp.CallToolResult, *mcp.Error) {
	return refusal(l.profile, method, err)
}

// Status is the HTTP status of an error: a 404 would end the session.
func (l *legacy) Status(err *mcp.Error) int { return status(l.profile, err) }

// AppendNotification appends a notification.
func (l *legacy) AppendNotification(dst []byte, method string, params any) ([]byte, bool, error) {
	return appendNotification(l.profile, dst, method, params)
}

// AppendParams appends params without the client's description of itself.
func (l *legacy) AppendParams(dst []byte, method string, params any, self *Self) ([]byte, error) {
	return appendParams(l.profile, dst, method, params, self)
}

// Result reads a result; none asks for input.
func (l *legacy) Result(method string, raw []byte, into any) (*mcp.InputRequiredResult, error) {
	return nil, readResult(method, raw, into)
}

// Failure reads a peer's error.
func (l *legacy) Failure(method string, err *mcp.Error) error { return failed(l.profile, method, err) }
