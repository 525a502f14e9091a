package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Client is a handle on a server, made by [Connect]. All methods are safe for
// concurrent use, and none may be called on a nil Client. A Client over HTTP
// that has no request in flight costs no goroutine, or one while a legacy server
// has a stream of its own. Close it when it is no
// longer needed.
type Client struct {
	cfg    Config
	target Target
	log    *slog.Logger
	self   wire.Self // what every request says about this client
	// declared is what each revision is told that this client can be asked for.
	declared map[mcp.Profile]*declaration
	asking   chan struct{} // a place for each question of a legacy server
	tokens   atomic.Int64
	tools    toolbox
	// complaints are the kinds of misbehaviour that were warned of.
	complaints complaints
	audience   audience // of what a session is told

	// closing ends when Close begins; its cause is mcp.ErrClosed.
	closing context.Context //nolint:containedctx // it is the client's life, not a call's
	stop    context.CancelCauseFunc
	close   func() error

	mu sync.Mutex
	s  state // only through update
}

// state is what changes in the life of a Client.
type state struct {
	peer    *peer
	renewal *renewal // in progress, or nil
	closed  bool
	running int                 // requests in flight, questions and renewals
	clocks  map[*clock]struct{} // of requests in flight
	idle    chan struct{}       // closed when running falls to 0 after Close
}

// update is the only door to the state.
func (c *Client) update(f func(s *state)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

func newClient(target Target, cfg Config) (*Client, error) {
	info, err := jsonx.Marshal(cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("client.Config: Info: %w", err)
	}
	c := &Client{cfg: cfg, target: target, log: cfg.Logger, self: wire.Self{Info: info}}
	c.tools.limit = cfg.Limits.Entries
	if c.declared, err = declarations(cfg.capabilities()); err != nil {
		return nil, err
	}
	c.asking = make(chan struct{}, cfg.Limits.Questions)
	c.s.idle = make(chan struct{})
	c.s.clocks = map[*clock]struct{}{}
	c.closing, c.stop = context.WithCancelCause(context.Background())
	c.close = sync.OnceValue(c.shutdown)
	return c, nil
}

// enter counts something that runs. It fails once the client is closed.
func (c *Client) enter() error {
	var err error
	c.update(func(s *state) {
		if s.closed {
			err = fmt.Errorf("client is %w", mcp.ErrClosed)
			return
		}
		s.running++
	})
	return err
}

func (c *Client) leave() {
	c.update(func(s *state) {
		s.running--
		if s.closed && s.running == 0 {
			close(s.idle)
		}
	})
}

// peer is the server as it is known now.
func (c *Client) peer() *peer {
	var p *peer
	c.update(func(s *state) { p = s.peer })
	return p
}

// Server is what is known about the server.
func (c *Client) Server() Server { return c.peer().known() }

// Verdict is what negotiation found out, to be kept and given to a later
// connection as Config.Prior.
func (c *Client) Verdict() Verdict { return c.peer().verdict() }

// Close ends the session, closes the connection or stops the child process,
// and waits for all that the client started. Requests in flight fail with an
// error that matches mcp.ErrClosed. Close takes no longer than
// Config.CloseTimeout, and then says what is left; it must not be called from a
// callback of a request. It may be called any number of times, by anyone: all
// calls return the same error when the first has ended.
func (c *Client) Close() error { return c.close() }

func (c *Client) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.CloseTimeout)
	defer cancel()
	var p *peer
	var idle chan struct{}
	c.update(func(s *state) {
		s.closed = true
		p, idle = s.peer, s.idle
		if s.running == 0 {
			close(s.idle)
		}
	})
	c.stop(fmt.Errorf("client was %w", mcp.ErrClosed))
	var errs []error
	select {
	case <-idle:
	case <-ctx.Done():
		var left int
		c.update(func(s *state) { left = s.running })
		errs = append(errs, fmt.Errorf("%d requests did not end within %v (Config.CloseTimeout); does a callback block?", left, c.cfg.CloseTimeout))
	}
	// A renewal may have replaced the peer while it ended.
	c.update(func(s *state) { p = s.peer })
	if p != nil {
		errs = append(errs, p.link.close(ctx, p))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close client of %s: %w", c.target, err)
	}
	return nil
}

// renewal is one attempt to replace the peer, shared by all that wait for it.
type renewal struct {
	done chan struct{}
	peer *peer
	err  error
}

// renew replaces old, whose session is lost or whose profile proved wrong, and
// returns its successor. However many ask at once, one attempt is made (SES-02).
func (c *Client) renew(ctx context.Context, old *peer) (*peer, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	var r *renewal
	var current *peer
	mine := false
	c.update(func(s *state) {
		if s.peer != old {
			current = s.peer
			return
		}
		if s.renewal == nil {
			s.renewal, mine = &renewal{done: make(chan struct{})}, true
		}
		r = s.renewal
	})
	if mine {
		go c.runRenewal(r, old) //nolint:gosec // the session is for all callers, not for the one that noticed
	} else {
		c.leave()
	}
	if current != nil {
		return current, nil
	}
	select {
	case <-r.done:
		return r.peer, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// runRenewal owns the count that renew entered. It belongs to the client, not
// to the request that was first to notice.
func (c *Client) runRenewal(r *renewal, old *peer) {
	defer c.leave()
	ctx, cancel := within(c.closing, c.cfg.ConnectTimeout, "Config.ConnectTimeout")
	defer cancel()
	r.peer, r.err = c.reestablish(ctx, old)
	if r.err != nil {
		r.err = fmt.Errorf("connect again: %w", ended(context.Background(), ctx, r.err))
	} else if err := c.level(ctx, r.peer, old.leveled()); err != nil {
		c.log.Warn("new session does not have the log level of the lost one", "server", c.target.String(), "error", err) // SES-02
	}
	c.update(func(s *state) {
		s.renewal = nil
		if r.err == nil {
			s.peer = r.peer
		}
	})
	if r.err == nil {
		close(old.replaced)
	}
	close(r.done)
}

// within bounds ctx by d, which errors call limit.
func within(ctx context.Context, d time.Duration, limit string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, &timeoutError{limit: limit, after: d})
}
