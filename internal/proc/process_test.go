//go:build unix

package proc

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
	"syscall"
	"testing"
	"time"
)

// STD-07: bytes cross both pipes as they are, whatever the locale.
func TestEchoKeepsBytes(t *testing.T) {
	t.Setenv("LANG", "C")
	t.Setenv("LC_ALL", "C")
	p := start(t, "echo", nil)
	want := "{\"s\":\"上下文 🚀 e\u0301\"}\r\n\x00\xff"
	if _, err := io.WriteString(p.Stdin(), want); err != nil {
		t.Fatal(err)
	}
	if err := p.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(p.Stdout())
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if err := p.Wait(soon(t)); err != nil {
		t.Errorf("Wait: %v", err)
	}
	if e := p.ExitError(); e == nil || e.Code != 0 {
		t.Errorf("ExitError is %v, want code 0", e)
	}
}

// STD-18, M-STDIO-009: a child that ends at once is told with its code and its
// last words; text on standard error alone is no error.
func TestExitErrorTellsLastWords(t *testing.T) {
	p := start(t, "boom", nil)
	err := p.Wait(soon(t))
	var exit *ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("Wait: %v, want an ExitError", err)
	}
	if exit.Code != 3 || exit.Signal != "" || exit.Stderr != "reading config\nboom\n" {
		t.Errorf("got %+v", exit)
	}
	if want := `ended with exit code 3; its standard error ends with "reading config\nboom"`; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("text is %q, want it to end with %q", err, want)
	}
}

// STD-08: a child that is killed ends reads, writes and waits at once.
func TestChildDiesWhilePending(t *testing.T) {
	p := start(t, "stubborn", nil)
	out := bufio.NewReader(p.Stdout())
	readLine(t, out)
	read := make(chan error, 1)
	go func() {
		_, err := out.ReadByte()
		read <- err
	}()
	written := make(chan error, 1)
	go func() {
		// More than any pipe holds, to a child that does not read.
		_, err := p.Stdin().Write(make([]byte, 4<<20))
		written <- err
	}()
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ctx := soon(t)
	for name, c := range map[string]chan error{"read": read, "write": written} {
		select {
		case err := <-c:
			if err == nil {
				t.Errorf("%s succeeded", name)
			}
		case <-ctx.Done():
			t.Errorf("%s still blocked", name)
		}
	}
	err := p.Wait(ctx)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != -1 || exit.Signal != "killed" {
		t.Errorf("Wait: %v, want the signal", err)
	}
	if _, err := p.Stdin().Write([]byte("x")); err == nil {
		t.Error("a write after the end succeeded")
	}
}

// Output written before the end is not lost by a reader who comes late.
func TestOutputOutlivesChild(t *testing.T) {
	p := start(t, "full", nil)
	<-p.Done()
	got, err := io.ReadAll(p.Stdout())
	if err != nil || len(got) != 60_000 {
		t.Errorf("read %d bytes, %v; want 60000", len(got), err)
	}
}

// STD-09, M-STDIO-016: end of input, then SIGTERM, then SIGKILL, each as late as
// the one before allows.
func TestStopEscalates(t *testing.T) {
	for _, c := range []struct {
		kind   string
		signal string
		code   int
		least  time.Duration
	}{
		{"polite", "", 7, 0},
		{"deaf", "terminated", -1, 30 * time.Millisecond},
		{"stubborn", "killed", -1, 60 * time.Millisecond},
	} {
		t.Run(c.kind, func(t *testing.T) {
			p := start(t, c.kind, func(s *Spec) {
				if c.kind != "polite" {
					s.EOFGrace, s.TermGrace = 30*time.Millisecond, 30*time.Millisecond
				}
			})
			if c.kind != "polite" {
				readLine(t, bufio.NewReader(p.Stdout()))
			}
			began := time.Now()
			if err := p.Stop(soon(t)); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < c.least {
				t.Errorf("Stop took %s, want at least %s of grace", took, c.least)
			}
			if e := p.ExitError(); e == nil || e.Signal != c.signal || e.Code != c.code {
				t.Errorf("ended as %+v, want signal %q, code %d", e, c.signal, c.code)
			}
			gone(t, p.PID())
		})
	}
}

// Stop may be called by many, and each gets the same answer.
func TestStopTogether(t *testing.T) {
	p := start(t, "stubborn", func(s *Spec) { s.EOFGrace, s.TermGrace = time.Millisecond, time.Millisecond })
	readLine(t, bufio.NewReader(p.Stdout()))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := p.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if p.ExitError() == nil {
				t.Error("Stop returned before the end")
			}
		})
	}
	wg.Wait()
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("Stop after Stop: %v", err)
	}
}

// A context that ends takes the remaining grace away, also for others who wait.
func TestStopHurries(t *testing.T) {
	p := start(t, "stubborn", func(s *Spec) { s.EOFGrace, s.TermGrace = time.Hour, time.Hour })
	readLine(t, bufio.NewReader(p.Stdout()))
	patient := make(chan error, 1)
	go func() { patient <- p.Stop(context.Background()) }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-patient; err != nil {
		t.Error(err)
	}
	if e := p.ExitError(); e == nil || e.Signal != "killed" {
		t.Errorf("ended as %v, want killed", e)
	}
}

// STD-19: Stop ends a read that blocks, although no byte arrives.
func TestStopEndsBlockedRead(t *testing.T) {
	p := start(t, "polite", nil)
	read := make(chan error, 1)
	go func() {
		_, err := p.Stdout().Read(make([]byte, 1))
		read <- err
	}()
	if err := p.Stop(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err == nil {
		t.Error("read something")
	}
}

// STD-09: a grandchild that ignores SIGTERM and holds every pipe neither
// survives nor delays.
func TestGrandchildEnds(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		stop       bool
	}{
		{"with the child, by Stop", "parent", true},
		{"after a child that ended by itself", "orphan", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.kind, func(s *Spec) { s.EOFGrace, s.TermGrace = 20*time.Millisecond, 20*time.Millisecond })
			pid := grandchild(t, bufio.NewReader(p.Stdout()))
			if c.stop {
				if err := p.Stop(soon(t)); err != nil {
					t.Fatal(err)
				}
			} else {
				endOrphan(t, p)
			}
			gone(t, pid)
			if _, err := io.ReadAll(p.Stdout()); err != nil && !c.stop {
				t.Errorf("read to the end: %v", err)
			}
		})
	}
}

// endOrphan makes a child end that waits for a byte.
func endOrphan(t *testing.T, p *Process) {
	t.Helper()
	if _, err := io.WriteString(p.Stdin(), "x"); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(soon(t)); err == nil || p.ExitError().Code != 5 {
		t.Fatalf("Wait: %v, want exit code 5", err)
	}
}

// A descendant that has left the group lives on; its hold on the pipes keeps
// nobody.
func TestDaemonDoesNotBlock(t *testing.T) {
	p := start(t, "daemon", nil)
	out := bufio.NewReader(p.Stdout())
	pid := grandchild(t, out)
	t.Cleanup(func() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Errorf("the daemon did not live on: %v", err)
		}
		gone(t, pid)
	})
	endOrphan(t, p)
	if rest, err := io.ReadAll(out); err != nil || len(rest) != 0 {
		t.Errorf("read %q, %v; want the end", rest, err)
	}
	if _, err := p.Stdin().Write(make([]byte, 1<<20)); !errors.Is(err, errEnded) {
		t.Errorf("write: %v, want %v", err, errEnded)
	}
}

// M-STDIO-008: standard error is always read, kept to its bound, and handed on
// by lines.
func TestFloodOnStderr(t *testing.T) {
	var sink bytes.Buffer
	lines := 0
	p := start(t, "flood", func(s *Spec) {
		s.StderrTail = 1000
		s.Stderr = writerFunc(func(b []byte) (int, error) {
			lines++
			if !bytes.HasSuffix(b, []byte("\n")) || bytes.Count(b, []byte("\n")) != 1 {
				t.Errorf("sink got %q, want one line", b)
			}
			return sink.Write(b)
		})
	})
	if _, err := io.WriteString(p.Stdin(), "still here\n"); err != nil {
		t.Fatal(err)
	}
	if got := readLine(t, bufio.NewReader(p.Stdout())); got != "still here" {
		t.Errorf("echo %q", got)
	}
	if err := p.Stop(soon(t)); err != nil {
		t.Fatal(err)
	}
	if lines != 50_000 {
		t.Errorf("sink got %d lines, want 50000", lines)
	}
	tail := p.StderrTail()
	if len(tail) > 1000 || !strings.HasPrefix(tail, "line ") || !strings.HasSuffix(sink.String(), tail) {
		t.Errorf("tail is %q", tail)
	}
}

// A sink that fails or blocks costs its owner the output, not the child.
func TestBadSink(t *testing.T) {
	t.Run("fails", func(t *testing.T) {
		calls := 0
		p := start(t, "flood", func(s *Spec) {
			s.Stderr = writerFunc(func([]byte) (int, error) { calls++; return 0, errors.New("disk full") })
		})
		if err := p.Stop(soon(t)); err != nil {
			t.Fatal(err)
		}
		if calls != 1 {
			t.Errorf("sink called %d times after an error", calls)
		}
		if !strings.Contains(p.StderrTail(), "line 49999 ") {
			t.Error("the tail lacks the last line")
		}
	})
	t.Run("blocks", func(t *testing.T) {
		release := make(chan struct{})
		p := start(t, "boom", func(s *Spec) {
			s.Stderr = writerFunc(func(b []byte) (int, error) { <-release; return len(b), nil })
		})
		if err := p.Stop(soon(t)); err != nil {
			t.Error(err)
		}
		close(release)
		<-p.drained
	})
}

// Nothing is left of many children: no descriptor, no goroutine (TestMain), no
// process.
func TestNothingIsLeft(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("descriptors are counted in /proc")
	}
	run := func() {
		for _, kind := range []string{"echo", "boom", "orphan", "silent"} {
			p := start(t, kind, func(s *Spec) { s.EOFGrace = 10 * time.Second })
			if err := p.Stop(soon(t)); err != nil {
				t.Error(err)
			}
			gone(t, p.PID())
		}
	}
	run()
	before := descriptors(t)
	run()
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// writerFunc is an io.Writer of one function.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// M-STDIO-018: a child may close its output and stay.
func TestOutputEndsBeforeChild(t *testing.T) {
	p := start(t, "silent", nil)
	if got, err := io.ReadAll(p.Stdout()); err != nil || len(got) != 0 {
		t.Errorf("read %q, %v", got, err)
	}
	if p.ExitError() != nil {
		t.Error("the child has ended")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait: %v, want the context's error", err)
	}
}

// A child may end without having read what it was sent.
func TestUnreadInput(t *testing.T) {
	p := start(t, "firstline", nil)
	if _, err := fmt.Fprint(p.Stdin(), "one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(p.Stdout()); err != nil || string(got) != "one\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := p.Wait(soon(t)); err != nil {
		t.Error(err)
	}
	if _, err := fmt.Fprint(p.Stdin(), "three\n"); err == nil {
		t.Error("a write after the end succeeded")
	}
}
