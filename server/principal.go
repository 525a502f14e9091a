package server

import "context"

type principalKey struct{}

// asPrincipal says on whose behalf requests with this context come. An
// authentication middleware around a handler calls it for each request.
func asPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// principalOf is who requests with this context come from, empty when nobody
// said.
func principalOf(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}
