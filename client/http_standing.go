package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

const (
	// standFor is how long connecting waits for a standing stream to open, so that
	// the server has it when the first request comes. A server may well open one
	// and say nothing until it has something to send.
	standFor = 500 * time.Millisecond
	// standTries is how often in a row a standing stream is taken up again without
	// anything new. After that it is left until a request is answered.
	standTries = 8
)

// standing is the stream that the server of a legacy session sends on what
// belongs to no request (L-HTTP-24, L-HTTP-26). A server need not have one. It is
// one goroutine of the link's background.
type standing struct {
	l   *httpLink
	p   *peer
	ctx context.Context //nolint:containedctx // it is the stream's life
	end context.CancelFunc

	pace  pace
	once  sync.Once
	known chan struct{} // closed when the first attempt has come to something
	tired atomic.Bool   // nothing is attempted any more
	open  bool          // it was open before
}

// awaited reports whether there is something to hear on p's standing stream.
func (c *Client) awaited(p *peer) bool {
	if c.cfg.Notify != nil || c.cfg.Elicit != nil || c.cfg.ElicitURL != nil || c.cfg.Sample != nil || c.cfg.Roots != nil {
		return true
	}
	can := p.known().Capabilities
	return can.Tools != nil && can.Tools.ListChanged ||
		can.Prompts != nil && can.Prompts.ListChanged ||
		can.Resources != nil && (can.Resources.ListChanged || can.Resources.Subscribe)
}

// attend opens p's standing stream, if p has one and anything is expected there,
// and ends that of an earlier session. It waits a moment for it to open.
func (l *httpLink) attend(ctx context.Context, p *peer) {
	var s *standing
	if p.manners.streams && !l.deaf.Load() && l.c.awaited(p) {
		s = l.newStanding(p, pace{})
	}
	if old := l.stands.Swap(s); old != nil {
		old.end()
	}
	if s == nil {
		return
	}
	if !l.run(s.run) {
		s.end()
		return
	}
	bounded, cancel := context.WithTimeout(ctx, standFor)
	defer cancel()
	select {
	case <-s.known:
	case <-bounded.Done():
	}
}

func (l *httpLink) newStanding(p *peer, at pace) *standing {
	s := &standing{l: l, p: p, pace: at, known: make(chan struct{})}
	s.ctx, s.end = context.WithCancel(l.life)
	return s
}

// revive starts the stream anew that was given up, since the server answers.
func (l *httpLink) revive(p *peer) {
	old := l.stands.Load()
	if old == nil || old.p != p || !old.tired.Load() {
		return
	}
	s := l.newStanding(p, pace{last: old.pace.last})
	s.open = old.open
	if !l.stands.CompareAndSwap(old, s) || !l.run(s.run) {
		s.end()
	}
}

// run reads the stream, and takes it up again when it ends, until the session
// or the link ends or the server does not want to.
func (s *standing) run() {
	defer s.settle()
	defer s.end()
	for {
		after, err := s.attempt()
		if s.ctx.Err() != nil || errors.Is(err, errNoStream) || s.l.c.cfg.MaxReconnects < 0 {
			return
		}
		log := s.l.c.log
		if s.pace.tries >= standTries && s.l.c.audience.empty() {
			log.Warn("the server's own stream does not come back; it is tried again with the next request", "server", s.l.target.name, "error", err)
			s.tired.Store(true)
			return
		}
		log.Debug("the server's own stream ended", "server", s.l.target.name, "error", err)
		pause := s.pace.pause()
		if s.pace.tries > 0 {
			pause = max(pause, backoff(s.pace.tries))
		}
		s.pace.tries++
		if wait(s.ctx, max(pause, after)) != nil {
			return
		}
	}
}

func (s *standing) settle() { s.once.Do(func() { close(s.known) }) }

// errNoStream says that the server has no standing stream, or no session for it.
var errNoStream = errors.New("the server has no stream of its own")

// attempt opens the stream and reads it to its end. after is how long the server
// asks to be left alone.
func (s *standing) attempt() (after time.Duration, err error) {
	defer s.settle()
	r, err := s.l.openStream(s.ctx, s.l.streamHeader(s.p, s.p.session, s.pace.last))
	var not *notOpened
	switch {
	case errors.As(err, &not) && s.pace.last != "" && (not.status == http.StatusBadRequest || not.status == http.StatusNotFound):
		// It may be the event that the server does not have any more (L-HTTP-48).
		s.pace.last = ""
		return 0, err
	case not != nil && !not.passing():
		return 0, s.refused(not)
	case not != nil:
		return not.after, err
	case err != nil:
		return 0, err
	}
	defer r.release()
	s.l.stood.Store(true)
	if s.open && s.pace.last == "" {
		s.l.c.audience.missed() // nothing says what was sent meanwhile
	}
	s.open = true
	s.settle()
	began := time.Now()
	err = s.read(r)
	if time.Since(began) >= longRetry {
		s.pace.tries = 0 // it is the way of some intermediaries to end streams
	}
	return 0, err
}

// refused reads a refusal. It is normal, and nothing else follows from it
// (HTTP-14, SES-14): a session that is gone shows with the next request. A
// server that never had such a stream is not asked again.
func (s *standing) refused(not *notOpened) error {
	log := s.l.c.log.Debug
	if s.l.stood.Load() {
		log = s.l.c.log.Warn
		if not.status == http.StatusNotFound && s.p.session != "" {
			s.p.forget() // whoever listens does not wait for a request to find out
		}
	} else {
		s.l.deaf.Store(true)
	}
	if not.status == http.StatusUnauthorized || not.status == http.StatusForbidden {
		log = s.l.c.log.Warn
	}
	log("the server refuses a stream of its own", "server", s.l.target.name, "error", not)
	return fmt.Errorf("%w: %w", errNoStream, not)
}

// read hands on what comes until the stream ends.
func (s *standing) read(r *response) error {
	events := sse.NewReader(r.Body, s.l.c.cfg.Limits.Message)
	for {
		e, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return fmt.Errorf("read the stream: %w", err)
		}
		s.pace.note(e)
		if !e.Empty() && e.Type == sse.Message {
			s.message(e.Data)
		}
	}
}

// message takes one text of the server.
func (s *standing) message(text []byte) {
	_, _ = s.l.each(s.p, text, func(m jsonrpc.Message, fault *jsonrpc.Fault) (*answer, error) {
		switch {
		case fault != nil:
			s.strange(fmt.Errorf("%s, which is no message: %w", quoted(text), fault))
		case m.Kind == jsonrpc.Request:
			s.l.asked(s.ctx, s.p, nil, m)
		case m.Kind == jsonrpc.Notification:
			if m.Method == mcp.NotifyCancelled {
				s.l.withdrawn(s.p, m)
			}
			s.l.c.audience.hear(m)
			s.l.c.notice(m)
		default:
			s.strange(fmt.Errorf("an answer to request %s", m.ID)) // L-HTTP-27
		}
		return nil, nil
	})
}

// strange notes what the server should not have sent.
func (s *standing) strange(odd error) {
	s.l.c.log.Warn("server sent what the protocol does not allow", "server", s.l.target.name, "method", http.MethodGet, "error", odd)
}
