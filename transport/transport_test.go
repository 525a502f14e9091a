package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/diglot-mcp/diglot/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type sink struct {
	mu sync.Mutex
	bytes.Buffer
	writes int
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.Buffer.Write(p)
}

func (*sink) Close() error { return nil }

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
		{"blank lines (M-STDIO-002)", "\n\r\n{}\n\n\n[]\n", []string{"{}", "[]"}},
		{"a byte order mark (STD-07)", "\xef\xbb\xbf{}\n", []string{"{}"}},
		{"no newline at the end", "{}\n[]", []string{"{}", "[]"}},
		{"beyond 64 KiB (STD-01, T-42)", long + "\n{}\n", []string{long, "{}"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := transport.Lines(reader(c.text), &sink{}, transport.Options{})
			defer conn.Close() //nolint:errcheck // a string
			for i, want := range c.want {
				got, err := conn.Read(t.Context())
				if err != nil || string(got) != want {
					t.Fatalf("message %d: %.50q, %v; want %.50q", i, got, err, want)
				}
			}
			if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// TestLinesTooLarge: a message beyond the limit is named and skipped; the stream
// survives.
func TestLinesTooLarge(t *testing.T) {
	conn := transport.Lines(reader(strings.Repeat("x", 300_000)+"\n{}\n"), &sink{}, transport.Options{MaxMessage: 1000})
	defer conn.Close() //nolint:errcheck // a string
	if _, err := conn.Read(t.Context()); !errors.Is(err, transport.ErrTooLarge) || !strings.Contains(err.Error(), "1000") {
		t.Errorf("too large: %v", err)
	}
	if got, err := conn.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("after it: %q, %v", got, err)
	}
}

// TestLinesWrite: one line a message, whatever white space it came with.
func TestLinesWrite(t *testing.T) {
	var out sink
	conn := transport.Lines(reader(""), &out, transport.Options{})
	defer conn.Close() //nolint:errcheck // a buffer
	for _, msg := range []string{`{"a":1}`, "{\n  \"a\": 1\r\n}"} {
		if err := conn.Write(t.Context(), []byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	if want := "{\"a\":1}\n{  \"a\": 1}\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// TestLinesWritersDoNotInterleave: many writers, whole lines (STD-13).
func TestLinesWritersDoNotInterleave(t *testing.T) {
	var out sink
	conn := transport.Lines(reader(""), &out, transport.Options{})
	defer conn.Close() //nolint:errcheck // a buffer
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for range 100 {
				if err := conn.Write(t.Context(), fmt.Appendf(nil, `{"writer":%d,"pad":"%s"}`, i, strings.Repeat("p", 500))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 5000 {
		t.Fatalf("%d lines, want 5000", len(lines))
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, `{"writer":`) || !strings.HasSuffix(l, `p"}`) {
			t.Fatalf("a broken line: %.80q", l)
		}
	}
}

// TestLinesPeerGone: writing to a peer that went away is an error, not the end
// of the process (STD-10).
func TestLinesPeerGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	conn := transport.Lines(reader(""), w, transport.Options{})
	defer conn.Close() //nolint:errcheck // closed twice on purpose
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), []byte("{}")); err == nil {
		t.Error("writing to a closed pipe succeeded")
	}
	if err := conn.Write(t.Context(), []byte("{}")); err == nil {
		t.Error("writing again succeeded")
	}
}

// TestCloseUnblocks: Close ends a blocked Read (STD-19), on pipes of the system
// and in memory, and later calls fail.
func TestCloseUnblocks(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // the peer's end
	a, b := transport.Pipe()
	defer b.Close() //nolint:errcheck // memory
	for name, conn := range map[string]transport.Conn{"lines": transport.Lines(r, other, transport.Options{}), "pipe": a} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			started := make(chan struct{})
			go func() {
				close(started)
				_, err := conn.Read(context.Background())
				done <- err
			}()
			<-started
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if err := <-done; err == nil {
				t.Error("Read returned a message")
			}
			if err := conn.Write(t.Context(), []byte("{}")); err == nil {
				t.Error("Write after Close succeeded")
			}
			if err := conn.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}

// TestReadGivenUp: a Read whose context ends loses no message.
func TestReadGivenUp(t *testing.T) {
	a, b := transport.Pipe()
	defer a.Close() //nolint:errcheck // memory
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if err := a.Write(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("%q %v", got, err)
	}
}

// TestPipeDrains: what was written before one end closed can still be read.
func TestPipeDrains(t *testing.T) {
	a, b := transport.Pipe()
	for i := range 3 {
		if err := a.Write(t.Context(), fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got, err := b.Read(t.Context()); err != nil || string(got) != fmt.Sprint(i) {
			t.Fatalf("%q %v", got, err)
		}
	}
	if _, err := b.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := b.Write(t.Context(), []byte("{}")); err == nil {
		t.Error("writing to a closed end succeeded")
	}
}

// FuzzLines: any bytes in any pieces give the lines a plain split gives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), uint8(1))
	f.Add([]byte("\xef\xbb\xbfx\n"), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		conn := transport.Lines(io.NopCloser(&pieces{text: text, step: int(step)%7 + 1}), &sink{}, transport.Options{})
		defer conn.Close() //nolint:errcheck // bytes
		var want [][]byte
		for _, l := range bytes.Split(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\n")) {
			if l = bytes.Trim(l, "\r \t"); len(l) > 0 {
				want = append(want, l)
			}
		}
		for i, w := range want {
			got, err := conn.Read(t.Context())
			if err != nil || !bytes.Equal(got, w) {
				t.Fatalf("%q: line %d is %q, %v; want %q", text, i, got, err, w)
			}
		}
		if got, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Fatalf("%q: after the end: %q, %v", text, got, err)
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
