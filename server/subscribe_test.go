package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// TestSubscribe: what may be subscribed to, and what is answered (RES-08, RES-14,
// RES-07, M-TOOL-030).
func TestSubscribe(t *testing.T) {
	srv := configured(t, Config{Listen: ListenConfig{Resources: 3}}, offering())
	sess := sessionOf(t, srv)
	const on, off = mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe
	for _, tt := range []struct {
		name, method, params string
		code                 mcp.Code
		message, data        string
	}{
		{"a resource", on, `{"uri":"note://1"}`, 0, "", ""},
		{"again", on, `{"uri":"note://1"}`, 0, "", ""},
		{"one of a template", on, `{"uri":"dir://a/b"}`, 0, "", ""},
		{"one that does not exist", on, `{"uri":"note://3"}`, mcp.CodeResourceNotFound, `unknown resource "note://3"`, `{"uri":"note://3"}`},
		{"one that is hidden", on, `{"uri":"secret://1"}`, mcp.CodeResourceNotFound, `unknown resource "secret://1"`, `{"uri":"secret://1"}`},
		{"no URI", on, `{"uri":"note"}`, mcp.CodeInvalidParams, `params.uri "note" is no absolute URI`, ""},
		{"nothing", on, `{}`, mcp.CodeInvalidParams, "params.uri is missing", ""},
		{"a number", on, `{"uri":1}`, mcp.CodeInvalidParams, "params.uri is no string with a name in it", ""},
		{"the last there is room for", on, `{"uri":"note://2"}`, 0, "", ""},
		{"one too many", on, `{"uri":"dir://c"}`, mcp.CodeInvalidParams, "the session watches 3 resources, which is the most; unsubscribe from one of them", ""},
		{"again, with no room", on, `{"uri":"note://2"}`, 0, "", ""},
		{"unsubscribe", off, `{"uri":"note://2"}`, 0, "", ""},
		{"unsubscribe again", off, `{"uri":"note://2"}`, 0, "", ""},
		{"unsubscribe from what does not exist", off, `{"uri":"note://3"}`, 0, "", ""},
		{"unsubscribe from nothing", off, `{}`, mcp.CodeInvalidParams, "params.uri is missing", ""},
		{"there is room again", on, `{"uri":"dir://c"}`, 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := sess.ask(tt.method, tt.params)
			if tt.code == 0 {
				if string(r.Result) != `{}` {
					t.Errorf("got %s %+v", r.Result, r.Error)
				}
				return
			}
			if r.Error == nil || r.Error.Code != int(tt.code) || r.Error.Message != tt.message || string(r.Error.Data) != tt.data {
				t.Errorf("got %s %+v", r.Result, r.Error)
			}
		})
	}
	t.Run("a session that ended", func(t *testing.T) {
		sess.end()
		if r := sess.ask(on, `{"uri":"note://2"}`); r.Error == nil || r.Error.Code != int(mcp.CodeInternal) {
			t.Errorf("got %s %+v", r.Result, r.Error)
		}
		emptied(t, srv)
	})
	t.Run("no resources", func(t *testing.T) {
		none := sessionOf(t, serverOf(t, oneTool("a")))
		for _, method := range []string{on, off} {
			if r := none.ask(method, `{"uri":"note://1"}`); r.Error == nil || r.Error.Code != int(mcp.CodeMethodNotFound) {
				t.Errorf("%s: %s %+v", method, r.Result, r.Error)
			}
		}
	})
	t.Run("no session", func(t *testing.T) {
		wantError(t, srv, requestIn(mcp.NewestLegacy, on, `{"uri":"note://1"}`), mcp.CodeMethodNotFound, "changes are told in sessions, and this request has none")
	})
	t.Run("total", func(t *testing.T) {
		full := configured(t, Config{Listen: ListenConfig{Watched: 1}}, offering())
		one, two := sessionOf(t, full), sessionOf(t, full)
		if r := one.ask(on, `{"uri":"note://1"}`); r.Error != nil {
			t.Error(r.Error)
		}
		if r := two.ask(on, `{"uri":"note://1"}`); r.Error == nil || r.Error.Code != int(mcp.CodeInternal) || !strings.Contains(r.Error.Message, "as many resources as the server allows") {
			t.Errorf("got %s %+v", r.Result, r.Error)
		}
	})
}

// handshake opens a session on a pipe, up to the client's notification.
func handshake(in *input, out *output, p mcp.Profile) {
	in.t.Helper()
	in.send(initializeBody(p.Version()))
	if got := out.next(); !strings.Contains(got, `"listChanged":true`) {
		in.t.Fatalf("initialize: %s", got)
	}
}

const (
	initialized   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	toolsChanged  = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	noteUpdated   = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://1"}}`
	pong99        = `{"jsonrpc":"2.0","id":99,"result":{}}`
	ping99        = `{"jsonrpc":"2.0","id":99,"method":"ping"}`
	empty1        = `{"jsonrpc":"2.0","id":1,"result":{}}`
	subscribeNote = `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://1"}}`
)

// TestSessionIsToldOnPipe: list changes when the client is ready, updates of what
// it subscribed to, at once (TOOL-19, RES-09, RES-10, INIT-10, CON-12).
func TestSessionIsToldOnPipe(t *testing.T) {
	for _, p := range legacyProfiles() {
		t.Run(p.Version(), func(t *testing.T) {
			srv := serverOf(t, offering())
			in, out := lines(t, srv, transport.Options{})
			handshake(in, out, p)
			offer(t, srv, oneTool("early"))
			in.send(ping99)
			if got := out.next(); got != pong99 { // nothing before it is ready
				t.Errorf("got %s", got)
			}
			in.send(initialized)
			if got := out.next(); got != toolsChanged {
				t.Errorf("got %s", got)
			}
			in.send(subscribeNote)
			if got := out.next(); got != empty1 {
				t.Errorf("got %s", got)
			}
			srv.Updated("note://2")
			srv.Updated("note://10")
			srv.Updated("note://1")
			if got := out.next(); got != noteUpdated {
				t.Errorf("got %s", got)
			}
			offer(t, srv, more("m"))
			for _, list := range []string{"tools", "prompts", "resources"} {
				if got, want := out.next(), `{"jsonrpc":"2.0","method":"notifications/`+list+`/list_changed"}`; got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
			in.send(strings.ReplaceAll(subscribeNote, "/subscribe", "/unsubscribe"))
			if got := out.next(); got != empty1 {
				t.Errorf("got %s", got)
			}
			srv.Updated("note://1")
			in.send(ping99)
			if got := out.next(); got != pong99 {
				t.Errorf("got %s", got)
			}
			in.close()
			within(t, out.served, "the end")
			emptied(t, srv)
		})
	}
}

// TestSessionIsPromised: a session is told of the lists that initialize declared,
// and of no other (CON-12).
func TestSessionIsPromised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t, oneTool("a"))
		sess := sessionOf(t, srv)
		offer(t, srv, more("m"))
		if got := string(sess.changes.next()); got != toolsChanged {
			t.Errorf("told %s", got)
		}
		if more := sess.changes.next(); more != nil {
			t.Errorf("told %s", more)
		}
		if err := srv.Remove("m"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := srv.Remove("a"); err != nil {
			t.Fatal(err)
		}
		// The capability is gone, and the promise holds.
		if got := string(sess.changes.next()); got != toolsChanged {
			t.Errorf("told %s", got)
		}
	})
}

// TestSessionIsToldOnGET: what changes while no stream is open waits for one, each
// thing once; every session has its own (RES-08, RES-14, TOOL-19).
func TestSessionIsToldOnGET(t *testing.T) {
	srv := serverOf(t, offering())
	site := serveHTTP(t, srv.Handler())
	ids := []string{site.open(mcp.Legacy20250618), site.open(mcp.Legacy20250618), site.open(mcp.Legacy20251125)}
	for _, id := range ids {
		if a := site.do(http.MethodPost, initialized, legacyHeader(id)); a.status != http.StatusAccepted {
			t.Fatalf("initialized: %d %s", a.status, a.body)
		}
	}
	for _, uri := range []string{"note://1", "note://2"} {
		if a := site.do(http.MethodPost, legacyBody("1", mcp.MethodResourcesSubscribe, `{"uri":"`+uri+`"}`), legacyHeader(ids[0])); a.status != http.StatusOK || a.body != empty1 {
			t.Fatalf("subscribe: %d %s", a.status, a.body)
		}
	}
	for i := range 100 {
		offer(t, srv, oneTool(fmt.Sprintf("m%d", i)))
		srv.Updated("note://1")
	}
	told := func(l *listening, want ...string) {
		t.Helper()
		for _, m := range want {
			if got := l.message(); !strings.HasSuffix(got.Method, m) {
				t.Errorf("told %s %s, want %s", got.Method, got.Params, m)
			}
		}
	}
	first, second, third := site.get(ids[0]), site.get(ids[1]), site.get(ids[2])
	third.primed()
	told(first, "tools/list_changed", "resources/updated")
	told(second, "tools/list_changed")
	told(third, "tools/list_changed")
	srv.Updated("note://2")
	told(first, "resources/updated")
	offer(t, srv, more("m"))
	for _, l := range []*listening{first, second, third} {
		told(l, "tools/list_changed", "prompts/list_changed", "resources/list_changed")
	}
	for _, id := range ids {
		if a := site.do(http.MethodDelete, "", legacyHeader(id)); a.status != http.StatusNoContent {
			t.Errorf("delete: %d %s", a.status, a.body)
		}
	}
	for _, l := range []*listening{first, second, third} {
		l.end()
	}
	emptied(t, srv)
}

// TestStatelessPromisesNothing: without sessions there is no stream to tell
// anything on, and so nothing to declare (CON-12, RES-08).
func TestStatelessPromisesNothing(t *testing.T) {
	srv := configured(t, Config{Session: SessionConfig{Stateless: true}}, offering())
	site := serveHTTP(t, srv.Handler())
	a := site.do(http.MethodPost, initializeBody("2025-11-25"), legacyHeader(""))
	if a.status != http.StatusOK || !strings.Contains(a.body, `"capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{}}`) {
		t.Errorf("initialize: %d %s", a.status, a.body)
	}
	a = site.do(http.MethodPost, legacyBody("1", mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`), legacyHeader(""))
	if code(t, a.body) != int(mcp.CodeMethodNotFound) {
		t.Errorf("subscribe: %d %s", a.status, a.body)
	}
	emptied(t, srv)
	// The other era, and pipes, are told all the same.
	l := listenTo(t, srv, "7", toolsAsk)
	l.acknowledged(toolsAsk)
	in, out := lines(t, srv, transport.Options{})
	handshake(in, out, mcp.NewestLegacy)
}

// TestSubscribePermissions: who may be told is asked when something is told, for
// the principal of the session (T-53).
func TestSubscribePermissions(t *testing.T) {
	var log strings.Builder
	answers := make(chan string, 1)
	s := NewService("")
	Resource(s, "note://1", says(""), Visible(func(ctx context.Context, _ Entry) bool {
		switch answer := <-answers; answer {
		case "panic":
			panic("no")
		default:
			return answer == CallFrom(ctx).Principal()
		}
	}))
	srv := configured(t, Config{Logger: testLogger(&log)}, s)
	sess := sessionOf(t, srv)
	sess.principal = "ada"
	answers <- "ada"
	if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`); r.Error != nil {
		t.Fatal(r.Error)
	}
	sess.changes.(*feed).sub.hurried = true
	for _, tt := range []struct{ answer, want string }{{"ada", noteUpdated}, {"bob", ""}, {"panic", ""}, {"ada", noteUpdated}} {
		srv.Updated("note://1")
		answers <- tt.answer
		if got := string(sess.changes.next()); got != tt.want {
			t.Errorf("%s: told %q", tt.answer, got)
		}
	}
	if !strings.Contains(log.String(), `msg="predicate panicked" uri=note://1 panic=no`) {
		t.Errorf("log: %s", log.String())
	}
}

// TestSubscribeTurns: requests about one resource do not overtake each other, and
// those about others do not wait.
func TestSubscribeTurns(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	s := NewService("")
	Resource(s, "note://1", says(""), OnSubscribe(func(context.Context, string) (func(), error) {
		close(began)
		<-release
		return nil, nil
	}))
	Resource(s, "note://2", says(""))
	srv := serverOf(t, s)
	sess := sessionOf(t, srv)
	var all sync.WaitGroup
	all.Go(func() {
		if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`); r.Error != nil {
			t.Errorf("subscribe: %+v", r.Error)
		}
	})
	<-began
	if r := sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://2"}`); r.Error != nil {
		t.Errorf("subscribe to another: %+v", r.Error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan reply, 1)
	for _, method := range []string{mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe} {
		x := requestIn(mcp.NewestLegacy, method, `{"uri":"note://1"}`)
		x.session = sess.session
		go func() { gone <- srv.serve(ctx, x) }()
	}
	cancel()
	for range 2 {
		if r := within(t, gone, "a cancelled request"); r.body != nil {
			t.Errorf("it is answered: %s", r.body)
		}
	}
	all.Go(func() {
		if r := sess.ask(mcp.MethodResourcesUnsubscribe, `{"uri":"note://1"}`); r.Error != nil {
			t.Errorf("unsubscribe: %+v", r.Error)
		}
	})
	close(release)
	all.Wait()
	if _, watched := srv.bus.size(); watched != 1 && watched != 2 {
		t.Errorf("%d are watched", watched)
	}
	sess.end()
	emptied(t, srv)
}

// TestSessionEndsWhileSubscribing: what a session began to watch is let go of,
// however its end and the request meet.
func TestSessionEndsWhileSubscribing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, release, released := make(chan struct{}), make(chan struct{}), make(chan struct{})
		s := NewService("")
		Resource(s, "note://1", says(""), OnSubscribe(func(context.Context, string) (func(), error) {
			close(began)
			<-release
			return func() { close(released) }, nil
		}))
		srv := serverOf(t, s)
		sess := sessionOf(t, srv)
		answered := make(chan response)
		go func() { answered <- sess.ask(mcp.MethodResourcesSubscribe, `{"uri":"note://1"}`) }()
		<-began
		sess.end()
		close(release)
		<-released
		if r := <-answered; r.Error == nil || r.Error.Code != int(mcp.CodeInternal) {
			t.Errorf("answered %s %+v", r.Result, r.Error)
		}
		emptied(t, srv)
	})
}

// TestSessionsLeaveTheBus: sessions that end in any way take no part any more.
func TestSessionsLeaveTheBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := configured(t, Config{Session: SessionConfig{Max: 10, Idle: time.Minute}}, offering())
		open := func() *session {
			x := requestIn(mcp.NewestLegacy, mcp.MethodInitialize, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`)
			ask(t, srv, x)
			if err := srv.edge.sessions.open(x.session); err != nil {
				t.Fatal(err)
			}
			x.session.opened()
			return x.session
		}
		for range 25 {
			open()
		}
		if n, _ := srv.bus.size(); n != 10 {
			t.Errorf("%d are told, want those that were not evicted", n)
		}
		time.Sleep(2 * time.Minute)
		if n, _ := srv.bus.size(); n != 0 {
			t.Errorf("%d idle ones are told", n)
		}
		late := open()
		late.end()
		late.opened() // it lost the race against its end
		if n, _ := srv.bus.size(); n != 0 {
			t.Errorf("%d are told", n)
		}
		open()
		if err := srv.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		emptied(t, srv)
	})
}

// TestAnnounced: what initialize and discover promise is what is told.
func TestAnnounced(t *testing.T) {
	on := &mcp.ListCapability{ListChanged: true}
	for name, tt := range map[string]struct {
		caps mcp.ServerCapabilities
		want lists
	}{
		"nothing":    {mcp.ServerCapabilities{}, noLists},
		"no changes": {mcp.ServerCapabilities{Tools: &mcp.ListCapability{}, Prompts: &mcp.ListCapability{}, Resources: &mcp.ResourcesCapability{Subscribe: true}}, noLists},
		"all":        {mcp.ServerCapabilities{Tools: on, Prompts: on, Resources: &mcp.ResourcesCapability{ListChanged: true}}, toolList | promptList | resourceList},
		"one":        {mcp.ServerCapabilities{Prompts: on}, promptList},
	} {
		if got := announced(&tt.caps); got != tt.want {
			t.Errorf("%s: %b, want %b", name, got, tt.want)
		}
		bare := withoutChanges(tt.caps)
		if got := announced(&bare); got != noLists || bare.Resources != nil && bare.Resources.Subscribe {
			t.Errorf("%s without changes: %b", name, got)
		}
		if diff := cmp.Diff(tt.caps.Tools == nil, bare.Tools == nil); diff != "" {
			t.Errorf("%s: the capability itself is lost", name)
		}
	}
}
