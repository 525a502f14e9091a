package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// announcing answers initialize of a server that tells of tools and of single
// resources, but neither of prompts nor of the list of resources.
const announcing = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true}},"serverInfo":{"name":"old","version":"1"}}`

// told is a notification of a session, about uri unless that is empty.
func told(method, uri string) string {
	if uri == "" {
		return `{"jsonrpc":"2.0","method":"notifications/` + method + `"}`
	}
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `","params":{"uri":"` + uri + `"}}`
}

// session opens a session over HTTP or a pipe with a server that announces, tells
// of every resource but no://1, and lets tell write to the client.
func session(t *testing.T, over column) (c *Client, tell func(string), count func(method string) int) {
	t.Helper()
	no := func(uri string) bool { return strings.Contains(uri, "no://1") }
	if over == overPipe {
		target, all := onPipe(t, map[string]line{
			"server/discover": refuse(-32601, "no such method"), "initialize": say(announcing),
			mcp.MethodResourcesSubscribe: func(s seen) []string {
				if no(string(s.Params)) {
					return refuse(-32002, "no such resource")(s)
				}
				return say(`{}`)(s)
			},
			mcp.MethodResourcesUnsubscribe: say(`{}`),
		})
		c = connected(t, target, config())
		p := all()[0]
		return c, p.write, func(method string) int { return strings.Count(strings.Join(p.sent(), " "), method) }
	}
	text := make(chan string)
	s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{
		"GET": {openGET(text, nil)},
		"initialize": {func(w http.ResponseWriter, s seen) {
			w.Header().Set("Mcp-Session-Id", "S")
			result(announcing)(w, s)
		}},
		mcp.MethodResourcesSubscribe: {func(w http.ResponseWriter, s seen) {
			if no(string(s.Params)) {
				fault(-32002, "no such resource")(w, s)
				return
			}
			result(`{}`)(w, s)
		}},
		mcp.MethodResourcesUnsubscribe: {result(`{}`)},
	}))
	return connected(t, target, config()), func(m string) { text <- "data: " + m + "\n\n" }, s.count
}

// TestListenInSession: where there are no subscriptions, they are made of what a
// session is told and of resources/subscribe, which they share (RES-08, L-RES-09,
// L-RES-10, L-RES-14, CON-12).
func TestListenInSession(t *testing.T) {
	for _, over := range []column{overHTTP, overPipe} {
		t.Run(fmt.Sprint(over), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, tell, count := session(t, over)
				ask := askAll
				ask.Resources = []string{"a://1", "no://1"}
				first, err := c.Listen(t.Context(), ask)
				if err != nil {
					t.Fatal(err)
				}
				second, err := c.Listen(t.Context(), mcp.Filter{Resources: []string{"a://1", "b://2"}})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(mcp.Filter{Tools: true, Resources: []string{"a://1"}}, first.Filter()); diff != "" {
					t.Error(diff)
				}
				for _, m := range []string{
					told("tools/list_changed", ""), told("tools/list_changed", ""), told("prompts/list_changed", ""),
					told("resources/updated", "a://1"), told("resources/updated", "b://2"), told("resources/updated", "a://1/part"),
				} {
					tell(m)
				}
				synctest.Wait()
				if n := count(mcp.MethodResourcesSubscribe); n != 3 {
					t.Errorf("%d times subscribed", n)
				}
				_ = first.Close()
				if n := count(mcp.MethodResourcesUnsubscribe); n != 0 {
					t.Errorf("%d times unsubscribed while it is watched", n)
				}
				_ = second.Close()
				if n := count(mcp.MethodResourcesUnsubscribe); n != 2 {
					t.Errorf("%d times unsubscribed", n)
				}
				want := []string{"tools changed", "resource updated a://1", "resource updated a://1/part"}
				if diff := cmp.Diff(want, reported(first)); diff != "" {
					t.Error(diff)
				}
				want = []string{"resource updated a://1", "resource updated b://2", "resource updated a://1/part"}
				if diff := cmp.Diff(want, reported(second)); diff != "" {
					t.Error(diff)
				}
				if !errors.Is(first.Err(), mcp.ErrClosed) {
					t.Error(first.Err())
				}
			})
		})
	}
}

// TestListenAcrossSessions: when the server has forgotten the session, which its
// own stream shows, there is a new one, with the same subscriptions, and all of
// them are reported as changed once (SES-02, M-SUB-019).
func TestListenAcrossSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := make(chan string), make(chan string)
		opened := 0
		s, target := inMemory(t, legacy("2025-11-25", "", map[string][]act{
			"GET": {openGET(first, nil), plainly(404, "text/plain", "no session"), openGET(second, nil)},
			"initialize": {func(w http.ResponseWriter, s seen) {
				opened++
				w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", opened))
				result(announcing)(w, s)
			}},
			mcp.MethodResourcesSubscribe: {result(`{}`)},
		}))
		c := connected(t, target, config())
		sub, err := c.Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		close(first)
		var got []Change
		for e := range sub.Events() {
			if got = append(got, e.Change); len(got) == 2 {
				break
			}
		}
		second <- "data: " + told("resources/updated", "a://2") + "\n\n"
		for e := range sub.Events() {
			if e.URI != "a://2" {
				t.Errorf("then %+v", e)
			}
			break
		}
		if diff := cmp.Diff([]Change{ToolsChanged, ResourceUpdated}, got); diff != "" {
			t.Error(diff)
		}
		if n := s.count(mcp.MethodResourcesSubscribe); n != 2 || s.got(mcp.MethodResourcesSubscribe, 1).Header.Get(headerSession) != "S2" {
			t.Errorf("%d times subscribed", n)
		}
	})
}

// TestListenRestart: a server that is away for a while and comes back without the
// session is connected to again, with pauses; one that does not come back, or
// wants other credentials, ends the subscription.
func TestListenRestart(t *testing.T) {
	opening := func(w http.ResponseWriter, s seen) {
		w.Header().Set("Mcp-Session-Id", "S")
		result(announcing)(w, s)
	}
	away := plainly(503, "text/plain", "starting")
	for _, test := range []struct {
		name     string
		greeting []act
		back     bool
		want     error
	}{
		{"comes back", []act{opening, away, away, opening}, true, nil},
		{"stays away", []act{opening, away}, false, ErrListenLost},
		{"other credentials", []act{opening, plainly(401, "text/plain", "who are you")}, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text, later := make(chan string), make(chan string)
				_, target := inMemory(t, legacy("2025-11-25", "", map[string][]act{
					"GET":        {openGET(text, nil), plainly(404, "text/plain", "no session"), openGET(later, nil)},
					"initialize": test.greeting,
				}))
				sub, err := connected(t, target, config()).Listen(t.Context(), mcp.Filter{Tools: true})
				if err != nil {
					t.Fatal(err)
				}
				close(text)
				back := false
				for e := range sub.Events() {
					back = e.Change == ToolsChanged
					break
				}
				if back != test.back {
					t.Errorf("reported %v; ended with %v", back, sub.Err())
				}
				var auth *AuthError
				switch err := sub.Err(); {
				case test.back && err != nil:
					t.Error(err)
				case !test.back && test.want != nil && !errors.Is(err, test.want):
					t.Error(err)
				case !test.back && test.want == nil && !errors.As(err, &auth):
					t.Error(err)
				}
			})
		})
	}
}

// TestListenPipeLost: the end of a pipe ends what a session is told.
func TestListenPipeLost(t *testing.T) {
	target, all := onPipe(t, map[string]line{"server/discover": refuse(-32601, "no such method"), "initialize": say(announcing)})
	sub, err := connected(t, target, config()).Listen(t.Context(), mcp.Filter{Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = all()[0].conn.Close()
	if got := reported(sub); got != nil || !errors.Is(sub.Err(), ErrListenLost) {
		t.Errorf("heard %q, ended with %v", got, sub.Err())
	}
}

// TestListenPersists: a stream of the server that was given up is taken up again
// for a subscription, and not given up while there is one.
func TestListenPersists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{
			"GET": {plainly(503, "", "")}, "initialize": {result(announcing)},
		}))
		c := connected(t, target, config())
		<-time.After(time.Hour)
		if n := s.count("GET"); n != 1+standTries {
			t.Errorf("%d GETs before anybody listens", n)
		}
		sub, err := c.Listen(t.Context(), mcp.Filter{Tools: true})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if n := s.count("GET"); n < 60 || n > 200 {
			t.Errorf("%d GETs in an hour of listening", n)
		}
		_ = sub.Close()
		<-time.After(time.Hour)
		if n := s.count("GET"); n > 200 {
			t.Errorf("%d GETs", n)
		}
	})
}

// TestListenMissed: a stream of the server that is opened again without a place
// to go on from may have missed something.
func TestListenMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := make(chan string), make(chan string)
		_, target := inMemory(t, legacy("2025-11-25", "S", map[string][]act{
			"GET":                        {openGET(first, nil), openGET(second, nil)},
			"initialize":                 {result(announcing)},
			mcp.MethodResourcesSubscribe: {result(`{}`)},
		}))
		sub, err := connected(t, target, config()).Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		close(first)
		for e := range sub.Events() {
			if e.Change != ToolsChanged {
				t.Errorf("%+v", e)
			}
			break
		}
	})
}
