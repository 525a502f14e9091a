package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// changeSource is what a session was told of the server's changes and has not
// sent: states to look at again, and no queue of messages.
type changeSource interface {
	// next is the next notification to send, whole, and nil when there is none. It
	// is called by one goroutine at a time, and must not block.
	next() []byte
	// start has the session told from now on, stop nevermore, whichever comes first.
	start()
	stop()
}

// An outlet carries what the server says in a session on its own: an open GET
// stream, or the pipe. A session has one at a time, the one attached last.
type outlet struct {
	sess *session
	// out sends a message, and fails when the client is gone. The error wraps
	// errKept when the message reaches a client that comes back all the same.
	out sink
	// pings sends what means nothing to a client that comes back.
	pings sink
	// comment is called once every keepAlive; 0 is never.
	keepAlive time.Duration
	comment   func() error
	// standing is how long the client may be told anything.
	standing standing

	// wake has one when there may be something to send, gone is closed when the
	// session lets go of the outlet, done when nothing uses it any more.
	wake, gone, done chan struct{}
}

func newOutlet(sess *session, out, pings sink) *outlet {
	return &outlet{sess: sess, out: out, pings: pings, wake: make(chan struct{}, 1), gone: make(chan struct{}), done: make(chan struct{})}
}

// attach makes o the session's outlet, and waits until the one before it has
// sent what it was sending, since what a client reads must not have gaps. It
// fails when the session or ctx has ended. Whoever attached an outlet detaches
// it, also when that failed.
func (s *session) attach(ctx context.Context, o *outlet) error {
	var (
		before *outlet
		err    error
	)
	s.update(func(st *sessionState) {
		if st.ended {
			err = errSessionEnded
			return
		}
		before, st.outlet = st.outlet, o
		if before != nil {
			close(before.gone)
		}
	})
	o.poke()
	if before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// detach lets go of o, if the session still has it.
func (s *session) detach(o *outlet) {
	close(o.done)
	s.update(func(st *sessionState) {
		if st.outlet == o {
			st.outlet = nil
		}
	})
}

// notify tells the session's outlet to look for something to send. It does
// nothing when there is no outlet: the next one looks first of all.
func (s *session) notify() {
	var o *outlet
	s.update(func(st *sessionState) { o = st.outlet })
	if o != nil {
		o.poke()
	}
}

func (o *outlet) poke() {
	select {
	case o.wake <- struct{}{}:
	default: // it is awake
	}
}

// tell sends a notification, encoded, beside the session's requests. It waits,
// with a bounded number of others, until there is an outlet and the client has
// said that it is ready. Requests never wait like that: they would be asked long
// after anybody remembers why.
func (s *session) tell(notification []byte) {
	s.update(func(st *sessionState) {
		if st.ended {
			return
		}
		st.backlog = append(st.backlog, notification)
		if len(st.backlog) > s.cfg.Backlog {
			st.backlog[0] = nil
			st.backlog = st.backlog[1:]
		}
	})
	s.notify()
}

// next is what o has to send next, nil when there is nothing, o is not the
// outlet any more, or the client is not ready (INIT-10).
func (s *session) next(o *outlet) []byte {
	var (
		msg   []byte
		ready bool
	)
	s.update(func(st *sessionState) {
		ready = st.initialized && st.outlet == o
		if ready && len(st.backlog) > 0 {
			msg = st.backlog[0]
			st.backlog[0] = nil
			if st.backlog = st.backlog[1:]; len(st.backlog) == 0 {
				st.backlog = nil
			}
		}
	})
	if msg == nil && ready && s.changes != nil {
		msg = s.changes.next()
	}
	return msg
}

// untell puts back what could not be sent, in front of everything else.
func (s *session) untell(notification []byte) {
	s.update(func(st *sessionState) {
		if !st.ended && len(st.backlog) < s.cfg.Backlog {
			st.backlog = append([][]byte{notification}, st.backlog...)
		}
	})
}

var (
	// errNoPong ends an outlet whose client does not answer pings.
	errNoPong = errors.New("the client answers no ping")
	// errLapsed ends an outlet whose client may not be told anything any more.
	errLapsed = errors.New("the client's credentials do not hold any more")
)

// run sends what the session has to say until the session lets go of the outlet
// or ctx ends, which is no error. Errors say that the client is gone.
func (o *outlet) run(ctx context.Context) error {
	quiet, stopQuiet := ticker(o.keepAlive)
	defer stopQuiet()
	due, stopPings := ticker(o.sess.cfg.Ping)
	defer stopPings()
	lapsed, stopLapse := o.standing.ends()
	defer stopLapse()
	pings := pinger{o: o, due: due, pongs: make(chan jsonrpc.Message, missedPings)}
	defer pings.forget()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-o.gone:
			return nil
		case <-lapsed:
			return nil
		case <-o.wake:
			err = o.drain(ctx)
		case <-quiet:
			err = o.comment()
		case <-pings.due:
			err = pings.ping(ctx)
		case m := <-pings.pongs:
			pings.heard(m)
		}
		if err != nil {
			return err
		}
	}
}

// ticker ticks every period; never, when it is zero.
func ticker(period time.Duration) (ticks <-chan time.Time, stop func()) {
	if period <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(period)
	return t.C, t.Stop
}

// drain sends everything that the session has to say now.
func (o *outlet) drain(ctx context.Context) error {
	for {
		if !o.standing.holds() {
			return errLapsed
		}
		msg := o.sess.next(o)
		if msg == nil {
			return nil
		}
		if err := o.out.send(ctx, msg); err != nil {
			if !errors.Is(err, errKept) {
				o.sess.untell(msg)
			}
			return err
		}
	}
}

// missedPings is how many pings in a row may go unanswered.
const missedPings = 3

// A pinger asks the client of an outlet whether it is there. Every answer says
// yes, one to an earlier ping too; one that says that there is no such method
// ends the questions (CON-13).
type pinger struct {
	o     *outlet
	due   <-chan time.Time
	pongs chan jsonrpc.Message
	// open are the pings without an answer.
	open []jsonrpc.ID
}

func (p *pinger) ping(ctx context.Context) error {
	if len(p.open) == missedPings {
		return fmt.Errorf("%w: the last %d had none", errNoPong, missedPings)
	}
	id, err := p.o.sess.expect(p.pongs)
	if err != nil {
		return nil //nolint:nilerr // the session ends, or has more than enough to ask
	}
	p.open = append(p.open, id)
	return p.o.pings.send(ctx, jsonrpc.AppendRequest(nil, id, mcp.MethodPing, nil))
}

func (p *pinger) heard(m jsonrpc.Message) {
	p.forget()
	if m.Error != nil && m.Error.Code == int64(mcp.CodeMethodNotFound) {
		p.due = nil
	}
}

// forget waits for no answer any more.
func (p *pinger) forget() {
	for _, id := range p.open {
		p.o.sess.forget(id)
	}
	p.open = p.open[:0]
}
