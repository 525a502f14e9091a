package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

const (
	allLists = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`
	toolsAsk = `{"toolsListChanged":true}`
)

// TestListenAcknowledges: the first message says what will be told: what was asked
// for, as far as the server has it and the caller may see it (M-SUB-001,
// M-SUB-003, M-SUB-006, T-24, T-61, SUB-02).
func TestListenAcknowledges(t *testing.T) {
	tools := NewService("")
	Tool(tools, "t", says(""))
	for _, tt := range []struct {
		name, filter string
		service      *Service
		want         string
		// over: nothing will be told, so that the listen ends.
		over bool
	}{
		{"everything", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}`, offering(),
			`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}`, false},
		{"one list", `{"promptsListChanged":true}`, offering(), `{"promptsListChanged":true}`, false},
		{"false is not asked", `{"promptsListChanged":true,"toolsListChanged":false}`, offering(), `{"promptsListChanged":true}`, false},
		{"a list that the server has not", `{"promptsListChanged":true,"toolsListChanged":true}`, tools, `{"toolsListChanged":true}`, false},
		{"only such a list", `{"promptsListChanged":true,"resourceSubscriptions":["note://1"]}`, tools, `{}`, true},
		{"nothing", `{}`, offering(), `{}`, true},
		{"nothing at all on offer", allLists, NewService(""), `{}`, true},
		{"no URIs", `{"resourceSubscriptions":[]}`, offering(), `{}`, true},
		{"null is absent", `{"toolsListChanged":true,"promptsListChanged":null,"resourceSubscriptions":null}`, offering(), `{"toolsListChanged":true}`, false},
		{"members of extensions and newer revisions", `{"toolsListChanged":true,"taskIds":["1"],"com.example/x":{"y":1.0}}`, offering(), `{"toolsListChanged":true}`, false},
		{"a resource of a template, in no list", `{"resourceSubscriptions":["dir://a/b"]}`, offering(), `{"resourceSubscriptions":["dir://a/b"]}`, false},
		{"a resource twice", `{"resourceSubscriptions":["note://2","note://1","note://2"]}`, offering(), `{"resourceSubscriptions":["note://2","note://1"]}`, false},
		{"a resource that does not exist", `{"resourceSubscriptions":["note://3","note://1"]}`, offering(), `{"resourceSubscriptions":["note://1"]}`, false},
		{"a resource that is hidden", `{"resourceSubscriptions":["secret://1","note://1"]}`, offering(), `{"resourceSubscriptions":["note://1"]}`, false},
		{"no URI", `{"resourceSubscriptions":["not a uri","","note://1"]}`, offering(), `{"resourceSubscriptions":["note://1"]}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := serverOf(t, tt.service)
			l := listenTo(t, srv, "7", tt.filter)
			l.acknowledged(tt.want)
			if tt.over {
				l.ends()
			} else {
				l.cancel()
				if r := within(t, l.over, "the end"); r.body != nil {
					t.Errorf("the cancelled listen is answered: %s", r.body)
				}
			}
			l.quiet()
			emptied(t, srv)
		})
	}
}

// TestListenRefuses: what is no filter opens nothing (M-SUB-001, SUB-02).
func TestListenRefuses(t *testing.T) {
	srv := configured(t, Config{Listen: ListenConfig{Resources: 2}}, offering())
	for _, tt := range []struct{ name, params, want string }{
		{"no parameters", ``, "params.notifications is required and is absent"},
		{"no filter", `{}`, "params.notifications is required and is absent"},
		{"null", `{"notifications":null}`, "params.notifications is required and is null"},
		{"no object", `{"notifications":[true]}`, "params.notifications is an array; it is an object"},
		{"a number for a list", `{"notifications":{"toolsListChanged":1}}`, "params.notifications.toolsListChanged is a number; it is a boolean"},
		{"a text for a list", `{"notifications":{"toolsListChanged":"true"}}`, "params.notifications.toolsListChanged is a string; it is a boolean"},
		{"a text for URIs", `{"notifications":{"resourceSubscriptions":"note://1"}}`, "params.notifications.resourceSubscriptions is a string; it is an array"},
		{"a number for a URI", `{"notifications":{"resourceSubscriptions":[1]}}`, "params.notifications.resourceSubscriptions.0 is a number; it is a string"},
		{"another case", `{"notifications":{"ToolsListChanged":true}}`, "names are case-sensitive"},
		{"too many URIs", `{"notifications":{"resourceSubscriptions":["note://1","note://2","note://1"]}}`, "params.notifications.resourceSubscriptions has 3 URIs; one listen watches 2 at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := request(mcp.MethodListen, tt.params)
			sent := new(recorder)
			x.sink = sent
			wantError(t, srv, x, mcp.CodeInvalidParams, tt.want)
			if all := sent.all(); all != nil {
				t.Errorf("sent %v", all)
			}
			emptied(t, srv)
		})
	}
	t.Run("no stream", func(t *testing.T) {
		wantError(t, srv, request(mcp.MethodListen, `{"notifications":`+toolsAsk+`}`), mcp.CodeInternal, "event streams cannot be sent here")
	})
	t.Run("a stream that fails", func(t *testing.T) {
		x := request(mcp.MethodListen, `{"notifications":`+toolsAsk+`}`)
		x.sink = &recorder{closed: true}
		wantError(t, srv, x, mcp.CodeInternal, "event streams cannot be sent here")
		emptied(t, srv)
	})
}

// TestListenTells: what was asked for, nothing else, with the id of the request as
// it was sent (M-SUB-002, M-SUB-008, M-SUB-011, M-SUB-012, M-META-011, T-25).
func TestListenTells(t *testing.T) {
	for _, id := range []string{`7`, `0`, `-1`, `9007199254740993`, `"7"`, `""`, `"a\"b"`} {
		t.Run("id "+id, func(t *testing.T) {
			srv := serverOf(t, offering())
			all := listenTo(t, srv, id, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}`)
			all.acknowledged(`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}`)
			offer(t, srv, more("m"))
			all.wants(changed(id, "tools"))
			all.wants(changed(id, "prompts"))
			all.wants(changed(id, "resources"))
			srv.Updated("note://1")
			all.wants(updated(id, "note://1"))
		})
	}
	t.Run("a template is one of the resources", func(t *testing.T) {
		srv := serverOf(t, offering())
		l := listenTo(t, srv, "7", `{"resourcesListChanged":true}`)
		l.acknowledged(`{"resourcesListChanged":true}`)
		s := NewService("m")
		Resource(s, "y://{id}", says(""), Doc("a family"))
		offer(t, srv, s)
		l.wants(changed("7", "resources"))
	})
	t.Run("only what was asked for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := serverOf(t, offering())
			tools, prompts := listenTo(t, srv, "1", toolsAsk), listenTo(t, srv, "2", `{"promptsListChanged":true}`)
			one, dir := listenTo(t, srv, "3", `{"resourceSubscriptions":["note://1"]}`), listenTo(t, srv, "4", `{"resourceSubscriptions":["dir://a"]}`)
			all := []*listener{tools, prompts, one, dir}
			for _, l := range all {
				within(t, l.messages, "the acknowledgement")
			}
			offer(t, srv, oneTool("m"))
			for _, uri := range []string{"note://1", "note://10", "note://2", "dir://b", "dir://a/x", "secret://1", "no uri"} {
				srv.Updated(uri)
			}
			time.Sleep(time.Second)
			tools.wants(changed("1", "tools"))
			one.wants(updated("3", "note://1"))
			dir.wants(updated("4", "dir://a/x"))
			for _, l := range all {
				l.quiet()
			}
		})
	})
	t.Run("nothing that belongs to requests", func(t *testing.T) {
		// M-SUB-013, M-HTTP-026, M-LOG-004, T-47: interceptors and functions of
		// OnSubscribe may try.
		talks := func(ctx context.Context) {
			Progress(ctx, 1, 2, "")
			Log(ctx).Error("listen")
		}
		srv := configured(t, Config{Interceptors: []Interceptor{func(ctx context.Context, c *Call, next Next) (any, error) {
			talks(ctx)
			defer talks(ctx)
			return next(ctx, c)
		}}}, offering(OnSubscribe(func(ctx context.Context, _ string) (func(), error) { talks(ctx); return nil, nil })))
		l := listenAs(t.Context(), t, srv, caller{progressToken: []byte("1"), logLevel: mcp.LevelDebug}, "7", `{"resourceSubscriptions":["note://1"]}`)
		l.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
		if err := srv.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		l.ends()
		l.quiet()
	})
}

// TestListenFromTheStart: what changes while a listen is being acknowledged is
// told, and not before (M-SUB-004, T-23).
func TestListenFromTheStart(t *testing.T) {
	t.Run("while a resource begins to be watched", func(t *testing.T) {
		var srv *Server
		srv = serverOf(t, offering(OnSubscribe(func(_ context.Context, uri string) (func(), error) {
			offer(t, srv, oneTool("m"))
			srv.Updated(uri)
			return nil, nil
		})))
		l := listenTo(t, srv, "7", `{"toolsListChanged":true,"resourceSubscriptions":["note://1"]}`)
		l.acknowledged(`{"toolsListChanged":true,"resourceSubscriptions":["note://1"]}`)
		l.wants(changed("7", "tools"))
		l.wants(updated("7", "note://1"))
	})
	t.Run("while the acknowledgement is sent", func(t *testing.T) {
		srv := serverOf(t, offering())
		l := &listener{t: t, stream: newStream(), id: "7"}
		x := request(mcp.MethodListen, `{"notifications":`+toolsAsk+`}`)
		first := true
		x.sink = sinkFunc(func(ctx context.Context, msg []byte) error {
			if first {
				first = false
				offer(t, srv, oneTool("m"))
			}
			return l.send(ctx, msg)
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan reply)
		go func() { done <- srv.serve(ctx, x) }()
		l.id = "1"
		l.acknowledged(toolsAsk)
		l.wants(changed("1", "tools"))
		cancel()
		within(t, done, "the end")
	})
	t.Run("beside many changes", func(t *testing.T) {
		// Whoever asks for the list when the acknowledgement has come, and again
		// whenever told, ends up with the last one.
		srv := serverOf(t, offering())
		var adding sync.WaitGroup
		for i := range 4 {
			adding.Go(func() {
				for j := range 25 {
					offer(t, srv, oneTool(fmt.Sprintf("m%d-%d", i, j)))
				}
			})
		}
		var listening sync.WaitGroup
		for range 8 {
			listening.Go(func() {
				l := listenTo(t, srv, "7", toolsAsk)
				l.acknowledged(toolsAsk)
				for len(srv.catalog.Load().tools) != 101 {
					l.wants(changed("7", "tools"))
				}
			})
		}
		adding.Wait()
		listening.Wait()
	})
}

type sinkFunc func(ctx context.Context, msg []byte) error

func (f sinkFunc) send(ctx context.Context, msg []byte) error { return f(ctx, msg) }

// TestListenEnds: with the result when the server ends it, without an answer when
// the client has (M-SUB-014, M-SUB-015, M-SUB-017, M-CAN-007).
func TestListenEnds(t *testing.T) {
	t.Run("drain", func(t *testing.T) {
		srv := serverOf(t, offering())
		var all []*listener
		for i := range 100 {
			l := listenTo(t, srv, fmt.Sprint(i), toolsAsk)
			l.acknowledged(toolsAsk)
			all = append(all, l)
		}
		// What changed just before is told.
		offer(t, srv, oneTool("a"))
		offer(t, srv, oneTool("b"))
		if err := srv.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		for _, l := range all {
			l.ends()
			l.wants(changed(l.id, "tools"))
		}
		emptied(t, srv)
		late := listenTo(t, srv, `"late"`, toolsAsk) // it passed the gate just before
		late.acknowledged(toolsAsk)
		late.ends()
	})
	t.Run("the client is gone", func(t *testing.T) {
		srv := serverOf(t, offering())
		l := listenTo(t, srv, "7", toolsAsk)
		l.acknowledged(toolsAsk)
		close(l.gone)
		offer(t, srv, oneTool("m"))
		within(t, l.over, "the end")
		emptied(t, srv)
	})
	t.Run("a call's limit is none for it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := configured(t, Config{Limits: Limits{Call: time.Second}}, offering())
			l := listenTo(t, srv, "7", toolsAsk)
			l.acknowledged(toolsAsk)
			time.Sleep(24 * time.Hour)
			offer(t, srv, oneTool("m"))
			l.wants(changed("7", "tools"))
		})
	})
	t.Run("a predicate that panics", func(t *testing.T) {
		angry := false
		s := NewService("")
		Resource(s, "note://1", says(""), Visible(func(context.Context, Entry) bool {
			if angry {
				panic("no")
			}
			return true
		}))
		srv := serverOf(t, s)
		l := listenTo(t, srv, "7", `{"resourceSubscriptions":["note://1"]}`)
		l.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
		angry = true
		srv.Updated("note://1")
		if r := within(t, l.over, "the end"); code(t, string(r.body)) != int(mcp.CodeInternal) {
			t.Errorf("reply %s", r.body)
		}
		emptied(t, srv)
	})
}

// TestListenStanding: permissions are asked for when something is told, and a
// listen lasts no longer than what it was opened with (T-53, M-RES-021).
func TestListenStanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var may sync.Map
		s := NewService("")
		for _, uri := range []string{"note://1", "note://1/secret", "note://2"} {
			Resource(s, uri, says(""), Visible(func(ctx context.Context, e Entry) bool {
				who := CallFrom(ctx).Principal()
				_, banned := may.Load(who + " not " + e.Name)
				return !banned
			}))
		}
		srv := serverOf(t, s)
		may.Store("ada not note://1/secret", true)
		l := listenAs(t.Context(), t, srv, caller{principal: "ada"}, "7", `{"resourceSubscriptions":["note://1","note://1/secret","note://2"]}`)
		l.acknowledged(`{"resourceSubscriptions":["note://1","note://2"]}`)
		all := func() {
			for _, uri := range []string{"note://1", "note://1/secret", "note://1/open", "note://2"} {
				srv.Updated(uri)
				time.Sleep(time.Second)
			}
		}
		all()
		l.wants(updated("7", "note://1"))
		l.wants(updated("7", "note://1/open")) // of a part that is not hidden
		l.wants(updated("7", "note://2"))
		may.Store("ada not note://1", true)
		all()
		l.wants(updated("7", "note://2"))
		l.quiet()
	})
	t.Run("until", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := serverOf(t, offering())
			began := time.Now()
			ctx := asStanding(t.Context(), standing{until: began.Add(time.Hour)})
			l := listenAs(ctx, t, srv, caller{principal: "ada"}, "7", toolsAsk)
			l.acknowledged(toolsAsk)
			l.over <- <-l.over
			if took := time.Since(began); took != time.Hour {
				t.Errorf("ended after %v", took)
			}
			l.ends()
			emptied(t, srv)
		})
	})
	t.Run("revoked", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := serverOf(t, offering())
			revoked := false
			ctx := asStanding(t.Context(), standing{still: func() bool { return !revoked }})
			l := listenAs(ctx, t, srv, caller{principal: "ada"}, "7", toolsAsk)
			l.acknowledged(toolsAsk)
			offer(t, srv, oneTool("a"))
			l.wants(changed("7", "tools"))
			synctest.Wait()
			revoked = true
			offer(t, srv, oneTool("b"))
			l.ends()
			l.quiet()
		})
	})
}

// TestListenCoalesces: a burst is one notification, or a few; the first waits for
// nothing (CON-12, M-SUB-020).
func TestListenCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serverOf(t, offering())
		l := listenTo(t, srv, "7", `{"toolsListChanged":true,"resourceSubscriptions":["note://1","note://2"]}`)
		l.acknowledged(`{"toolsListChanged":true,"resourceSubscriptions":["note://1","note://2"]}`)
		began := time.Now()
		for i := range 500 {
			offer(t, srv, oneTool(fmt.Sprintf("m%d", i)))
			srv.Updated("note://1")
			srv.Updated("note://2")
		}
		l.wants(changed("7", "tools"))
		if took := time.Since(began); took != 0 {
			t.Errorf("the first took %v", took)
		}
		time.Sleep(time.Hour)
		tools, resources := 1, map[string]int{}
		for len(l.messages) > 0 {
			switch m := <-l.messages; m {
			case changed("7", "tools"):
				tools++
			case updated("7", "note://1"), updated("7", "note://2"):
				resources[m]++
			default:
				t.Errorf("unasked: %s", m)
			}
		}
		if tools > 2 || len(resources) != 2 || resources[updated("7", "note://1")] > 2 {
			t.Errorf("%d notifications about the tools, %v about resources", tools, resources)
		}
	})
	t.Run("no change is no notification", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := serverOf(t, offering())
			l := listenTo(t, srv, "7", allLists)
			l.acknowledged(allLists)
			offer(t, srv, NewService("empty"))
			if err := srv.Remove("nobody"); !errors.Is(err, mcp.ErrNotFound) {
				t.Error(err)
			}
			time.Sleep(time.Hour)
			l.quiet()
		})
	})
}

// TestListenMany: one pass reaches a thousand, and one who does not read delays
// nobody.
func TestListenMany(t *testing.T) {
	const n = 1000
	srv := configured(t, Config{Listen: ListenConfig{PerClient: n}}, offering())
	stuck := listenTo(t, srv, "0", toolsAsk)
	stuck.acknowledged(toolsAsk)
	for range cap(stuck.messages) {
		stuck.messages <- "unread"
	}
	all := make([]*listener, n)
	for i := range all {
		all[i] = listenTo(t, srv, fmt.Sprint(i+1), `{"toolsListChanged":true,"resourceSubscriptions":["note://1"]}`)
	}
	for _, l := range all {
		within(t, l.messages, "the acknowledgement")
	}
	offer(t, srv, oneTool("m"))
	for _, l := range all {
		l.wants(changed(l.id, "tools"))
	}
	srv.Updated("note://1")
	for _, l := range all {
		l.wants(updated(l.id, "note://1"))
	}
	close(stuck.gone)
	within(t, stuck.over, "the end of who does not read")
	if err := srv.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	for _, l := range all {
		l.ends()
	}
	emptied(t, srv)
}

// TestListenWatchesAll: of all URIs that are asked for, those that can be watched
// are acknowledged, whatever becomes of the others.
func TestListenWatchesAll(t *testing.T) {
	var uris, kept []string
	for i := range 200 {
		uri := fmt.Sprintf("dir://%d", i)
		uris = append(uris, uri)
		if i%3 != 0 {
			kept = append(kept, uri)
		}
	}
	var mu sync.Mutex
	held := map[string]bool{}
	s := NewService("")
	Resource(s, "dir://{n}", says(""), OnSubscribe(func(_ context.Context, uri string) (func(), error) {
		var n int
		if _, err := fmt.Sscanf(uri, "dir://%d", &n); err != nil {
			return nil, err
		}
		switch {
		case n%6 == 0:
			return nil, errors.New("no")
		case n%3 == 0:
			panic("no")
		}
		mu.Lock()
		defer mu.Unlock()
		held[uri] = true
		return func() {
			mu.Lock()
			defer mu.Unlock()
			delete(held, uri)
		}, nil
	}))
	srv := serverOf(t, s)
	l := listenTo(t, srv, "7", `{"resourceSubscriptions":`+quoteAll(uris...)+`}`)
	l.acknowledged(`{"resourceSubscriptions":` + quoteAll(kept...) + `}`)
	mu.Lock()
	if len(held) != len(kept) {
		t.Errorf("%d are watched, want %d", len(held), len(kept))
	}
	mu.Unlock()
	l.cancel()
	within(t, l.over, "the end")
	if len(held) != 0 {
		t.Errorf("still watched: %v", held)
	}
	emptied(t, srv)
}

// TestListenTotal: all clients together watch no more than the server allows.
func TestListenTotal(t *testing.T) {
	log := new(strings.Builder)
	srv := configured(t, Config{Listen: ListenConfig{Watched: 3}, Logger: testLogger(log)}, offering())
	a := listenTo(t, srv, "1", `{"resourceSubscriptions":["note://1","note://2"]}`)
	a.acknowledged(`{"resourceSubscriptions":["note://1","note://2"]}`)
	b := listenTo(t, srv, "2", `{"resourceSubscriptions":["note://1","note://2"]}`)
	b.acknowledged(`{"resourceSubscriptions":["note://1"]}`)
	a.cancel()
	within(t, a.over, "the end")
	c := listenTo(t, srv, "3", `{"resourceSubscriptions":["note://1","note://2"]}`)
	c.acknowledged(`{"resourceSubscriptions":["note://1","note://2"]}`)
	if !strings.Contains(log.String(), `msg="resource is not watched" uri=note://2 error="clients watch as many resources as the server allows"`) {
		t.Errorf("log: %s", log)
	}
}
