package server

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
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
// protocol's count as the lower one.
func Log(ctx context.Context) *slog.Logger {
	c := CallFrom(ctx)
	if c.x == nil || c.x.sink == nil || c.x.caller.logLevel == "" {
		return slog.New(slog.DiscardHandler)
	}
	out := new(logLine)
	return slog.New(&logHandler{call: c, ctx: ctx, out: out, json: slog.NewJSONHandler(&out.buf, &slog.HandlerOptions{
		Level: slog.Level(-128), ReplaceAttr: dropLevel, // the call's level decides, and is sent beside the data
	})})
}

// logHandler renders records with slog's own JSON handler and sends them.
type logHandler struct {
	call *Call
	ctx  context.Context //nolint:containedctx // the call's; loggers get any other one
	json slog.Handler
	out  *logLine
}

// logLine is the line that is being rendered, shared by derived handlers.
type logLine struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool {
	return logLevel(l).Severity() >= h.call.x.caller.logLevel.Severity()
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	level := logLevel(r.Level)
	r = r.Clone()
	r.Time = time.Time{} // the time of arrival will do
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.buf.Reset()
	if err := h.json.Handle(ctx, r); err != nil {
		return err
	}
	data := bytes.Clone(bytes.TrimSpace(h.out.buf.Bytes()))
	h.call.mu.Lock()
	defer h.call.mu.Unlock()
	//nolint:contextcheck // the call's context decides whether anything may be sent
	h.call.notify(h.ctx, mcp.NotifyMessage, &mcp.LogParams{Level: level, Logger: h.call.service, Data: data})
	return nil
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	derived := *h
	derived.json = h.json.WithAttrs(attrs)
	return &derived
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	derived := *h
	derived.json = h.json.WithGroup(name)
	return &derived
}

// dropLevel leaves out the record's level, which the notification says itself.
func dropLevel(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey {
		if _, ok := a.Value.Any().(slog.Level); ok {
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
