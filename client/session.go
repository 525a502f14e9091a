package client

import (
	"sync"
	"sync/atomic"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// manners is what a revision changes in how a client behaves, beyond the bytes
// of its messages. It is data, so that nothing else asks for the revision.
type manners struct {
	// describes: each request says what it needs to be understood, in _meta and,
	// over HTTP, again in headers: revision, method, name and marked arguments
	// (2026-07-28, "Request Metadata Headers").
	describes bool
	// version is the value of MCP-Protocol-Version over HTTP; empty sends none
	// (L-HTTP-60, L-HTTP-64).
	version string
	// hangsUp: over HTTP, ending the exchange cancels its request (M-HTTP-033);
	// otherwise a notification does (L-HTTP-21, L-HTTP-22).
	hangsUp bool
	// answers: the server may send requests, and is answered.
	answers bool
	// streams: the server may have a stream of its own, and streams that break are
	// taken up again, both with GET (L-HTTP-24, L-HTTP-45).
	streams bool
	// batches: the server may send arrays of messages (BATCH-01).
	batches bool
	// blankCursor: the empty string is a cursor like any other. Before it was
	// one, servers wrote it at the end of a list.
	blankCursor bool
	// leveled: the log level belongs to the session, not to the request.
	leveled bool
}

func mannersOf(p mcp.Profile) manners {
	if p.Modern() {
		return manners{describes: true, version: p.Version(), hangsUp: true, blankCursor: true}
	}
	m := manners{answers: true, leveled: true, batches: p == mcp.Legacy20250326}
	m.streams = p >= mcp.Legacy20250326
	if p >= mcp.Legacy20250618 {
		m.version = p.Version()
	}
	return m
}

// peer is a server as negotiation left it: what is spoken, over which link, in
// which session. A new session or a new verdict is a new peer.
type peer struct {
	era     wire.Era
	manners manners
	link    link
	// session is the id the server gave over HTTP, a secret, or empty.
	session string
	// found says how the profile was found.
	found string
	// proven: the server has shown that it speaks the profile. Until then the
	// profile is a hint of an earlier connection.
	proven atomic.Bool
	// watches is what the session is subscribed to.
	watches *watches
	// replaced is closed when there is another peer.
	replaced chan struct{}
	// forgotten is closed when the server turns out not to know the session while
	// nobody asks it for anything.
	forgotten chan struct{}
	forget    func()

	mu     sync.Mutex
	server Server       // only through know and known
	level  mcp.LogLevel // of the session; only through raise
}

func newPeer(l link, p mcp.Profile, found string) *peer {
	q := &peer{era: wire.For(p), manners: mannersOf(p), link: l, found: found, server: Server{Profile: p}}
	q.watches, q.replaced, q.forgotten = newWatches(), make(chan struct{}), make(chan struct{})
	q.forget = sync.OnceFunc(func() { close(q.forgotten) })
	return q
}

// know replaces what is known of the server.
func (p *peer) know(s Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Profile = p.era.Profile()
	p.server = s
}

func (p *peer) known() Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.server
}

// verdict is what there is to remember of p.
func (p *peer) verdict() Verdict {
	s := p.known()
	return Verdict{Profile: s.Profile, Server: s.Info, Capabilities: s.Capabilities, Instructions: s.Instructions, Found: p.found}
}

// learn takes the server's name from a result, where it is not known yet.
func (p *peer) learn(result []byte) {
	if !p.manners.describes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server.Info.Name != "" {
		return
	}
	meta, _ := jsonx.Lookup(result, "_meta")
	if info, ok := identity(meta, mcp.MetaServerInfo); ok {
		p.server.Info = info
	}
}

// identity reads an implementation from a member of an object. What cannot be
// read is no identity: nothing is ever decided by one (MOD-20).
func identity(object []byte, member string) (mcp.Implementation, bool) {
	var info mcp.Implementation
	if jsonx.KindOf(object) != jsonx.Object {
		return info, false
	}
	raw, ok := jsonx.Lookup(object, member)
	if !ok || jsonx.KindOf(raw) != jsonx.Object || jsonx.Unmarshal(raw, &info) != nil {
		return mcp.Implementation{}, false
	}
	return info, info.Name != ""
}

// discovered is the server a discovery result describes. Its name stands in
// _meta; drafts had it beside the versions, and it is read there too (T-33).
func discovered(r *mcp.DiscoverResult) Server {
	s := Server{Capabilities: r.Capabilities, Instructions: r.Instructions}
	if raw, ok := r.Meta[mcp.MetaServerInfo]; ok {
		var info mcp.Implementation
		if jsonx.KindOf(raw) == jsonx.Object && jsonx.Unmarshal(raw, &info) == nil {
			s.Info = info
		}
	}
	if s.Info.Name == "" {
		if info, ok := identity(r.Extra, "serverInfo"); ok {
			s.Info = info
		}
	}
	return s
}

// raise returns the level the session is to be set to so that messages of level
// come, and false when they do already.
func (p *peer) raise(level mcp.LogLevel) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.manners.leveled || p.server.Capabilities.Logging == nil {
		return false
	}
	return p.level == "" || level.Severity() < p.level.Severity()
}

func (p *peer) raised(level mcp.LogLevel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.level = level
}

// leveled is the level of the session, empty when none was set.
func (p *peer) leveled() mcp.LogLevel {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}
