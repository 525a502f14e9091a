package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// lastLook is how long a read waits for output after the child's end, when
// something else still holds the pipe open.
const lastLook = 50 * time.Millisecond

// input is the child's standard input. Once the child has ended a write fails,
// even if somebody else holds the other end and never reads.
type input struct {
	command string
	file    *os.File

	once sync.Once
	err  error
}

func (w *input) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fmt.Errorf("write to %q: %w", w.command, errEnded)
	default:
		return n, fmt.Errorf("write to %q: %w", w.command, reason(err))
	}
}

func (w *input) Close() error {
	w.once.Do(func() { w.err = w.file.Close() })
	return w.err
}

var errEnded = errors.New("the process has ended")

// output is the child's standard output. After the child's end it yields what
// is in the pipe and then its end, even if somebody else holds the pipe open.
type output struct {
	command string
	file    *os.File

	once sync.Once
	err  error
}

func (r *output) Read(b []byte) (int, error) {
	n, err := r.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// The deadline was set when the child ended. A reader that was busy
		// since then still gets what is there.
		if err = r.file.SetReadDeadline(time.Now().Add(lastLook)); err == nil {
			n, err = r.file.Read(b)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return n, io.EOF
		}
	}
	if err != nil && err != io.EOF { //nolint:errorlint // an io.Reader returns io.EOF itself
		return n, fmt.Errorf("read from %q: %w", r.command, reason(err))
	}
	return n, err
}

func (r *output) Close() error {
	r.once.Do(func() { r.err = r.file.Close() })
	return r.err
}
