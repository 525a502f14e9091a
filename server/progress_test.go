package server

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// notified serves a tool that runs fn, and returns what went out before the reply.
func notified(t *testing.T, x *exchange, fn func(ctx context.Context)) []string {
	t.Helper()
	s := NewService("svc")
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) { fn(ctx); return "done", nil })
	r := &recorder{}
	x.sink = r
	if out := ask(t, serverOf(t, s), x); out.Error != nil {
		t.Fatalf("%+v", out.Error)
	}
	return r.all()
}

func progressCall(p mcp.Profile) *exchange {
	x := requestIn(p, mcp.MethodToolsCall, `{"name":"svc_t"}`)
	x.caller.progressToken = []byte(`"tok"`)
	return x
}

// TestProgress: only for callers that asked, only forward, only numbers
// (M-PROG-001 to M-PROG-008, T-29, CON-09).
func TestProgress(t *testing.T) {
	send := func(ctx context.Context) {
		Progress(ctx, 0, 10, "begin")
		Progress(ctx, 0, 10, "again")          // does not grow (M-PROG-005)
		Progress(ctx, math.NaN(), 10, "")      // no number
		Progress(ctx, 2.5, math.Inf(1), "")    // a total that is none
		Progress(ctx, 1, 10, "back")           // M-PROG-005
		Progress(ctx, 10, 10, "a \"quote\" ü") // M-PROG-007
	}
	want := []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":0,"total":10,"message":"begin"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":2.5}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":10,"total":10,"message":"a \"quote\" ü"}}`,
	}
	for _, p := range mcp.Profiles() {
		want := want
		if p == mcp.Legacy20241105 { // DN-08: no message yet
			want = []string{
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":0,"total":10}}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":2.5}}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":10,"total":10}}`,
			}
		}
		if diff := cmp.Diff(want, notified(t, progressCall(p), send)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", p, diff)
		}
	}
	t.Run("a numeric token stays one", func(t *testing.T) {
		x := progressCall(mcp.Newest)
		x.caller.progressToken = []byte(`9007199254740993`)
		got := notified(t, x, func(ctx context.Context) { Progress(ctx, 1, 0, "") })
		if diff := cmp.Diff([]string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":1}}`}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("nobody asked", func(t *testing.T) {
		x := progressCall(mcp.Newest)
		x.caller.progressToken = nil
		if got := notified(t, x, send); got != nil {
			t.Errorf("sent %v", got)
		}
	})
	t.Run("no way to send", func(t *testing.T) {
		s := NewService("svc")
		Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) { send(ctx); return "done", nil })
		if r := ask(t, serverOf(t, s), progressCall(mcp.Newest)); r.Error != nil {
			t.Errorf("%+v", r.Error)
		}
	})
	t.Run("outside a call", func(*testing.T) { send(context.Background()) })
}

// TestNothingAfterTheReply: what a goroutine of a handler sends after it
// returned goes nowhere (M-PROG-009, CON-11, T-47).
func TestNothingAfterTheReply(t *testing.T) {
	returned, sent := make(chan struct{}), make(chan struct{})
	x := progressCall(mcp.Newest)
	x.caller.logLevel = mcp.LevelDebug
	got := notified(t, x, func(ctx context.Context) {
		Progress(ctx, 1, 0, "")
		log := Log(ctx)
		go func() {
			defer close(sent)
			<-returned
			Progress(ctx, 2, 0, "")
			log.Error("late")
			Log(ctx).Error("late")
		}()
	})
	before := len(got)
	close(returned)
	<-sent
	if after := len(x.sink.(*recorder).all()); before != 1 || after != 1 {
		t.Errorf("%d sent before the reply, %d in all", before, after)
	}
}

// TestProgressInOrder: from several goroutines, still strictly forward and all
// before the reply (CON-11).
func TestProgressInOrder(t *testing.T) {
	got := notified(t, progressCall(mcp.Newest), func(ctx context.Context) {
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { Progress(ctx, float64(i), 0, "") })
		}
		all.Wait()
		Progress(ctx, 1000, 0, "")
	})
	last := -1.0
	for _, n := range got {
		var m struct{ Params mcp.ProgressParams }
		if err := unmarshal(n, &m); err != nil {
			t.Fatal(err)
		}
		if m.Params.Progress <= last {
			t.Errorf("%v after %v", m.Params.Progress, last)
		}
		last = m.Params.Progress
	}
	if last != 1000 {
		t.Errorf("the last one is %v", last)
	}
}

// TestPeerGone: once the sink fails nothing more is tried, and after a cancel
// nothing is sent at all (T-56).
func TestPeerGone(t *testing.T) {
	s := NewService("svc")
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{closed: true}
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) {
		Progress(ctx, 1, 0, "")
		r.mu.Lock()
		r.closed = false
		r.mu.Unlock()
		Progress(ctx, 2, 0, "")
		return "", nil
	})
	Tool(s, "cancelled", func(ctx context.Context, _ nothing) (string, error) {
		cancel()
		Progress(ctx, 1, 0, "")
		return "", nil
	})
	srv := serverOf(t, s)
	x := progressCall(mcp.Newest)
	x.sink = r
	ask(t, srv, x)
	x = requestIn(mcp.Newest, mcp.MethodToolsCall, `{"name":"svc_cancelled"}`)
	x.caller.progressToken, x.sink = []byte(`1`), r
	if out := srv.serve(ctx, x); out.body != nil {
		t.Errorf("sent %s", out.body)
	}
	if got := r.all(); got != nil {
		t.Errorf("sent %v", got)
	}
}
