package server

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Causes a call's context is cancelled with, and reasons a call is not begun.
var (
	errCancelled    = errors.New("cancelled by the client")
	errLingered     = errors.New("the client disconnected, and did not wait for the reply")
	errSessionEnded = errors.New("the session ended")
	errSessionsFull = errors.New("every session is in use")
	errSessionBusy  = errors.New("too many requests in flight")
	errIDInFlight   = errors.New("a request with this id is in flight")
)

// A session is what a client of a legacy revision and the server agreed on at
// initialize, until one of them ends it. On HTTP it lives in a [sessions]; on a
// pipe it belongs to the connection. It is a record: while nothing happens in it,
// it owns no goroutine, timer or channel.
type session struct {
	// id is what an HTTP client names the session by, empty on a pipe.
	id string
	// era is the negotiated revision.
	era wire.Era
	// info and capabilities are what the client said at initialize, encoded.
	info, capabilities []byte
	// principal is who opened the session, and the only one who may use it.
	principal string
	// cfg bounds what may happen in the session.
	cfg *SessionConfig
	// changes is where the session's stream gets what the session was told of the
	// server's changes; nil when it is told of none. It is set before the session
	// is used.
	changes changeSource

	// used, newer and older belong to the store, under its lock.
	used         time.Time
	newer, older *session

	mu    sync.Mutex
	state sessionState
}

// sessionState is the part of a session that changes. It is reached through
// [session.update] alone.
type sessionState struct {
	// level is the least severe log level the client wants.
	level mcp.LogLevel
	// initialized: the client said that it is ready. Only what the server begins
	// on its own waits for it; requests are served without (SES-15).
	initialized bool
	// ended: nothing may begin any more.
	ended bool
	// calls are the requests in flight, by their id in its plainest spelling.
	calls map[string]context.CancelCauseFunc

	// asked are the requests of the server's that the client has not answered;
	// lastAsked is the id of the last one.
	asked     map[jsonrpc.ID]chan<- jsonrpc.Message
	lastAsked int64

	// outlet is what carries what the server says on its own, nil when nothing
	// does; backlog waits for it.
	outlet  *outlet
	backlog [][]byte

	// tracks are the streams of requests that the client may come back to, and
	// that have not ended; lastTrack is the number of the last one.
	tracks    map[int64]*track
	lastTrack int64
	// beside is the number of the last event on the stream beside the requests.
	beside int64
	// stored: there are events of this session in the store.
	stored bool

	// roots are the client's roots, encoded, nil when they are not known; with
	// each edition there may be others.
	roots        []byte
	rootsEdition int64
}

// newSession makes a session with copies of what the client said, since the
// message it stood in is not kept.
func newSession(era wire.Era, client caller, cfg *SessionConfig) *session {
	return &session{
		era:          era,
		info:         bytes.Clone(client.info),
		capabilities: bytes.Clone(client.capabilities),
		principal:    client.principal,
		cfg:          cfg,
		state:        sessionState{level: mcp.LevelInfo}, // LOG-08
	}
}

// update is the one door to the session's state. fn must not block.
func (s *session) update(fn func(*sessionState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.state)
}

// caller is who a request of this session comes from.
func (s *session) caller() caller {
	c := caller{info: s.info, capabilities: s.capabilities, principal: s.principal}
	s.update(func(st *sessionState) { c.logLevel = st.level })
	return c
}

// begin enters a request, so that it can be cancelled by its id and by the end
// of the session. The caller ends it with [session.finish].
func (s *session) begin(ctx context.Context, id string) (context.Context, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var err error
	s.update(func(st *sessionState) {
		switch {
		case st.ended:
			err = errSessionEnded
		case len(st.calls) >= s.cfg.MaxInFlight+len(st.asked):
			// Each question makes room for a call: the client may need one before it
			// can answer (CON-01).
			err = errSessionBusy
		case st.calls[id] != nil:
			err = errIDInFlight // it could not be cancelled (L-RPC-03)
		default:
			if st.calls == nil {
				st.calls = make(map[string]context.CancelCauseFunc)
			}
			st.calls[id] = cancel
		}
	})
	if err != nil {
		cancel(err)
		return nil, err
	}
	return ctx, nil
}

// finish ends what begin began, and releases its context.
func (s *session) finish(id string) {
	s.update(func(st *sessionState) {
		if cancel := st.calls[id]; cancel != nil {
			cancel(context.Canceled)
			delete(st.calls, id)
		}
	})
}

// abort cancels the request in flight with this id; there may be none (CAN-06).
func (s *session) abort(id string, cause error) {
	s.update(func(st *sessionState) {
		if cancel := st.calls[id]; cancel != nil {
			cancel(cause)
		}
	})
}

// opened makes the session one that is kept, and told of changes from now on.
func (s *session) opened() {
	if s.changes != nil {
		s.changes.start()
	}
}

// end cancels what is in flight, lets go of the session's streams, and lets
// nothing begin any more.
func (s *session) end() {
	var stored bool
	s.update(func(st *sessionState) {
		st.ended = true
		for _, cancel := range st.calls {
			cancel(errSessionEnded)
		}
		if st.outlet != nil {
			close(st.outlet.gone)
			st.outlet = nil
		}
		st.backlog = nil
		stored = st.stored
	})
	if s.changes != nil {
		s.changes.stop()
	}
	if stored {
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		// What a store cannot forget now it lets go of in its own time.
		_ = s.cfg.Events.Forget(ctx, s.id)
	}
}

// busy reports whether calls are in flight, and whether a stream is open beside
// them.
func (s *session) busy() (calls, open bool) {
	s.update(func(st *sessionState) { calls, open = len(st.calls) > 0, st.outlet != nil })
	return calls, open
}
