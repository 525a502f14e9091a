package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

func TestThrottle(t *testing.T) {
	var th throttle
	now := time.Unix(1000, 0)
	for i := range burst * 10 {
		if wait := th.wait(now, 10); wait != 0 {
			t.Fatalf("message %d of a burst waits %v", i, wait)
		}
	}
	if wait := th.wait(now, 10); wait != 100*time.Millisecond {
		t.Errorf("the next waits %v", wait)
	}
	now = now.Add(100 * time.Millisecond)
	if wait := th.wait(now, 10); wait != 0 {
		t.Errorf("when it is due it waits %v", wait)
	}
	if wait := th.wait(now, 10); wait != 100*time.Millisecond {
		t.Errorf("the one after that waits %v", wait)
	}
	now = now.Add(time.Hour)
	for i := range burst * 10 {
		if wait := th.wait(now, 10); wait != 0 {
			t.Fatalf("message %d after an hour waits %v", i, wait)
		}
	}
}

// called runs a tool as a call with a progress token and log level, and returns
// what was sent before the reply, when.
func called(t *testing.T, cfg Config, handler func(context.Context)) (sent []string) {
	t.Helper()
	svc := NewService("")
	Tool(svc, "t", func(ctx context.Context, _ nothing) (string, error) { handler(ctx); return "done", nil })
	srv := configured(t, cfg, svc)
	x := request(mcp.MethodToolsCall, `{"name":"t"}`)
	began := time.Now()
	x.caller.progressToken, x.caller.logLevel = []byte("1"), mcp.LevelError
	x.sink = sinkFunc(func(_ context.Context, msg []byte) error {
		m, fault := jsonrpc.Parse(msg, 0)
		if fault != nil {
			t.Errorf("%s: %v", msg, fault)
		}
		sent = append(sent, fmt.Sprintf("%v %s", time.Since(began), m.Params))
		return nil
	})
	ask(t, srv, x)
	return sent
}

// PROG-07, CON-11: progress that comes too fast is merged: what is reported last
// goes out as soon as there is room, without another report, and at the latest
// before the reply.
func TestProgressIsMerged(t *testing.T) {
	cfg := Config{Limits: Limits{Progress: 2}} // eight at once
	synctest.Test(t, func(t *testing.T) {
		sent := called(t, cfg, func(ctx context.Context) {
			for n := range 100 {
				Progress(ctx, float64(n), 100, "")
			}
			time.Sleep(time.Minute)
			Progress(ctx, 100, 100, "")
		})
		if len(sent) != 10 || sent[7] != `0s {"progressToken":1,"progress":7,"total":100}` ||
			sent[8] != `500ms {"progressToken":1,"progress":99,"total":100}` || sent[9] != `1m0s {"progressToken":1,"progress":100,"total":100}` {
			t.Errorf("sent %d:\n%s", len(sent), strings.Join(sent, "\n"))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		sent := called(t, cfg, func(ctx context.Context) {
			for n := range 10 {
				Progress(ctx, float64(n), 0, "")
			}
		})
		if len(sent) != 9 || sent[8] != `0s {"progressToken":1,"progress":9}` {
			t.Errorf("sent %d:\n%s", len(sent), strings.Join(sent, "\n"))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		sent := called(t, cfg, func(ctx context.Context) {
			for n := range 30 {
				Progress(ctx, float64(n), 0, "")
				time.Sleep(100 * time.Millisecond)
			}
		})
		if len(sent) != 13 && len(sent) != 14 { // eight at once, two a second in three seconds
			t.Errorf("sent %d:\n%s", len(sent), strings.Join(sent, "\n"))
		}
	})
}

// LOG-07: records beyond the limit are dropped; how many is said as soon as there
// is room, at a level that the caller hears, and at the latest before the reply.
func TestRecordsAreLimited(t *testing.T) {
	cfg := Config{Limits: Limits{Logs: 2}}
	synctest.Test(t, func(t *testing.T) {
		sent := called(t, cfg, func(ctx context.Context) {
			for range 20 {
				Log(ctx).Error("e")
			}
			time.Sleep(time.Second)
			Log(ctx).Error("later")
			for range 20 {
				Log(ctx).Error("e")
			}
		})
		want := []string{
			`1s {"level":"error","data":{"msg":"records were dropped, since there were too many","dropped":12}}`,
			`1s {"level":"error","data":{"msg":"later"}}`,
			`1s {"level":"error","data":{"msg":"e"}}`,
			`1s {"level":"error","data":{"msg":"records were dropped, since there were too many","dropped":19}}`,
		}
		if len(sent) != 12 || strings.Join(sent[8:], "\n") != strings.Join(want, "\n") {
			t.Errorf("sent %d:\n%s", len(sent), strings.Join(sent, "\n"))
		}
	})
}

// CAN-05, CON-05, PROG-05: once a call is cancelled nothing of it is sent any more,
// with whatever context the handler comes; in the revisions with sessions by its
// notification, in the stateless one by the disconnect, on pipes by both eras'
// notification. Once it is answered neither.
func TestNothingAfterTheEnd(t *testing.T) {
	type ending struct {
		*Service
		began     chan context.Context
		cancelled chan struct{}
		spoken    chan struct{}
	}
	newEnding := func() *ending {
		e := &ending{NewService(""), make(chan context.Context, 1), make(chan struct{}), make(chan struct{})}
		Tool(e.Service, "talk", func(ctx context.Context, _ nothing) (string, error) {
			Progress(ctx, 1, 0, "before")
			e.began <- ctx
			<-ctx.Done()
			<-e.cancelled
			for _, ctx := range []context.Context{ctx, context.WithoutCancel(ctx)} {
				Progress(ctx, 2, 0, "after")
				Log(ctx).Error("after")
				Detach(ctx, time.Second)
				if peer := CallFrom(ctx).x.peer; peer != nil {
					if _, err := peer.request(ctx, mcp.MethodElicit, nil); !errors.Is(err, context.Canceled) {
						t.Errorf("a cancelled call asked, with %v", err)
					}
				}
			}
			close(e.spoken)
			return "after", nil
		})
		return e
	}
	const talk = `{"name":"talk","_meta":{"progressToken":1}}`
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	t.Run("pipe, stateless", func(t *testing.T) {
		e := newEnding()
		c := connect(t, serverOf(t, e.Service))
		c.send(modernBody("1", mcp.MethodToolsCall, `"name":"talk"`, `"progressToken":1`))
		if got := c.receive(); !strings.Contains(got, `"progress":1`) {
			t.Errorf("got %s", got)
		}
		<-e.began
		c.send(cancelled)
		close(e.cancelled)
		within(t, e.spoken, "handler")
		if got := c.ask(modernBody("2", mcp.MethodDiscover, "", "")); !strings.Contains(got, `"id":2`) {
			t.Errorf("got %s", got)
		}
	})
	for _, p := range legacyProfiles() {
		t.Run("HTTP "+p.Version(), func(t *testing.T) {
			e := newEnding()
			s := serveHTTP(t, serverOf(t, e.Service).Handler())
			session := s.open(p)
			l := s.listen(http.MethodPost, legacyBody("1", mcp.MethodToolsCall, talk), legacyHeader(session))
			if p == mcp.Legacy20251125 {
				l.primed()
			}
			l.message()
			<-e.began
			s.do(http.MethodPost, cancelled, legacyHeader(session))
			close(e.cancelled)
			within(t, e.spoken, "handler")
			l.end()
		})
		t.Run("pipe "+p.Version(), func(t *testing.T) {
			e := newEnding()
			c := connect(t, serverOf(t, e.Service))
			c.initialize(p)
			c.send(legacyBody("1", mcp.MethodToolsCall, talk))
			if got := c.receive(); !strings.Contains(got, `"progress":1`) {
				t.Errorf("got %s", got)
			}
			<-e.began
			c.send(cancelled)
			close(e.cancelled)
			within(t, e.spoken, "handler")
			if got := c.ask(legacyBody("2", mcp.MethodPing, "{}")); !strings.Contains(got, `"id":2`) {
				t.Errorf("got %s", got)
			}
		})
	}
}
