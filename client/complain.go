package client

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// complaint is a kind of thing that a server should not do, and can do as often
// as it likes.
type complaint uint8

const (
	aboutMessages      complaint = iota // that are none, or not allowed
	aboutRequests                       // which the revision does not have
	aboutSize                           // of messages
	aboutNotifications                  // that cannot be read
	aboutPace                           // at which notifications come
	complaintKinds
)

// complaints are the kinds that were warned of.
type complaints [complaintKinds]atomic.Bool

// complain logs what the server did: as a warning the first time, and for
// debugging from then on, since the server decides how often it happens.
func (c *Client) complain(about complaint, text string, args ...any) {
	level := slog.LevelDebug
	if !c.complaints[about].Swap(true) {
		level = slog.LevelWarn
	}
	c.log.Log(context.Background(), level, text, append([]any{"server", c.target.String()}, args...)...)
}
