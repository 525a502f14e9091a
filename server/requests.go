package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// askedPerCall is how many questions may be open in a session for each call
// that may run in it.
const askedPerCall = 4

// retractTimeout bounds telling a client that it need not answer any more.
const retractTimeout = 5 * time.Second

var (
	errTooManyAsked = errors.New("too many requests wait for the client's answer")
	// errUnanswered ends the wait for an answer that does not come.
	errUnanswered = errors.New("the client did not answer in time")
)

// mute is the requester of exchanges whose client cannot be asked (CON-02).
type mute struct{ why string }

var (
	muteJSON      = &mute{"its request accepts no event stream to ask on"}
	muteStateless = &mute{"it has no session, so that nothing says which answer is whose"}
	muteNotified  = &mute{"it is asked within its own requests alone"}
)

func (m *mute) request(_ context.Context, method string, _ []byte) (jsonrpc.Message, error) {
	return jsonrpc.Message{}, fmt.Errorf("ask for %s: %w: %s", method, mcp.ErrCannotAsk, m.why)
}

// request sends a request of the server's by out, and blocks for the response;
// see [requester]. call is the context of the client's request that it belongs to:
// after its end nothing is asked, whatever ctx is (CAN-05). What the client's
// roots are is asked once, as long as the client tells of changes.
func (s *session) request(ctx, call context.Context, out sink, method string, params []byte) (jsonrpc.Message, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(call, func() { cancel(context.Cause(call)) })()
	if call.Err() != nil {
		cancel(context.Cause(call)) // and what AfterFunc does takes a moment
	}
	if ctx.Err() != nil {
		return jsonrpc.Message{}, unasked(ctx, method)
	}
	if method != mcp.MethodRootsList {
		return s.ask(ctx, out, method, params)
	}
	roots, edition := s.roots()
	if roots != nil {
		return jsonrpc.Message{Kind: jsonrpc.Response, Result: roots}, nil
	}
	m, err := s.ask(ctx, out, method, params)
	if err == nil && m.Error == nil {
		s.keepRoots(m.Result, edition)
	}
	return m, err
}

// ask sends a request and blocks for the response. Ids are the session's: no two
// of its streams use the same (SES-09).
func (s *session) ask(ctx context.Context, out sink, method string, params []byte) (jsonrpc.Message, error) {
	ctx, stop := context.WithTimeoutCause(ctx, s.cfg.AnswerTimeout, errUnanswered)
	defer stop()
	answer := make(chan jsonrpc.Message, 1)
	id, err := s.expect(answer)
	if err != nil {
		return jsonrpc.Message{}, fmt.Errorf("ask for %s: %w: %w", method, mcp.ErrCannotAsk, err)
	}
	if err := out.send(ctx, jsonrpc.AppendRequest(nil, id, method, params)); err != nil {
		s.forget(id)
		return jsonrpc.Message{}, fmt.Errorf("ask for %s: %w: %w", method, mcp.ErrCannotAsk, err)
	}
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
		if !s.forget(id) {
			return <-answer, nil // it won the race
		}
		s.retract(ctx, out, id)
		return jsonrpc.Message{}, unasked(ctx, method)
	}
}

// unasked is the error of a request that ctx ended.
func unasked(ctx context.Context, method string) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("ask for %s: %w: %w", method, ctx.Err(), cause)
	}
	return fmt.Errorf("ask for %s: %w", method, ctx.Err())
}

// retract tells the client that nobody waits for its answer any more (CAN-01). A
// session that ended says nothing.
func (s *session) retract(ctx context.Context, out sink, id jsonrpc.ID) {
	if errors.Is(context.Cause(ctx), errSessionEnded) {
		return
	}
	p := mcp.CancelledParams{RequestID: []byte(id.String()), Reason: "the answer is not needed any more"}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		p.Reason = "there was no answer in time"
	}
	msg, ok, err := s.era.AppendNotification(nil, mcp.NotifyCancelled, &p)
	if err != nil || !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), retractTimeout)
	defer cancel()
	_ = out.send(ctx, msg) // a client that is gone need not be told
}

// expect enters a request of the server's, and returns its id. The answer comes
// on answer, which has room for it.
func (s *session) expect(answer chan<- jsonrpc.Message) (jsonrpc.ID, error) {
	var (
		id  jsonrpc.ID
		err error
	)
	s.update(func(st *sessionState) {
		switch {
		case st.ended:
			err = errSessionEnded
		case len(st.asked) >= askedPerCall*s.cfg.MaxInFlight:
			err = errTooManyAsked
		default:
			if st.asked == nil {
				st.asked = make(map[jsonrpc.ID]chan<- jsonrpc.Message)
			}
			st.lastAsked++
			id = jsonrpc.IntID(st.lastAsked)
			st.asked[id] = answer
		}
	})
	return id, err
}

// forget gives up the wait for an answer, and reports whether there was none
// yet.
func (s *session) forget(id jsonrpc.ID) bool {
	waited := false
	s.update(func(st *sessionState) {
		_, waited = st.asked[id]
		st.unask(id)
	})
	return waited
}

func (st *sessionState) unask(id jsonrpc.ID) {
	delete(st.asked, id)
	if len(st.asked) == 0 {
		st.asked = nil
	}
}

// answered takes a response of the client's. One that nobody waits for is
// ignored, be it late or made up (CAN-07).
func (s *session) answered(m jsonrpc.Message) {
	var answer chan<- jsonrpc.Message
	s.update(func(st *sessionState) {
		answer = st.asked[m.ID]
		st.unask(m.ID)
	})
	if answer == nil {
		return
	}
	// The text it was read from is not kept.
	m.Result = bytes.Clone(m.Result)
	if m.Error != nil {
		m.Error.Data = bytes.Clone(m.Error.Data)
	}
	answer <- m // has room for one, and gets one
}
