package server

import (
	"context"
	"time"
)

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

// standing is how long what is known of a caller holds while its stream is open,
// which may be longer than the credentials last that it was opened with (T-53).
// The zero value holds for ever.
type standing struct {
	// until is when it ends, the zero time for never.
	until time.Time
	// still reports whether it holds, nil for yes. It is called before anything is
	// told, and must not block.
	still func() bool
}

func (s standing) holds() bool { return s.still == nil || s.still() }

// ends is a channel that gets something when the standing ends.
func (s standing) ends() (lapsed <-chan time.Time, stop func()) {
	if s.until.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(s.until))
	return t.C, func() { t.Stop() }
}

type standingKey struct{}

// asStanding says how long a request with this context may be answered, if it
// stays open. An authentication middleware calls it, as it calls asPrincipal.
func asStanding(ctx context.Context, s standing) context.Context {
	return context.WithValue(ctx, standingKey{}, s)
}

func standingOf(ctx context.Context) standing {
	s, _ := ctx.Value(standingKey{}).(standing)
	return s
}
