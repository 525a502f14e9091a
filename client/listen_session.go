package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/mcp"
)

// errReplaced says that there is another peer now.
var errReplaced = errors.New("the session was replaced by another")

// ride makes the subscription of what p's session is told, and returns when that
// ends.
func (s *Subscription) ride(p *peer) error {
	if closed(p.forgotten) {
		if _, err := s.c.renew(s.ctx, p); err != nil {
			return err
		}
		return errReplaced
	}
	f := s.announced(p)
	uris := f.Resources
	// It is in the audience before it asks, so that it misses nothing.
	s.c.audience.join(s, f)
	defer s.c.audience.leave(s)
	watched, err := s.watch(p, uris)
	defer func() { s.unwatch(p, watched) }()
	if err != nil {
		return err
	}
	f.Resources = watched
	s.c.audience.join(s, f)
	s.acknowledge(f)
	select {
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	case <-p.replaced:
		return errReplaced
	case <-p.forgotten:
		_, err := s.c.renew(s.ctx, p)
		if err == nil {
			err = errReplaced
		}
		return err
	case <-p.link.over():
		return fmt.Errorf("%w: %w", ErrListenLost, p.link.lost())
	}
}

// announced is what is asked for and p's server says that it tells of, where
// there is a way for it to (CON-12).
func (s *Subscription) announced(p *peer) mcp.Filter {
	if !p.link.hears(p) {
		return mcp.Filter{}
	}
	can := p.known().Capabilities
	got := mcp.Filter{
		Tools:   can.Tools != nil && can.Tools.ListChanged,
		Prompts: can.Prompts != nil && can.Prompts.ListChanged,
	}
	if r := can.Resources; r != nil {
		got.ResourcesList = r.ListChanged
		if r.Subscribe {
			got.Resources = s.asked.Resources
		}
	}
	return granted(s.asked, got)
}

// watch subscribes to the resources, and returns those that the server agrees
// to, within Config.Timeout.
func (s *Subscription) watch(p *peer, uris []string) (watched []string, err error) {
	ctx, cancel := within(s.ctx, s.c.cfg.Timeout, "Config.Timeout")
	defer cancel()
	for _, uri := range uris {
		refused, err := s.c.watch(ctx, p, uri)
		switch {
		case err != nil:
			return watched, ended(s.ctx, ctx, err)
		case refused != nil:
			s.c.log.Debug("server refuses to tell of a resource", "server", s.c.target.String(), "uri", uri, "error", refused)
		default:
			watched = append(watched, uri)
		}
	}
	return watched, nil
}

// unwatch gives back what watch took, unless the session is over, or about to
// be.
func (s *Subscription) unwatch(p *peer, uris []string) {
	ctx, cancel := context.WithTimeout(s.c.closing, courtesy)
	defer cancel()
	for _, uri := range uris {
		if closed(p.replaced) || closed(p.forgotten) || p.link.lost() != nil || ctx.Err() != nil {
			return
		}
		if err := s.c.unwatch(ctx, p, uri); err != nil {
			s.c.log.Debug("resource is still subscribed to", "server", s.c.target.String(), "uri", uri, "error", err)
		}
	}
}

// closed reports whether c is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
