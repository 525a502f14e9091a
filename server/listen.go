package server

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// A subscription is one subscriptions/listen. All notifications of it are sent by
// the goroutine of its exchange, so that they need no other order: it is on the
// bus before it acknowledges, and takes what changed afterwards (T-23).
type subscription struct {
	s *Server
	x *exchange
	// id is the id of the request, encoded: that of the subscription (M-SUB-008).
	id    []byte
	sub   *subscriber
	woken chan struct{}
}

// listen answers subscriptions/listen, when there is nothing more to tell: the
// server is shutting down, or what was asked for is nothing it ever tells. While
// it runs, nothing else is sent on its stream (M-SUB-013).
func (s *Server) listen(ctx context.Context, x *exchange) (any, error) {
	if x.sink == nil {
		return nil, errNoStream
	}
	var p mcp.ListenParams
	if err := wire.DecodeParams(&x.params, &p); err != nil {
		return nil, err
	}
	asked := &p.Notifications
	if len(asked.Resources) > s.cfg.Listen.Resources {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "params.notifications.resourceSubscriptions has %d URIs; one listen watches %d at most", len(asked.Resources), s.cfg.Listen.Resources)
	}
	l := &subscription{s: s, x: x, id: x.id.Append(nil), woken: make(chan struct{}, 1)}
	l.sub = &subscriber{lists: asksFor(asked) & announced(&x.catalog.capabilities), wake: l.wake}
	s.bus.join(l.sub)
	defer l.leave()
	honoured := mcp.Filter{
		Tools: l.sub.lists&toolList != 0, Prompts: l.sub.lists&promptList != 0, ResourcesList: l.sub.lists&resourceList != 0,
		Resources: l.watch(ctx, asked.Resources),
	}
	if err := l.acknowledge(ctx, honoured); err != nil {
		return nil, err
	}
	if l.sub.lists != noLists || len(honoured.Resources) > 0 {
		x.catalog = nil // others will take its place while this listens
		l.run(ctx)
		x.catalog = s.catalog.Load()
	}
	return &mcp.EmptyResult{Result: mcp.Result{Meta: l.meta()}}, nil
}

// asksFor are the lists in a filter.
func asksFor(f *mcp.Filter) lists {
	var l lists
	if f.Tools {
		l |= toolList
	}
	if f.Prompts {
		l |= promptList
	}
	if f.ResourcesList {
		l |= resourceList
	}
	return l
}

func (l *subscription) wake() {
	select {
	case l.woken <- struct{}{}:
	default: // it is awake
	}
}

func (l *subscription) meta() mcp.Meta {
	return mcp.Meta{mcp.MetaSubscriptionID: json.RawMessage(l.id)}
}

// acknowledge says what will be told, before all else (M-SUB-003, M-SUB-004).
func (l *subscription) acknowledge(ctx context.Context, honoured mcp.Filter) error {
	msg, _, err := l.x.era.AppendNotification(nil, mcp.NotifyAcknowledged, &mcp.AcknowledgedParams{Meta: l.meta(), Notifications: honoured})
	if err != nil {
		return &faulty{"the acknowledgement cannot be written", err}
	}
	if l.x.sink.send(ctx, msg) != nil {
		return errNoStream // if anybody is there to read it
	}
	return nil
}

// run tells what changed until the listen ends: its client is gone or too slow,
// it may listen no longer, or the server is shutting down.
func (l *subscription) run(ctx context.Context) {
	lapse := standingOf(ctx)
	lapsed, stop := lapse.ends()
	defer stop()
	for {
		if !lapse.holds() || l.flush(ctx) != nil {
			return
		}
		select {
		case <-l.woken:
		case <-ctx.Done():
			return
		case <-lapsed:
			return
		case <-l.s.edge.listens.over:
			l.sub.hurry()
			_ = l.flush(ctx) // a client that is gone is not told
			return
		}
	}
}

// flush tells what there is to tell now. When that fails the client is gone, or
// does not read.
func (l *subscription) flush(ctx context.Context) error {
	for c, ok := l.sub.take(); ok; c, ok = l.sub.take() {
		if !l.s.mayHear(ctx, c) {
			continue
		}
		if err := l.x.sink.send(ctx, c.notification(l.id)); err != nil {
			if ctx.Err() == nil {
				l.s.cfg.Logger.Warn("a listen is ended: its client is gone, or does not read", "error", err)
			}
			return err
		}
	}
	return nil
}

// notification is what a change is told with.
func (c change) notification(subscription []byte) []byte {
	if c.uri != "" {
		return wire.AppendChanged(nil, mcp.NotifyResourcesUpdated, c.uri, subscription)
	}
	return wire.AppendChanged(nil, c.lists.method(), "", subscription)
}

// mayHear reports whether a caller may be told of a change: it is asked when the
// change is told, since permissions change while one listens (T-53).
func (s *Server) mayHear(ctx context.Context, c change) bool {
	now := s.catalog.Load()
	if c.uri == "" || !now.restricted {
		return true
	}
	hidden := func(uri string) bool {
		e, _ := now.find(uri)
		return e != nil && !e.admits(ctx)
	}
	return !hidden(c.uri) && (c.of == c.uri || !hidden(c.of))
}

// leave takes the listen off the bus.
func (l *subscription) leave() {
	for _, w := range l.s.bus.leave(l.sub) {
		l.s.watches.letGo(w)
	}
}

// watchWidth is how many functions of OnSubscribe one listen calls at a time.
const watchWidth = 16

// watch begins to watch resources, and returns those that are. Others are hidden
// from the caller, or do not exist, which comes to the same (M-TOOL-030), or
// cannot be watched.
func (l *subscription) watch(ctx context.Context, uris []string) []string {
	var (
		watched = make([]string, 0, len(uris))
		failed  = make(map[string]bool)
		mu      sync.Mutex
		running sync.WaitGroup
		slots   = make(chan struct{}, watchWidth)
	)
	defer running.Wait() // also when a predicate panics
	for _, uri := range uris {
		e := l.s.watchable(ctx, l.x.catalog, uri)
		if e == nil {
			continue
		}
		added, err := l.s.bus.watch(l.sub, uri)
		if err != nil {
			l.s.cfg.Logger.Warn("resource is not watched", "uri", clip(uri), "error", err)
		}
		if !added {
			continue
		}
		watched = append(watched, uri)
		if e.watch == nil {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if err := l.s.holdFor(ctx, l.sub, uri, e.watch); err != nil {
				l.s.bus.unwatch(l.sub, uri)
				l.s.unwatched(ctx, uri, err)
				mu.Lock()
				failed[uri] = true
				mu.Unlock()
			}
		})
	}
	running.Wait()
	if len(failed) == 0 {
		return watched
	}
	kept := watched[:0]
	for _, uri := range watched {
		if !failed[uri] {
			kept = append(kept, uri)
		}
	}
	return kept
}

// watchable is the entry that serves a URI, nil when there is none that the caller
// may see. The URI need not be in a list.
func (s *Server) watchable(ctx context.Context, c *catalog, uri string) *entry {
	if !absoluteURI(uri) {
		return nil
	}
	if e, _ := c.find(uri); e.admits(ctx) {
		return e
	}
	return nil
}
