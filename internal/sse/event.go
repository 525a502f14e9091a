package sse

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Message is the type of events that carry a message, and of events that name
// no type.
const Message = "message"

// Event is one event of a stream.
type Event struct {
	// Type is the event's type. A [Reader] fills in [Message] where the stream
	// names none; empty writes no type. Types are compared exactly.
	Type string
	// Data is what the event carries: its data lines joined by line feeds. nil
	// writes no data line, so that a browser does not see the event; empty but
	// not nil writes one. Bytes are as they came, UTF-8 or not.
	Data []byte
	// ID is the event's id when HasID is set. An empty id takes back an earlier one.
	ID string
	// HasID says that the event has an id of its own.
	HasID bool
	// Retry is how long to wait before connecting again, when HasRetry is set, in
	// whole milliseconds. It is what the peer asked for, however long.
	Retry time.Duration
	// HasRetry says that the event has a retry field.
	HasRetry bool
}

// Empty reports whether the event carries no data. Such events prime a stream
// with an id, or set the retry time; they are no message and are never parsed.
func (e Event) Empty() bool { return len(e.Data) == 0 }

// ErrEvent is what errors about events that cannot be written wrap.
var ErrEvent = errors.New("event cannot be written")

// AppendEvent appends e in the form of the stream, ending with the blank line
// that dispatches it. Data with line ends becomes several data lines; CR and
// CRLF are line ends too, so a reader sees line feeds in their place. The error
// wraps [ErrEvent], and dst is returned as it was: a type or id with a line end
// (or an id with NUL) would be read as something else.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	if strings.ContainsAny(e.Type, "\r\n") {
		return dst, fmt.Errorf("%w: type %q holds a line end", ErrEvent, e.Type)
	}
	if e.HasID && strings.ContainsAny(e.ID, "\r\n\x00") {
		return dst, fmt.Errorf("%w: id %q holds a line end or NUL", ErrEvent, e.ID)
	}
	if e.HasRetry && e.Retry < 0 {
		return dst, fmt.Errorf("%w: retry %s is negative", ErrEvent, e.Retry)
	}
	if e.Type != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, e.Type...)
		dst = append(dst, '\n')
	}
	if e.HasID {
		dst = append(dst, "id: "...)
		dst = append(dst, e.ID...)
		dst = append(dst, '\n')
	}
	if e.HasRetry {
		dst = append(dst, "retry: "...)
		dst = strconv.AppendInt(dst, e.Retry.Milliseconds(), 10)
		dst = append(dst, '\n')
	}
	if e.Data != nil {
		dst = appendLines(dst, "data: ", e.Data)
	}
	return append(dst, '\n'), nil
}

// AppendComment appends text as a comment, which readers skip. A comment every
// now and then keeps intermediaries from closing a quiet stream (M-HTTP-028).
func AppendComment(dst []byte, text string) []byte {
	return append(appendLines(dst, ": ", []byte(text)), '\n')
}

// appendLines appends each line of text behind prefix.
func appendLines(dst []byte, prefix string, text []byte) []byte {
	for {
		end := lineEnd(text)
		dst = append(dst, prefix...)
		dst = append(dst, text[:end]...)
		dst = append(dst, '\n')
		if end == len(text) {
			return dst
		}
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
			end++
		}
		text = text[end+1:]
	}
}
