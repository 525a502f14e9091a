package main

import (
	"context"
	"time"

	"github.com/diglot-mcp/diglot/server"
)

// reconnect lets go of its caller, goes on alone for a while, and leaves its
// reply to whoever comes back for it.
func reconnect(ctx context.Context, _ none) (string, error) {
	server.Detach(ctx, retry)
	if err := pause(ctx, 2*step); err != nil {
		return "", err
	}
	return "Reconnection test completed successfully", nil
}

// retry is when the caller is asked to come back.
const retry = 500 * time.Millisecond
