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

// find returns the entry that serves a URI, and the variables in it as an
// encoded object: the resource with that very URI, else the family with the most
// specific template. Another family is not asked when the caller may not see
// that one, or the one matched finds nothing.
func (c *catalog) find(uri string) (*entry, []byte) {
	if e := c.resources[uri]; e != nil {
		return e, nil
	}
	for _, e := range c.templates {
		if variables, ok := e.resource.match(uri); ok {
			return e, variables
		}
	}
	return nil, nil
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
	r, err := e.resource.run(ctx, x.call.name, variables)
	if err != nil {
		return nil, err
	}
	if r.TTLMs == nil {
		r.CacheHint = e.cache
	}
	if r.TTLMs != nil && s.stamp(x, stampRead).Hint.CacheScope != mcp.CachePublic && (x.caller.principal != "" || len(e.shownBy) > 0) {
		r.CacheScope = mcp.CachePrivate
	}
	return r, nil
}

// misread is the error for a URI that a template matches and whose variables do
// not fit: there is no such resource, and this is why.
func misread(uri string, err error) error {
	e := unknown(kindOfResource, uri)
	e.Message += ": " + err.Error()
	return e
}
