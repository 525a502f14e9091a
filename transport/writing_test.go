package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/transport"
)

// TestLinesWrite: one line a message, whatever white space it came with; what
// cannot be one line is refused, and nothing of it goes out (M-STDIO-002).
func TestLinesWrite(t *testing.T) {
	for _, c := range []struct{ name, msg, want, fault string }{
		{"one line", `{"a": 1}`, `{"a": 1}` + "\n", ""},
		{"indented", "{\n  \"a b\": 1\r\n}", `{"a b":1}` + "\n", ""},
		{"a newline at the end", "{\"a\":1}\n", `{"a":1}` + "\n", ""},
		{"an escaped newline", `{"a":"\n"}`, `{"a":"\n"}` + "\n", ""},
		{"two lines of text", "hello\nworld", "", "newlines and is no JSON"},
		{"a newline in a string", "{\"a\":\"\n\"}", "", "newlines and is no JSON"},
		{"two messages", "{}\n{}", "", "newlines and is no JSON"},
		{"nothing", "", "", "empty"},
		{"only newlines", "\n\n", "", "no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out sink
			conn := transport.Lines(reader(""), &out, transport.Options{})
			defer conn.Close()
			err := conn.Write(t.Context(), []byte(c.msg))
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
			if out.String() != c.want {
				t.Errorf("wrote %q, want %q", out.String(), c.want)
			}
			if err := conn.Write(t.Context(), []byte("{}")); err != nil {
				t.Errorf("the connection does not live on: %v", err)
			}
		})
	}
}

// TestLinesWritersDoNotInterleave: many writers, whole lines, large ones among
// them, each writer's in order (STD-13).
func TestLinesWritersDoNotInterleave(t *testing.T) {
	for _, c := range []struct {
		name string
		ctx  context.Context
	}{{"cancellable", t.Context()}, {"not cancellable", context.Background()}} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			conn := transport.Lines(reader(""), w, transport.Options{})
			const writers, each = 20, 20
			go func() {
				var wg sync.WaitGroup
				for i := range writers {
					wg.Go(func() {
						for j := range each {
							pad := strings.Repeat("p", j%2*(300<<10)+500)
							if err := conn.Write(c.ctx, fmt.Appendf(nil, `{"writer":%d,"n":%d,"pad":"%s"}`, i, j, pad)); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				_ = conn.Close()
			}()
			lines := bufio.NewReader(r)
			next := map[int]int{}
			for total := 0; ; total++ {
				line, err := lines.ReadString('\n')
				if errors.Is(err, io.EOF) {
					if total != writers*each || line != "" {
						t.Errorf("%d lines, and %.40q; want %d", total, line, writers*each)
					}
					return
				}
				var writer, n int
				if _, err := fmt.Sscanf(line, `{"writer":%d,"n":%d,"pad":"p`, &writer, &n); err != nil || !strings.HasSuffix(line, "p\"}\n") {
					t.Fatalf("a broken line: %.80q", line)
				}
				if n != next[writer] {
					t.Fatalf("writer %d: line %d, want %d", writer, n, next[writer])
				}
				next[writer]++
			}
		})
	}
}

// gate is a writer that writes when it is let.
type gate struct {
	sink
	open chan struct{}
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.sink.Write(p)
}

// TestLinesGather: what comes while a write is under way goes out together.
func TestLinesGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		conn := transport.Lines(reader(""), out, transport.Options{})
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if err := conn.Write(context.Background(), []byte(`{"n":1}`)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(out.open)
		wg.Wait()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if n := strings.Count(out.String(), "{\"n\":1}\n"); n != 100 || out.Len() != 800 {
			t.Errorf("%d messages in %d bytes", n, out.Len())
		}
		if out.writes > 2 { // the first may be one message or, if it came late, all
			t.Errorf("%d writes, want 2 at most", out.writes)
		}
	})
}

// TestLinesSlowReader: a peer that does not read holds a Write up no longer than
// its context. What was accepted arrives once the peer reads, in order; what was
// not, never.
func TestLinesSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromHere, out := io.Pipe()
		conn := transport.Lines(reader(""), out, transport.Options{})
		accepted := 0
		for n := 0; ; n++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			err := conn.Write(ctx, fmt.Appendf(nil, `{"n":%d,"pad":"%s"}`, n, strings.Repeat("p", 50<<10)))
			cancel()
			if took := time.Since(began); took > time.Second {
				t.Fatalf("message %d took %v", n, took)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				break
			}
			if err != nil {
				t.Fatalf("message %d: %v", n, err)
			}
			if accepted++; accepted > 1000 {
				t.Fatal("messages without end are accepted")
			}
		}
		if accepted < 2 {
			t.Errorf("%d messages were accepted", accepted)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := conn.Write(ctx, []byte("{}")); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that is done: %v", err)
		}
		last := make(chan error, 1)
		go func() { last <- conn.Write(t.Context(), []byte(`{"last":true}`)) }()
		lines := bufio.NewReader(fromHere)
		for n := range accepted {
			line, err := lines.ReadString('\n')
			if want := fmt.Sprintf(`{"n":%d,`, n); err != nil || !strings.HasPrefix(line, want) {
				t.Fatalf("message %d: %.20q, %v", n, line, err)
			}
		}
		if line, err := lines.ReadString('\n'); err != nil || line != "{\"last\":true}\n" {
			t.Errorf("the last message: %.20q, %v", line, err)
		}
		if err := <-last; err != nil {
			t.Error(err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestLinesCloseUnblocksWrite: also the writers that wait behind another, and
// where closing does not end the write itself.
func TestLinesCloseUnblocksWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, pipe := io.Pipe()
		stuck := &gate{open: make(chan struct{})}
		defer close(stuck.open)
		for name, w := range map[string]io.WriteCloser{"a pipe": pipe, "what nothing ends": stuck} {
			conn := transport.Lines(reader(""), w, transport.Options{})
			failed := make(chan error, 30)
			for range 30 {
				go func() { failed <- conn.Write(context.Background(), bytes.Repeat([]byte(" "), 50<<10)) }()
			}
			synctest.Wait()
			began := time.Now()
			if err := conn.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s: Close took %v", name, took)
			}
			for range 30 {
				if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("%s: a blocked Write ended with %v", name, err)
				}
			}
		}
	})
}

type faulty struct {
	sink
	err error
}

func (f *faulty) Write(p []byte) (int, error) { return len(p) / 2, f.err }

// TestLinesWriteFails: half a line is the end of the stream, and each writer is
// told.
func TestLinesWriteFails(t *testing.T) {
	for name, err := range map[string]error{"an error": os.ErrDeadlineExceeded, "a short write": nil} {
		t.Run(name, func(t *testing.T) {
			want := err
			if want == nil {
				want = io.ErrShortWrite
			}
			conn := transport.Lines(reader(""), &faulty{err: err}, transport.Options{})
			for range 3 {
				if got := conn.Write(t.Context(), []byte("{}")); !errors.Is(got, want) {
					t.Errorf("%v, want %v", got, want)
				}
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		conn := transport.Lines(reader(""), w, transport.Options{})
		failed := make(chan error, 30)
		for range 30 {
			go func() { failed <- conn.Write(context.Background(), bytes.Repeat([]byte(" "), 50<<10)) }()
		}
		synctest.Wait()
		_ = r.CloseWithError(io.ErrNoProgress)
		for range 30 {
			if err := <-failed; !errors.Is(err, io.ErrNoProgress) {
				t.Errorf("a waiting Write ended with %v", err)
			}
		}
		_ = conn.Close()
	})
}

// TestLinesPeerGone: writing to a peer that went away is an error, not the end
// of the process (STD-10).
func TestLinesPeerGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	conn := transport.Lines(reader(""), w, transport.Options{})
	defer conn.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := conn.Write(t.Context(), []byte("{}")); err == nil || errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("writing to a pipe without reader: %v", err)
		}
	}
}

// FuzzWrite: what is accepted is one line, and the same value.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "{\n\"a\" : [1, 2]\r\n}", "a\nb", "\"\n\"", "\n", `"\n"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		var out sink
		conn := transport.Lines(reader(""), &out, transport.Options{})
		defer conn.Close()
		if err := conn.Write(context.Background(), msg); err != nil {
			if out.Len() != 0 {
				t.Fatalf("%q is refused (%v), and written as %q", msg, err, out.String())
			}
			return
		}
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q is written as %q", msg, out.String())
		}
		if strip := func(s string) string { return strings.Join(strings.Fields(s), "") }; strip(line) != strip(string(msg)) {
			t.Fatalf("%q is written as %q", msg, line)
		}
	})
}
