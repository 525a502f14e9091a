package main

import (
	"context"
	"time"

	"github.com/diglot-mcp/diglot/server"
)

<<<<<<< HEAD
// declareReconnecting adds the tool whose caller is sent away and comes back for
// the result.
func declareReconnecting(s *server.Service) {
	server.Tool(s, "test_reconnection", func(ctx context.Context, _ none) (string, error) {
		server.Detach(ctx, 500*time.Millisecond)
		pause := time.NewTimer(100 * time.Millisecond)
		defer pause.Stop()
		select {
		case <-pause.C:
			return "Reconnection test completed successfully.", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, server.Doc("lets go of its caller, and answers when it is back"))
}
=======
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
>>>>>>> conversation
