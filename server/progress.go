package server

import (
	"context"
	"math"

	"github.com/diglot-mcp/diglot/mcp"
)

// Progress tells the caller how far the call that ctx belongs to has come, and
// where it ends; a total of 0 or less is unknown. message is for a person, and
// may be empty. It does nothing when the caller did not ask, when progress is
// not more than what was reported before (it must grow, M-PROG-005), once the
// handler returned, and outside a call.
//
// It blocks while the transport writes, at most as long as the transport's
// write limit, and is safe for concurrent use.
func Progress(ctx context.Context, progress, total float64, message string) {
	c := CallFrom(ctx)
	if c.x == nil || c.x.sink == nil || c.x.caller.progressToken == nil || !finite(progress) {
		return
	}
	p := mcp.ProgressParams{ProgressToken: c.x.caller.progressToken, Progress: progress, Message: message}
	if finite(total) && total > 0 {
		p.Total = &total
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reported && progress <= c.progressed {
		return
	}
	c.reported, c.progressed = true, progress
	c.notify(ctx, mcp.NotifyProgress, &p)
}

// finite reports whether JSON can carry f.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
