package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair connects two Conns in memory and closes both at the end of the test.
func pair(t *testing.T, a, b jsonrpc.Options) (*jsonrpc.Conn, *jsonrpc.Conn) {
	t.Helper()
	x, y := transport.Pipe()
	ca, cb := jsonrpc.NewConn(x, a), jsonrpc.NewConn(y, b)
	t.Cleanup(func() { _, _ = ca.Close(), cb.Close() })
	return ca, cb
}

func echo(_ context.Context, req *jsonrpc.Incoming) {
	if err := req.Reply(append(append([]byte(`{"params":`), req.Params...), '}')); err != nil {
		panic(err)
	}
}

// TestCallConcurrent: a thousand calls at once get their own answers.
func TestCallConcurrent(t *testing.T) {
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{Handle: echo})
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			m, err := a.Call(t.Context(), "echo", fmt.Appendf(nil, `{"n":%d}`, i), nil)
			if want := fmt.Sprintf(`{"params":{"n":%d}}`, i); err != nil || string(m.Result) != want {
				t.Errorf("call %d: %s, %v; want %s", i, m.Result, err, want)
			}
		})
	}
	wg.Wait()
}

// TestCallAbandoned: a call whose context ends tells its id, and a late answer
// is dropped (M-CAN-009).
func TestCallAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stray := make(chan jsonrpc.Message, 1)
		a, _ := pair(t,
			jsonrpc.Options{Stray: func(m jsonrpc.Message) { stray <- m }},
			jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
				<-release
				echo(ctx, req)
			}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var abandoned jsonrpc.ID
		_, err := a.Call(ctx, "slow", []byte(`{}`), func(id jsonrpc.ID) { abandoned = id })
		if !errors.Is(err, context.DeadlineExceeded) || abandoned != jsonrpc.IntID(1) {
			t.Fatalf("err %v, abandoned %v", err, abandoned)
		}
		close(release)
		if m := <-stray; m.ID != jsonrpc.IntID(1) {
			t.Errorf("the late answer is %v", m.ID)
		}
	})
}

// TestIncomingCancelled: a cancelled request is not answered (M-STDIO-015,
// CON-05), and its context says why it ended.
func TestIncomingCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		ended := make(chan bool, 1)
		a, b := pair(t, jsonrpc.Options{}, jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			close(started)
			<-ctx.Done()
			ended <- jsonrpc.Cancelled(ctx)
			echo(ctx, req)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			_, err := a.Call(ctx, "slow", []byte(`{}`), nil)
			answered <- err
		}()
		<-started
		if !b.Cancel(jsonrpc.IntID(1)) || b.Cancel(jsonrpc.IntID(1)) {
			t.Error("a running request can be cancelled once")
		}
		if !<-ended {
			t.Error("the context does not say that the peer cancelled")
		}
		synctest.Wait()
		select {
		case err := <-answered:
			t.Errorf("the cancelled request was answered: %v", err)
		default:
		}
		cancel()
		<-answered
	})
}

// TestCancelReachesAWaitingRequest: with every slot taken, a cancellation is
// still read.
func TestCancelReachesAWaitingRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var handled sync.Map
		a, b := pair(t, jsonrpc.Options{}, jsonrpc.Options{Concurrency: 1, Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			handled.Store(req.ID, true)
			<-release
			echo(ctx, req)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { _, _ = a.Call(ctx, "slow", []byte(`{}`), nil) })
			synctest.Wait()
		}
		if !b.Cancel(jsonrpc.IntID(2)) {
			t.Error("the waiting request cannot be cancelled")
		}
		close(release)
		synctest.Wait()
		if _, ran := handled.Load(jsonrpc.IntID(2)); ran {
			t.Error("the cancelled request ran")
		}
		cancel()
		wg.Wait()
	})
}

// TestClosePending: pending calls end with the cause when the peer goes away
// (STD-08), and so do later ones.
func TestClosePending(t *testing.T) {
	started := make(chan struct{})
	a, b := pair(t, jsonrpc.Options{}, jsonrpc.Options{Handle: func(ctx context.Context, _ *jsonrpc.Incoming) {
		close(started)
		<-ctx.Done()
	}})
	done := make(chan error, 1)
	go func() {
		_, err := a.Call(t.Context(), "slow", nil, nil)
		done <- err
	}()
	<-started
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, jsonrpc.ErrClosed) || !strings.Contains(err.Error(), "peer") {
		t.Errorf("pending call: %v", err)
	}
	<-a.Done()
	if _, err := a.Call(t.Context(), "more", nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("later call: %v", err)
	}
}

// TestCloseConcurrently: Close is idempotent and waits for requests.
func TestCloseConcurrently(t *testing.T) {
	started := make(chan struct{})
	a, b := pair(t, jsonrpc.Options{}, jsonrpc.Options{Handle: func(ctx context.Context, _ *jsonrpc.Incoming) {
		close(started)
		<-ctx.Done()
	}})
	go func() { _, _ = a.Call(context.Background(), "slow", nil, nil) }()
	<-started
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestReplyOnce: only the first answer goes out.
func TestReplyOnce(t *testing.T) {
	a, _ := pair(t, jsonrpc.Options{Stray: func(m jsonrpc.Message) { t.Errorf("a second answer: %s", m.Result) }},
		jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
			_ = req.Reply([]byte(`{"first":true}`))
			_ = req.ReplyError(-32603, "second", nil)
		}})
	for range 2 {
		m, err := a.Call(t.Context(), "x", nil, nil)
		if err != nil || string(m.Result) != `{"first":true}` {
			t.Errorf("%s %v", m.Result, err)
		}
	}
}

// TestBatch: an array's answers come as an array; a bad member gets its own
// error; an array of notifications gets none (BATCH-10, BATCH-11).
func TestBatch(t *testing.T) {
	x, y := transport.Pipe()
	notified := make(chan string, 4)
	c := jsonrpc.NewConn(y, jsonrpc.Options{
		Handle: echo, Batches: func() bool { return true },
		Notify: func(m jsonrpc.Message) { notified <- m.Method },
		Malformed: func(_ []byte, f *jsonrpc.Fault, _ error) {
			_ = y.Write(context.Background(), jsonrpc.AppendError(nil, f.ID, int64(f.Code), f.Message, nil))
		},
	})
	defer c.Close() //nolint:errcheck // a pipe
	ask := func(text string) string {
		t.Helper()
		if err := x.Write(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := x.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	got := ask(`[{"jsonrpc":"2.0","id":1,"method":"a","params":{}},5,{"jsonrpc":"2.0","method":"n"}]`)
	if !strings.HasPrefix(got, "[") || strings.Count(got, `"jsonrpc"`) != 2 || !strings.Contains(got, `"id":1,"result"`) || !strings.Contains(got, "-32600") {
		t.Errorf("batch answered %s", got)
	}
	if n := <-notified; n != "n" {
		t.Errorf("notified %q", n)
	}
	if got := ask(`[]`); !strings.HasPrefix(got, "{") || !strings.Contains(got, "-32600") {
		t.Errorf("an empty batch answered %s", got)
	}
}
