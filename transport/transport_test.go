package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/diglot-mcp/diglot/transport"
)

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(roleVariable)]; ok {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}

// sink keeps what is written to it.
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

// TestCloseUnblocks: Close ends a blocked Read (STD-19), on pipes of the system
// and in memory, and later calls fail.
func TestCloseUnblocks(t *testing.T) {
	onPipes, _ := pair(t, transport.Options{})
	inMemory, other := transport.Pipe()
	defer other.Close()
	for name, conn := range map[string]transport.Conn{"lines": onPipes, "pipe": inMemory} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			started := make(chan struct{})
			go func() {
				close(started)
				_, err := conn.Read(context.Background())
				done <- err
			}()
			<-started
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if err := conn.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("the blocked Read: %v", err)
			}
			if _, err := conn.Read(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("a later Read: %v", err)
			}
			if err := conn.Write(t.Context(), []byte("{}")); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("a later Write: %v", err)
			}
		})
	}
}

// TestCloseWithoutEnd: a read that nothing ends does not hold Close up (STD-19).
func TestCloseWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		conn := transport.Lines(io.NopCloser(in), &sink{}, transport.Options{})
		failed := make(chan error, 1)
		go func() {
			_, err := conn.Read(context.Background())
			failed <- err
		}()
		synctest.Wait()
		began := time.Now()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the blocked Read: %v", err)
		}
	})
}

// TestPipeReadGivenUp: a Read whose context ends loses no message.
func TestPipeReadGivenUp(t *testing.T) {
	a, b := transport.Pipe()
	defer a.Close()
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

// TestPipeIsBounded: a Write to a peer that does not read waits for its context,
// its own end or the other.
func TestPipeIsBounded(t *testing.T) {
	for name, unblock := range map[string]func(a, b transport.Conn) error{
		"this end closes":  func(a, _ transport.Conn) error { return a.Close() },
		"other end closes": func(_, b transport.Conn) error { return b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := transport.Pipe()
				full := false
				for n := 0; !full; n++ {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					err := a.Write(ctx, []byte("{}"))
					cancel()
					if full = errors.Is(err, context.DeadlineExceeded); !full && err != nil || n > 10_000 {
						t.Fatalf("message %d: %v", n, err)
					}
				}
				failed := make(chan error, 1)
				go func() { failed <- a.Write(context.Background(), []byte("{}")) }()
				synctest.Wait()
				if err := unblock(a, b); err != nil {
					t.Error(err)
				}
				if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the blocked Write: %v", err)
				}
			})
		})
	}
}

// TestPipeDrains: what was written before one end closed can still be read.
func TestPipeDrains(t *testing.T) {
	a, b := transport.Pipe()
	msg := []byte("0")
	for i := range 3 {
		msg[0] = byte('0' + i)
		if err := a.Write(t.Context(), msg); err != nil {
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
	if err := b.Write(t.Context(), []byte("{}")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing to a closed end: %v", err)
	}
}
