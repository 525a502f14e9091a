package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// block is a handler that waits for the end of its context.
func block(ctx context.Context, _ *jsonrpc.Incoming) { <-ctx.Done() }

// TestIDsAreEchoed: each id comes back digit for digit, also when many that look
// alike are in flight at once (RPC-01, RPC-02, RPC-04).
func TestIDsAreEchoed(t *testing.T) {
	ids := []string{`1`, `"1"`, `0`, `""`, `"0"`, `-5`, `4294967296`, `9007199254740993`, `"9007199254740993"`, `123456789012345678901`, `"a\/b"`}
	release := make(chan struct{})
	_, p := facing(t, jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
		<-release
		_ = req.Reply([]byte(`{}`))
	}})
	for _, id := range ids {
		p.says(request(id, "ping"))
	}
	close(release)
	left := map[string]bool{}
	for _, id := range ids {
		left[`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`] = true
	}
	for range ids {
		got := p.hears()
		if !left[got] {
			t.Errorf("heard %s", got)
		}
		delete(left, got)
	}
}

// TestCancel: a cancelled request is not answered (M-STDIO-015, CON-05), its
// context says why it ended, and every id can be cancelled, however it is
// spelled (RPC-01, RPC-02).
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		id, by string
		hits   bool
	}{
		{`7`, `7`, true}, {`0`, `0`, true}, {`-1`, `-1`, true}, {`""`, `""`, true}, {`"a"`, `"\u0061"`, true}, {`"\u0061"`, `"a"`, true},
		{`"/"`, `"\/"`, true}, {`0`, `-0`, true}, {`9007199254740993`, `9007199254740993`, true},
		{`1`, `"1"`, false}, {`"1"`, `1`, false}, {`1`, `2`, false}, {`9007199254740993`, `9007199254740992`, false},
	} {
		t.Run(c.id+" by "+c.by, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan bool, 1)
				conn, p := facing(t, jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
					<-ctx.Done()
					ended <- jsonrpc.Cancelled(ctx)
					if c.hits && (req.Open() || req.Reply([]byte(`{}`)) != nil || req.Send(context.Background(), []byte(`{}`)) == nil) {
						t.Error("a cancelled request can be answered")
					}
				}})
				p.says(request(c.id, "slow"))
				synctest.Wait()
				by, err := jsonrpc.ParseID([]byte(c.by))
				if err != nil {
					t.Fatal(err)
				}
				if got := conn.Cancel(by); got != c.hits {
					t.Errorf("cancelled: %v, want %v", got, c.hits)
				}
				if !c.hits {
					_ = conn.Close()
				} else if conn.Cancel(by) {
					t.Error("cancelled twice")
				}
				if got := <-ended; got != c.hits {
					t.Errorf("the context says cancelled by the peer: %v", got)
				}
				if c.hits {
					p.hearsNothing()
				}
			})
		})
	}
}

// TestCancelRace: whether the answer or the cancellation comes first, the peer
// gets one answer or none, and the side that cancelled knows which (M-CAN-010).
func TestCancelRace(t *testing.T) {
	reached := make(chan *jsonrpc.Incoming)
	c, p := facing(t, jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
		reached <- req
		_ = req.Reply([]byte(`{}`))
	}})
	cancelled := 0
	for n := range 2000 {
		id := fmt.Sprint(n)
		p.says(request(id, "x"))
		<-reached
		if c.Cancel(jsonrpc.IntID(int64(n))) {
			cancelled++
			continue
		}
		if got := p.hears(); !strings.Contains(got, `"id":`+id+`,`) {
			t.Fatalf("request %s: heard %s", id, got)
		}
	}
	p.says(request(`"last"`, "x"))
	<-reached
	if got := p.hears(); !strings.Contains(got, `"id":"last"`) {
		t.Errorf("%d were cancelled, and yet heard %s", cancelled, got)
	}
}

// TestCancelReachesAWaitingRequest: with every place to run taken, a
// cancellation is still read, and what it cancels never runs.
func TestCancelReachesAWaitingRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var ran sync.Map
		c, p := facing(t, jsonrpc.Options{Concurrency: 1, Handle: func(_ context.Context, req *jsonrpc.Incoming) {
			ran.Store(req.ID, true)
			<-release
			_ = req.Reply([]byte(`{}`))
		}})
		p.says(request("1", "slow"))
		synctest.Wait()
		p.says(request("2", "slow"))
		synctest.Wait()
		if !c.Cancel(jsonrpc.IntID(2)) {
			t.Error("the waiting request cannot be cancelled")
		}
		synctest.Wait()
		close(release)
		if got := p.hears(); !strings.Contains(got, `"id":1`) {
			t.Errorf("heard %s", got)
		}
		p.hearsNothing()
		if _, did := ran.Load(jsonrpc.IntID(2)); did {
			t.Error("the cancelled request ran")
		}
	})
}

// TestCancelDoesNotWait: a cancellation is dealt with while a message of the
// request is stuck on its way to a peer that does not read.
func TestCancelDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &stuck{Conn: silent(t), feed: make(chan string), release: make(chan struct{})}
		sent := make(chan error, 1)
		c := jsonrpc.NewConn(conn, jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
			sent <- req.Send(context.Background(), []byte(`{}`))
		}})
		conn.feed <- request("1", "x")
		synctest.Wait()
		if !c.Cancel(jsonrpc.IntID(1)) {
			t.Error("it was not cancelled")
		}
		close(conn.release)
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// stuck is a transport whose writes wait.
type stuck struct {
	transport.Conn
	feed    chan string
	release chan struct{}
	writes  atomic.Int64 // begun
}

func silent(t *testing.T) transport.Conn {
	t.Helper()
	a, b := transport.Pipe()
	t.Cleanup(func() { _ = b.Close() })
	return a
}

func (s *stuck) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-s.feed:
		return []byte(text), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *stuck) Write(ctx context.Context, msg []byte) error {
	s.writes.Add(1)
	<-s.release
	return s.Conn.Write(ctx, msg)
}

// TestReplyWaitsForSend: an answer does not overtake what is stuck on its way,
// and what comes behind that waits no longer than its context.
func TestReplyWaitsForSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.Pipe()
		conn := &stuck{Conn: a, feed: make(chan string), release: make(chan struct{})}
		c := jsonrpc.NewConn(conn, jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := req.Send(context.Background(), []byte(`"first"`)); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := req.Send(ctx, []byte(`"second"`)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("behind what is stuck: %v", err)
			}
			wg.Go(func() {
				if err := req.Reply([]byte(`{}`)); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			if n := conn.writes.Load(); n != 1 {
				t.Errorf("%d writes at once", n)
			}
			close(conn.release)
			wg.Wait()
		}})
		conn.feed <- request("1", "x")
		p := peer{t, b}
		if first, then := p.hears(), p.hears(); first != `"first"` || !strings.Contains(then, `"result"`) {
			t.Errorf("heard %s, %s", first, then)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestReplyOnce: only the first answer goes out, whoever gives it.
func TestReplyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := facing(t, jsonrpc.Options{Handle: func(_ context.Context, req *jsonrpc.Incoming) {
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() { _ = req.Reply([]byte(`{}`)) })
				wg.Go(func() { _ = req.ReplyError(-32603, "no", nil) })
			}
			wg.Wait()
			if req.Open() {
				t.Error("it is open still")
			}
		}})
		for n := range 20 {
			id := fmt.Sprint(n)
			p.says(request(id, "x"))
			if got := p.hears(); !strings.Contains(got, `"id":`+id+`,`) {
				t.Errorf("request %s: heard %s", id, got)
			}
		}
		p.hearsNothing()
	})
}

// TestSendBeforeReply: what belongs to a request comes before its answer or not
// at all.
func TestSendBeforeReply(t *testing.T) {
	_, p := facing(t, jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for req.Send(ctx, []byte(`{"jsonrpc":"2.0","method":"n"}`)) == nil { // until it is refused
				}
			})
		}
		_ = req.Reply([]byte(`{}`))
		wg.Wait()
	}})
	for n := range 100 {
		p.says(request(fmt.Sprint(n), "x"))
		for {
			if got := p.hears(); strings.Contains(got, `"result"`) {
				break
			}
		}
	}
	p.says(request(`"last"`, "x"))
	for {
		got := p.hears()
		if strings.Contains(got, `"last"`) {
			return
		}
		if !strings.Contains(got, `"n"`) {
			t.Fatalf("heard %s", got)
		}
	}
}

// TestIDInUse: an id that is in flight is refused a second time; it is free again
// when the peer has its answer or has cancelled it (M-MSG-003).
func TestIDInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		answered := make(chan struct{}, 10)
		c, p := facing(t, jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			if req.Method == "slow" {
				<-ctx.Done()
				<-hold // winds down for long
				return
			}
			_ = req.Reply([]byte(`{}`))
			answered <- struct{}{}
			<-hold
		}})
		p.says(request("1", "slow"))
		synctest.Wait()
		p.says(request("1", "slow"))
		if got := p.hears(); !strings.Contains(got, `"id":1,"error":{"code":-32600`) || !strings.Contains(got, "not answered yet") {
			t.Errorf("the second: heard %s", got)
		}
		if !c.Cancel(jsonrpc.IntID(1)) {
			t.Error("the first cannot be cancelled")
		}
		for range 2 { // after a cancellation, and after an answer
			p.says(request("1", "quick"))
			if got := p.hears(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Errorf("the next: heard %s", got)
			}
			<-answered
		}
		p.says(request("1", "slow"))
		synctest.Wait()
		if !c.Cancel(jsonrpc.IntID(1)) {
			t.Error("the last cannot be cancelled")
		}
		close(hold)
		p.hearsNothing()
	})
}

// TestConcurrencyIsBounded: so many requests run, so many more wait, and the
// reader waits then; all are answered in the end.
func TestConcurrencyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, notified atomic.Int64
		release := make(chan struct{})
		_, p := facing(t, jsonrpc.Options{
			Concurrency: 2,
			Handle: func(_ context.Context, req *jsonrpc.Incoming) {
				most.Store(max(most.Load(), running.Add(1)))
				<-release
				running.Add(-1)
				_ = req.Reply([]byte(`{}`))
			},
			Notify: func(jsonrpc.Message) { notified.Add(1) },
		})
		const taken = 2 * 16
		for n := range taken {
			p.says(request(fmt.Sprint(n), "x"))
		}
		p.says(`{"jsonrpc":"2.0","method":"n"}`)
		synctest.Wait()
		if notified.Load() != 1 || running.Load() != 2 {
			t.Errorf("%d notifications were read, %d requests run", notified.Load(), running.Load())
		}
		p.says(request(`"one more"`, "x"), `{"jsonrpc":"2.0","method":"n"}`)
		synctest.Wait()
		if notified.Load() != 1 {
			t.Error("the reader does not wait")
		}
		close(release)
		for range taken + 1 {
			p.hears()
		}
		synctest.Wait()
		if notified.Load() != 2 || most.Load() > 2 {
			t.Errorf("%d notifications were read, %d requests ran at once", notified.Load(), most.Load())
		}
	})
}

// TestNotifyInOrder: notifications are taken in order, and before the response
// behind them reaches its call (RPC-12).
func TestNotifyInOrder(t *testing.T) {
	var got []string
	c, p := facing(t, jsonrpc.Options{Notify: func(m jsonrpc.Message) { got = append(got, m.Method+string(m.Params)) }})
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "x", nil, nil)
		done <- err
	}()
	p.hears()
	var want []string
	for n := range 100 {
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"n":%d}}`, n))
		want = append(want, fmt.Sprintf(`n{"n":%d}`, n))
	}
	p.says(`{"jsonrpc":"2.0","method":"$/progress","params":[1,2]}`, `{"jsonrpc":"2.0","method":"bare"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	want = append(want, "$/progress[1,2]", "bare")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("notified %v", got)
	}
}

// TestUrgent: an urgent request is dealt with before the next message is read,
// also while every place to run is taken.
func TestUrgent(t *testing.T) {
	busy := make(chan struct{})
	level := "none"
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{
		Concurrency: 1,
		Urgent: func(_ context.Context, req *jsonrpc.Incoming) bool {
			if req.Method != "set" {
				return false
			}
			level = string(req.Params)
			return req.Reply([]byte(`{}`)) == nil
		},
		Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			close(busy)
			block(ctx, req)
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	blocked := make(chan error, 1)
	go func() {
		_, err := a.Call(ctx, "block", nil, nil)
		blocked <- err
	}()
	<-busy
	if m, err := a.Call(t.Context(), "set", []byte(`{"x":1}`), nil); err != nil || string(m.Result) != `{}` || level != `{"x":1}` {
		t.Errorf("urgent call: %s, %v; level %q", m.Result, err, level)
	}
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("blocked call: %v", err)
	}
}

// TestNoHandler: a side that serves nothing says so, with the id (RPC-09).
func TestNoHandler(t *testing.T) {
	_, p := facing(t, jsonrpc.Options{})
	p.says(request(`"x"`, "no/such"))
	if got := p.hears(); got != `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"method not found: no/such"}}` {
		t.Errorf("heard %s", got)
	}
}
