package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

const (
	// maxQueue is how many bytes wait while a write is under way, before writers
	// do.
	maxQueue = 256 << 10
	// keepBuffer is the largest buffer that is kept for the next messages.
	keepBuffer = 256 << 10
)

// lineWriter writes lines, as many at a time as have come meanwhile. One
// goroutine at a time does so: a writer that can be blocked without harm, or else
// one that is started for it and ends when nothing is left.
type lineWriter struct {
	w      io.Writer
	closed <-chan struct{}
	// frees says that closing w frees a goroutine that is blocked in it.
	frees bool

	mu    sync.Mutex
	queue []byte // lines that are accepted
	spare []byte // the buffer to swap it with
	busy  bool   // somebody writes
	next  *flush // of what is in the queue; nil when nobody waits for it
	idle  chan struct{}
	err   error // of the first write that failed: all later ones do
}

// flush is one write to be.
type flush struct {
	done chan struct{}
	err  error // may be read when done is closed
}

func newLineWriter(w io.Writer, closed <-chan struct{}) lineWriter {
	// What has deadlines is waited for by the runtime; else it may be a
	// system call, which nothing ends, that blocks.
	d, ok := w.(interface{ SetWriteDeadline(time.Time) error })
	return lineWriter{w: w, closed: closed, frees: ok && d.SetWriteDeadline(time.Time{}) == nil}
}

func (l *lineWriter) write(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if err := l.room(ctx); err != nil {
		l.mu.Unlock()
		return err
	}
	if !l.busy && l.frees && ctx.Done() == nil {
		err := l.writeHere(msg)
		l.mu.Unlock()
		return err
	}
	l.queue = append(append(l.queue, msg...), '\n')
	mine := l.waiting()
	if !l.busy {
		l.busy = true
		go l.flushAll()
	}
	l.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return nil // it is accepted, and goes out
	case <-l.closed:
		return io.ErrClosedPipe
	}
}

// writeHere writes a message on the caller's goroutine, while nobody else writes.
// The lock is held before and after.
func (l *lineWriter) writeHere(msg []byte) error {
	l.busy = true
	if len(msg) <= keepBuffer {
		l.queue, msg = append(l.queue, msg...), nil
	}
	l.queue = append(l.queue, '\n')
	err := l.flush(msg) // a long one: a second system call costs less than a copy
	if l.busy {
		// What came meanwhile is not for this writer to wait for.
		go l.flushAll()
	}
	return err
}

// room waits, without the lock that it holds before and after, until a message
// may be added to the queue.
func (l *lineWriter) room(ctx context.Context) error {
	for {
		select {
		case <-l.closed:
			return io.ErrClosedPipe
		default:
		}
		if l.err != nil || len(l.queue) <= maxQueue {
			return l.err
		}
		ahead := l.waiting()
		l.mu.Unlock()
		var err error
		select {
		case <-ahead.done:
		case <-ctx.Done():
			err = ctx.Err()
		case <-l.closed:
			err = io.ErrClosedPipe
		}
		l.mu.Lock()
		if err != nil {
			return err
		}
	}
}

// waiting is the flush of what is in the queue now. The lock is held.
func (l *lineWriter) waiting() *flush {
	if l.next == nil {
		l.next = &flush{done: make(chan struct{})}
	}
	return l.next
}

func (l *lineWriter) flushAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy {
		_ = l.flush(nil) // whoever waits for it is told
	}
}

// flush writes ahead, and the queue, without the lock that it holds before and
// after. busy is false then if nothing is left to do.
func (l *lineWriter) flush(ahead []byte) error {
	text, waited := l.queue, l.next
	l.queue, l.next = l.spare[:0], nil
	l.mu.Unlock()
	var err error
	if ahead != nil {
		err = writeAll(l.w, ahead)
	}
	if err == nil {
		err = writeAll(l.w, text)
	}
	l.mu.Lock()
	l.spare = nil
	if cap(text) <= keepBuffer {
		l.spare = text
	}
	if err != nil {
		l.err = fmt.Errorf("write a line: %w", err)
		// Nothing can follow half a line.
		l.queue = nil
		if l.next != nil {
			l.next.err = l.err
			close(l.next.done)
			l.next = nil
		}
	}
	if waited != nil {
		waited.err = l.err
		close(waited.done)
	}
	if l.busy = len(l.queue) > 0; !l.busy && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return l.err
}

func writeAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// ended is closed when nothing is written any more. It is called once, after the
// connection was closed.
func (l *lineWriter) ended() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := make(chan struct{})
	if l.busy {
		l.idle = idle
	} else {
		close(idle)
	}
	return idle
}

// oneLine joins the lines of a message. Newlines stand between the tokens of
// JSON, never inside them; of other text nobody knows what they mean.
func oneLine(msg []byte) ([]byte, error) {
	if err := jsonx.Check(msg, 10_000); err != nil {
		return nil, &refused{err}
	}
	return jsonx.AppendCompact(make([]byte, 0, len(msg)), msg), nil
}

// refused is the error of a message that cannot be one line.
type refused struct{ why error }

func (e *refused) Error() string {
	var syntax *jsonx.SyntaxError
	if errors.As(e.why, &syntax) && syntax.Offset == 0 && syntax.Reason == jsonx.Truncated {
		return "write a line: the message is empty"
	}
	return fmt.Sprintf("write a line: the message has newlines and is no JSON: %v", e.why)
}

func (e *refused) Unwrap() error { return e.why }

// Skipped says that only this message is lost, and the connection lives.
func (*refused) Skipped() bool { return true }
