package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

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
// pipe it belongs to the connection. It is a record: it owns no goroutine, timer
// or channel.
type session struct {
	// id is what an HTTP client names the session by, empty on a pipe.
	id string
	// era is the negotiated revision.
	era wire.Era
	// info and capabilities are what the client said at initialize, encoded.
	info, capabilities []byte
	// principal is who opened the session, and the only one who may use it.
	principal string
	// maxInFlight is how many calls may run at once.
	maxInFlight int

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
}

// newSession makes a session with copies of what the client said, since the
// message it stood in is not kept.
func newSession(era wire.Era, client caller, maxInFlight int) *session {
	return &session{
		era:          era,
		info:         bytes.Clone(client.info),
		capabilities: bytes.Clone(client.capabilities),
		principal:    client.principal,
		maxInFlight:  maxInFlight,
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
		case len(st.calls) >= s.maxInFlight:
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

// end cancels what is in flight and lets nothing begin any more.
func (s *session) end() {
	s.update(func(st *sessionState) {
		st.ended = true
		for _, cancel := range st.calls {
			cancel(errSessionEnded)
		}
	})
}

func (s *session) busy() bool {
	busy := false
	s.update(func(st *sessionState) { busy = len(st.calls) > 0 })
	return busy
}

// sessions are the sessions of HTTP clients, by id. Sessions that nobody uses
// end by a sweep whenever the store is used, and the one unused for longest when
// there is no more room. It is safe for concurrent use.
type sessions struct {
	max  int
	idle time.Duration

	mu   sync.Mutex
	byID map[string]*session
	// newest and oldest are the ends of a list of every session, by last use.
	newest, oldest *session
}

func newSessions(cfg SessionConfig) *sessions {
	return &sessions{max: cfg.Max, idle: cfg.Idle, byID: make(map[string]*session)}
}

// open gives s an id and keeps it. It fails with errSessionsFull when there is
// no room, and none can be made.
func (t *sessions) open(s *session) error {
	s.id = rand.Text() // 130 bits, letters and digits (L-HTTP-51)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	if len(t.byID) >= t.max && !t.evict() {
		return errSessionsFull
	}
	t.byID[s.id] = s
	t.link(s)
	return nil
}

// find returns the session with this id if it is principal's, and nil if there
// is none: a stranger learns nothing about it (SES-07).
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	s := t.byID[id]
	if s == nil || s.principal != principal {
		return nil
	}
	t.touch(s)
	return s
}

// use notes that s was used, when it is still kept.
func (t *sessions) use(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] == s {
		t.touch(s)
	}
}

// remove ends the session with this id if it is principal's, and reports
// whether there was one.
func (t *sessions) remove(id, principal string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	s := t.byID[id]
	if s == nil || s.principal != principal {
		return false
	}
	t.drop(s)
	return true
}

// clear ends every session.
func (t *sessions) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.byID {
		t.drop(s)
	}
}

func (t *sessions) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

func (t *sessions) touch(s *session) {
	t.unlink(s)
	t.link(s)
}

func (t *sessions) drop(s *session) {
	delete(t.byID, s.id)
	t.unlink(s)
	s.end()
}

// link makes s the one used last.
func (t *sessions) link(s *session) {
	s.used, s.newer, s.older = time.Now(), nil, t.newest
	if t.newest != nil {
		t.newest.newer = s
	} else {
		t.oldest = s
	}
	t.newest = s
}

func (t *sessions) unlink(s *session) {
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		t.newest = s.older
	}
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		t.oldest = s.newer
	}
}

// sweep ends sessions that were idle for too long. Each step drops a session or
// makes a busy one the newest, so that it ends.
func (t *sessions) sweep() {
	now := time.Now()
	for s := t.oldest; s != nil && now.Sub(s.used) >= t.idle; s = t.oldest {
		if s.busy() {
			t.touch(s)
		} else {
			t.drop(s)
		}
	}
}

// evict ends the session unused for longest, passing over busy ones.
func (t *sessions) evict() bool {
	for s := t.oldest; s != nil; s = s.newer {
		if !s.busy() {
			t.drop(s)
			return true
		}
	}
	return false
}
