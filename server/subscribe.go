package server

import (
	"context"
	"errors"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
)

// changeMethods are the methods about what changes, of either era.
func (s *Server) changeMethods() map[string]method {
	subscribes := func(c *mcp.ServerCapabilities) bool { return c.Resources != nil && c.Resources.Subscribe }
	return map[string]method{
		mcp.MethodListen:               {run: s.listen, stays: true},
		mcp.MethodResourcesSubscribe:   {run: s.subscribe, offered: subscribes, aim: aimResource},
		mcp.MethodResourcesUnsubscribe: {run: s.unsubscribe, offered: subscribes, aim: aimResource},
	}
}

// A feed is what a session is told of changes: of the lists that it was promised,
// and of the resources that its client subscribed to. What there is to tell waits
// in it, as a state, while the session has no stream to tell it on.
type feed struct {
	s   *Server
	sub subscriber

	mu sync.Mutex
	// busy has a channel for each URI that a request is about, closed when it ends.
	busy map[string]chan struct{}
	// asked carries the latest call that subscribed: it says who may see what.
	asked context.Context //nolint:containedctx // for the predicates of entries, which run when a change is told
}

// newFeed makes the feed of a session that was told capabilities. It gets nothing
// before it is started.
func (s *Server) newFeed(sess *session, told *mcp.ServerCapabilities) changeSource {
	return &feed{s: s, sub: subscriber{lists: announced(told), wake: sess.notify}}
}

// start has changes told from now on.
func (f *feed) start() { f.s.bus.join(&f.sub) }

// stop ends the feed, and whatever its client subscribed to.
func (f *feed) stop() {
	for _, w := range f.s.bus.leave(&f.sub) {
		f.s.watches.letGo(w)
	}
}

// next is the next notification, nil when there is none.
func (f *feed) next() []byte {
	for c, ok := f.sub.take(); ok; c, ok = f.sub.take() {
		if f.mayHear(c) {
			return c.notification(nil)
		}
	}
	return nil
}

// mayHear is [Server.mayHear]. A predicate that panics has not agreed.
func (f *feed) mayHear(c change) (may bool) {
	if c.uri == "" {
		return true
	}
	f.mu.Lock()
	ctx := f.asked
	f.mu.Unlock()
	defer func() {
		if value := recover(); value != nil {
			f.s.cfg.Logger.Error("predicate panicked", "uri", clip(c.uri), "panic", value)
			may = false
		}
	}()
	return f.s.mayHear(ctx, c)
}

// feedOf is the feed of the request's session. There is none where sessions are
// not kept, and so no way to tell anything.
func feedOf(x *exchange) (*feed, error) {
	if x.session != nil {
		if f, ok := x.session.changes.(*feed); ok {
			return f, nil
		}
	}
	return nil, mcp.Errorf(mcp.CodeMethodNotFound, "method not found: %q: changes are told in sessions, and this request has none", x.method)
}

// subscribe answers resources/subscribe. Subscribing again changes nothing
// (L-RES-14). An update may come before the answer.
func (s *Server) subscribe(ctx context.Context, x *exchange) (any, error) {
	f, err := feedOf(x)
	if err != nil {
		return nil, err
	}
	uri := x.call.name
	e := s.watchable(ctx, x.catalog, uri)
	if e == nil {
		return nil, x.call.unknown()
	}
	x.call.service = e.Service
	switch err := f.watch(ctx, uri, e.watch); {
	case err == nil:
		return new(mcp.EmptyResult), nil
	case errors.Is(err, errWatchesEach):
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "the session watches %d resources, which is the most; unsubscribe from one of them", s.cfg.Listen.Resources)
	case errors.Is(err, errWatchesTotal), errors.Is(err, errOffBus):
		return nil, mcp.Errorf(mcp.CodeInternal, "resource %q is not watched: %v", clip(uri), err)
	case s.unwatched(ctx, uri, err):
		return nil, s.unwatchable(uri, err)
	default:
		return nil, err
	}
}

// unsubscribe answers resources/unsubscribe, also for what is not subscribed to.
func (s *Server) unsubscribe(ctx context.Context, x *exchange) (any, error) {
	f, err := feedOf(x)
	if err != nil {
		return nil, err
	}
	done, err := f.turn(ctx, x.call.name)
	if err != nil {
		return nil, err
	}
	defer done()
	if w := s.bus.unwatch(&f.sub, x.call.name); w != nil {
		s.watches.letGo(w)
	}
	return new(mcp.EmptyResult), nil
}

// watch begins to watch a resource, unless the session does already.
func (f *feed) watch(ctx context.Context, uri string, begin WatchFunc) error {
	done, err := f.turn(ctx, uri)
	if err != nil {
		return err
	}
	defer done()
	f.mu.Lock()
	f.asked = context.WithoutCancel(ctx)
	f.mu.Unlock()
	added, err := f.s.bus.watch(&f.sub, uri)
	if err != nil || !added || begin == nil {
		return err
	}
	if err := f.s.holdFor(ctx, &f.sub, uri, begin); err != nil {
		f.s.bus.unwatch(&f.sub, uri)
		return err
	}
	return nil
}

// turn waits until no other request of the session is about uri.
func (f *feed) turn(ctx context.Context, uri string) (done func(), err error) {
	mine := make(chan struct{})
	for {
		f.mu.Lock()
		other := f.busy[uri]
		if other == nil {
			if f.busy == nil {
				f.busy = make(map[string]chan struct{})
			}
			f.busy[uri] = mine
		}
		f.mu.Unlock()
		if other == nil {
			return func() { f.pass(uri, mine) }, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// pass ends a turn.
func (f *feed) pass(uri string, mine chan struct{}) {
	f.mu.Lock()
	if delete(f.busy, uri); len(f.busy) == 0 {
		f.busy = nil
	}
	f.mu.Unlock()
	close(mine)
}

// holdFor has a subscriber hold the watch of a URI that it watches.
func (s *Server) holdFor(ctx context.Context, sub *subscriber, uri string, begin WatchFunc) error {
	w, err := s.watches.hold(ctx, uri, begin)
	if err != nil {
		return err
	}
	if !s.bus.hold(sub, uri, w) {
		s.watches.letGo(w) // it left meanwhile
		return errOffBus
	}
	return nil
}

// unwatched logs why a resource cannot be watched, unless the error is made for
// callers, or nobody waits any more. It reports whether it did.
func (s *Server) unwatched(ctx context.Context, uri string, err error) bool {
	if ctx.Err() != nil || errors.Is(err, errOffBus) || errors.Is(err, mcp.ErrNotFound) ||
		errors.As(err, new(*mcp.Error)) || errors.As(err, new(*mcp.ToolError)) {
		return false
	}
	s.cfg.Logger.Error("resource cannot be watched", "uri", clip(uri), "error", err)
	return true
}

// unwatchable is what a caller is told of an error that is not for callers.
func (s *Server) unwatchable(uri string, err error) *mcp.Error {
	e := mcp.Errorf(mcp.CodeInvalidParams, "resource %q cannot be watched", clip(uri))
	if s.cfg.ExposeErrors {
		e.Message += ": " + err.Error()
	}
	return e
}
