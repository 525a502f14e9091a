package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// settledAfter is how long a subscription has to last for its next loss to be
// the first in a row.
const settledAfter = 10 * time.Second

// run keeps the subscription open until it ends for good, and says why.
func (s *Subscription) run() error {
	for tries := 0; ; tries++ {
		p := s.c.peer()
		began := time.Now()
		a, err := s.attempt(p)
		if s.ctx.Err() != nil {
			return ended(s.mend.caller, s.ctx, err)
		}
		if errors.Is(err, errReplaced) {
			continue
		}
		if err == nil && a.fault == nil || errors.Is(err, ErrListenEnded) {
			return s.over()
		}
		if again, better := s.mend.remedy(p, a, err); again && better == nil {
			continue
		} else if better != nil {
			err = better
		} else if err == nil {
			err = s.refusal(p, a)
		}
		if time.Since(began) >= settledAfter {
			tries, s.mend.used = 0, nil
		}
		if !s.isOpen() || s.hopeless(p, a, err) {
			return err
		}
		if limit := s.c.cfg.MaxReconnects; tries >= limit {
			return fmt.Errorf("%w, and not opened again in %d attempts (Config.MaxReconnects): %w", ErrListenLost, max(limit, 0), err)
		}
		s.c.log.Debug("subscription was cut off", "server", s.c.target.String(), "error", err)
		if wait(s.ctx, max(backoff(tries), askedToWait(err))) != nil {
			return context.Cause(s.ctx)
		}
	}
}

// attempt opens the subscription in the way that p's revision has for it, and
// returns when it ends.
func (s *Subscription) attempt(p *peer) (*answer, error) {
	if p.era.Serves(mcp.MethodListen) {
		return s.listen(p)
	}
	return nil, s.ride(p)
}

// over says that the server ended the subscription, unless it never opened it.
func (s *Subscription) over() error {
	if s.isOpen() {
		return ErrListenEnded
	}
	return fmt.Errorf("%w: it ended before it was acknowledged: %w", mcp.ErrInvalidResponse, ErrListenEnded)
}

// refusal is the error of a server that does not open the subscription.
func (s *Subscription) refusal(p *peer, a *answer) error {
	err := p.era.Failure(mcp.MethodListen, a.fault)
	if a.fault.Code == mcp.CodeMethodNotFound {
		return fmt.Errorf("%w: %w", ErrNoListening, err)
	}
	return err
}

// hopeless reports whether opening the subscription again would fail in the same
// way: the server said so, it wants other credentials, or the connection is gone.
func (s *Subscription) hopeless(p *peer, a *answer, err error) bool {
	var auth *AuthError
	switch {
	case p.link.lost() != nil:
		return s.c.peer() == p
	case a != nil && a.fault != nil:
		return a.fault.Code != mcp.CodeInternal // it may have too many open just now
	}
	return errors.As(err, &auth)
}

// askedToWait is how long the server wants to be left alone.
func askedToWait(err error) time.Duration {
	if status, ok := errors.AsType[*StatusError](err); ok {
		return min(status.RetryAfter, longRetry)
	}
	return 0
}

func (s *Subscription) isOpen() bool {
	return closed(s.opened)
}

// listen opens the subscription and returns when it ends.
func (s *Subscription) listen(p *peer) (*answer, error) {
	o, err := s.c.compose(p, mcp.MethodListen, mcp.ListenParams{Notifications: s.asked}, &callOptions{})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	limit := s.c.cfg.Timeout
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{limit: "Config.Timeout", after: limit}) })
	defer timer.Stop()
	l := &listening{s: s, open: func() { timer.Stop() }}
	o.listens = l
	a, err := p.link.roundTrip(ctx, p, o)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil && p.link.lost() != nil && s.ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", ErrListenLost, err)
	}
	return a, err
}

// acknowledge takes what the server will tell of, and reports all of it as
// changed when the subscription was open before (M-SUB-019).
func (s *Subscription) acknowledge(f mcp.Filter) {
	s.mu.Lock()
	s.got = f
	s.mu.Unlock()
	if s.isOpen() {
		s.missed(f)
	}
	s.once.Do(func() { close(s.opened) })
}

// missed reports all that f has as changed.
func (s *Subscription) missed(f mcp.Filter) {
	events := make([]Event, 0, len(f.Resources)+int(ResourcesChanged))
	for _, e := range []Event{{Change: ToolsChanged}, {Change: PromptsChanged}, {Change: ResourcesChanged}} {
		if wants(f, e) {
			events = append(events, e)
		}
	}
	for _, uri := range f.Resources {
		events = append(events, Event{Change: ResourceUpdated, URI: uri})
	}
	s.changes.add(events...)
}

// listening is one request of a subscription, from its way to the server to its
// end.
type listening struct {
	s    *Subscription
	open func()
	// id is that of the request, set before it is sent.
	id    jsonrpc.ID
	acked bool
}

// hears reports whether m belongs to the subscription (M-SUB-008, M-SUB-009).
func (l *listening) hears(m jsonrpc.Message) bool {
	id, ok := subscriptionOf(m)
	return ok && id == l.id
}

// subscriptionOf is the subscription that a notification says it belongs to.
func subscriptionOf(m jsonrpc.Message) (jsonrpc.ID, bool) {
	meta, _ := jsonx.Lookup(m.Params, "_meta")
	raw, ok := jsonx.Lookup(meta, mcp.MetaSubscriptionID)
	if !ok {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.ParseID(raw)
	return id, err == nil
}

// hear takes a notification of the subscription. It does not block.
func (l *listening) hear(m jsonrpc.Message) {
	s := l.s
	if m.Method == mcp.NotifyAcknowledged {
		var params mcp.AcknowledgedParams
		if err := jsonx.Unmarshal(m.Params, &params); err != nil {
			s.c.log.Warn("server sent an acknowledgement that cannot be read", "server", s.c.target.String(), "error", err)
			return
		}
		l.open()
		if l.acked {
			return
		}
		l.acked = true
		s.acknowledge(granted(s.asked, params.Notifications))
		return
	}
	e, ok := eventOf(m)
	switch {
	case !ok || !wants(s.asked, e):
	case !l.acked:
		// It says nothing yet about what the application may have read (M-SUB-004).
		s.c.log.Warn("server tells of a change before it acknowledges the subscription; it is ignored", "server", s.c.target.String(), "method", m.Method)
	default:
		s.changes.add(e)
	}
}

// granted is what got has of asked: a server tells of nothing else (M-SUB-002).
func granted(asked, got mcp.Filter) mcp.Filter {
	f := mcp.Filter{Tools: asked.Tools && got.Tools, Prompts: asked.Prompts && got.Prompts, ResourcesList: asked.ResourcesList && got.ResourcesList, Extra: got.Extra}
	told := make(map[string]bool, len(got.Resources))
	for _, uri := range got.Resources {
		told[uri] = true
	}
	for _, uri := range asked.Resources {
		if told[uri] {
			f.Resources = append(f.Resources, uri)
		}
	}
	return f
}

// eventOf is the change that a notification tells of.
func eventOf(m jsonrpc.Message) (Event, bool) {
	switch m.Method {
	case mcp.NotifyToolsListChanged:
		return Event{Change: ToolsChanged}, true
	case mcp.NotifyPromptsListChanged:
		return Event{Change: PromptsChanged}, true
	case mcp.NotifyResourcesListChanged:
		return Event{Change: ResourcesChanged}, true
	case mcp.NotifyResourcesUpdated:
		var params mcp.UpdatedParams
		if err := jsonx.Unmarshal(m.Params, &params); err != nil || params.URI == "" {
			return Event{}, false
		}
		return Event{Change: ResourceUpdated, URI: params.URI}, true
	}
	return Event{}, false
}

// wants reports whether f asks for e. An update may be of a part of what is
// watched, and nothing in a URI tells (M-SUB-012).
func wants(f mcp.Filter, e Event) bool {
	switch e.Change {
	case ToolsChanged:
		return f.Tools
	case PromptsChanged:
		return f.Prompts
	case ResourcesChanged:
		return f.ResourcesList
	default:
		return len(f.Resources) > 0
	}
}
