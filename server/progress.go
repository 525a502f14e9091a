package server

import (
	"context"
	"math"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// Progress tells the caller how far the call that ctx belongs to has come, and
// where it ends; a total of 0 or less is unknown. message is for a person, and
// may be empty. It does nothing when the caller did not ask, when progress is
// not more than what was reported before (it must grow, M-PROG-005), once the
// handler returned or the call was cancelled, and outside a call.
//
// Reports that come faster than Limits.Progress are merged: the last one goes out
// as soon as there is room, and in any case before the reply.
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
	c.report(ctx, &p)
}

// reports is what a call has told of its progress, under the call's lock.
type reports struct {
	// last is the last progress reported, if any is set.
	last     float64
	any      bool
	throttle throttle
	// held is the report that waits, with its context; timer sends it.
	held  *mcp.ProgressParams
	ctx   context.Context
	timer *time.Timer
}

// report sends a report, or holds it back for a while. One that is held is
// replaced by the next. The caller holds c.mu.
func (c *Call) report(ctx context.Context, p *mcp.ProgressParams) {
	r := &c.reports
	if c.over || r.any && p.Progress <= r.last {
		return
	}
	r.any, r.last = true, p.Progress
	if r.held != nil {
		r.held, r.ctx = p, ctx
		return
	}
	wait := r.throttle.wait(time.Now(), c.x.server.cfg.Limits.Progress)
	if wait == 0 {
		c.notify(ctx, mcp.NotifyProgress, p)
		return
	}
	r.held, r.ctx = p, ctx
	if r.timer == nil {
		r.timer = time.AfterFunc(wait, c.reportHeld)
	} else {
		r.timer.Reset(wait)
	}
}

// reportHeld is the timer.
func (c *Call) reportHeld() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.reports
	if r.held == nil {
		return
	}
	r.throttle.pass()
	c.notify(r.ctx, mcp.NotifyProgress, r.held)
	r.held, r.ctx = nil, nil
}

// settleReports sends the report that waits, before the reply. The caller holds
// c.mu.
func (c *Call) settleReports() {
	r := &c.reports
	if r.held == nil {
		return
	}
	r.timer.Stop()
	c.notify(r.ctx, mcp.NotifyProgress, r.held)
	r.held, r.ctx = nil, nil
}

// finite reports whether JSON can carry f.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
