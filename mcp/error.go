package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Code is a JSON-RPC error code as the protocol assigns them.
type Code int

// Codes of JSON-RPC and of the protocol. Applications choose theirs outside
// -32768 to -32000.
const (
	// CodeParse: the message is not JSON (JSON-RPC 2.0).
	CodeParse Code = -32700
	// CodeInvalidRequest: the message is no request (JSON-RPC 2.0).
	CodeInvalidRequest Code = -32600
	// CodeMethodNotFound: the method is unknown, or its capability is not offered.
	CodeMethodNotFound Code = -32601
	// CodeInvalidParams: parameters are wrong; also unknown tools, prompts and,
	// from 2026-07-28 on, resources.
	CodeInvalidParams Code = -32602
	// CodeInternal: the receiver failed.
	CodeInternal Code = -32603
	// CodeResourceNotFound is the code of revisions up to 2025-11-25 for a
	// missing resource. It is written to legacy peers only.
	CodeResourceNotFound Code = -32002
	// CodeHeaderMismatch: HTTP headers and body disagree (2026-07-28).
	CodeHeaderMismatch Code = -32020
	// CodeMissingCapability: the request needs a client capability it did not
	// declare (2026-07-28, MissingRequiredClientCapability).
	CodeMissingCapability Code = -32021
	// CodeUnsupportedVersion: the named revision is not spoken (2026-07-28,
	// UnsupportedProtocolVersion).
	CodeUnsupportedVersion Code = -32022
	// CodeURLElicitationRequired is a code of revision 2025-11-25 only.
	CodeURLElicitationRequired Code = -32042
	// CodeRejected: the user refused a sampling request (legacy revisions).
	CodeRejected Code = -1
)

var codeNames = map[Code]string{
	CodeParse:                  "parse error",
	CodeInvalidRequest:         "invalid request",
	CodeMethodNotFound:         "method not found",
	CodeInvalidParams:          "invalid params",
	CodeInternal:               "internal error",
	CodeResourceNotFound:       "resource not found",
	CodeHeaderMismatch:         "header mismatch",
	CodeMissingCapability:      "missing required client capability",
	CodeUnsupportedVersion:     "unsupported protocol version",
	CodeURLElicitationRequired: "URL elicitation required",
	CodeRejected:               "rejected by the user",
}

// String is the code's name and number, such as "invalid params (-32602)".
func (c Code) String() string {
	if n, ok := codeNames[c]; ok {
		return fmt.Sprintf("%s (%d)", n, int(c))
	}
	return fmt.Sprintf("code %d", int(c))
}

// Error is a JSON-RPC error object: what a peer answered, or what a handler
// wants answered. A handler that returns an error wrapping an *Error decides
// the code its caller sees.
//
// Two Errors match under [errors.Is] when their codes are equal.
type Error struct {
	// Code is the error's code.
	Code Code `json:"code"`
	// Message is one short sentence. It reaches the peer.
	Message string `json:"message"`
	// Data is any further JSON, or nil. It reaches the peer.
	Data json.RawMessage `json:"data,omitzero"`
}

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error is the message followed by the code's name and number; a message that
// only repeats the name is left out.
func (e *Error) Error() string {
	if e.Message == "" || strings.EqualFold(e.Message, codeNames[e.Code]) {
		return e.Code.String()
	}
	return fmt.Sprintf("%s: %s", e.Message, e.Code)
}

// Is reports whether target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Sentinels for conditions that have no error code of their own. Compare with
// [errors.Is]; they arrive wrapped in an error that says what was being done.
var (
	// ErrNotFound: there is no such thing. A handler wraps it to say so; on the
	// client a missing resource matches it, and nothing else, since an unknown tool
	// or prompt has the code of any wrong parameter (CodeInvalidParams).
	ErrNotFound = errors.New("not found")
	// ErrClosed: the connection, client or server is closed.
	ErrClosed = errors.New("closed")
	// ErrSessionLost: a legacy session ended while a call was in flight, and the
	// call may or may not have run.
	ErrSessionLost = errors.New("session lost")
	// ErrDeclined: the user declined or cancelled what was asked.
	ErrDeclined = errors.New("declined")
	// ErrCannotAsk: the peer did not declare the capability to be asked.
	ErrCannotAsk = errors.New("the client cannot be asked")
	// ErrEra: the peer speaks no revision that was allowed here.
	ErrEra = errors.New("no common protocol revision")
	// ErrTooLarge: a message is larger than the configured limit.
	ErrTooLarge = errors.New("message too large")
	// ErrInvalidResponse: the peer answered something the protocol does not allow.
	ErrInvalidResponse = errors.New("invalid response")
)

// ToolError is a failure a tool reports to the model: the call succeeded as a
// protocol exchange, and its result says isError. Its text is meant to be read
// by a model, which can then correct itself.
type ToolError struct {
	// Text is what the model reads.
	Text string
	// Content, when not empty, replaces the text block made from Text.
	Content []Content
}

// Error is the text.
func (e *ToolError) Error() string { return e.Text }
