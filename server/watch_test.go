package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// observed is a service whose resources say when they begin and end to be watched.
type observed struct {
	*Service

	mu  sync.Mutex
	log []string
}

func newObserved(opts ...Option) *observed {
	o := &observed{}
	o.Service = NewService("", append(opts, OnSubscribe(func(_ context.Context, uri string) (func(), error) {
		o.note("watch " + uri)
		return func() { o.note("release " + uri) }, nil
	}))...)
	Resource(o.Service, "note://1", says("one"))
	Resource(o.Service, "dir://{n}", says("dir"))
	return o
}

func (o *observed) note(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, line)
}

// noted compares what was noted since the last time.
func (o *observed) noted(t testing.TB, want ...string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if diff := cmp.Diff(want, o.log); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
	o.log = nil
}

// TestOnSubscribe: the function is called for the first who watches, and released
// for the last, be they listens or sessions.
func TestOnSubscribe(t *testing.T) {
	o := newObserved()
	srv := serverOf(t, o.Service)
	a := listenTo(t, srv, "1", `{"resourceSubscriptions":["note://1","dir://a"]}`)
	a.acknowledged(`{"resourceSubscriptions":["note://1","dir://a"]}`)
	o.mu.Lock()
	if len(o.log) != 2 {
		t.Errorf("noted %v", o.log)
	}
	o.log = nil
	o.mu.Unlock()
	b := listenTo(t, srv, "2", `{"resourceSubscriptions":["note://1"]}`)
	b.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
	sess := sessionOf(t, srv)
	for range 2 {
		if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`); r.Error != nil {
			t.Fatalf("subscribe: %+v", r.Error)
		}
	}
	o.noted(t)
	a.cancel()
	within(t, a.over, "the end")
	o.noted(t, "release dir://a")
	b.cancel()
	within(t, b.over, "the end")
	o.noted(t)
	for range 2 {
		if r := sess.ask(mcp.MethodResourcesUnsubscribe, `{"uri":"note://1"}`); r.Error != nil {
			t.Fatalf("unsubscribe: %+v", r.Error)
		}
	}
	o.noted(t, "release note://1")
	if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`); r.Error != nil {
		t.Fatalf("subscribe: %+v", r.Error)
	}
	o.noted(t, "watch note://1")
	sess.end()
	o.noted(t, "release note://1")
	emptied(t, srv)
}

// TestOnSubscribePlaces: on a service it is for all resources without one of their
// own, and for nothing else.
func TestOnSubscribePlaces(t *testing.T) {
	var called []string
	by := func(who string) Option {
		return OnSubscribe(func(context.Context, string) (func(), error) { called = append(called, who); return nil, nil })
	}
	s := NewService("", by("service"))
	Resource(s, "note://1", says(""))
	Resource(s, "note://2", says(""), by("resource"))
	Resource(s, "dir://{n}", says(""), by("template"))
	srv := serverOf(t, s)
	for _, uri := range []string{"note://1", "note://2", "dir://1"} {
		l := listenTo(t, srv, "1", `{"resourceSubscriptions":["`+uri+`"]}`)
		l.acknowledged(`{"resourceSubscriptions":["` + uri + `"]}`)
	}
	if diff := cmp.Diff([]string{"service", "resource", "template"}, called); diff != "" {
		t.Errorf("called (-want +got):\n%s", diff)
	}
	wrong := NewService("")
	Tool(wrong, "t", says(""), by("tool"))
	Resource(wrong, "note://1", says(""), OnSubscribe(nil))
	_, err := New(Config{Info: testInfo}, wrong)
	for _, want := range []string{
		`service "": tool "t": option OnSubscribe says nothing about a tool; it is for a service, a resource or a resource template`,
		`service "": resource "note://1": the function of OnSubscribe is nil`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want %s", err, want)
		}
	}
}

// TestOnSubscribeFails: a resource that cannot be watched is left out of what is
// acknowledged, and subscribing to it fails; the next who comes tries again.
func TestOnSubscribeFails(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fn      WatchFunc
		code    mcp.Code
		message string
		logged  string
	}{
		{"an error", func(context.Context, string) (func(), error) { return nil, errors.New("disk on fire") },
			mcp.CodeInvalidParams, `resource "note://1" cannot be watched`, `msg="resource cannot be watched" uri=note://1 error="disk on fire"`},
		{"a refusal", func(context.Context, string) (func(), error) { return nil, Refuse("not %d", 1) }, mcp.CodeInvalidParams, "not 1", ""},
		{"a code", func(context.Context, string) (func(), error) {
			return nil, fmt.Errorf("upstream: %w", mcp.Errorf(mcp.CodeInternal, "busy"))
		}, mcp.CodeInternal, "busy", ""},
		{"not found", func(context.Context, string) (func(), error) { return nil, mcp.ErrNotFound }, mcp.CodeResourceNotFound, `unknown resource "note://1"`, ""},
		{"a panic", func(context.Context, string) (func(), error) { panic("on fire") }, mcp.CodeInvalidParams, `resource "note://1" cannot be watched`, `msg="OnSubscribe did not return" uri=note://1 panic="on fire"`},
		{"an end", func(context.Context, string) (func(), error) { runtime.Goexit(); return nil, nil }, mcp.CodeInvalidParams, `resource "note://1" cannot be watched`, `msg="OnSubscribe did not return" uri=note://1 panic=<nil>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			calls := 0
			s := NewService("")
			Resource(s, "note://1", says(""), OnSubscribe(func(ctx context.Context, uri string) (func(), error) {
				calls++
				return tt.fn(ctx, uri)
			}))
			srv := configured(t, Config{Logger: testLogger(&log)}, s)
			l := listenTo(t, srv, "1", `{"toolsListChanged":true,"resourceSubscriptions":["note://1"]}`)
			l.acknowledged(`{}`)
			l.ends()
			sess := sessionOf(t, srv)
			r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`)
			if r.Error == nil || r.Error.Code != int(tt.code) || r.Error.Message != tt.message {
				t.Errorf("subscribe: %+v", r.Error)
			}
			if calls != 2 {
				t.Errorf("called %d times", calls)
			}
			if got := log.String(); tt.logged == "" && got != "" || !strings.Contains(got, tt.logged) {
				t.Errorf("log: %s", got)
			}
			sess.end()
			emptied(t, srv)
		})
	}
	t.Run("exposed", func(t *testing.T) {
		s := NewService("")
		Resource(s, "note://1", says(""), OnSubscribe(func(context.Context, string) (func(), error) { return nil, errors.New("disk on fire") }))
		sess := sessionOf(t, configured(t, Config{ExposeErrors: true}, s))
		if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`); r.Error == nil || r.Error.Message != `resource "note://1" cannot be watched: disk on fire` {
			t.Errorf("subscribe: %+v", r.Error)
		}
	})
	t.Run("a release that panics", func(t *testing.T) {
		var log strings.Builder
		s := NewService("")
		Resource(s, "note://1", says(""), OnSubscribe(func(context.Context, string) (func(), error) { return func() { panic("stuck") }, nil }))
		srv := configured(t, Config{Logger: testLogger(&log)}, s)
		l := listenTo(t, srv, "1", `{"resourceSubscriptions":["note://1"]}`)
		l.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
		l.cancel()
		within(t, l.over, "the end")
		emptied(t, srv)
		if !strings.Contains(log.String(), "panic=stuck") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestOnSubscribeContext: the context carries the call of the first who watches,
// and lives until nobody does.
func TestOnSubscribeContext(t *testing.T) {
	var (
		watched context.Context
		who     string
		alive   = make(chan bool, 1)
	)
	s := NewService("")
	Resource(s, "note://1", says(""), OnSubscribe(func(ctx context.Context, _ string) (func(), error) {
		watched, who = ctx, CallFrom(ctx).Principal() //nolint:fatcontext // what is left of the call is what is looked at
		return func() { alive <- ctx.Err() == nil }, nil
	}))
	srv := serverOf(t, s)
	a := listenAs(t.Context(), t, srv, caller{principal: "ada"}, "1", `{"resourceSubscriptions":["note://1"]}`)
	a.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
	b := listenAs(t.Context(), t, srv, caller{principal: "bob"}, "2", `{"resourceSubscriptions":["note://1"]}`)
	b.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
	if who != "ada" {
		t.Errorf("called for %q", who)
	}
	a.cancel()
	within(t, a.over, "the end")
	if err := watched.Err(); err != nil {
		t.Errorf("the context ended with the first: %v", err)
	}
	b.cancel()
	within(t, b.over, "the end")
	if <-alive || !errors.Is(context.Cause(watched), errUnwatched) {
		t.Errorf("the context ended with %v, after release", context.Cause(watched))
	}
}

// TestOnSubscribeLate: a function that does not return keeps nobody for ever, and
// what it began is released.
func TestOnSubscribeLate(t *testing.T) {
	slow := func() (s *Service, calls *atomic.Int32, released chan error) {
		s, calls, released = NewService(""), new(atomic.Int32), make(chan error, 10)
		Resource(s, "note://1", says(""), OnSubscribe(func(ctx context.Context, _ string) (func(), error) {
			if calls.Add(1) > 1 {
				return nil, nil
			}
			<-ctx.Done()
			return func() { released <- context.Cause(ctx) }, nil
		}))
		return s, calls, released
	}
	t.Run("it took too long", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _, released := slow()
			srv := serverOf(t, s)
			began := time.Now()
			l := listenTo(t, srv, "1", `{"resourceSubscriptions":["note://1"]}`)
			if err := <-released; !errors.Is(err, errWatchLate) || time.Since(began) != watchTimeout {
				t.Errorf("released for %v after %v", err, time.Since(began))
			}
			l.acknowledged(`{}`)
			l.ends()
			emptied(t, srv)
		})
	})
	t.Run("its caller leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, calls, released := slow()
			srv := serverOf(t, s)
			l := listenTo(t, srv, "1", `{"resourceSubscriptions":["note://1"]}`)
			synctest.Wait()
			second := listenTo(t, srv, "2", `{"resourceSubscriptions":["note://1"]}`)
			third := listenTo(t, srv, "3", `{"resourceSubscriptions":["note://1"]}`)
			synctest.Wait()
			second.cancel() // while it waits for its turn
			if r := <-second.over; r.body != nil {
				t.Errorf("reply %s", r.body)
			}
			l.cancel()
			if err := <-released; !errors.Is(err, context.Canceled) {
				t.Errorf("released for %v", err)
			}
			third.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
			if n := calls.Load(); n != 2 {
				t.Errorf("called %d times", n)
			}
			third.cancel()
			<-third.over
			emptied(t, srv)
		})
	})
}

// TestOnSubscribeAlone: neither the function nor its release runs beside the other
// for one URI, whoever comes and goes.
func TestOnSubscribeAlone(t *testing.T) {
	const uris = 3
	var running, held [uris]atomic.Int32
	alone := func(i int, to int32) {
		if running[i].Add(1) != 1 {
			t.Errorf("two at once for %d", i)
		}
		if !held[i].CompareAndSwap(1-to, to) {
			t.Errorf("%d is %d already", i, to)
		}
		running[i].Add(-1)
	}
	s := NewService("")
	Resource(s, "dir://{n}", says(""), OnSubscribe(func(_ context.Context, uri string) (func(), error) {
		i := int(uri[len(uri)-1] - '0')
		alone(i, 1)
		return func() { alone(i, 0) }, nil
	}))
	srv := serverOf(t, s)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			sess := sessionOf(t, srv)
			defer sess.end()
			for i := range 30 {
				uri := fmt.Sprintf("dir://%d", (i+w)%uris)
				l := listenTo(t, srv, "1", `{"resourceSubscriptions":["dir://0","dir://1","dir://2"]}`)
				if i%2 == 0 {
					l.acknowledged(`{"resourceSubscriptions":["dir://0","dir://1","dir://2"]}`)
				}
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"`+uri+`"}`) })
				}
				both.Go(func() { sess.ask(mcp.MethodResourcesUnsubscribe, `{"uri":"`+uri+`"}`) })
				both.Wait()
				l.cancel()
				within(t, l.over, "the end")
			}
		})
	}
	all.Wait()
	for i := range uris {
		if held[i].Load() != 0 {
			t.Errorf("%d is still held", i)
		}
	}
	emptied(t, srv)
}
