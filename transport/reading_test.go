package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/diglot-mcp/diglot/transport"
)

func reader(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// TestLinesRead: framing as peers write it.
func TestLinesRead(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"one a line", "{}\n[]\n", []string{"{}", "[]"}},
		{"CRLF (STD-02)", "{}\r\n[]\r\n", []string{"{}", "[]"}},
		{"blank lines (STD-02, M-STDIO-002)", "\n\r\n{}\n\n\n[]\n\r\n\r\n", []string{"{}", "[]"}},
		{"white space around", " {} \t\n\t\n  []\r\n", []string{"{}", "[]"}},
		{"a byte order mark (STD-07)", "\xef\xbb\xbf{}\n", []string{"{}"}},
		{"a byte order mark later on is the message's", "{}\n\xef\xbb\xbf{}\n", []string{"{}", "\xef\xbb\xbf{}"}},
		{"other scripts (STD-07)", "{\"s\":\"上下文 🚀 é\"}\n", []string{`{"s":"上下文 🚀 é"}`}},
		{"no newline at the end", "{}\n[]", []string{"{}", "[]"}},
		{"what is no JSON, too (STD-03, STD-05)", "[12:00:01] listening\n{}xyz\n{}{}\n{}\n", []string{"[12:00:01] listening", "{}xyz", "{}{}", "{}"}},
		{"beyond 64 KiB (STD-01, T-42)", long + "\n{}\n", []string{long, "{}"}},
		{"nothing", "", nil},
		{"nothing but a byte order mark", "\xef\xbb\xbf", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for pieces, in := range map[string]io.Reader{"whole": strings.NewReader(c.text), "in bytes": iotest.OneByteReader(strings.NewReader(c.text))} {
				conn := transport.Lines(io.NopCloser(in), &sink{}, transport.Options{})
				for i, want := range c.want {
					got, err := conn.Read(t.Context())
					if err != nil || string(got) != want {
						t.Fatalf("%s, message %d: %.50q, %v; want %.50q", pieces, i, got, err, want)
					}
				}
				for range 2 {
					if got, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
						t.Errorf("%s, at the end: %.50q, %v", pieces, got, err)
					}
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestLinesOfAnySize: each size arrives whole, in both directions (STD-01).
func TestLinesOfAnySize(t *testing.T) {
	here, there := pair(t, transport.Options{MaxMessage: 8 << 20})
	for _, size := range []int{0, 65_535, 65_536, 65_537, 1 << 20, 5 << 20} {
		msg := `{"text":"` + strings.Repeat("x", size) + `"}`
		for name, ends := range map[string][2]transport.Conn{"there": {here, there}, "back": {there, here}} {
			sent := make(chan error, 1)
			go func() { sent <- ends[0].Write(t.Context(), []byte(msg)) }()
			if got, err := ends[1].Read(t.Context()); err != nil || string(got) != msg {
				t.Errorf("%d bytes %s: %d bytes, %v", size, name, len(got), err)
			}
			if err := <-sent; err != nil {
				t.Error(err)
			}
		}
	}
}

// pair connects two ends by pipes of the system.
func pair(t *testing.T, opts transport.Options) (here, there transport.Conn) {
	t.Helper()
	r1, w1, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r2, w2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	here, there = transport.Lines(r1, w2, opts), transport.Lines(r2, w1, opts)
	t.Cleanup(func() { _, _ = here.Close(), there.Close() })
	return here, there
}

// TestLinesTooLarge: a message beyond the limit is named and skipped, and the
// stream survives (STD-01).
func TestLinesTooLarge(t *testing.T) {
	const limit = 1000
	fits := strings.Repeat("x", limit)
	for _, c := range []struct {
		name, text string
		want       []string // empty: too large
	}{
		{"at the limit", fits + "\r\n{}\n", []string{fits, "{}"}},
		{"one byte beyond", fits + "x\n{}\n", []string{"", "{}"}},
		{"far beyond", strings.Repeat("x", 300_000) + "\n{}\n", []string{"", "{}"}},
		{"twice", fits + "x\n" + fits + "x\n{}\n", []string{"", "", "{}"}},
		{"at the end", "{}\n" + fits + "x", []string{"{}", ""}},
		{"white space does not count", " " + fits + " \n{}\n", []string{fits, "{}"}},
		{"unless it goes on and on", strings.Repeat(" ", 100_000) + "{}\n{}\n", []string{"", "{}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := transport.Lines(reader(c.text), &sink{}, transport.Options{MaxMessage: limit})
			defer conn.Close()
			for i, want := range c.want {
				got, err := conn.Read(t.Context())
				switch {
				case want != "" && (err != nil || string(got) != want):
					t.Errorf("message %d: %.20q, %v", i, got, err)
				case want == "" && (!errors.Is(err, transport.ErrTooLarge) || !strings.Contains(err.Error(), "1000")):
					t.Errorf("message %d, too large: %.20q, %v", i, got, err)
				}
			}
			if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// TestLinesReadAtOnce: a message is there when its newline is, however short.
func TestLinesReadAtOnce(t *testing.T) {
	in, out := io.Pipe()
	conn := transport.Lines(in, &sink{}, transport.Options{})
	defer conn.Close()
	for range 2 {
		go func() { _, _ = out.Write([]byte("5\n")) }()
		if got, err := conn.Read(t.Context()); err != nil || string(got) != "5" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestLinesReadFails: an error of the stream stays, and half a line is none.
func TestLinesReadFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader("{}\n{\"half"), iotest.ErrReader(os.ErrDeadlineExceeded))
	conn := transport.Lines(io.NopCloser(in), &sink{}, transport.Options{})
	defer conn.Close()
	if got, err := conn.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 {
		if got, err := conn.Read(t.Context()); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestLinesReadGivenUp: a Read whose context ends loses no message.
func TestLinesReadGivenUp(t *testing.T) {
	here, there := pair(t, transport.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := there.Read(ctx)
		gaveUp <- err
	}()
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if err := here.Write(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := there.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("%q %v", got, err)
	}
}

// TestLinesKeepTheirBytes: a message is the reader's to keep and to change.
func TestLinesKeepTheirBytes(t *testing.T) {
	conn := transport.Lines(reader("{\"a\":1}\n{\"b\":2}\n"), &sink{}, transport.Options{})
	defer conn.Close()
	first, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = append(first, "xxxxxxxxxxxxxxxx"...)
	if string(first) != `{"a":1}` || string(second) != `{"b":2}` {
		t.Errorf("%q and %q", first, second)
	}
}

// TestLinesOverOneObject: a socket is both ends, and is closed once.
func TestLinesOverOneObject(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed := make(chan net.Conn, 1)
	go func() {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Error(err)
		}
		dialed <- c
	}()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := <-dialed
	here, there := transport.Lines(c, c, transport.Options{}), transport.Lines(accepted, accepted, transport.Options{})
	if err := here.Write(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := there.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("%q, %v", got, err)
	}
	if err := here.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := there.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the peer closed: %v", err)
	}
	if err := there.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// FuzzLines: any bytes in any pieces give the lines a plain split gives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), uint8(1))
	f.Add([]byte("\xef\xbb\xbfx\n"), uint8(2))
	f.Add([]byte("123456789\n12345678 \n"), uint8(3))
	const limit = 8
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		if len(text) > 500 {
			return // white space beyond the slack counts
		}
		conn := transport.Lines(io.NopCloser(&pieces{text: text, step: int(step)%7 + 1}), &sink{}, transport.Options{MaxMessage: limit})
		defer conn.Close()
		var want []string
		for l := range bytes.SplitSeq(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\n")) {
			if l = bytes.Trim(l, "\r \t"); len(l) > limit {
				want = append(want, "too large")
			} else if len(l) > 0 {
				want = append(want, fmt.Sprintf("%q", l))
			}
		}
		for i, w := range append(want, "the end") {
			msg, err := conn.Read(t.Context())
			got := fmt.Sprintf("%q", msg)
			switch {
			case errors.Is(err, transport.ErrTooLarge):
				got = "too large"
			case errors.Is(err, io.EOF):
				got = "the end"
			case err != nil:
				got = err.Error()
			}
			if got != w {
				t.Fatalf("%q: message %d is %s; want %s", text, i, got, w)
			}
		}
	})
}

type pieces struct {
	text []byte
	step int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.step)], p.text)
	p.text = p.text[n:]
	return n, nil
}
