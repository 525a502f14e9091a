package sse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// DefaultWriteTimeout is how long the peer may take to accept one event.
const DefaultWriteTimeout = 30 * time.Second

var (
	// ErrClosed is what a [Stream] returns once it has been closed.
	ErrClosed = errors.New("event stream is closed")
	// ErrCannotFlush is what [Open] returns for a ResponseWriter that would hold
	// events back.
	ErrCannotFlush = errors.New("response writer cannot flush")
)

// Stream sends events as the body of an HTTP response, each one flushed to the
// peer. It is safe for concurrent use; events are never interleaved.
//
// The handler that opened it must call [Stream.Close] before it returns.
type Stream struct {
	ctx     context.Context //nolint:containedctx // the request's: it says when the peer is gone
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration

	mu  sync.Mutex
	buf []byte // one event; under mu
	err error  // why nothing more can be sent; under mu
}

// Open makes w the start of an event stream: it sets the headers, among them
// those that keep proxies and caches from holding events back (M-HTTP-027).
// Nothing is sent before the first event or comment, so w can still answer
// otherwise until then. ctx is the request's; timeout is how long the peer may
// take to accept one event, [DefaultWriteTimeout] when zero or less. A server's
// own write time-out does not apply to the stream.
//
// The error is [ErrCannotFlush], and w is untouched: neither it nor what it wraps
// (by Unwrap) can flush.
func Open(ctx context.Context, w http.ResponseWriter, timeout time.Duration) (*Stream, error) {
	if !canFlush(w) {
		return nil, fmt.Errorf("%w: %T needs a Flush or an Unwrap method", ErrCannotFlush, w)
	}
	if timeout <= 0 {
		timeout = DefaultWriteTimeout
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	return &Stream{ctx: ctx, w: w, control: http.NewResponseController(w), timeout: timeout}, nil
}

// canFlush looks for a flusher without flushing, which would send the header.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch v := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return false
		}
	}
}

// Send writes one event and flushes it. It blocks until the event is on its way
// to the peer, for the stream's time-out at most, and for as long again for each
// event that other goroutines send before it.
//
// The error wraps [ErrEvent] when the event cannot be written, and the stream
// goes on. It is [ErrClosed] after Close. Any other means that the peer is gone;
// every later call returns it at once.
func (s *Stream) Send(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	b, err := AppendEvent(s.buf[:0], e)
	if err != nil {
		return err
	}
	return s.write(b)
}

// Comment writes text as a comment, which readers skip. It blocks and fails as
// Send does. Sent at the start it pushes the header out; sent now and then it
// keeps a quiet stream alive and finds a peer that is gone.
func (s *Stream) Comment(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	return s.write(AppendComment(s.buf[:0], text))
}

// Close ends the stream for everybody: later calls return [ErrClosed], and none
// touches the ResponseWriter any more. It waits for an event that is being
// written. Calling it again does nothing.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, ErrClosed) {
		return
	}
	if s.err == nil {
		// The server still writes the end of the body when the handler returns.
		// net/http takes the deadline back before it uses the connection again.
		_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout))
	}
	s.err, s.buf = ErrClosed, nil
}

// usable is why nothing can be sent, under mu.
func (s *Stream) usable() error {
	if s.err == nil && s.ctx.Err() != nil {
		s.err = fmt.Errorf("send event: the peer is gone: %w", context.Cause(s.ctx))
	}
	return s.err
}

// write sends b and keeps its buffer, under mu.
func (s *Stream) write(b []byte) error {
	if s.buf = b; cap(b) > keep {
		s.buf = nil
	}
	// A writer without deadlines is one in memory, or has others looking after it.
	bounded := s.control.SetWriteDeadline(time.Now().Add(s.timeout)) == nil
	_, err := s.w.Write(b)
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		s.err = fmt.Errorf("send event: %w", err)
		return s.err
	}
	if bounded {
		// HTTP/2 resets a stream whose deadline passes, also between two events.
		_ = s.control.SetWriteDeadline(time.Time{})
	}
	return nil
}
