package client

import (
	"context"

	"github.com/diglot-mcp/diglot/mcp"
)

// watches is the resources that a session is subscribed to, and for how many
// subscriptions of the application (RES-08). It is safe for concurrent use.
type watches struct {
	// gate holds a token while a request is under way, so that the server hears of
	// one resource in the order in which it was wanted.
	gate chan struct{}
	n    map[string]int
}

func newWatches() *watches {
	return &watches{gate: make(chan struct{}, 1), n: map[string]int{}}
}

func (w *watches) lock(ctx context.Context) error {
	select {
	case w.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *watches) unlock() { <-w.gate }

// watch subscribes p's session to uri, unless it is. A refusal is the first
// result.
func (c *Client) watch(ctx context.Context, p *peer, uri string) (refused *mcp.Error, err error) {
	w := p.watches
	if err := w.lock(ctx); err != nil {
		return nil, err
	}
	defer w.unlock()
	if w.n[uri] == 0 {
		refused, err = c.tellOf(ctx, p, mcp.MethodResourcesSubscribe, uri)
	}
	if refused == nil && err == nil {
		w.n[uri]++
	}
	return refused, err
}

// unwatch ends what watch began, when it was for the last subscription.
func (c *Client) unwatch(ctx context.Context, p *peer, uri string) error {
	w := p.watches
	if err := w.lock(ctx); err != nil {
		return err
	}
	defer w.unlock()
	if w.n[uri]--; w.n[uri] > 0 {
		return nil
	}
	delete(w.n, uri)
	refused, err := c.tellOf(ctx, p, mcp.MethodResourcesUnsubscribe, uri)
	if refused != nil {
		err = refused
	}
	return err
}

func (c *Client) tellOf(ctx context.Context, p *peer, method, uri string) (refused *mcp.Error, err error) {
	o, err := c.compose(p, method, mcp.SubscribeParams{URI: uri}, &callOptions{})
	if err != nil {
		return nil, err
	}
	a, err := p.link.roundTrip(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return a.fault, nil
}
