package server

import (
	"context"
	"time"
)

// Detach lets go of the connection on which the caller waits for the reply of
// the call that ctx belongs to, and asks it to come back after retry for what
// follows: notifications, questions, and the reply, which are kept meanwhile. It
// is for calls that take long on networks that do not keep quiet connections. The
// handler goes on, and ctx with it; when the caller has not come back within
// Session.Linger after retry, ctx ends. With a retry of 0 or less the caller
// chooses when.
//
// Only Streamable HTTP of 2025-11-25 has this (SEP-1699), for clients that take
// event streams. Detach does nothing everywhere else, while the caller is away,
// once the handler returned or the call was cancelled, and outside a call. It blocks no longer than the
// transport's write limit, and is safe for concurrent use.
func Detach(ctx context.Context, retry time.Duration) {
	c := CallFrom(ctx)
	if c.x == nil {
		return
	}
	t, ok := c.x.sink.(*track)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.silent(ctx) {
		t.detach(max(retry, 0))
	}
}
