package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
)

// Refuse is the error of a handler that will not do what it was asked, with a
// text that its caller is meant to read. From a tool it becomes a result with
// isError, from a resource or prompt the error -32602; the text is sent in every
// case. The arguments are those of fmt.Sprintf.
func Refuse(format string, args ...any) error {
	return &mcp.ToolError{Text: fmt.Sprintf(format, args...)}
}

// errCallLimit is why a call's context ended that ran into Limits.Call.
var errCallLimit = errors.New("the call ran into the server's limit")

// errNoResult is what a handler that returned neither a result nor an error is
// reported as.
var errNoResult = errors.New("the handler returned neither a result nor an error")

// errNilError stands for a nil *mcp.Error or *mcp.ToolError that a handler
// returned as an error, which is then no nil error.
var errNilError = errors.New("the handler returned a nil *mcp.Error or *mcp.ToolError as an error that is not nil; return nil itself")

// faulty marks an error that is the server's own failure whatever the kind of
// the entry: it is logged, and the caller is told text alone.
type faulty struct {
	text string
	err  error
}

func (f *faulty) Error() string { return f.text + ": " + f.err.Error() }
func (f *faulty) Unwrap() error { return f.err }

// failure turns an error into what is sent: a result, for errors of tools that
// a model should read, or an error object. Both are nil when nothing may be sent
// since the request was cancelled. It is the table of docs/errors.md.
func (s *Server) failure(ctx context.Context, x *exchange, err error) (*mcp.CallToolResult, *mcp.Error) {
	if gone(ctx) {
		return nil, nil
	}
	var (
		internal  *faulty
		protocol  *mcp.Error
		toolError *mcp.ToolError
		tool      = x.method == mcp.MethodToolsCall
	)
	switch {
	case errors.As(err, &internal):
		return nil, s.hide(x, internal.text, internal.err)
	case errors.As(err, &protocol) && protocol == nil, errors.As(err, &toolError) && toolError == nil:
		return nil, s.hide(x, "internal error", errNilError)
	case protocol != nil:
		return nil, protocol
	case toolError != nil:
		if !tool {
			return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: toolError.Text}
		}
		return failed(toolError), nil
	case errors.Is(err, mcp.ErrNotFound):
		return nil, s.missing(x, err)
	case errors.Is(err, mcp.ErrDeclined) && !tool:
		return nil, &mcp.Error{Code: mcp.CodeRejected, Message: err.Error()}
	case ctx.Err() != nil:
		return s.timedOut(ctx, x, tool)
	case tool:
		return failed(&mcp.ToolError{Text: err.Error()}), nil
	default:
		return nil, s.hide(x, "internal error", err)
	}
}

// gone reports whether the caller does not wait for an answer any more.
func gone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// failed is the result that carries a tool's error to the model.
func failed(err *mcp.ToolError) *mcp.CallToolResult {
	content := err.Content
	if len(content) == 0 {
		content = []mcp.Content{mcp.Text(err.Text)}
	}
	return &mcp.CallToolResult{Content: content, IsError: true}
}

func (s *Server) timedOut(ctx context.Context, x *exchange, tool bool) (*mcp.CallToolResult, *mcp.Error) {
	text := "timed out"
	if errors.Is(context.Cause(ctx), errCallLimit) {
		text = fmt.Sprintf("timed out after %v", s.cfg.Limits.Call)
	}
	if tool {
		return failed(&mcp.ToolError{Text: text}), nil
	}
	s.cfg.Logger.Warn("call timed out", "method", x.method, "name", x.target())
	return nil, &mcp.Error{Code: mcp.CodeInternal, Message: text}
}

// missing answers a handler that found nothing under the name it was given. A
// tool's text is for the model, as all its texts are.
func (s *Server) missing(x *exchange, err error) *mcp.Error {
	e := x.call.unknown()
	if x.method == mcp.MethodToolsCall || s.cfg.ExposeErrors {
		e.Message = err.Error()
	}
	return e
}

// hide logs err and makes the error object for a failure of the server's own.
func (s *Server) hide(x *exchange, text string, err error) *mcp.Error {
	s.cfg.Logger.Error(text, "method", x.method, "name", x.target(), "error", err)
	if s.cfg.ExposeErrors {
		text += ": " + err.Error()
	}
	return &mcp.Error{Code: mcp.CodeInternal, Message: text}
}

// panicked logs a handler that did not return, and makes the error its caller
// sees, which says nothing about it. value is what it threw; nil if it ended the
// goroutine instead.
func (s *Server) panicked(x *exchange, value any, stack []byte) *mcp.Error {
	text := "handler panicked"
	if value == nil {
		text = "handler ended its goroutine"
	}
	s.cfg.Logger.Error(text, "method", x.method, "name", x.target(), "panic", value, "stack", string(stack))
	return &mcp.Error{Code: mcp.CodeInternal, Message: "internal error"}
}

// target is what the request names, for the log.
func (x *exchange) target() string {
	if x.call == nil {
		return ""
	}
	return clip(x.call.name)
}
