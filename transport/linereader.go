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

// lineReader reads lines ahead, one at most, so that a Read can be given up.
type lineReader struct {
	r   io.Reader
	max int

	start  sync.Once
	done   chan struct{} // closed when the goroutine has ended; nil before it starts
	got    chan line
	closed <-chan struct{}
	end    error // why got is closed
}

type line struct {
	msg []byte
	err error
}

func (l *lineReader) read(ctx context.Context) ([]byte, error) {
	select {
	case <-l.closed:
		return nil, io.ErrClosedPipe
	default:
	}
	l.start.Do(func() {
		l.done = make(chan struct{})
		go l.run()
	})
	select {
	case got, ok := <-l.got:
		if !ok {
			return nil, l.end
		}
		return got.msg, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, io.ErrClosedPipe
	}
}

// ended is closed when nothing of the reader runs any more.
func (l *lineReader) ended() <-chan struct{} {
	l.start.Do(func() { // it never will
		l.done = make(chan struct{})
		close(l.done)
	})
	return l.done
}

// run hands over lines until the stream ends or the connection is closed.
func (l *lineReader) run() {
	defer close(l.done)
	defer close(l.got)
	br := bufio.NewReaderSize(l.r, 64<<10)
	for first := true; ; first = false {
		msg, err := l.readLine(br, first)
		if len(msg) > 0 && !l.hand(line{msg: msg}) {
			return
		}
		if errors.Is(err, ErrTooLarge) {
			if !l.hand(line{err: err}) {
				return
			}
			continue // the end, if it was there too, comes again
		}
		if err != nil {
			l.end = err
			return
		}
	}
}

func (l *lineReader) hand(got line) bool {
	select {
	case l.got <- got:
		return true
	case <-l.closed:
		l.end = io.ErrClosedPipe
		return false
	}
}

// headSize is how much of a line beyond the limit is kept: enough to find out
// which request it was the answer to.
const headSize = 256

// longLine is the error of a line beyond the limit.
type longLine struct {
	size, limit int
	head        []byte
}

func (e *longLine) Error() string {
	return fmt.Sprintf("read a line of %d bytes: %v; the limit is %d bytes", e.size, ErrTooLarge, e.limit)
}

func (e *longLine) Unwrap() error { return ErrTooLarge }

// Head is how the line begins.
func (e *longLine) Head() []byte { return e.head }

// readLine reads one line without its ending and the white space around it.
// Beyond the limit it skips to the next line. The last line needs no newline: it
// comes with io.EOF.
func (l *lineReader) readLine(br *bufio.Reader, first bool) ([]byte, error) {
	// White space around a message is not the message's: some is let pass
	// without a count, but not as much as one likes.
	const slack = 1024
	var msg, head []byte
	size := 0
	for {
		part, err := br.ReadSlice('\n')
		size += len(part)
		switch {
		case size <= l.max+slack:
			msg = append(msg, part...)
		case head == nil:
			msg = append(msg, part[:min(headSize, len(part))]...)
			head, msg = bytes.Clone(msg[:min(headSize, len(msg))]), nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if head != nil {
			return nil, &longLine{size: size, limit: l.max, head: head}
		}
		if first {
			msg = bytes.TrimPrefix(msg, []byte("\xef\xbb\xbf"))
		}
		msg = bytes.Trim(msg, "\n\r \t")
		switch {
		case len(msg) > l.max:
			return nil, &longLine{size: size, limit: l.max, head: bytes.Clone(msg[:min(headSize, len(msg))])}
		case err != nil && !errors.Is(err, io.EOF):
			// What came of the line is not all of it.
			return nil, fmt.Errorf("read a line: %w", err)
		default:
			return msg, err
		}
	}
}
