package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// Levels of the protocol that log/slog has no name for.
const (
	// LogNotice is normal but significant: the protocol's notice.
	LogNotice = slog.Level(2)
	// LogCritical is the protocol's critical.
	LogCritical = slog.Level(12)
	// LogAlert is the protocol's alert.
	LogAlert = slog.Level(16)
	// LogEmergency is the protocol's emergency.
	LogEmergency = slog.Level(20)
)

// Log returns a logger whose records go to the caller of the call that ctx
// belongs to, when it asked for records of their level: as
// notifications/message, ahead of the reply. They go nowhere else, and nowhere
// at all when the caller did not ask, once the handler returned, and outside a
// call. What the operator should know belongs into a logger of your own; what
// the caller must not know does not belong into this one.
//
// The data of a message is an object with the record's text as "msg" and its
// attributes; its logger is the name of the service. Levels between two of the
// protocol's count as the lower one. Records beyond what Limits.Logs allows are
// dropped, and the caller is told how many (LOG-07).
func Log(ctx context.Context) *slog.Logger {
	c := CallFrom(ctx)
	if c.x == nil || c.x.sink == nil || !c.x.caller.logLevel.Valid() {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewJSONHandler(&logWriter{call: c, ctx: ctx}, &slog.HandlerOptions{
		Level: leastLevel(c.x.caller.logLevel), ReplaceAttr: forWire,
	}))
}

// logWriter sends the lines of slog's JSON handler, which writes each record
// with one Write, the level first.
type logWriter struct {
	call *Call
	ctx  context.Context //nolint:containedctx // the call's, which decides whether anything may be sent
}

const levelHead = `{"level":"`

// Write sends one record. It never fails: a caller that is gone is no concern of
// a handler that logs.
func (w *logWriter) Write(line []byte) (int, error) {
	level, data, ok := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(line, []byte(levelHead))), []byte(`",`))
	if ok {
		w.call.mu.Lock()
		defer w.call.mu.Unlock()
		w.call.record(w.ctx, mcp.LogLevel(level), append([]byte{'{'}, data...))
	}
	return len(line), nil
}

// records is what a call has logged, under the call's lock.
type records struct {
	throttle throttle
	// dropped is how many records the caller has not got and does not know of; ctx
	// is that of the last one.
	dropped int
	ctx     context.Context
}

// record sends a record, unless there are too many. The caller holds c.mu.
func (c *Call) record(ctx context.Context, level mcp.LogLevel, data []byte) {
	r := &c.records
	if c.over {
		return
	}
	if r.throttle.wait(time.Now(), c.x.server.cfg.Limits.Logs) > 0 {
		r.dropped++
		r.ctx = ctx
		return
	}
	c.settleRecords()
	c.notify(ctx, mcp.NotifyMessage, &mcp.LogParams{Level: level, Logger: c.service, Data: data})
}

// settleRecords tells the caller of records that were dropped, at a level it
// wants to hear. The caller holds c.mu.
func (c *Call) settleRecords() {
	r := &c.records
	if r.dropped == 0 {
		return
	}
	level := logLevel(max(slog.LevelWarn, leastLevel(c.x.caller.logLevel)))
	data := fmt.Appendf(nil, `{"msg":"records were dropped, since there were too many","dropped":%d}`, r.dropped)
	c.notify(r.ctx, mcp.NotifyMessage, &mcp.LogParams{Level: level, Logger: c.service, Data: data})
	r.dropped, r.ctx = 0, nil
}

// forWire gives a record's level the protocol's name, and leaves out its time:
// that of arrival will do.
func forWire(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch v := a.Value.Any().(type) {
	case slog.Level:
		if a.Key == slog.LevelKey {
			return slog.String(slog.LevelKey, string(logLevel(v)))
		}
	case time.Time:
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
	}
	return a
}

// logSteps pair slog's levels with the protocol's, most severe first.
var logSteps = [...]struct {
	from  slog.Level
	level mcp.LogLevel
}{
	{LogEmergency, mcp.LevelEmergency},
	{LogAlert, mcp.LevelAlert},
	{LogCritical, mcp.LevelCritical},
	{slog.LevelError, mcp.LevelError},
	{slog.LevelWarn, mcp.LevelWarning},
	{LogNotice, mcp.LevelNotice},
	{slog.LevelInfo, mcp.LevelInfo},
	{math.MinInt, mcp.LevelDebug},
}

// logLevel is the protocol's name for a level of log/slog.
func logLevel(l slog.Level) mcp.LogLevel {
	for _, step := range logSteps {
		if l >= step.from {
			return step.level
		}
	}
	return mcp.LevelDebug
}

// leastLevel is the least severe level of log/slog that a caller wants to hear.
func leastLevel(wanted mcp.LogLevel) slog.Level {
	for _, step := range logSteps {
		if step.level == wanted {
			return step.from
		}
	}
	return LogEmergency
}
