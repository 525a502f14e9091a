package server

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"
)

// WatchFunc begins to watch a resource, see [OnSubscribe].
type WatchFunc func(ctx context.Context, uri string) (release func(), err error)

// OnSubscribe has watch called when somebody begins to watch a resource that the
// entry serves, be it with subscriptions/listen or with resources/subscribe; on a
// service it holds for all its resources that have none of their own. It is for
// resources that tell of changes only while somebody asks them to; whatever it
// sets going calls [Server.Updated]. Resources without it can be watched too.
//
// watch is called for the first who watches a URI, and not again before release,
// which may be nil, was called for the last. Neither runs while the other does for
// the same URI. ctx carries the call of the first, for [CallFrom], and lives until
// nobody watches any more: it ends just before release is called. It ends early
// when that caller leaves, or 30 seconds have passed, and watch has not returned;
// then release is called right after it did. Both should return soon: whoever
// watches the same URI waits for them.
//
// An error means that the resource cannot be watched. It is left out of what a
// listen acknowledges, and resources/subscribe fails with it: with -32602, or with
// the code of an error that wraps [*mcp.Error]. As with handlers, the text is
// sent only of errors made for it, such as [Refuse]'s.
func OnSubscribe(watch WatchFunc) Option {
	return option{"OnSubscribe", onService | onResources, func(s *settings) {
		if watch == nil {
			s.fault("the function of OnSubscribe is nil")
			return
		}
		s.watch = watch
	}}
}

// watchTimeout is how long a WatchFunc has.
const watchTimeout = 30 * time.Second

// watches are the resources that are watched and have a WatchFunc. It is safe for
// concurrent use.
type watches struct {
	// broken is told what a function threw, nil when it ended its goroutine.
	broken func(uri string, value any, stack []byte)

	mu    sync.Mutex
	byURI map[string]*watch
}

// A watch is one such resource.
type watch struct {
	uri string
	// users are those who hold or wait for the watch; under the lock of watches.
	users int
	// turn has a place for who may look at the rest.
	turn chan struct{}
	// held is how many hold it; release and end are what the function left, and the
	// end of its context.
	held    int
	release func()
	end     context.CancelCauseFunc
}

func newWatches(broken func(string, any, []byte)) *watches {
	return &watches{broken: broken, byURI: make(map[string]*watch)}
}

// hold begins to watch a URI, unless somebody does already. It waits for others
// who begin or end to watch the same one, as long as ctx lives. Whoever holds a
// watch has to let go of it.
func (ws *watches) hold(ctx context.Context, uri string, begin WatchFunc) (*watch, error) {
	w := ws.use(uri)
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		ws.unuse(w)
		return nil, context.Cause(ctx)
	}
	if w.held == 0 {
		if err := ws.begin(ctx, w, begin); err != nil {
			<-w.turn
			ws.unuse(w)
			return nil, err
		}
	}
	w.held++
	<-w.turn
	return w, nil
}

// letGo ends what hold began.
func (ws *watches) letGo(w *watch) {
	w.turn <- struct{}{} // whoever has it has it for a bounded time, unless a hook never returns
	if w.held--; w.held == 0 {
		w.end(errUnwatched)
		ws.finish(w.uri, w.release)
		w.release, w.end = nil, nil
	}
	<-w.turn
	ws.unuse(w)
}

func (ws *watches) use(uri string) *watch {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.byURI[uri]
	if w == nil {
		w = &watch{uri: uri, turn: make(chan struct{}, 1)}
		ws.byURI[uri] = w
	}
	w.users++
	return w
}

func (ws *watches) unuse(w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w.users--; w.users > 0 {
		return
	}
	delete(ws.byURI, w.uri)
	if len(ws.byURI) == 0 {
		ws.byURI = make(map[string]*watch) // a map keeps the room it once took
	}
}

// Causes the context of a WatchFunc ends with.
var (
	errUnwatched = errors.New("nobody watches the resource any more")
	errWatchLate = errors.New("beginning to watch the resource took too long")
	errWatchFail = errors.New("the function of OnSubscribe did not return")
)

// begin calls the function.
func (ws *watches) begin(ctx context.Context, w *watch, begin WatchFunc) error {
	alive, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stay := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	late := time.AfterFunc(watchTimeout, func() { end(errWatchLate) })
	var (
		release func()
		err     = errWatchFail
	)
	ws.apart(w.uri, func() { release, err = begin(alive, w.uri) })
	left, tooLate := !stay(), !late.Stop()
	if err == nil && (left || tooLate) {
		// It returned all the same, and nobody is there to watch.
		if err = errWatchLate; left {
			err = context.Cause(ctx)
		}
		end(err)
		ws.finish(w.uri, release)
	}
	if err != nil {
		end(errUnwatched)
		return err
	}
	w.release, w.end = release, end
	return nil
}

func (ws *watches) finish(uri string, release func()) {
	if release != nil {
		ws.apart(uri, release)
	}
}

// apart calls fn on a goroutine of its own and waits for it, since it may panic or
// end its goroutine, and others count on what is done afterwards.
func (ws *watches) apart(uri string, fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if !returned {
				ws.broken(uri, recover(), debug.Stack())
			}
		}()
		fn()
		returned = true
	}()
	<-done
}

// size is how many there are.
func (ws *watches) size() int {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.byURI)
}

// watchBroke logs what a function of OnSubscribe, or its release, did instead of
// returning.
func (s *Server) watchBroke(uri string, value any, stack []byte) {
	s.cfg.Logger.Error("OnSubscribe did not return", "uri", clip(uri), "panic", value, "stack", string(stack))
}
