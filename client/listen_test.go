package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

const (
	subMeta = `"_meta":{"io.modelcontextprotocol/subscriptionId":ID}`
	// ackAll acknowledges what askAll asks for.
	ackAll = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + subMeta +
		`,"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a://1"]}}}`
	ackNone = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + subMeta + `,"notifications":{}}}`
	goodEnd = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete",` + subMeta + `}}`
)

var askAll = mcp.Filter{Tools: true, Prompts: true, ResourcesList: true, Resources: []string{"a://1"}}

// changed is a notification of a subscription.
func changed(method string) string {
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `","params":{` + subMeta + `}}`
}

// updated is one of a resource.
func updated(uri string) string {
	return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `",` + subMeta + `}}`
}

// asEvents writes messages as events.
func asEvents(all ...string) string {
	var b strings.Builder
	for _, m := range all {
		b.WriteString("data: " + m + "\n\n")
	}
	return b.String()
}

// holding streams messages and keeps the stream open until the client hangs up.
func holding(all ...string) act {
	return func(w http.ResponseWriter, s seen) {
		stream(asEvents(all...))(w, s)
		<-s.done
	}
}

// overBoth connects to a modern server that answers subscriptions/listen with
// messages, over HTTP and over a pipe. On HTTP the stream ends behind them unless
// hold is set.
func overBoth(t *testing.T, hold bool, messages []string, test func(t *testing.T, c *Client)) {
	t.Helper()
	t.Run("http", func(t *testing.T) {
		do := stream(asEvents(messages...))
		if hold {
			do = holding(messages...)
		}
		s := newScript(t, modern(map[string][]act{mcp.MethodListen: {do}}))
		cfg := config()
		cfg.MaxReconnects = -1
		test(t, connected(t, HTTP(s.URL), cfg))
	})
	t.Run("pipe", func(t *testing.T) {
		target, _ := onPipe(t, map[string]line{
			"server/discover": say(discovered_("2026-07-28")), mcp.MethodListen: texts(messages...),
		})
		test(t, connected(t, target, config()))
	})
}

// reported are all events until the subscription ends.
func reported(sub *Subscription) []string {
	var all []string
	for e := range sub.Events() {
		all = append(all, strings.TrimSpace(e.Change.String()+" "+e.URI))
	}
	return all
}

// TestListen: what comes on a subscription, in both carriages of the stateless
// revision (M-SUB-003, M-SUB-006, M-SUB-008, M-SUB-009, M-SUB-012, M-SUB-015,
// M-SUB-016, T-21).
func TestListen(t *testing.T) {
	foreign := strings.ReplaceAll(changed("prompts/list_changed"), "ID", `"other"`)
	none := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	for _, test := range []struct {
		name     string
		ask      mcp.Filter
		messages []string
		want     []string
		granted  mcp.Filter
	}{
		{"every kind", askAll, []string{ackAll, changed("tools/list_changed"), changed("prompts/list_changed"), changed("resources/list_changed"), updated("a://1"), goodEnd},
			[]string{"tools changed", "prompts changed", "resources changed", "resource updated a://1"}, askAll},
		{"a burst is one event", askAll, []string{ackAll, updated("a://1"), updated("a://1/part"), updated("a://1"), goodEnd},
			[]string{"resource updated a://1", "resource updated a://1/part"}, askAll},
		{"of another subscription, and of none", askAll, []string{ackAll, foreign, none, goodEnd}, nil, askAll},
		{"what was not asked for (M-SUB-002)", mcp.Filter{Tools: true}, []string{ackAll, changed("prompts/list_changed"), updated("a://1"), goodEnd}, nil, mcp.Filter{Tools: true}},
		{"before the acknowledgement (SUB-01)", askAll, []string{changed("tools/list_changed"), ackAll, ackNone, goodEnd}, nil, askAll},
		{"nothing is granted", askAll, []string{ackNone, goodEnd}, nil, mcp.Filter{}},
		{"the server cancels it", askAll, []string{ackAll, changed("tools/list_changed"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID}}`}, []string{"tools changed"}, askAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			overBoth(t, true, test.messages, func(t *testing.T, c *Client) {
				sub, err := c.Listen(t.Context(), test.ask)
				if err != nil {
					t.Fatal(err)
				}
				<-sub.done // a reader in time would see a burst as it comes
				if diff := cmp.Diff(test.want, reported(sub)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(test.granted, sub.Filter()); diff != "" {
					t.Error(diff)
				}
				if !errors.Is(sub.Err(), ErrListenEnded) {
					t.Errorf("ended with %v", sub.Err())
				}
			})
		})
	}
}

// TestListenRefused: errors say what is the matter (M-SUB-001).
func TestListenRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		message string
		want    error
		code    mcp.Code
	}{
		{"no subscriptions", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no such method"}}`, ErrNoListening, mcp.CodeMethodNotFound},
		{"too many", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"too many"}}`, nil, mcp.CodeInternal},
		{"a result without an acknowledgement", goodEnd, mcp.ErrInvalidResponse, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			overBoth(t, false, []string{test.message}, func(t *testing.T, c *Client) {
				_, err := c.Listen(t.Context(), askAll)
				if err == nil || test.want != nil && !errors.Is(err, test.want) {
					t.Fatalf("%v, want %v", err, test.want)
				}
				var fault *mcp.Error
				if test.code != 0 && (!errors.As(err, &fault) || fault.Code != test.code) {
					t.Errorf("%v, want code %d", err, test.code)
				}
			})
		})
	}
}

// TestListenEnds: whoever ends a subscription, Err says so (M-SUB-014).
func TestListenEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(c *Client, sub *Subscription, cancel func()) error
		want error
	}{
		{"closed", func(_ *Client, sub *Subscription, _ func()) error { return errors.Join(sub.Close(), sub.Close()) }, mcp.ErrClosed},
		{"client closed", func(c *Client, _ *Subscription, _ func()) error { return c.Close() }, mcp.ErrClosed},
		{"context", func(_ *Client, _ *Subscription, cancel func()) error { cancel(); return nil }, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			overBoth(t, true, []string{ackAll}, func(t *testing.T, c *Client) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				sub, err := c.Listen(ctx, askAll)
				if err != nil || sub.Err() != nil {
					t.Fatal(err, sub.Err())
				}
				if err := test.end(c, sub, cancel); err != nil {
					t.Error(err)
				}
				if got := reported(sub); got != nil || !errors.Is(sub.Err(), test.want) {
					t.Errorf("heard %q, ended with %v", got, sub.Err())
				}
			})
		})
	}
}

// TestListenCancelled: on a pipe a closed subscription is cancelled by name
// (M-SUB-014, M-CAN-002), one that the server ended is not.
func TestListenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, all := onPipe(t, map[string]line{"server/discover": say(discovered_("2026-07-28")), mcp.MethodListen: texts(ackAll)})
		c := connected(t, target, config())
		var subs []*Subscription
		for range 2 { // M-SUB-010
			sub, err := c.Listen(t.Context(), askAll)
			if err != nil {
				t.Fatal(err)
			}
			subs = append(subs, sub)
		}
		p := all()[0]
		first, second := p.nth(mcp.MethodListen, 0), p.nth(mcp.MethodListen, 1)
		p.write(strings.ReplaceAll(changed("tools/list_changed"), "ID", second.id()))
		p.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, second.id()))
		if got := reported(subs[1]); len(got) != 1 {
			t.Errorf("second heard %q", got)
		}
		_ = subs[0].Close()
		synctest.Wait()
		if got := p.nth(mcp.NotifyCancelled, 0).param(t, "requestId"); got != first.id() {
			t.Errorf("cancelled %s, want %s", got, first.id())
		}
		if got := reported(subs[0]); got != nil {
			t.Errorf("first heard %q", got)
		}
		if n := strings.Count(strings.Join(p.sent(), " "), mcp.NotifyCancelled); n != 1 {
			t.Errorf("%d cancellations", n)
		}
	})
}

// TestListenAgain: a stream that is cut is opened again, after pauses that grow,
// and all that is subscribed to reported as changed once (M-SUB-017, M-SUB-019).
func TestListenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, target := inMemory(t, modern(map[string][]act{mcp.MethodListen: {
			stream(asEvents(ackAll)),
			plainly(503, "text/plain", "soon"),
			plainly(503, "text/plain", "soon", "Retry-After", "20"),
			stream(asEvents(ackAll, goodEnd)),
		}}))
		c := connected(t, target, config())
		began := time.Now()
		sub, err := c.Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"tools changed", "prompts changed", "resources changed", "resource updated a://1"}
		if diff := cmp.Diff(want, reported(sub)); diff != "" {
			t.Error(diff)
		}
		if !errors.Is(sub.Err(), ErrListenEnded) {
			t.Error(sub.Err())
		}
		// One second and two, each up to half as long again, and what was asked for.
		if d := time.Since(began); d < 23*time.Second || d > 25*time.Second {
			t.Errorf("open again after %v", d)
		}
		if n := s.count(mcp.MethodListen); n != 4 {
			t.Errorf("%d attempts", n)
		}
	})
}

// TestListenLost: what is cut off for good says so.
func TestListenLost(t *testing.T) {
	t.Run("http", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{mcp.MethodListen: {stream(asEvents(ackAll))}}))
		cfg := config()
		cfg.MaxReconnects = -1
		sub, err := connected(t, HTTP(s.URL), cfg).Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		if got := reported(sub); got != nil || !errors.Is(sub.Err(), ErrListenLost) || !errors.Is(sub.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("heard %q, ended with %v", got, sub.Err())
		}
	})
	t.Run("pipe", func(t *testing.T) {
		target, all := onPipe(t, map[string]line{"server/discover": say(discovered_("2026-07-28")), mcp.MethodListen: texts(ackAll)})
		sub, err := connected(t, target, config()).Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		_ = all()[0].conn.Close()
		if got := reported(sub); got != nil || !errors.Is(sub.Err(), ErrListenLost) {
			t.Errorf("heard %q, ended with %v", got, sub.Err())
		}
	})
}

// TestListenSilent: a subscription that is never acknowledged, also since the
// acknowledgement is another's, is waited for within Config.Timeout (SUB-01).
func TestListenSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, target := inMemory(t, modern(map[string][]act{mcp.MethodListen: {holding(strings.ReplaceAll(ackAll, "ID", `"ID"`))}}))
		_, err := connected(t, target, config()).Listen(t.Context(), askAll)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "Config.Timeout") {
			t.Error(err)
		}
	})
}

// TestListenGivesUp: a server that does not come back is not asked for ever.
func TestListenGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, target := inMemory(t, modern(map[string][]act{mcp.MethodListen: {stream(asEvents(ackAll)), plainly(503, "text/plain", "gone")}}))
		sub, err := connected(t, target, config()).Listen(t.Context(), askAll)
		if err != nil {
			t.Fatal(err)
		}
		if got := reported(sub); got != nil || !errors.Is(sub.Err(), ErrListenLost) || !strings.Contains(sub.Err().Error(), "MaxReconnects") {
			t.Errorf("heard %q, ended with %v", got, sub.Err())
		}
		if n := s.count(mcp.MethodListen); n != 1+DefaultMaxReconnects {
			t.Errorf("%d attempts", n)
		}
	})
}

// TestChanges: what nobody reads stays bounded.
func TestChanges(t *testing.T) {
	c := changes{more: make(chan struct{}, 1)}
	for i := range 3 * maxUpdated {
		c.add(Event{Change: ResourceUpdated, URI: fmt.Sprint(i)})
		c.add(Event{Change: ToolsChanged})
	}
	var all []Event
	for e, ok := c.take(); ok; e, ok = c.take() {
		all = append(all, e)
	}
	if diff := cmp.Diff([]Event{{Change: ToolsChanged}, {Change: Lagged}}, all); diff != "" {
		t.Error(diff)
	}
	c.add(Event{Change: ResourceUpdated, URI: "again"})
	if e, ok := c.take(); !ok || e.URI != "again" {
		t.Errorf("%+v, %v", e, ok)
	}
}
