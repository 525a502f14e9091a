package server

import (
	"context"

	"github.com/diglot-mcp/diglot/mcp"
)

// aimResource reads the URI, which must be one (M-RES-018).
func aimResource(x *exchange) *mcp.Error {
	uri, err := member(x, x.params.URI, "uri")
	x.call.name, x.call.kind = uri, kindOfResource
	if err == nil && !absoluteURI(uri) {
		return mcp.Errorf(mcp.CodeInvalidParams, "params.uri %q is no absolute URI", clip(uri))
	}
	return err
}

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, x *exchange) (any, error) {
	e, variables := x.catalog.find(x.call.name)
	if !e.admits(ctx) {
		return nil, x.call.unknown()
	}
	x.call.service = e.Service
	if err := e.needs(x); err != nil {
		return nil, err
	}
	if err := x.resume(ctx); err != nil {
		return nil, err
	}
	r, err := e.resource.run(ctx, x.call.name, variables)
	if err != nil {
		return nil, err
	}
	if r.CacheHint = hintOf(r.CacheHint, e.cache, x.personal()); x.call.used() {
		r.CacheHint = uncached()
	}
	return r, nil
}

// hintOf is the hint of a handler, else the one declared. Absent, the stamp's is
// used.
func hintOf(own, declared mcp.CacheHint, personal bool) mcp.CacheHint {
	if own.TTLMs == nil {
		own = declared
	}
	if own.TTLMs == nil {
		return mcp.CacheHint{}
	}
	if *own.TTLMs < 0 {
		own.TTLMs = new(int64) // M-CACHE-002
	}
	if personal || !own.Public() {
		own.CacheScope = mcp.CachePrivate
	}
	return own
}

// misread is the error for a URI that a template matches and whose variables do
// not fit: there is no such resource, and this is why.
func misread(uri string, err error) error {
	e := unknown(kindOfResource, uri)
	e.Message += ": " + err.Error()
	return e
}
