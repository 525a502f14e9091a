package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
)

// Reasons why a [Subscription] ended, or did not begin, that errors can be
// matched with.
var (
	// ErrListenEnded says that the server ended the subscription in good order.
	ErrListenEnded = errors.New("the server ended the subscription")
	// ErrListenLost says that the subscription was cut off and could not be opened
	// again.
	ErrListenLost = errors.New("the subscription was lost")
	// ErrNoListening says that the server does not have subscriptions at all.
	ErrNoListening = errors.New("the server does not offer subscriptions")
)

// Change is what an [Event] is about.
type Change uint8

// The changes.
const (
	// ToolsChanged: the list of tools is not what it was.
	ToolsChanged Change = iota + 1
	// PromptsChanged: the list of prompts is not what it was.
	PromptsChanged
	// ResourcesChanged: the lists of resources and templates are not what they
	// were.
	ResourcesChanged
	// ResourceUpdated: the resource at [Event.URI] is not what it was.
	ResourceUpdated
	// Lagged: more resources were updated than are remembered for a reader that is
	// slow, so any of those that are watched may have been.
	Lagged
)

// String is the change in words, such as "tools changed".
func (c Change) String() string {
	switch c {
	case ToolsChanged:
		return "tools changed"
	case PromptsChanged:
		return "prompts changed"
	case ResourcesChanged:
		return "resources changed"
	case ResourceUpdated:
		return "resource updated"
	case Lagged:
		return "lagged"
	}
	return fmt.Sprintf("change %d", uint8(c))
}

// Event says that something changed on the server, at least once since the last
// event of its kind. What it is now has to be asked for.
type Event struct {
	// Change is what changed.
	Change Change
	// URI is the resource of a ResourceUpdated, which may be a part of one that
	// is watched; empty for other changes.
	URI string
}

// Subscription is changes of the server as they happen, made by
// [Client.Listen]. All methods are safe for concurrent use.
type Subscription struct {
	c     *Client
	asked mcp.Filter
	ctx   context.Context //nolint:containedctx // it is the subscription's life
	stop  context.CancelCauseFunc
	// mend holds what was tried against failures since it was last open.
	mend *call

	changes changes
	once    sync.Once
	opened  chan struct{} // closed when it is open for the first time
	done    chan struct{} // closed when it has ended

	mu  sync.Mutex
	got mcp.Filter // what the server acknowledged
	err error      // why it ended
}

// Listen opens a subscription to what f asks for, and returns when the server
// has acknowledged it, within Config.Timeout. ctx bounds the subscription, not
// only Listen. In revisions without subscriptions the same is made of what they
// have: notifications of lists, as far as the server's capabilities announce
// them, and resources/subscribe, which subscriptions share.
//
// A subscription that is cut off is opened again, after pauses that grow, for
// Config.MaxReconnects times in a row. Since nothing tells what was missed, all
// that is subscribed to is then reported as changed, once.
//
// Errors match [ErrNoListening] when the server has no subscriptions, and are an
// *mcp.Error when it refuses this one.
func (c *Client) Listen(ctx context.Context, f mcp.Filter) (*Subscription, error) {
	if err := c.enter(); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Subscription{c: c, asked: f, opened: make(chan struct{}), done: make(chan struct{})}
	s.asked.Resources = slices.Clone(f.Resources)
	s.changes.more = make(chan struct{}, 1)
	s.ctx, s.stop = context.WithCancelCause(ctx)
	s.mend = &call{c: c, method: mcp.MethodListen, opts: &callOptions{}, caller: ctx, ctx: s.ctx}
	detach := context.AfterFunc(c.closing, func() { s.stop(context.Cause(c.closing)) })
	go func() {
		defer c.leave()
		defer close(s.done)
		defer detach()
		err := s.run()
		s.stop(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
	}()
	select {
	case <-s.opened:
	case <-s.done:
		if !s.isOpen() { // it may have been open for a moment
			return nil, fmt.Errorf("listen: %w", s.Err())
		}
	}
	return s, nil
}

// Events yields changes as they come, and blocks until there is one. It ends
// with the subscription; [Subscription.Err] then says why. A loop may be left,
// and begun again later: what changes meanwhile is remembered, each list and
// each resource once, and for more than 1,024 resources as Lagged. Loops that
// run at the same time share the events.
func (s *Subscription) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for {
			ended := false
			select {
			case <-s.done:
				ended = true // before the last look, so that nothing is missed
			default:
			}
			e, ok := s.changes.take()
			switch {
			case ok && !yield(e):
				return
			case ok:
				continue
			case ended:
				return
			}
			select {
			case <-s.changes.more:
			case <-s.done:
			}
		}
	}
}

// Filter is what the server acknowledged when the subscription was last opened:
// it tells of nothing else that was asked for.
func (s *Subscription) Filter() mcp.Filter {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.got
	f.Resources = slices.Clone(f.Resources)
	return f
}

// Err is why the subscription ended, nil while it has not. It matches
// [ErrListenEnded] when the server ended it in good order; [ErrListenLost] when
// it was cut off for good; mcp.ErrClosed after Close, of it or of the client; the
// error of the context of Listen when that ended; and is an *mcp.Error when the
// server refused to open it again.
func (s *Subscription) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close ends the subscription and waits until it has. The server is told; where
// that takes requests, because the revision has no subscriptions, they are waited
// for, up to 5 seconds. It may be called any number of times, and within
// a loop over Events; it always returns nil.
func (s *Subscription) Close() error {
	s.stop(fmt.Errorf("subscription was %w", mcp.ErrClosed))
	<-s.done
	return nil
}
