package wire

import "github.com/diglot-mcp/diglot/mcp"

// modern is the revision that is stateless: every request describes itself.
type modern struct{}

const thisModern = mcp.Modern20260728

// Profile is the revision.
func (*modern) Profile() mcp.Profile { return thisModern }

// Serves reports whether a client may send method.
func (*modern) Serves(method string) bool { return serves(thisModern, method) }

// Resumes reports whether method may end by asking for input.
func (*modern) Resumes(method string) bool { return retried(method) }

// Check judges the reserved members of a request's _meta beyond its version.
func (*modern) Check(p *Params) *mcp.Error { return p.checkModern() }

// Capabilities is c without what is gone.
func (*modern) Capabilities(c mcp.ServerCapabilities) mcp.ServerCapabilities {
	return serverCapabilitiesFor(thisModern, c)
}

// ClientCapabilities is c without what is gone.
func (*modern) ClientCapabilities(c mcp.ClientCapabilities) mcp.ClientCapabilities {
	return clientCapabilitiesFor(thisModern, c)
}

// AppendEntry appends a catalog entry.
func (*modern) AppendEntry(dst []byte, entry any) ([]byte, error) {
	return appendEntry(thisModern, dst, entry)
}

// AppendResult appends a result with its type, identity and hints.
func (*modern) AppendResult(dst []byte, result any, stamp *Stamp) ([]byte, error) {
	return appendResult(thisModern, dst, result, stamp)
}

// Refusal replaces the codes that must not be sent any more.
func (*modern) Refusal(method string, err *mcp.Error) (*mcp.CallToolResult, *mcp.Error) {
	return refusal(thisModern, method, err)
}

// Status is the HTTP status of an error.
func (*modern) Status(err *mcp.Error) int { return status(thisModern, err) }

// AppendNotification appends a notification.
func (*modern) AppendNotification(dst []byte, method string, params any) ([]byte, bool, error) {
	return appendNotification(thisModern, dst, method, params)
}

// AppendParams appends params with the client's description of itself.
func (*modern) AppendParams(dst []byte, method string, params any, self *Self) ([]byte, error) {
	return appendParams(thisModern, dst, method, params, self)
}

// Result reads a result, by its type.
func (*modern) Result(method string, raw []byte, into any) (*mcp.InputRequiredResult, error) {
	return readModern(method, raw, into)
}

// Failure reads a peer's error.
func (*modern) Failure(method string, err *mcp.Error) error { return failed(thisModern, method, err) }
