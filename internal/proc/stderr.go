package proc

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// maxLine is the longest piece of a line that the sink gets at once.
const maxLine = 16 << 10

// tail keeps the end of what is written to it.
type tail struct {
	limit int

	mu  sync.Mutex
	buf []byte // up to twice the limit, so that moving down is rare; under mu
	cut bool   // whether something is missing at the start of buf; under mu
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(b) > t.limit {
		t.cut = true
		b = b[len(b)-t.limit:]
	}
	if len(t.buf)+len(b) > 2*t.limit {
		t.cut = true
		t.buf = t.buf[:copy(t.buf, t.buf[len(t.buf)-t.limit:])]
	}
	t.buf = append(t.buf, b...)
}

// String is the tail as text. When lines before it are gone, it begins with a
// whole one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, cut := t.buf, t.cut
	if len(b) > t.limit {
		b, cut = b[len(b)-t.limit:], true
	}
	if nl := bytes.IndexByte(b, '\n'); cut && nl >= 0 && nl+1 < len(b) {
		b = b[nl+1:]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// drain reads from until its end into the tail and the sink.
func drain(from io.Reader, to *tail, sink io.Writer) {
	lines := lineWriter{sink: sink}
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		to.add(buf[:n])
		lines.write(buf[:n])
		if err != nil {
			lines.flush()
			return
		}
	}
}

// lineWriter hands lines to a sink, one per Write.
type lineWriter struct {
	sink io.Writer // nil once it has failed
	line []byte
}

func (w *lineWriter) write(b []byte) {
	for w.sink != nil && len(b) > 0 {
		nl := bytes.IndexByte(b, '\n')
		n := nl + 1
		if nl < 0 {
			n = len(b)
		}
		n = min(n, maxLine-len(w.line))
		w.line = append(w.line, b[:n]...)
		b = b[n:]
		if w.line[len(w.line)-1] == '\n' || len(w.line) == maxLine {
			w.emit()
		}
	}
}

func (w *lineWriter) emit() {
	if _, err := w.sink.Write(w.line); err != nil {
		w.sink = nil
	}
	w.line = w.line[:0]
}

// flush hands over a last line without an end, giving it one.
func (w *lineWriter) flush() {
	if w.sink != nil && len(w.line) > 0 {
		w.line = append(w.line, '\n')
		w.emit()
	}
}
