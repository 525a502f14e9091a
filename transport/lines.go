package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// DefaultMaxMessage is the largest message that is read unless told otherwise.
const DefaultMaxMessage = 4 << 20

// ErrTooLarge is wrapped by the error of a Read that met a message beyond the
// limit. The message is skipped, and reading can go on.
var ErrTooLarge = errors.New("message too large")

// Options configure [Lines]. The zero value is ready for use.
type Options struct {
	// MaxMessage is the largest message that is read, in bytes; 0 means
	// DefaultMaxMessage.
	MaxMessage int
}

// Lines carries messages over r and w, one on each line (revision 2026-07-28,
// "stdio"). Lines may end in CRLF; blank lines and a byte order mark at the
// start are passed over. A message with newlines between its tokens is joined
// to one line when it is written.
//
// Close closes both w and r. If r can be neither closed nor interrupted, the
// goroutine that reads it lives until the next line or the end comes; no call
// of the Conn waits for it.
func Lines(r io.ReadCloser, w io.WriteCloser, opts Options) Conn {
	if opts.MaxMessage <= 0 {
		opts.MaxMessage = DefaultMaxMessage
	}
	l := &lines{r: r, w: w, max: opts.MaxMessage, in: make(chan line), closed: make(chan struct{}), buf: bufio.NewWriterSize(w, 16<<10)}
	return l
}

// skipped is the error of a message beyond the limit, which was passed over.
type skipped struct{ size, limit int }

func (e *skipped) Error() string {
	return fmt.Sprintf("read a line of %d bytes: %v; the limit is %d bytes", e.size, ErrTooLarge, e.limit)
}

func (e *skipped) Unwrap() error { return ErrTooLarge }

// Skipped says that only this message is lost, and reading can go on.
func (e *skipped) Skipped() bool { return true }

type line struct {
	msg []byte
	err error
}

type lines struct {
	r   io.ReadCloser
	w   io.WriteCloser
	max int

	// Reading. The reader starts with the first Read and is the only one to
	// touch r.
	start sync.Once
	in    chan line

	// Writing. waiting counts the writers that are behind the one who holds mu:
	// the last one of a burst flushes for all of them.
	mu      sync.Mutex
	buf     *bufio.Writer
	broken  error
	pending sync.Mutex
	waiting int

	once   sync.Once
	closed chan struct{}
}

func (l *lines) Read(ctx context.Context) ([]byte, error) {
	l.start.Do(func() { go l.readAll() })
	select {
	case <-l.closed:
		return nil, io.ErrClosedPipe
	default:
	}
	select {
	case got, ok := <-l.in:
		if !ok {
			return nil, io.EOF
		}
		return got.msg, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, io.ErrClosedPipe
	}
}

// readAll hands over lines until the stream ends or the connection is closed.
func (l *lines) readAll() {
	defer close(l.in)
	br := bufio.NewReaderSize(l.r, 64<<10)
	if bom, err := br.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" {
		if _, err := br.Discard(3); err != nil {
			return
		}
	}
	for {
		msg, err := l.readLine(br)
		last := err != nil && !errors.Is(err, ErrTooLarge)
		if len(msg) > 0 && last {
			// The last line has no newline: a message all the same.
			if !l.hand(line{msg: msg}) {
				return
			}
			msg = nil
		}
		if len(msg) == 0 && err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if !l.hand(line{msg: msg, err: err}) || last {
			return
		}
	}
}

func (l *lines) hand(got line) bool {
	select {
	case l.in <- got:
		return true
	case <-l.closed:
		return false
	}
}

// readLine reads one line without its ending. Beyond the limit it skips to the
// next line.
func (l *lines) readLine(br *bufio.Reader) ([]byte, error) {
	var msg []byte
	size := 0
	for {
		part, err := br.ReadSlice('\n')
		size += len(part)
		if size <= l.max+2 {
			msg = append(msg, part...)
		} else {
			msg = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil || len(part) > 0 {
			msg = bytes.Trim(bytes.TrimSuffix(msg, []byte("\n")), "\r \t")
		}
		if size > l.max+2 || len(msg) > l.max {
			tooLarge := &skipped{size: size, limit: l.max}
			if err != nil {
				return nil, errors.Join(tooLarge, err)
			}
			return nil, tooLarge
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = fmt.Errorf("read a line: %w", err)
		}
		return msg, err
	}
}

// Write appends the message to the buffer and flushes it when no other writer
// is waiting to add to it, so that a burst costs one system call and a single
// message no delay. Once a write has failed all later ones do.
func (l *lines) Write(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-l.closed:
		return io.ErrClosedPipe
	default:
	}
	if bytes.IndexByte(msg, '\n') >= 0 || bytes.IndexByte(msg, '\r') >= 0 {
		msg = oneLine(msg)
	}
	l.pending.Lock()
	l.waiting++
	l.pending.Unlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending.Lock()
	l.waiting--
	last := l.waiting == 0
	l.pending.Unlock()
	if l.broken != nil {
		return l.broken
	}
	_, err := l.buf.Write(msg)
	if err == nil {
		err = l.buf.WriteByte('\n')
	}
	if err == nil && last {
		err = l.buf.Flush()
	}
	if err != nil {
		l.broken = fmt.Errorf("write a line: %w", err)
		return l.broken
	}
	return nil
}

// oneLine drops the newlines between tokens; inside strings JSON has none.
func oneLine(msg []byte) []byte {
	out := make([]byte, 0, len(msg))
	for _, c := range msg {
		if c != '\n' && c != '\r' {
			out = append(out, c)
		}
	}
	return out
}

func (l *lines) Close() error {
	var err error
	l.once.Do(func() {
		close(l.closed)
		err = errors.Join(l.w.Close(), l.r.Close())
	})
	return err
}
