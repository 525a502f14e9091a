package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Connect finds out what the server at target speaks, opens a session where
// there are such, and returns a handle on it. It blocks until then, at most for
// Config.ConnectTimeout; ctx bounds Connect alone, not the Client.
//
// With the zero Config.Profile the server is asked once, with server/discover,
// and the answer is read by the table of docs/design/auto.md. An error that is a
// *[NegotiationError] names the row that applied; *[AuthError], *[StatusError]
// and the sentinels of package mcp can be found in it.
func Connect(ctx context.Context, target Target, cfg Config) (*Client, error) {
	if target == nil {
		return nil, errors.New("connect: target is nil; use client.HTTP, client.Command or client.Dial")
	}
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", target, err)
	}
	c, err := newClient(target, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", target, err)
	}
	bounded, cancel := within(ctx, cfg.ConnectTimeout, "Config.ConnectTimeout")
	defer cancel()
	p, err := c.establish(bounded)
	if err != nil {
		err = fmt.Errorf("connect to %s: %w", target, named(ctx, bounded, err))
		return nil, errors.Join(err, c.Close())
	}
	c.update(func(s *state) { s.peer = p })
	return c, nil
}

// named adds what ended ctx to an error that says only that it ended.
func named(caller, ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if cause := ended(caller, ctx, err); !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// negotiation is the way from a target to a peer. It owns the link until there
// is one.
type negotiation struct {
	c    *Client
	link link
	// asked is the revision the probe is written in.
	asked mcp.Profile
	// picked are the revisions that were taken from the server's own list. Each
	// is tried once (T-05).
	picked []mcp.Profile
	// mended: the probe was sent once more after -32020.
	mended bool
}

// establish makes the first peer.
func (c *Client) establish(ctx context.Context) (*peer, error) {
	l, err := c.target.open(ctx, c)
	if err != nil {
		return nil, err
	}
	return c.negotiated(ctx, l, func(n *negotiation) (*peer, error) {
		if c.cfg.Profile != mcp.Auto {
			return n.pinned(ctx)
		}
		prior := c.cfg.Prior
		if prior.IsZero() {
			prior = c.target.remembered()
		}
		if !prior.IsZero() {
			return n.resume(ctx, prior)
		}
		return n.run(ctx)
	})
}

// reestablish makes a successor of old: in a new session, or of another
// revision if that is what the server speaks now (DIS-08).
func (c *Client) reestablish(ctx context.Context, old *peer) (*peer, error) {
	return c.negotiated(ctx, old.link, func(n *negotiation) (*peer, error) {
		switch {
		case c.cfg.Profile != mcp.Auto:
			return n.pinned(ctx)
		case !old.proven.Load():
			return n.again(ctx)
		default:
			return n.resume(ctx, old.verdict())
		}
	})
}

// negotiated runs make and sees to what has to happen after it.
func (c *Client) negotiated(ctx context.Context, l link, do func(*negotiation) (*peer, error)) (*peer, error) {
	n := &negotiation{c: c, link: l, asked: mcp.Newest}
	p, err := do(n)
	if err != nil {
		if c.peer() == nil || n.link != l {
			// Nobody else will close it.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.cfg.CloseTimeout)
			defer cancel()
			err = errors.Join(err, n.link.close(bounded, nil))
		}
		return nil, err
	}
	p.link.settle(p)
	p.link.attend(ctx, p)
	if c.cfg.Profile == mcp.Auto {
		c.target.remember(p.verdict())
	}
	return p, nil
}

// pinned connects with the revision the configuration demands.
func (n *negotiation) pinned(ctx context.Context) (*peer, error) {
	const found = "pinned"
	pin := n.c.cfg.Profile
	if pin.Legacy() {
		return n.initialize(ctx, pin, found)
	}
	return newPeer(n.link, pin, found), nil
}

// resume connects as v says, and finds out anew when v proves wrong.
func (n *negotiation) resume(ctx context.Context, v Verdict) (*peer, error) {
	if v.Profile.Modern() {
		// The first request shows whether it still holds.
		p := newPeer(n.link, v.Profile, v.Found)
		p.know(Server{Info: v.Server, Capabilities: v.Capabilities, Instructions: v.Instructions})
		return p, nil
	}
	p, err := n.initialize(ctx, v.Profile, v.Found)
	if err == nil || ctx.Err() != nil || !disproved(n.link.kind(), err) {
		return p, err
	}
	n.c.log.Info("server does not speak what it did; asking again", "server", n.c.target.String(), "profile", v.Profile, "error", err)
	return n.again(ctx)
}

// again asks a server that was asked, or used, before. If that ended it, it is
// started anew: it may have been for a reason that has nothing to do with
// revisions.
func (n *negotiation) again(ctx context.Context) (*peer, error) {
	if n.link.lost() != nil {
		if err := n.reopen(ctx); err != nil {
			return nil, err
		}
	}
	return n.run(ctx)
}

// disproved reports whether err, of initialize, says that the server does not
// speak the revision, rather than that it could not be reached.
func disproved(on column, err error) bool {
	var fault *mcp.Error
	if errors.Is(err, mcp.ErrEra) || errors.Is(err, mcp.ErrInvalidResponse) || errors.As(err, &fault) {
		return true
	}
	o := outcomeOf(nil, err)
	return on == overPipe && o.exited || on == overHTTP && o.status >= 400 && !undecided(o)
}

// run asks the server what it speaks and does what the table says.
func (n *negotiation) run(ctx context.Context) (*peer, error) {
	for {
		o := n.probe(ctx)
		r, v := judge(o, n.link.kind(), n.c.cfg.Lenient)
		n.c.log.Debug("asked the server what it speaks", "server", n.c.target.String(), "outcome", r.name, "verdict", v.String())
		switch v {
		case isModern:
			p := newPeer(n.link, o.modern(), r.name)
			p.know(discovered(o.found))
			p.proven.Store(true)
			return p, nil
		case correct:
			if n.mend(o) {
				continue
			}
			return nil, n.failure(r, o)
		case legacyNamed:
			return n.fallback(ctx, r, o.legacy())
		case legacyNewest:
			return n.fallback(ctx, r, mcp.NewestLegacy)
		case startOver:
			if err := n.reopen(ctx); err != nil {
				return nil, &NegotiationError{Outcome: r.name, Err: err}
			}
			return n.fallback(ctx, r, mcp.NewestLegacy)
		default:
			return nil, n.failure(r, o)
		}
	}
}

// probe sends server/discover, built by the book: a malformed one would earn an
// error that reads like a verdict.
func (n *negotiation) probe(ctx context.Context) *outcome {
	p := newPeer(n.link, n.asked, "")
	o, err := n.c.compose(p, mcp.MethodDiscover, nil, &callOptions{})
	if err != nil {
		return &outcome{err: err}
	}
	o.opening = true
	bounded := ctx
	if n.link.kind() == overPipe {
		var cancel context.CancelFunc
		bounded, cancel = within(ctx, n.c.cfg.ProbeTimeout, "Config.ProbeTimeout")
		defer cancel()
	}
	a, err := n.link.roundTrip(bounded, p, o)
	out := outcomeOf(a, err)
	out.silent = err != nil && bounded.Err() != nil && ctx.Err() == nil
	if a == nil || a.fault != nil {
		return out
	}
	var found mcp.DiscoverResult
	asks, err := p.era.Result(mcp.MethodDiscover, a.result, &found)
	switch {
	case err != nil:
		out.err = err
	case asks != nil || len(found.SupportedVersions) == 0:
		out.err = fmt.Errorf("%w: it names no revision", mcp.ErrInvalidResponse)
	default:
		out.found, out.versions = &found, found.SupportedVersions
	}
	return out
}

// mend prepares another probe after one of the recognised errors, and reports
// whether there is a way to go on.
func (n *negotiation) mend(o *outcome) bool {
	switch {
	case o.code(mcp.CodeUnsupportedVersion):
		pick := o.modern()
		if pick == mcp.Auto || slices.Contains(n.picked, pick) {
			return false
		}
		n.picked = append(n.picked, pick)
		n.asked = pick
		return true
	case o.code(mcp.CodeHeaderMismatch) && !n.mended:
		// The headers are made from the body, so an intermediary is to blame.
		n.mended = true
		return true
	}
	return false
}

// reopen replaces a link that ended.
func (n *negotiation) reopen(ctx context.Context) error {
	old := n.link
	if err := old.close(ctx, nil); err != nil {
		n.c.log.Debug("closing a connection that ended", "server", n.c.target.String(), "error", err)
	}
	l, err := n.c.target.open(ctx, n.c)
	if err != nil {
		return err
	}
	n.link = l
	return nil
}

// fallback opens a session after a row of the table said so.
func (n *negotiation) fallback(ctx context.Context, r row, offer mcp.Profile) (*peer, error) {
	p, err := n.initialize(ctx, offer, r.name)
	if err != nil {
		return nil, &NegotiationError{Outcome: r.name, Err: err}
	}
	return p, nil
}

// failure says that the table, or what came after it, leaves no way.
func (n *negotiation) failure(r row, o *outcome) error {
	e := &NegotiationError{Outcome: r.name, Err: o.err}
	switch {
	case r.lenient != impossible:
		e.Remedy = "pin the revision with Config.Profile, or set client.Config's Lenient to read this as a legacy server"
	case len(o.versions) > 0 && o.modern() == mcp.Auto:
		e.Err = fmt.Errorf("%w: the server speaks %q, this client %q", mcp.ErrEra, o.versions, versions())
	case o.code(mcp.CodeUnsupportedVersion):
		e.Err = fmt.Errorf("%w: the server refuses %s although it names %q: %w", mcp.ErrEra, n.asked.Version(), o.versions, o.fault)
	}
	return e
}

func versions() []string {
	var all []string
	for _, p := range mcp.Profiles() {
		all = append(all, p.Version())
	}
	return all
}

// initialize opens a session with the revision offered, or the one the server
// answers with where the configuration leaves it open.
func (n *negotiation) initialize(ctx context.Context, offer mcp.Profile, found string) (*peer, error) {
	for {
		n.picked = append(n.picked, offer)
		p, a, err := n.greet(ctx, offer, found)
		if err != nil {
			return nil, fmt.Errorf("initialize: %w", err)
		}
		if a.fault == nil {
			return p, nil
		}
		// A server may refuse and name what it speaks instead (INIT-07).
		o := &outcome{versions: supportedBy(a.fault)}
		next := o.legacy()
		if next == mcp.Auto || n.c.cfg.Profile != mcp.Auto || slices.Contains(n.picked, next) {
			err := wire.For(offer).Failure(mcp.MethodInitialize, a.fault)
			if len(o.versions) > 0 {
				err = fmt.Errorf("%w: offered %s, the server speaks %q: %w", mcp.ErrEra, offer.Version(), o.versions, err)
			}
			return nil, fmt.Errorf("initialize: %w", err)
		}
		offer = next
	}
}

// greet is the handshake itself: initialize, its answer, initialized. A peer is
// returned unless the answer is an error.
func (n *negotiation) greet(ctx context.Context, offer mcp.Profile, found string) (*peer, *answer, error) {
	params := mcp.InitializeParams{ProtocolVersion: offer.Version(), ClientInfo: n.c.cfg.Info, Capabilities: n.c.declared[offer].can}
	first := newPeer(n.link, offer, found)
	o, err := n.c.compose(first, mcp.MethodInitialize, params, &callOptions{})
	if err != nil {
		return nil, nil, err
	}
	o.opening = true
	a, err := n.link.roundTrip(ctx, first, o)
	if err != nil || a.fault != nil {
		return nil, a, err
	}
	var result mcp.InitializeResult
	if _, err := first.era.Result(mcp.MethodInitialize, a.result, &result); err != nil {
		return nil, nil, err
	}
	agreed, ok := mcp.ProfileOf(result.ProtocolVersion)
	switch pin := n.c.cfg.Profile; {
	case !ok || !agreed.Legacy():
		return nil, nil, fmt.Errorf("%w: offered %s, the server answered %q", mcp.ErrEra, offer.Version(), result.ProtocolVersion)
	case pin != mcp.Auto && agreed != pin:
		return nil, nil, fmt.Errorf("%w: Config.Profile pins %s, the server answered %q; pin that, or use mcp.Auto", mcp.ErrEra, pin.Version(), result.ProtocolVersion)
	}
	p := newPeer(n.link, agreed, found)
	p.session = a.session
	p.know(Server{Info: result.ServerInfo, Capabilities: result.Capabilities, Instructions: result.Instructions})
	p.proven.Store(true)
	n.link.settle(p)
	if err := n.link.notify(ctx, p, mcp.NotifyInitialized, nil); err != nil {
		return nil, nil, fmt.Errorf("send initialized: %w", err)
	}
	return p, a, nil
}
