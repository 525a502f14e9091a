package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// declaration is what a client says it can be asked for, in one revision.
type declaration struct {
	can mcp.ClientCapabilities
	raw []byte // can, encoded
}

// capabilities is what c can be asked for: exactly what it has handlers for
// (CAP-08 to CAP-11, M-ELI-001, M-SAM-001, M-ROOT-001).
func (c Config) capabilities() mcp.ClientCapabilities {
	var can mcp.ClientCapabilities
	if c.Roots != nil {
		can.Roots = &mcp.RootsCapability{ListChanged: true}
	}
	if c.Sample != nil {
		can.Sampling = &mcp.SamplingCapability{}
		if c.SampleTools {
			can.Sampling.Tools = &mcp.Settings{}
		}
	}
	if c.Elicit != nil || c.ElicitURL != nil {
		can.Elicitation = &mcp.ElicitationCapability{}
		if c.Elicit != nil {
			can.Elicitation.Form = &mcp.Settings{}
		}
		if c.ElicitURL != nil {
			can.Elicitation.URL = &mcp.Settings{}
		}
	}
	return can
}

// declare is can as a revision can express it.
func declare(era wire.Era, can mcp.ClientCapabilities) (*declaration, error) {
	d := &declaration{can: era.ClientCapabilities(can)}
	var err error
	if d.raw, err = jsonx.Marshal(d.can); err != nil {
		return nil, fmt.Errorf("client capabilities: %w", err)
	}
	return d, nil
}

// declarations are those of all revisions, made once.
func declarations(can mcp.ClientCapabilities) (map[mcp.Profile]*declaration, error) {
	all := map[mcp.Profile]*declaration{}
	for _, p := range mcp.Profiles() {
		d, err := declare(wire.For(p), can)
		if err != nil {
			return nil, err
		}
		all[p] = d
	}
	return all, nil
}

// RootsChanged tells the server that what Config.Roots returns has changed, so
// that it may ask again (legacy revisions, notifications/roots/list_changed). In
// revisions where roots are asked for within a request nothing is sent. It
// blocks until the notification is written, at most for Config.Timeout.
func (c *Client) RootsChanged(ctx context.Context) error {
	if err := c.rootsChanged(ctx); err != nil {
		return fmt.Errorf("announce changed roots: %w", err)
	}
	return nil
}

func (c *Client) rootsChanged(ctx context.Context) error {
	if c.cfg.Roots == nil {
		return errors.New("Config.Roots is nil, so the server was told that there are none")
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	p := c.peer()
	if !p.era.Serves(mcp.NotifyRootsListChanged) {
		return nil
	}
	bounded, cancel := within(ctx, c.cfg.Timeout, "Config.Timeout")
	defer cancel()
	if err := p.link.notify(bounded, p, mcp.NotifyRootsListChanged, nil); err != nil {
		return ended(ctx, bounded, err)
	}
	return nil
}
