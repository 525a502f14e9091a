package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
)

// Call is the request a handler runs for: who asks, for what, in which
// revision. Outside a call it is empty, and each method returns its zero value.
//
// A Call is safe for concurrent use, and valid until the handler returns; what
// its methods returned stays valid.
type Call struct {
	x *exchange
	// ctx is the context of the exchange.
	ctx context.Context
	// name is the tool, prompt or URI; service the name of the service it is on.
	name, service string
	// kind says what name is.
	kind string

	mu sync.Mutex
	// asks is what the call asks its client, nil until it does.
	asks *asking
	// over: the reply is being made, and nothing may be sent before it any more.
	over bool
	// returned: the handler returned, and the bytes of the request are not the
	// call's any more.
	returned bool
	// reports is the progress that was reported; records are the log records.
	reports reports
	records records
}

// running is the context of a call. It carries the call, so that both are one
// allocation.
type running struct {
	context.Context //nolint:containedctx // it is a context

	call Call
}

type callKey struct{}

// Value finds the call, and what the context below it carries.
func (r *running) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return &r.call
	}
	return r.Context.Value(key)
}

// CallFrom returns the call that ctx belongs to. It is never nil: outside a call
// it returns an empty one, so that handlers run in tests with
// context.Background().
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return new(Call)
}

// Profile is the revision the caller speaks. A handler need not know it: it is
// for logs and metrics.
func (c *Call) Profile() mcp.Profile {
	if c.x == nil {
		return mcp.Auto
	}
	return c.x.era.Profile()
}

// Method is the request's method, such as "tools/call".
func (c *Call) Method() string {
	if c.x == nil {
		return ""
	}
	return c.x.method
}

// Name is the full name of the tool or prompt, or the URI that is read, and
// empty for requests that name none. Interceptors see it before anybody looked
// whether it exists.
func (c *Call) Name() string { return c.name }

// Params are the request's parameters as they were sent, nil when there were
// none. Each use makes a copy.
func (c *Call) Params() json.RawMessage {
	if c.x == nil {
		return nil
	}
	return c.lent(c.x.params.Raw)
}

// lent copies a part of the request. Its bytes belong to the call until the
// handler has returned; then another request may be read into them.
func (c *Call) lent(part []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return nil
	}
	return bytes.Clone(part)
}

// Client is who the calling program says it is. It is for display and logs, and
// proves nothing.
func (c *Call) Client() mcp.Implementation {
	var info mcp.Implementation
	if c.x != nil && c.x.caller.info != nil {
		if err := json.Unmarshal(c.lent(c.x.caller.info), &info); err != nil {
			return mcp.Implementation{} // clientInfo is optional, and a broken one is none
		}
	}
	return info
}

// Capabilities are what the caller can be asked for.
func (c *Call) Capabilities() mcp.ClientCapabilities {
	var caps mcp.ClientCapabilities
	if c.x != nil && c.x.caller.capabilities != nil {
		if err := json.Unmarshal(c.lent(c.x.caller.capabilities), &caps); err != nil {
			return mcp.ClientCapabilities{} // what cannot be read was not declared
		}
	}
	return caps
}

// Header is the header of the HTTP request, nil on other transports. It is
// shared: do not change it.
func (c *Call) Header() http.Header {
	if c.x == nil {
		return nil
	}
	return c.x.header
}

// Principal is who the caller is to the authorization layer, empty when there is
// none.
func (c *Call) Principal() string {
	if c.x == nil {
		return ""
	}
	return c.x.caller.principal
}

// unknown is the error for a name there is nothing under, or nothing the caller
// may see.
func (c *Call) unknown() *mcp.Error { return unknown(c.kind, c.name) }

func unknown(kind, name string) *mcp.Error {
	member := "name"
	if kind == kindOfResource {
		member = "uri" // M-RES-009
	}
	e := mcp.Errorf(mcp.CodeInvalidParams, "unknown %s %q", kind, clip(name))
	if len(name) <= maxEcho {
		e.Data = append(append([]byte(`{"`+member+`":`), quoted(name)...), '}')
	}
	return e
}

// maxEcho is how long a name may be to be repeated to who sent it, in bytes.
const maxEcho = 8 << 10

// kindOfResource is the kind of what resources/read and completions name.
const kindOfResource = "resource"

// finish forbids messages that would come after the reply, and waits for one
// that is being sent.
func (c *Call) finish() {
	c.mu.Lock()
	c.settleReports()
	c.settleRecords()
	c.over, c.returned = true, true
	asks := c.asks
	c.mu.Unlock()
	if asks != nil {
		asks.update(func(st *journal) { st.over = true })
	}
}

// notify sends a notification ahead of the reply. It does nothing when the
// reply is out, the caller is gone, or the transport cannot carry it. Callers
// hold c.mu, which keeps notifications in order.
func (c *Call) notify(ctx context.Context, method string, params any) {
	if c.x.sink == nil || c.silent(ctx) {
		return
	}
	out, ok, err := c.x.era.AppendNotification(nil, method, params)
	if err != nil || !ok {
		return // nothing that a handler could do about it
	}
	if c.x.sink.send(ctx, out) != nil {
		c.over = true // the peer is gone
	}
}

// silent reports whether nothing may be sent for the call any more: it has been
// answered, or been cancelled, whatever context a handler comes with (CAN-05).
func (c *Call) silent(ctx context.Context) bool {
	return c.over || ctx.Err() != nil || c.ctx != nil && c.ctx.Err() != nil
}
