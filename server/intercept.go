package server

import (
	"context"
	"slices"
)

// Next runs the rest of the chain, and in the end the request itself.
type Next func(ctx context.Context, call *Call) (any, error)

// Interceptor runs around every request whose method the server offers and whose
// target can be read, of either era and on every transport. It may look at the call, refuse it by
// returning an error, give next another context, and look at or replace what
// next returns. It must not keep call, and may pass no other one on.
//
// The result is a pointer to one of mcp's result types; that of a list is opaque,
// and only to be passed on. An error is turned into an answer as an error of a
// handler is, after the outermost interceptor returned: a tool's own errors are
// seen here as they were returned.
//
// For subscriptions/listen next returns when the client has stopped listening,
// which may be after days; the context of a listen should have no deadline.
//
// An interceptor runs concurrently with itself. Concerns of HTTP (logging of
// requests, authentication, rate limits by address) are ordinary middleware
// around [Server.Handler] instead.
type Interceptor func(ctx context.Context, call *Call, next Next) (any, error)

// chain joins interceptors around last, the first one outermost. Without
// interceptors it is last itself.
func chain(interceptors []Interceptor, last Next) Next {
	for _, in := range slices.Backward(interceptors) {
		next := last
		last = func(ctx context.Context, call *Call) (any, error) { return in(ctx, call, next) }
	}
	return last
}
