package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// CallOption is something said about one request.
type CallOption func(*callOptions)

// callOptions is what the options of one request come to.
type callOptions struct {
	timeout  time.Duration
	progress func(mcp.ProgressParams)
	log      func(mcp.LogParams)
	level    mcp.LogLevel
	meta     mcp.Meta
	manual   bool
	can      *mcp.ClientCapabilities // nil declares what the configuration can
	resume   *resumption
	errs     []error
}

func gather(opts []CallOption) (*callOptions, error) {
	var o callOptions
	for _, opt := range opts {
		opt(&o)
	}
	return &o, errors.Join(o.errs...)
}

// Timeout bounds the request in place of Config.Timeout. It must be positive;
// Config.MaxTimeout still holds unless d is longer.
func Timeout(d time.Duration) CallOption {
	return func(o *callOptions) {
		if d <= 0 {
			o.errs = append(o.errs, fmt.Errorf("client.Timeout: %v is not positive", d))
		}
		o.timeout = d
	}
}

// OnProgress asks the server for progress and has f see it, in order, on the
// goroutine that made the request and before the request returns. Each report
// starts the request's timeout anew, up to Config.MaxTimeout. f must not block
// for long: what the server sends behind it waits, and on a pipe is dropped
// when it becomes too much.
func OnProgress(f func(mcp.ProgressParams)) CallOption {
	return func(o *callOptions) { o.progress = f }
}

// OnLog has f see the server's log messages, as OnProgress does progress. On
// HTTP they are those of this request. A pipe does not tell which request a
// message belongs to: there every request in flight that uses OnLog sees all.
func OnLog(f func(mcp.LogParams)) CallOption {
	return func(o *callOptions) { o.log = f }
}

// LogLevel asks the server for log messages of at least this level. Revisions
// with sessions have one level for the session: there it is raised for good, if
// the server can log at all, and OnLog sees no less severe messages than asked.
func LogLevel(l mcp.LogLevel) CallOption {
	return func(o *callOptions) {
		if !l.Valid() {
			o.errs = append(o.errs, fmt.Errorf("client.LogLevel: %q is no level; use debug, info, notice, warning, error, critical, alert or emergency", l))
		}
		o.level = l
	}
}

// Meta adds members to the request's _meta. Members that the protocol reserves
// are written by the client, whatever m says.
func Meta(m mcp.Meta) CallOption {
	return func(o *callOptions) { o.meta = m }
}
