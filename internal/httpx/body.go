package httpx

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// firstRead bounds what a declared Content-Length can make us allocate
	// before a byte has come.
	firstRead = 64 << 10
	// lingerTime is how long the rest of an unwanted body is read.
	lingerTime = time.Second
	// keepBody is the largest buffer that goes back to the pool.
	keepBody = 256 << 10
)

var bodies = sync.Pool{New: func() any { return new(Body) }}

// Body is the whole content of a request or response, in a buffer that can be
// used again. It belongs to one goroutine at a time.
type Body struct{ buf []byte }

// Bytes is the content. It is valid until [Body.Free].
func (b *Body) Bytes() []byte { return b.buf }

// Free gives the buffer back. Nothing may refer to it any more: not the slice of
// Bytes, nor slices of that. Free is called once, or not at all when parts of
// the content live on.
func (b *Body) Free() {
	if cap(b.buf) > keepBody {
		b.buf = nil
	}
	b.buf = b.buf[:0]
	bodies.Put(b)
}

// ReadBody reads the body of r to its end, which is also what lets the context
// of r end when the peer disconnects (T-19). limit is in bytes; zero or less
// means none. within bounds the time it may take, where w supports read
// deadlines; zero or less sets no bound, and w may then be nil.
//
// The error is a [*RefusedError]: 413 above the limit, at once when
// Content-Length says so; 415 for a compressed body; 408 when time is up; 400
// when the body cannot be read to its end.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) (*Body, error) {
	b, err := readBody(w, r, limit, within)
	if err != nil {
		AbandonBody(w)
		return nil, err
	}
	return b, nil
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) (*Body, error) {
	if enc := trimOWS(r.Header.Get("Content-Encoding")); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, &RefusedError{Status: http.StatusUnsupportedMediaType, Reason: fmt.Sprintf("read body: content encoding %s; send it plain", bounded(enc))}
	}
	if within > 0 {
		// Without a deadline the server's own time-outs are what remains.
		deadline := http.NewResponseController(w)
		if deadline.SetReadDeadline(time.Now().Add(within)) == nil {
			defer deadline.SetReadDeadline(time.Time{}) //nolint:errcheck // the same call has just worked
		}
	}
	src := r.Body
	if w != nil && limit > 0 && r.ContentLength < 0 {
		// It has net/http close the connection so that the answer gets through.
		src = http.MaxBytesReader(w, src, limit)
	}
	b, err := ReadAll(src, r.ContentLength, limit)
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, ErrTooLarge):
		return nil, &RefusedError{Status: http.StatusRequestEntityTooLarge, Reason: "read body", Err: err}
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &RefusedError{Status: http.StatusRequestEntityTooLarge, Reason: "read body", Err: tooLarge(limit)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &RefusedError{Status: http.StatusRequestTimeout, Reason: fmt.Sprintf("read body: not complete within %s", within), Err: err}
	default:
		return nil, &RefusedError{Status: http.StatusBadRequest, Reason: "read body", Err: err}
	}
}

// AbandonBody says that a request is answered without its body. net/http goes
// on reading such a body before it sends the answer, since some peers look for
// one only when they have sent everything, and it would wait for a slow peer
// for ever; this gives it a second. w may be nil.
func AbandonBody(w http.ResponseWriter) {
	// The server sets its own deadline before it reads another request.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime))
}

// ReadAll reads r to its end. size is what r is said to hold, negative when
// unknown; limit is in bytes, zero or less means none. Memory grows with what
// has come, not with what was announced. An error that matches [ErrTooLarge]
// says that the limit was passed; others are the reader's. A nil r is empty.
func ReadAll(r io.Reader, size, limit int64) (*Body, error) {
	if limit > 0 && size > limit {
		return nil, tooLarge(limit)
	}
	b, ok := bodies.Get().(*Body)
	if !ok {
		b = new(Body)
	}
	if r == nil {
		return b, nil
	}
	for {
		if len(b.buf) == cap(b.buf) {
			b.grow(size, limit)
		}
		n, err := r.Read(b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
		if limit > 0 && int64(len(b.buf)) > limit {
			b.Free()
			return nil, tooLarge(limit)
		}
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			b.Free()
			return nil, err
		}
	}
}

// grow makes room: four times as much, but not for more than was announced or
// is allowed, and for the one byte that finds the end of that.
func (b *Body) grow(size, limit int64) {
	have := int64(len(b.buf))
	want := max(4*have, 512)
	if size >= have {
		want = min(size+1, max(want, firstRead))
	}
	if limit > 0 {
		want = min(want, limit+1)
	}
	b.buf = slices.Grow(b.buf, int(max(want-have, 1)))
}

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit) }
