package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// DefaultMaxMessage is the largest message that is read unless told otherwise.
const DefaultMaxMessage = 4 << 20

// ErrTooLarge is wrapped by the error of a Read that met a message beyond the
// limit. The message is skipped, and reading can go on.
var ErrTooLarge error = tooLarge{}

type tooLarge struct{}

func (tooLarge) Error() string { return "message too large" }

// Skipped says that only this message is lost, and the connection lives.
func (tooLarge) Skipped() bool { return true }

// Options configure [Lines]. The zero value is ready for use.
type Options struct {
	// MaxMessage is the largest message that is read, in bytes; 0 means
	// DefaultMaxMessage.
	MaxMessage int
}

// Lines carries messages over r and w, one on each line (revision 2026-07-28,
// "stdio"). It owns both from now on; they must allow Close during a call of
// another method, and may be one object.
//
// Lines may end in CRLF; blank lines and a byte order mark at the start are
// passed over. A message with newlines between its tokens is joined to one line
// when it is written; text with newlines that is no JSON is refused.
//
// A Write writes at once when no other is under way. What comes meanwhile is
// gathered, and goes out together.
//
// Close closes both w and r. If a blocked call of either does not end by that,
// the goroutine in it lives until it does; no call of the Conn waits for it.
func Lines(r io.ReadCloser, w io.WriteCloser, opts Options) Conn {
	if opts.MaxMessage <= 0 {
		opts.MaxMessage = DefaultMaxMessage
	}
	l := &lines{r: r, w: w, closed: make(chan struct{})}
	l.in = lineReader{r: r, max: opts.MaxMessage, got: make(chan line), closed: l.closed}
	l.out = newLineWriter(w, l.closed)
	return l
}

type lines struct {
	r      io.Closer
	w      io.Closer
	in     lineReader
	out    lineWriter
	once   sync.Once
	closed chan struct{}
}

func (l *lines) Read(ctx context.Context) ([]byte, error) { return l.in.read(ctx) }

func (l *lines) Write(ctx context.Context, msg []byte) error {
	if bytes.ContainsAny(msg, "\r\n") || len(msg) == 0 {
		var err error
		if msg, err = oneLine(msg); err != nil {
			return err
		}
	}
	return l.out.write(ctx, msg)
}

// settle bounds how long Close waits for the goroutines of a connection. Closing
// a pipe or socket ends them at once; nothing ends a read of a terminal.
const settle = 100 * time.Millisecond

func (l *lines) Close() error {
	var err error
	l.once.Do(func() {
		close(l.closed)
		err = errors.Join(closing(l.w.Close()), closing(l.r.Close()))
		late := time.NewTimer(settle)
		defer late.Stop()
		for _, ended := range []<-chan struct{}{l.in.ended(), l.out.ended()} {
			select {
			case <-ended:
			case <-late.C:
				return
			}
		}
	})
	return err
}

// closing is the error of a Close that matters: that it was closed already is
// what was wanted.
func closing(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
