package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

const (
	// DefaultLimit is the size an event may have when a [Reader] is given none.
	DefaultLimit = 4 << 20
	// chunk is how much is read at once.
	chunk = 4 << 10
	// keep is the largest event whose buffer waits for the next one.
	keep = 64 << 10
	// maxIdleReads is how often in a row the source may read nothing.
	maxIdleReads = 100
	// maxName is the length of the longest field name that means something.
	maxName = len("event")
)

// ErrTooLarge is what [Reader.Next] fails with when an event passes its limit.
var ErrTooLarge = errors.New("event too large")

// bom may stand once, before everything else.
const bom = "\xef\xbb\xbf"

// field is what a line of the stream sets.
type field uint8

const (
	fieldUnknown field = iota // also a comment
	fieldData
	fieldEvent
	fieldID
	fieldRetry
)

// Reader reads events from a stream. It never reads ahead of what the peer has
// sent, so an event is returned as soon as its blank line is there. It is not
// safe for concurrent use; closing what it reads from ends a blocked Next.
type Reader struct {
	src   io.Reader
	limit int

	// chunk[pos:end] has been read and not looked at; err is what came with it.
	chunk    []byte
	pos, end int
	err      error

	// The line being read: its field once the name is complete, else the part
	// of the name that has come.
	inValue bool
	space   bool // the value's first byte may be a blank, which is dropped
	field   field
	name    [maxName]byte
	named   int // bytes of the name that have come, also beyond what name holds
	length  int // bytes of the line
	skipLF  bool
	marks   int // bytes of the byte order mark seen; at its length or after other bytes, none is expected

	// The event being read. value holds id, event and retry until their line ends.
	data     []byte
	value    []byte
	typ      string
	idSeen   bool
	retryFor time.Duration
	hasRetry bool

	// What outlives events. pendingID takes effect when an event is dispatched.
	pendingID, lastID string
}

// NewReader returns a Reader of src. limit is the size in bytes that one event,
// and any one line, may have; zero or less means [DefaultLimit]. The Reader
// holds about that much memory at most, and little when it is idle.
func NewReader(src io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Reader{src: src, limit: limit}
}

// LastEventID is the id to resume after: that of the last event that had one.
// Events without an id do not change it, one with an empty id resets it.
func (r *Reader) LastEventID() string { return r.lastID }

// Next returns the next event that has data, an id or a retry time. Comments,
// unknown fields and events that only have a type are skipped, and an event that
// the stream's end cuts short is discarded. Data is valid until the next call.
//
// Next blocks for as long as the source does. It fails with [io.EOF] at the end
// of the stream, with an error wrapping [ErrTooLarge] when an event or a line
// passes the limit, and with the source's error otherwise; it then keeps
// failing that way.
func (r *Reader) Next() (Event, error) {
	if cap(r.data) > keep {
		r.data = nil
	}
	r.data = r.data[:0]
	for {
		for r.pos < r.end {
			done, err := r.step()
			if err != nil {
				r.err, r.pos, r.end = err, 0, 0
				r.data, r.value = nil, nil
				return Event{}, err
			}
			if done {
				if e, ok := r.dispatch(); ok {
					return e, nil
				}
			}
		}
		if r.err != nil {
			return Event{}, r.err
		}
		r.fill()
	}
}

// fill reads the next chunk.
func (r *Reader) fill() {
	if r.chunk == nil {
		r.chunk = make([]byte, chunk)
	}
	r.pos = 0
	for range maxIdleReads {
		if r.end, r.err = r.src.Read(r.chunk); r.end > 0 || r.err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// step takes the rest of the current line, as far as it has come, from the
// chunk. done says that it was the blank line that ends an event.
func (r *Reader) step() (done bool, err error) {
	in := r.chunk[r.pos:r.end]
	if r.skipLF {
		r.skipLF = false
		if in[0] == '\n' {
			r.pos++
			return false, nil
		}
	}
	if r.marks < len(bom) {
		if in[0] == bom[r.marks] {
			r.marks++
			r.pos++
			r.named = r.marks % len(bom) // a part of the mark alone is the name of an unknown field
			return false, nil
		}
		r.marks = len(bom)
	}
	end := lineEnd(in)
	if err := r.take(in[:end]); err != nil {
		return false, err
	}
	r.pos += end
	if end == len(in) {
		return false, nil
	}
	r.skipLF = in[end] == '\r'
	r.pos++
	done = !r.inValue && r.named == 0
	return done, r.endLine()
}

// take reads a piece of a line that holds no line end.
func (r *Reader) take(piece []byte) error {
	if r.length += len(piece); r.length > r.limit {
		return fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, r.limit)
	}
	if !r.inValue {
		colon := bytes.IndexByte(piece, ':')
		if colon < 0 {
			r.extendName(piece)
			return nil
		}
		r.extendName(piece[:colon])
		r.startValue()
		piece = piece[colon+1:]
	}
	if len(piece) == 0 {
		return nil
	}
	if r.space {
		r.space = false
		if piece[0] == ' ' {
			piece = piece[1:]
		}
	}
	switch r.field {
	case fieldUnknown:
	case fieldData:
		if len(r.data)+len(piece) > r.limit {
			return r.tooLarge()
		}
		if cap(r.data)-len(r.data) < len(piece) {
			r.data = slices.Grow(r.data, max(len(piece), len(r.data))) // append grows large slices by less
		}
		r.data = append(r.data, piece...)
	default:
		r.value = append(r.value, piece...)
	}
	return nil
}

func (r *Reader) tooLarge() error {
	return fmt.Errorf("%w: more than %d bytes of data", ErrTooLarge, r.limit)
}

func (r *Reader) extendName(piece []byte) {
	if r.named < maxName {
		copy(r.name[r.named:], piece)
	}
	r.named += len(piece)
}

// startValue ends the field's name. Names are compared exactly.
func (r *Reader) startValue() {
	r.inValue, r.space, r.field = true, true, fieldUnknown
	if r.named > maxName {
		return
	}
	switch string(r.name[:r.named]) {
	case "data":
		r.field = fieldData
	case "event":
		r.field = fieldEvent
	case "id":
		r.field = fieldID
	case "retry":
		r.field = fieldRetry
	}
}

// endLine applies the field that the line sets. A line without a colon is a
// name with an empty value.
func (r *Reader) endLine() error {
	if !r.inValue {
		r.startValue()
	}
	switch r.field {
	case fieldUnknown:
	case fieldData:
		if r.data = append(r.data, '\n'); len(r.data) > r.limit {
			return r.tooLarge()
		}
	case fieldEvent:
		r.typ = typeName(r.value)
	case fieldID:
		if bytes.IndexByte(r.value, 0) < 0 {
			r.pendingID, r.idSeen = string(r.value), true
		}
	case fieldRetry:
		if d, ok := milliseconds(r.value); ok {
			r.retryFor, r.hasRetry = d, true
		}
	}
	if cap(r.value) > keep {
		r.value = nil
	}
	r.value = r.value[:0]
	r.inValue, r.named, r.length = false, 0, 0
	return nil
}

// dispatch ends the event. ok is false when there is nothing to tell.
func (r *Reader) dispatch() (e Event, ok bool) {
	r.lastID = r.pendingID
	ok = len(r.data) > 0 || r.idSeen || r.hasRetry
	if ok {
		e = Event{Type: r.typ, HasID: r.idSeen, Retry: r.retryFor, HasRetry: r.hasRetry}
		if e.Type == "" {
			e.Type = Message
		}
		if e.HasID {
			e.ID = r.lastID
		}
		if n := len(r.data); n > 0 {
			e.Data = r.data[: n-1 : n-1]
		}
	}
	r.typ, r.idSeen, r.retryFor, r.hasRetry = "", false, 0, false
	return e, ok
}

// lineEnd is where the first line of b ends, or its length.
func lineEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		end = len(b)
	}
	if cr := bytes.IndexByte(b[:end], '\r'); cr >= 0 {
		return cr
	}
	return end
}

// typeName spares a string for the types that MCP uses.
func typeName(b []byte) string {
	switch string(b) {
	case Message:
		return Message
	case "endpoint":
		return "endpoint"
	default:
		return string(b)
	}
}

// milliseconds reads a retry field: digits only. What no Duration can hold
// becomes the longest one.
func milliseconds(b []byte) (time.Duration, bool) {
	const most = int64(math.MaxInt64 / time.Millisecond)
	var ms int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		ms = min(ms*10+int64(c-'0'), most)
	}
	return time.Duration(ms) * time.Millisecond, len(b) > 0
}
