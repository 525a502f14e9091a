package server

import (
	"bytes"
	"context"
	"runtime/debug"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// keptRoots is how large the roots of a client may be to be kept, in bytes.
const keptRoots = 16 << 10

// hookTimeout bounds the context of [SessionConfig].RootsChanged.
const hookTimeout = 30 * time.Second

// roots are the client's roots as it last said them, encoded; nil when they have
// to be asked for. Whoever asks passes the edition on to keepRoots.
func (s *session) roots() (raw []byte, edition int64) {
	s.update(func(st *sessionState) { raw, edition = st.roots, st.rootsEdition })
	return bytes.Clone(raw), edition
}

// keepRoots keeps what the client answered (ROOT-07), unless it does not tell of
// changes, has told of one since edition, or there are very many.
func (s *session) keepRoots(raw []byte, edition int64) {
	told := lookup(lookup(s.capabilities, "roots"), "listChanged")
	if string(told) != "true" || len(raw) > keptRoots {
		return
	}
	s.update(func(st *sessionState) {
		if st.rootsEdition == edition && !st.ended {
			st.roots = bytes.Clone(raw)
		}
	})
}

// heard takes a message of a session's client that has no reply. Most
// notifications say nothing to a server, and what is wrong with one is ignored
// (RPC-12).
func (s *Server) heard(sess *session, m jsonrpc.Message) {
	if m.Kind == jsonrpc.Response {
		sess.answered(m)
		return
	}
	switch m.Method {
	case mcp.NotifyInitialized:
		sess.update(func(st *sessionState) { st.initialized = true })
		sess.notify()
	case mcp.NotifyCancelled:
		if id, ok := cancelledID(m.Params); ok {
			sess.abort(id.Key().String(), errCancelled)
		}
	case mcp.NotifyRootsListChanged:
		sess.update(func(st *sessionState) {
			st.roots = nil
			st.rootsEdition++
		})
		s.rootsChanged(sess)
	}
}

// rootsChanged calls the hook, on a goroutine of its own, since the hook might
// end it.
func (s *Server) rootsChanged(sess *session) {
	hook := s.cfg.Session.RootsChanged
	if hook == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookTimeout)
	defer cancel()
	x := &exchange{
		era: sess.era, method: mcp.NotifyRootsListChanged, caller: sess.caller(),
		session: sess, peer: muteNotified, server: s, catalog: s.catalog.Load(),
	}
	r := &running{Context: ctx, call: Call{x: x, ctx: ctx}}
	x.call = &r.call
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if value := recover(); value != nil {
				s.cfg.Logger.Error("RootsChanged panicked", "panic", value, "stack", string(debug.Stack()))
			}
		}()
		hook(r)
	}()
	<-done
}
