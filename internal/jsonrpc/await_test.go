package jsonrpc_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
)

// TestAwait: every place is taken by a request that waits for the peer, and the
// peer needs an answer itself first (CON-01).
func TestAwait(t *testing.T) {
	const calls = 8
	var server, client *jsonrpc.Conn
	ready := make(chan struct{})
	server, client = pair(t,
		jsonrpc.Options{Concurrency: 1, Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			<-ready
			if req.Method != "ask" {
				echo(ctx, req)
				return
			}
			var answer jsonrpc.Message
			err := req.Await(ctx, func() (err error) {
				answer, err = server.Call(ctx, "question", nil, nil)
				return err
			})
			if err != nil {
				_ = req.ReplyError(-1, err.Error(), nil)
				return
			}
			_ = req.Reply(answer.Result)
		}},
		jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			<-ready
			nested, err := client.Call(ctx, "nested", []byte(`{}`), nil)
			if err != nil {
				t.Error(err)
			}
			_ = req.Reply(nested.Result)
		}})
	close(ready)
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			m, err := client.Call(t.Context(), "ask", nil, nil)
			if want := `{"params":{}}`; err != nil || string(m.Result) != want {
				t.Errorf("got %s, %v", m.Result, err)
			}
		})
	}
	wg.Wait()
}

// TestAwaitRunsAlone: after it waited, a request runs among no more than the
// limit again.
func TestAwaitRunsAlone(t *testing.T) {
	var running, most atomic.Int32
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{Concurrency: 2, Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
		count := func() {
			n := running.Add(1)
			for now := most.Load(); n > now && !most.CompareAndSwap(now, n); now = most.Load() {
			}
		}
		count()
		var both sync.WaitGroup
		for range 2 { // two waits at once give up one place
			both.Go(func() {
				if err := req.Await(ctx, func() error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		running.Add(-1)
		both.Wait()
		count()
		defer running.Add(-1)
		echo(ctx, req)
	}})
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if _, err := a.Call(t.Context(), "x", []byte(`1`), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 2 {
		t.Errorf("%d ran at once", most.Load())
	}
}

// TestAwaitIsBounded: so many wait that the next one may not, and the answers
// still get through.
func TestAwaitIsBounded(t *testing.T) {
	const most = 8 // half of the places in the queue, with a concurrency of one
	waiting, answer := make(chan struct{}, most+1), make(chan struct{})
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{Concurrency: 1, Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
		err := req.Await(ctx, func() error {
			waiting <- struct{}{}
			<-answer
			return nil
		})
		if errors.Is(err, jsonrpc.ErrBusy) {
			_ = req.ReplyError(-1, err.Error(), nil)
			return
		}
		echo(ctx, req)
	}})
	var wg sync.WaitGroup
	call := func(want string) {
		m, err := a.Call(t.Context(), "x", []byte(`1`), nil)
		switch {
		case err != nil:
			t.Error(err)
		case want != "" && (m.Error == nil || m.Error.Message != want):
			t.Errorf("got %s %v, want %s", m.Result, m.Error, want)
		}
	}
	for range most {
		wg.Go(func() { call("") })
		<-waiting
	}
	call("too many requests wait for an answer of the peer")
	close(answer)
	wg.Wait()
}

// TestAwaitCancelled: a cancelled request does not wait for a place to end in.
func TestAwaitCancelled(t *testing.T) {
	waiting, ended, release := make(chan struct{}), make(chan error, 1), make(chan struct{})
	var a, b *jsonrpc.Conn
	ready := make(chan struct{})
	a, b = pair(t, jsonrpc.Options{}, jsonrpc.Options{Concurrency: 1, Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
		<-ready
		if req.Method == "blocker" {
			<-release
			return
		}
		ended <- req.Await(ctx, func() error {
			close(waiting)
			<-ctx.Done()
			return ctx.Err()
		})
	}})
	close(ready)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = a.Call(ctx, "x", nil, func(id jsonrpc.ID) { b.Cancel(id) }) })
	<-waiting
	wg.Go(func() { _, _ = a.Call(ctx, "blocker", nil, nil) })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	wg.Wait()
}
