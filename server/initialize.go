package server

import (
	"context"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// sessionMethods are the methods of revisions that keep a session.
func (s *Server) sessionMethods() map[string]method {
	return map[string]method{
		mcp.MethodInitialize: {run: s.initialize},
		mcp.MethodPing:       {run: ping},
		mcp.MethodSetLevel:   {run: setLevel},
	}
}

// urgent reports whether the method must be answered whatever else runs: none of
// them waits for anything (PING-01, CON-16).
func urgent(method string) bool {
	return method == mcp.MethodPing || method == mcp.MethodSetLevel || method == mcp.MethodInitialize
}

// initialize agrees on a revision and leaves the session on the exchange; the
// transport keeps it if the reply is no failure. Initialize without any of its
// three members is refused (INIT-01).
func (s *Server) initialize(_ context.Context, x *exchange) (any, error) {
	var p mcp.InitializeParams
	if err := wire.DecodeParams(&x.params, &p); err != nil {
		return nil, err
	}
	x.era = wire.For(s.negotiate(p.ProtocolVersion))
	x.caller.info, _ = jsonx.Lookup(x.params.Raw, "clientInfo")
	x.caller.capabilities, _ = jsonx.Lookup(x.params.Raw, "capabilities")
	r := s.initializeResult(x)
	x.session = newSession(x.era, x.caller, &s.cfg.Session)
	if !x.passing {
		x.session.changes = s.newFeed(x.session, &r.Capabilities)
	}
	return r, nil
}

// negotiate is the revision a client that offers version gets: that one if it is
// spoken here and opens with initialize, else the newest that does (INIT-04,
// INIT-05). Unknown versions enable nothing (HTTP-17).
func (s *Server) negotiate(version string) mcp.Profile {
	if p, ok := mcp.ProfileOf(version); ok && p.Legacy() && slices.Contains(s.speaks(), p) {
		return p
	}
	return s.newestLegacy()
}

// newestLegacy is the newest revision with sessions that is spoken, Auto if
// there is none.
func (s *Server) newestLegacy() mcp.Profile {
	for _, p := range s.speaks() {
		if p.Legacy() {
			return p
		}
	}
	return mcp.Auto
}

// speaksModern reports whether the stateless revision is served.
func (s *Server) speaksModern() bool { return s.speaks()[0].Modern() }

// speaksLegacy reports whether a revision with sessions is served.
func (s *Server) speaksLegacy() bool { return s.newestLegacy() != mcp.Auto }

func ping(context.Context, *exchange) (any, error) { return new(mcp.EmptyResult), nil }

// setLevel is for the session alone. A client without one has nowhere to keep a
// level: it is answered all the same, since some fail to connect otherwise.
func setLevel(_ context.Context, x *exchange) (any, error) {
	var p mcp.SetLevelParams
	if err := wire.DecodeParams(&x.params, &p); err != nil {
		return nil, err
	}
	if !p.Level.Valid() {
		return nil, mcp.Errorf(mcp.CodeInvalidParams,
			"params.level is %q; it is debug, info, notice, warning, error, critical, alert or emergency", clip(string(p.Level))) // LOG-06
	}
	if x.session != nil {
		x.session.update(func(st *sessionState) { st.level = p.Level })
	}
	return new(mcp.EmptyResult), nil
}

// admitModern checks what a self-describing request says about itself and takes
// it over: the version it declared, then the rest of its _meta (steps 14 and 15
// of decision table 15.1).
func (s *Server) admitModern(x *exchange, version string) *mcp.Error {
	if err := s.supports(version); err != nil {
		return err
	}
	x.era = wire.For(mcp.Modern20260728)
	if err := x.era.Check(&x.params); err != nil {
		return err
	}
	level, _ := wire.String(x.params.LogLevel)
	x.caller.info, x.caller.capabilities = x.params.ClientInfo, x.params.Capabilities
	x.caller.logLevel, x.caller.progressToken = mcp.LogLevel(level), x.params.ProgressToken
	return nil
}

// supports is the error for a self-describing request of a version that has no
// such requests here; a legacy version is none either (T-05).
func (s *Server) supports(version string) *mcp.Error {
	if p, ok := mcp.ProfileOf(version); ok && p.Modern() {
		return nil
	}
	return s.unsupported(mcp.CodeUnsupportedVersion, version)
}

// unsupported is an error that names the versions which are spoken, in its
// message as well, since that is all that older clients show (M-ERA-007).
func (s *Server) unsupported(code mcp.Code, version string) *mcp.Error {
	err := mcp.Errorf(code, "unsupported protocol version %s; this server speaks %s", quoted(clip(version)), enumerate(s.supported))
	data, failed := jsonx.Marshal(mcp.UnsupportedVersion{Supported: s.supported, Requested: version})
	if failed == nil { // two kinds of strings cannot fail
		err.Data = data
	}
	return err
}

// admitLegacy takes over a request of a session.
func (x *exchange) admitLegacy(sess *session) *mcp.Error {
	x.era, x.session, x.caller = sess.era, sess, sess.caller()
	x.caller.progressToken = x.params.ProgressToken
	return x.era.Check(&x.params)
}

// lookup is a member of raw, nil if there is none or raw is no object.
func lookup(raw []byte, name string) []byte {
	if jsonx.KindOf(raw) != jsonx.Object {
		return nil
	}
	member, _ := jsonx.Lookup(raw, name)
	return member
}

// enumerate joins names for a message.
func enumerate(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
