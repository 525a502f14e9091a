package client

import (
	"bytes"
	"runtime/debug"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// progress reports progress to the application. What has another token, or
// none, belongs to nobody here and is ignored (CON-09).
func (k *call) progress(o *outgoing, m jsonrpc.Message) {
	token, _ := jsonx.Lookup(m.Params, "progressToken")
	if k.opts.progress == nil || !bytes.Equal(token, o.token) {
		return
	}
	var params mcp.ProgressParams
	if err := jsonx.Unmarshal(m.Params, &params); err != nil {
		k.c.complain(aboutNotifications, "server sent progress that cannot be read", "error", err)
		return
	}
	k.clock.extend()
	k.opts.progress(params)
}

// logged passes on a log message of the server that is severe enough.
func (k *call) logged(m jsonrpc.Message) {
	if k.opts.log == nil {
		return
	}
	var params mcp.LogParams
	if err := jsonx.Unmarshal(m.Params, &params); err != nil {
		k.c.complain(aboutNotifications, "server sent a log message that cannot be read", "error", err)
		return
	}
	// A level that is none of the eight is passed on: it may be anything.
	if n := params.Level.Severity(); k.opts.level != "" && n >= 0 && n < k.opts.level.Severity() {
		return
	}
	k.opts.log(params)
}

// notice shows a notification to Config.Notify. A panic of it is logged: it is
// nobody's request.
func (c *Client) notice(m jsonrpc.Message) {
	if c.cfg.Notify == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("Config.Notify panicked", "server", c.target.String(), "method", m.Method, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	c.cfg.Notify(m.Method, m.Params)
}
