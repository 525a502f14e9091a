package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// AuthError says that the server wants other credentials: HTTP 401, 403 or 407.
// It is never a statement about the revision that the server speaks.
type AuthError struct {
	// Status is the HTTP status.
	Status int
	// Challenge is the values of the WWW-Authenticate headers (of
	// Proxy-Authenticate with 407), as they came.
	Challenge []string
	// Detail is the beginning of the response's text, in one line, or empty.
	Detail string

	// fault is the JSON-RPC error in the body, or nil.
	fault *mcp.Error
}

// Unwrap is the JSON-RPC error in the response, or nil.
func (e *AuthError) Unwrap() error {
	if e.fault == nil {
		return nil
	}
	return e.fault
}

// Error names the status and the challenges.
func (e *AuthError) Error() string {
	s := "server refused the credentials with HTTP " + statusText(e.Status)
	if len(e.Challenge) > 0 {
		s += ", challenge " + strconv.Quote(strings.Join(e.Challenge, ", "))
	}
	return withDetail(s, e.Detail)
}

// StatusError says that the server answered with an HTTP status that carries no
// JSON-RPC message.
type StatusError struct {
	// Status is the HTTP status.
	Status int
	// RetryAfter is how long the server asks to wait, 0 when it does not say.
	RetryAfter time.Duration
	// Detail is the beginning of the response's text, in one line, or empty.
	Detail string
}

// Error names the status and quotes the text.
func (e *StatusError) Error() string {
	s := "server answered HTTP " + statusText(e.Status)
	if e.RetryAfter > 0 {
		s += ", retry after " + e.RetryAfter.String()
	}
	return withDetail(s, e.Detail)
}

// NegotiationError says that Connect could not agree on a revision. Its Outcome
// is the row of the negotiation table that applied (docs/design/auto.md).
type NegotiationError struct {
	// Outcome is what came of the probe.
	Outcome string
	// Err is the cause.
	Err error
	// Remedy is what can be done about it, or empty.
	Remedy string
}

// Error names the cause, the outcome where it says more, and the remedy.
func (e *NegotiationError) Error() string {
	s := fmt.Sprintf("negotiate a revision: %v", e.Err)
	if e.Outcome != "" && e.Outcome != nothingSaid {
		s += fmt.Sprintf(" (the probe: %s)", e.Outcome)
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap is the cause.
func (e *NegotiationError) Unwrap() error { return e.Err }

// OutputError says that a tool's result does not fit the output schema that the
// tool declares, or that the schema itself is of no use.
type OutputError struct {
	// Tool is the tool.
	Tool string
	// Result is the result as it came.
	Result *mcp.CallToolResult
	// Err says what is wrong with it.
	Err error
}

// Error says what is wrong.
func (e *OutputError) Error() string {
	return fmt.Sprintf("result does not fit the tool's output schema: %v", e.Err)
}

// Unwrap gives the cause and mcp.ErrInvalidResponse.
func (e *OutputError) Unwrap() []error { return []error{e.Err, mcp.ErrInvalidResponse} }

// InputRequiredError says that the server needs answers before it can complete
// the request, and that it did not get them. Whoever has them can go on where
// the request stopped, with [Resume].
type InputRequiredError struct {
	// Result is what the server asks. Its state is opaque.
	Result *mcp.InputRequiredResult
	// Rounds is how many times the server was answered before.
	Rounds int
	// Err says why it was not answered this time: mcp.ErrCannotAsk when there is
	// nobody who could, mcp.ErrDeclined when a handler said no where the protocol
	// has no way to say so, any other error of a handler, or what is wrong with
	// the questions. Nil when the request is [Manual].
	Err error
}

// Error names the questions and why they were not answered.
func (e *InputRequiredError) Error() string {
	var asked []string
	for _, key := range slices.Sorted(maps.Keys(e.Result.InputRequests)) {
		asked = append(asked, fmt.Sprintf("%q (%s)", clip(key), clip(e.Result.InputRequests[key].Method)))
	}
	s := "server asks to be called again with its state"
	if len(asked) > 0 {
		s = "server asks for " + clip(strings.Join(asked, ", "))
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap is the reason.
func (e *InputRequiredError) Unwrap() error { return e.Err }

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d %s", status, text)
	}
	return strconv.Itoa(status)
}

func withDetail(s, detail string) string {
	if detail == "" {
		return s
	}
	return s + ": " + strconv.Quote(detail)
}

// timeoutError is a limit that was reached. It matches context.DeadlineExceeded.
type timeoutError struct {
	limit string
	after time.Duration
}

// Error names the limit.
func (e *timeoutError) Error() string {
	return fmt.Sprintf("no answer within %v (%s)", e.after, e.limit)
}

// Is reports whether target is context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout is true: it is what net.Error calls this.
func (e *timeoutError) Timeout() bool { return true }

// ended says why something that ran under ctx, which was made from the
// caller's, failed with err: what ended ctx is the better reason.
func ended(caller, ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	switch plain := caller.Err(); {
	case plain == nil || errors.Is(cause, plain):
		return cause
	case cause == nil:
		return plain
	default:
		return fmt.Errorf("%w: %w", plain, cause)
	}
}
