package sse

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readAll reads a stream to its end and keeps the events.
func readAll(r *Reader) (events []Event, err error) {
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		e.Data = bytes.Clone(e.Data)
		events = append(events, e)
	}
}

func message(data string) Event { return Event{Type: Message, Data: []byte(data)} }

// WHATWG HTML 9.2.5 and 9.2.6; L-HTTP-35, M-HTTP-029, M-HTTP-031.
var streams = []struct {
	name   string
	in     string
	want   []Event
	lastID string
}{
	{name: "nothing"},
	{name: "one event", in: "data: x\n\n", want: []Event{message("x")}},
	// SSE-01: several data lines are one message.
	{
		name: "several data lines", in: "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata:  \"id\":1,\ndata:  \"result\":{}}\n\n",
		want: []Event{message("{\"jsonrpc\":\"2.0\",\n \"id\":1,\n \"result\":{}}")},
	},
	{name: "empty data lines count", in: "data\ndata:\ndata: \n\n", want: []Event{message("\n\n")}},
	// SSE-02: no type, an empty type and no blank behind the colon.
	{name: "no event field", in: "data: {\"id\":1}\n\n", want: []Event{message("{\"id\":1}")}},
	{name: "empty event field", in: "event:\ndata: x\n\n", want: []Event{message("x")}},
	{name: "no blank", in: "data:{\"id\":2}\n\n", want: []Event{message("{\"id\":2}")}},
	{name: "one blank is dropped", in: "data:  x \n\n", want: []Event{message(" x ")}},
	{name: "a tab is not", in: "data:\tx\n\n", want: []Event{message("\tx")}},
	// SSE-03: comments are skipped anywhere.
	{name: "comments", in: ": ping\n\n:\r\n:data: {\"not\":\"data\"}\ndata: a\n: in the middle\ndata: b\n\n", want: []Event{message("a\nb")}},
	{name: "comments alone", in: ": ping\n\n: ping\n\n:\n\n"},
	// SSE-04, L-HTTP-35: no data is no message, and still an id or a retry time.
	{
		name: "priming event", in: "id: s1-0\ndata: \n\nid: s1-1\ndata: x\n\n", lastID: "s1-1",
		want: []Event{{Type: Message, Data: []byte{}, ID: "s1-0", HasID: true}, {Type: Message, Data: []byte("x"), ID: "s1-1", HasID: true}},
	},
	{name: "id alone", in: "id: x\n\n", lastID: "x", want: []Event{{Type: Message, ID: "x", HasID: true}}},
	{name: "data field without a colon", in: "data\n\n", want: []Event{{Type: Message, Data: []byte{}}}},
	{name: "retry alone", in: "retry: 500\n\n", want: []Event{{Type: Message, Retry: 500 * time.Millisecond, HasRetry: true}}},
	{name: "type alone", in: "event: ping\n\ndata: x\n\n", want: []Event{message("x")}},
	// SSE-05: types are told exactly.
	{
		name: "types", in: "event: ping\ndata: t\n\nevent: MESSAGE\ndata: m\n\nevent: endpoint\ndata: /x\n\ndata: y\n\n",
		want: []Event{{Type: "ping", Data: []byte("t")}, {Type: "MESSAGE", Data: []byte("m")}, {Type: "endpoint", Data: []byte("/x")}, message("y")},
	},
	{name: "the last type counts", in: "event: a\nevent: b\ndata: x\n\n", want: []Event{{Type: "b", Data: []byte("x")}}},
	{name: "field names are exact", in: "Data: a\nDATA: b\n data: c\ndata : d\ndatax: e\nda: f\n\ndata: x\n\n", want: []Event{message("x")}},
	{name: "unknown fields", in: "foo: bar\nx\ndata: x\nveryverylongname: y\n\n", want: []Event{message("x")}},
	{name: "colons in values", in: "data: a:b: c\nid:: 1\n\n", lastID: ": 1", want: []Event{{Type: Message, Data: []byte("a:b: c"), ID: ": 1", HasID: true}}},
	// Line ends.
	{name: "CR", in: "data: a\rdata: b\r\rdata: c\r\r", want: []Event{message("a\nb"), message("c")}},
	{name: "CRLF", in: "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", want: []Event{message("a\nb"), message("c")}},
	{name: "mixed", in: "data: a\rdata: b\n\r\ndata: c\r\n\rdata: d\n\n", want: []Event{message("a\nb"), message("c"), message("d")}},
	{name: "LF CR", in: "data: a\n\rdata: b\n\r", want: []Event{message("a"), message("b")}},
	{name: "other separators are data", in: "data: a\u2028b\u0085c\vd\fe\n\n", want: []Event{message("a\u2028b\u0085c\vd\fe")}},
	// The byte order mark.
	{name: "BOM", in: "\xef\xbb\xbfdata: x\n\n", want: []Event{message("x")}},
	{name: "BOM before a blank line", in: "\xef\xbb\xbf\n\ndata: x\n\n", want: []Event{message("x")}},
	{name: "two BOMs", in: "\xef\xbb\xbf\xef\xbb\xbfdata: x\n\ndata: y\n\n", want: []Event{message("y")}},
	{name: "a part of a BOM", in: "\xef\xbbdata: x\n\ndata: y\n\n", want: []Event{message("y")}},
	{name: "a part of a BOM alone", in: "\xef\xbb\ndata: y\n\n", want: []Event{message("y")}},
	{name: "BOM later", in: "data: x\n\n\xef\xbb\xbfdata: y\n\ndata: z\n\n", want: []Event{message("x"), message("z")}},
	// Ids.
	{name: "id with NUL is ignored", in: "id: a\ndata: x\n\nid: b\x00c\ndata: y\n\n", lastID: "a", want: []Event{{Type: Message, Data: []byte("x"), ID: "a", HasID: true}, message("y")}},
	{name: "an empty id resets", in: "id: a\ndata: x\n\nid\ndata: y\n\n", want: []Event{{Type: Message, Data: []byte("x"), ID: "a", HasID: true}, {Type: Message, Data: []byte("y"), HasID: true}}},
	{name: "the last id counts", in: "id: a\nid: b\ndata: x\n\n", lastID: "b", want: []Event{{Type: Message, Data: []byte("x"), ID: "b", HasID: true}}},
	{name: "an unfinished event's id does not count", in: "id: a\ndata: x\n\nid: b\ndata: y\n", lastID: "a", want: []Event{{Type: Message, Data: []byte("x"), ID: "a", HasID: true}}},
	{name: "an id without an event counts", in: "id: a\n\n: c\n\n", lastID: "a", want: []Event{{Type: Message, ID: "a", HasID: true}}},
	// Retry times.
	{name: "retry of no digits", in: "retry: 1s\nretry: -1\nretry: 1.5\nretry:\nretry: 0x10\nretry: ٣\ndata: x\n\n", want: []Event{message("x")}},
	{name: "retry zero", in: "retry: 000\n\n", want: []Event{{Type: Message, HasRetry: true}}},
	{name: "the last retry counts", in: "retry: 1\nretry: 2\nretry: x\n\n", want: []Event{{Type: Message, Retry: 2 * time.Millisecond, HasRetry: true}}},
	{
		name: "retry beyond a Duration", in: "retry: 99999999999999999999999999\n\n",
		want: []Event{{Type: Message, Retry: math.MaxInt64 / time.Millisecond * time.Millisecond, HasRetry: true}},
	},
	// Ends.
	{name: "no blank line at the end", in: "data: x\n\ndata: y\n", want: []Event{message("x")}},
	{name: "no line end at the end", in: "data: x\n\ndata: y", want: []Event{message("x")}},
	{name: "cut within a name", in: "data: x\n\nda", want: []Event{message("x")}},
	{name: "CR at the end", in: "data: x\n\r", want: []Event{message("x")}},
	{name: "bytes that are no UTF-8", in: "data: a\xff\x00b\n\n", want: []Event{message("a\xff\x00b")}},
	{name: "nothing but line ends", in: "\n\r\n\r\r\n\n"},
}

func TestReader(t *testing.T) {
	for _, c := range streams {
		t.Run(c.name, func(t *testing.T) {
			for how, src := range map[string]io.Reader{
				"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"halves": iotest.HalfReader(strings.NewReader(c.in)), "end with data": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				r := NewReader(src, 0)
				got, err := readAll(r)
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: ended with %v", how, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
				if r.LastEventID() != c.lastID {
					t.Errorf("%s: last id %q, want %q", how, r.LastEventID(), c.lastID)
				}
				if _, err := r.Next(); !errors.Is(err, io.EOF) {
					t.Errorf("%s: after the end: %v", how, err)
				}
			}
		})
	}
}

// endless yields the same bytes again and again.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		copied := copy(b[n:], e.text[e.at:])
		n += copied
		e.at = (e.at + copied) % len(e.text)
	}
	return len(b), nil
}

// SSE-09: what never ends is cut off, with memory bounded.
func TestEndlessEvents(t *testing.T) {
	const limit = 100_000
	for name, src := range map[string]io.Reader{
		"one data line":       io.MultiReader(strings.NewReader("data: "), &endless{text: "a"}),
		"data lines":          &endless{text: "data: a\n"},
		"data lines, empty":   &endless{text: "data\n"},
		"an id":               io.MultiReader(strings.NewReader("id: "), &endless{text: "1"}),
		"a type":              io.MultiReader(strings.NewReader("event: "), &endless{text: "x"}),
		"a field's name":      &endless{text: "x"},
		"an unknown field":    io.MultiReader(strings.NewReader("x: "), &endless{text: "x"}),
		"a comment":           io.MultiReader(strings.NewReader(":"), &endless{text: "x"}),
		"after a good event":  io.MultiReader(strings.NewReader("data: x\n\ndata: "), &endless{text: "x"}),
		"data and half a BOM": io.MultiReader(strings.NewReader("\xef\xbb"), &endless{text: "\xef"}),
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(src, limit)
			_, err := readAll(r)
			if !errors.Is(err, ErrTooLarge) {
				t.Fatalf("ended with %v, want ErrTooLarge", err)
			}
			if r.data != nil || r.value != nil {
				t.Error("the buffers are kept")
			}
			if _, again := r.Next(); !errors.Is(again, ErrTooLarge) {
				t.Errorf("after that: %v", again)
			}
		})
	}
	t.Run("not what is small and many", func(t *testing.T) {
		// Comments and repeated fields without a blank line are no event that grows.
		src := io.MultiReader(strings.NewReader(strings.Repeat(":\r\nid: 1\nx: y\nevent: z\n", 20_000)), strings.NewReader("data: x\n\n"))
		got, err := readAll(NewReader(src, limit))
		if len(got) != 1 || !errors.Is(err, io.EOF) {
			t.Errorf("%d events, %v", len(got), err)
		}
	})
}

// An event may have exactly the size of the limit.
func TestLimit(t *testing.T) {
	for size, ok := range map[int]bool{92: true, 93: true, 94: true, 95: false} {
		in := "data: " + strings.Repeat("x", size) + "\n\n"
		_, err := NewReader(strings.NewReader(in), 100).Next()
		if ok != (err == nil) || err != nil && !errors.Is(err, ErrTooLarge) {
			t.Errorf("line of %d bytes with a limit of 100: %v", size+6, err)
		}
	}
	big := strings.Repeat("x", DefaultLimit-10)
	if e, err := NewReader(strings.NewReader("data: "+big+"\n\n"), 0).Next(); err != nil || len(e.Data) != len(big) {
		t.Errorf("%d bytes, %v", len(e.Data), err)
	}
}

// An event is there as soon as its blank line is, also when that is a CR whose
// LF has not come.
func TestNoReadingAhead(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	r := NewReader(pr, 0)
	for _, in := range []string{"data: x\n\n", "data: x\r\n\r\n", "data: x\r\r", "\ndata: x\r\r"} {
		wrote := make(chan error, 1)
		go func() {
			_, err := io.WriteString(pw, in)
			wrote <- err
		}()
		if e, err := r.Next(); err != nil || string(e.Data) != "x" {
			t.Fatalf("%q: got %q, %v", in, e.Data, err)
		}
		if err := <-wrote; err != nil {
			t.Fatal(err)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("connection reset")
	got, err := readAll(NewReader(io.MultiReader(strings.NewReader("data: x\n\ndata: y\n"), iotest.ErrReader(broken)), 0))
	if len(got) != 1 || !errors.Is(err, broken) {
		t.Errorf("%d events, %v; want one and the source's error", len(got), err)
	}
	if _, err := NewReader(idle{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that yields nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// An idle reader does not hold on to the largest event it has seen.
func TestLargeBufferIsDropped(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	r := NewReader(pr, 0)
	go func() {
		io.WriteString(pw, "data: "+strings.Repeat("x", 1<<20)+"\n\n")
		pw.Close()
	}()
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if cap(r.data) > keep {
		t.Errorf("%d bytes are kept", cap(r.data))
	}
}

// FuzzReader: however the bytes are cut, the events are the same, and memory is bounded.
func FuzzReader(f *testing.F) {
	for i, c := range streams {
		f.Add([]byte(c.in), uint16(i*7+1))
	}
	f.Fuzz(func(t *testing.T, in []byte, cuts uint16) {
		const limit = 64
		whole := NewReader(bytes.NewReader(in), limit)
		want, wantErr := readAll(whole)
		pieces := NewReader(&cutReader{in: in, cuts: cuts}, limit)
		got, gotErr := readAll(pieces)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if errors.Is(wantErr, ErrTooLarge) != errors.Is(gotErr, ErrTooLarge) || whole.LastEventID() != pieces.LastEventID() {
			t.Fatalf("ends differ: %v, %q and %v, %q", wantErr, whole.LastEventID(), gotErr, pieces.LastEventID())
		}
		for _, e := range got {
			if len(e.Data) > limit || len(e.ID) > limit || len(e.Type) > limit {
				t.Fatalf("event above the limit: %+v", e)
			}
			if strings.ContainsAny(e.ID, "\r\n\x00") || strings.ContainsAny(e.Type, "\r\n") || bytes.IndexByte(e.Data, '\r') >= 0 {
				t.Fatalf("a line end in %+v", e)
			}
		}
	})
}

// cutReader yields pieces whose lengths follow from the bits of cuts.
type cutReader struct {
	in   []byte
	cuts uint16
}

func (r *cutReader) Read(b []byte) (int, error) {
	if len(r.in) == 0 {
		return 0, io.EOF
	}
	n := min(1+int(r.cuts&3), len(r.in), len(b))
	r.cuts = r.cuts>>1 | r.cuts<<15
	copy(b, r.in[:n])
	r.in = r.in[n:]
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	for name, event := range map[string]string{
		"message of 200 bytes": "event: message\ndata: " + strings.Repeat("x", 200) + "\n\n",
		"message of 1 MB":      "data: " + strings.Repeat("x", 1<<20) + "\n\n",
	} {
		b.Run(name, func(b *testing.B) {
			r := NewReader(&endless{text: event}, 0)
			b.ReportAllocs()
			b.SetBytes(int64(len(event)))
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
