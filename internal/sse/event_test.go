package sse

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// SSE-10, M-HTTP-028, M-HTTP-030, L-HTTP-30, L-HTTP-32: what events look like.
func TestAppendEvent(t *testing.T) {
	for _, c := range []struct {
		name  string
		event Event
		want  string
	}{
		{"message", Event{Type: Message, Data: []byte(`{"jsonrpc":"2.0"}`)}, "event: message\ndata: {\"jsonrpc\":\"2.0\"}\n\n"},
		{"no type", Event{Data: []byte(`{}`)}, "data: {}\n\n"},
		{"endpoint", Event{Type: "endpoint", Data: []byte("/messages?s=1")}, "event: endpoint\ndata: /messages?s=1\n\n"},
		{"priming", Event{ID: "1", HasID: true, Data: []byte{}}, "id: 1\ndata: \n\n"},
		{"retry", Event{Retry: 3 * time.Second, HasRetry: true}, "retry: 3000\n\n"},
		{"retry below a millisecond", Event{Retry: time.Microsecond, HasRetry: true}, "retry: 0\n\n"},
		{"everything", Event{Type: "t", ID: "i", HasID: true, Retry: time.Second, HasRetry: true, Data: []byte("d")}, "event: t\nid: i\nretry: 1000\ndata: d\n\n"},
		{"id that is not set", Event{ID: "x", Data: []byte("d")}, "data: d\n\n"},
		{"empty id", Event{HasID: true}, "id: \n\n"},
		{"LF", Event{Data: []byte("a\nb\n")}, "data: a\ndata: b\ndata: \n\n"},
		{"CRLF", Event{Data: []byte("a\r\nb")}, "data: a\ndata: b\n\n"},
		{"CR", Event{Data: []byte("a\rb\r")}, "data: a\ndata: b\ndata: \n\n"},
		{"a field in data", Event{Data: []byte("x\n\nevent: evil\ndata: y")}, "data: x\ndata: \ndata: event: evil\ndata: data: y\n\n"},
		{"leading blank", Event{Data: []byte(" x")}, "data:  x\n\n"},
		{"nothing", Event{}, "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := AppendEvent([]byte("before\n\n"), c.event)
			if err != nil || string(got) != "before\n\n"+c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAppendEventRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		event Event
		want  string
	}{
		{"type with LF", Event{Type: "a\ndata: evil"}, `event cannot be written: type "a\ndata: evil" holds a line end`},
		{"type with CR", Event{Type: "a\r"}, `event cannot be written: type "a\r" holds a line end`},
		{"id with LF", Event{ID: "a\n", HasID: true}, `event cannot be written: id "a\n" holds a line end or NUL`},
		{"id with NUL", Event{ID: "a\x00", HasID: true}, `event cannot be written: id "a\x00" holds a line end or NUL`},
		{"negative retry", Event{Retry: -time.Second, HasRetry: true}, `event cannot be written: retry -1s is negative`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := AppendEvent([]byte("before"), c.event)
			if !errors.Is(err, ErrEvent) || err.Error() != c.want || string(got) != "before" {
				t.Errorf("got %q, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestAppendComment(t *testing.T) {
	for text, want := range map[string]string{
		"keepalive": ": keepalive\n\n", "": ": \n\n", "a\ndata: evil\r\n\rb": ": a\n: data: evil\n: \n: b\n\n",
	} {
		if got := string(AppendComment(nil, text)); got != want {
			t.Errorf("AppendComment(%q) = %q, want %q", text, got, want)
		}
		if got, _ := readAll(NewReader(strings.NewReader(want), 0)); len(got) != 0 {
			t.Errorf("%q is read as %v", want, got)
		}
	}
}

// FuzzRoundTrip: what is written is read back, but for line ends within data.
func FuzzRoundTrip(f *testing.F) {
	f.Add("message", []byte(`{"a":1}`), "id-1", true, int64(500), true)
	f.Add("", []byte("a\r\nb\rc\n"), "", true, int64(0), false)
	f.Add("\xef\xbb\xbf", []byte{}, "x\x00", true, int64(-1), true)
	f.Fuzz(func(t *testing.T, typ string, data []byte, id string, hasID bool, retry int64, hasRetry bool) {
		e := Event{Type: typ, Data: data, ID: id, HasID: hasID, Retry: time.Duration(retry).Truncate(time.Millisecond), HasRetry: hasRetry}
		out, err := AppendEvent([]byte("data: before\n\n"), e)
		if err != nil {
			if !strings.ContainsAny(typ+id, "\r\n\x00") && retry >= 0 {
				t.Fatalf("%+v refused: %v", e, err)
			}
			return
		}
		out, err = AppendEvent(out, Event{Data: []byte("after")})
		if err != nil {
			t.Fatal(err)
		}
		want := Event{Type: typ, Data: lineFeeds(data), HasID: hasID, HasRetry: hasRetry}
		if typ == "" {
			want.Type = Message
		}
		if hasID {
			want.ID = id
		}
		if hasRetry {
			want.Retry = e.Retry
		}
		events := []Event{message("before"), want, message("after")}
		if data == nil && !hasID && !hasRetry {
			events = []Event{message("before"), message("after")}
		}
		got, _ := readAll(NewReader(bytes.NewReader(out), len(out)))
		if diff := cmp.Diff(events, got); diff != "" {
			t.Fatalf("%q: %s", out, diff)
		}
	})
}

func lineFeeds(b []byte) []byte {
	if len(b) == 0 {
		return b // nil stays nil, and empty empty
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

func BenchmarkAppendEvent(b *testing.B) {
	e := Event{Type: Message, Data: bytes.Repeat([]byte("x"), 500)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = AppendEvent(buf[:0], e); err != nil {
			b.Fatal(err)
		}
	}
}
