package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

func listenBody(id, filter string) string {
	return modernBody(id, mcp.MethodListen, `"notifications":`+filter, "")
}

func cancelBody(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// endedByNotice is what follows the result on a pipe.
func endedByNotice(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the subscription has ended","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, id, id)
}

// wants reads the next message and compares it.
func (h *host) wants(want string) {
	h.t.Helper()
	if got := h.receive(); got != want {
		h.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// either reads as many messages as are wanted, in any order (M-SUB-005).
func (h *host) either(want ...string) {
	h.t.Helper()
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	for range want {
		got := h.receive()
		if left[got]--; left[got] < 0 {
			h.t.Errorf("got %s, want each of\n%s", got, strings.Join(want, "\n"))
		}
	}
}

// TestListensOnOnePipe: several subscriptions on one channel are told apart by
// their ids, typed exactly; one ends without the others (SUB-04, M-SUB-005,
// M-SUB-008, M-SUB-010, M-SUB-014, M-SUB-021, M-STDIO-010, M-STDIO-015).
func TestListensOnOnePipe(t *testing.T) {
	srv := serverOf(t, offering())
	h := connect(t, srv)
	h.send(listenBody(`1`, toolsAsk))
	h.wants(acknowledged(`1`, toolsAsk))
	h.send(listenBody(`"1"`, toolsAsk))
	h.wants(acknowledged(`"1"`, toolsAsk))
	h.send(listenBody(`2`, `{"resourceSubscriptions":["note://1"]}`))
	h.wants(acknowledged(`2`, `{"resourceSubscriptions":["note://1"]}`))
	offer(t, srv, oneTool("a"))
	h.either(changed(`1`, "tools"), changed(`"1"`, "tools"))
	h.send(cancelBody(`1`))
	h.send(modernBody("9", mcp.MethodDiscover, "", ""))
	if got := h.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":9,"result"`) {
		t.Errorf("got %s", got)
	}
	offer(t, srv, oneTool("b"))
	h.wants(changed(`"1"`, "tools"))
	srv.Updated("note://1")
	h.wants(updated(`2`, "note://1"))
	drained := make(chan error, 1)
	go func() { drained <- srv.Drain(context.Background()) }()
	h.either(ended(`"1"`), ended(`2`), endedByNotice(`"1"`), endedByNotice(`2`))
	if err := within(t, drained, "drain"); err != nil {
		t.Error(err)
	}
	if err := h.end(); err != nil {
		t.Errorf("serve: %v", err)
	}
	emptied(t, srv)
}

// TestListenEndsOnPipe: first the result, then the notification (T-21, M-SUB-015,
// M-SUB-016, M-SUB-022, M-CAN-005, M-CAN-006).
func TestListenEndsOnPipe(t *testing.T) {
	h := connect(t, serverOf(t, offering()))
	h.send(listenBody(`7`, `{}`))
	h.wants(acknowledged(`7`, `{}`))
	h.wants(ended(`7`))
	h.wants(endedByNotice(`7`))
	// What is refused has no subscription that could end.
	for line, want := range map[string]string{
		listenBody(`8`, `1`): `{"jsonrpc":"2.0","id":8,"error":{"code":-32602,`,
		modernBody("9", mcp.MethodResourcesSubscribe, `"uri":"note://1"`, ""): `{"jsonrpc":"2.0","id":9,"error":{"code":-32601,`,
	} {
		if got := h.ask(line); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s…", got, want)
		}
	}
}

// TestListensTakeNoPlaces: however many listens are open, calls run beside them,
// and are read (CON-12).
func TestListensTakeNoPlaces(t *testing.T) {
	srv := configured(t, Config{Session: SessionConfig{MaxInFlight: 1}}, offering())
	h := connect(t, srv)
	const n = 100 // more than the connection takes of other requests
	for i := range n {
		id := fmt.Sprint(i)
		h.send(listenBody(id, toolsAsk))
		h.wants(acknowledged(id, toolsAsk))
	}
	h.send(listenBody("100", toolsAsk))
	if got := h.receive(); got != `{"jsonrpc":"2.0","id":100,"error":{"code":-32603,"message":"subscriptions/listen: this client has as many listens open as it may; end one of them, or ask for more in one"}}` {
		t.Errorf("got %s", got)
	}
	for range 3 {
		h.send(modernBody("200", mcp.MethodToolsCall, `"name":"t"`, ""))
		if got := h.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":200,"result"`) {
			t.Errorf("got %s", got)
		}
	}
	offer(t, srv, oneTool("a"))
	var want []string
	for i := range n {
		want = append(want, changed(fmt.Sprint(i), "tools"))
	}
	h.either(want...)
	h.send(cancelBody("3"))
	h.send(modernBody("200", mcp.MethodToolsCall, `"name":"t"`, "")) // the cancellation was read before
	h.receive()
	waitUntil(t, func() bool { return srv.edge.listens.len() == n-1 })
	h.send(listenBody("300", toolsAsk))
	h.wants(acknowledged("300", toolsAsk))
}

// waitUntil waits for what no message tells.
func waitUntil(t testing.TB, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !done(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("nothing happened for %v", patience)
		}
	}
}

// TestListensOfServer: all clients together have no more listens than the server
// allows.
func TestListensOfServer(t *testing.T) {
	srv := configured(t, Config{Listen: ListenConfig{Max: 2}}, offering())
	one, two := connect(t, srv), connect(t, srv)
	one.send(listenBody("1", toolsAsk))
	one.wants(acknowledged("1", toolsAsk))
	two.send(listenBody("1", toolsAsk))
	two.wants(acknowledged("1", toolsAsk))
	two.send(listenBody("2", toolsAsk))
	if got := two.receive(); !strings.Contains(got, "too many listens are open on this server") {
		t.Errorf("got %s", got)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if err := one.end(); err != nil {
		t.Error(err)
	}
	two.send(listenBody("3", toolsAsk))
	two.wants(acknowledged("3", toolsAsk))
}

// TestListenDoesNotDelayTheEnd: a listen is no call in flight whose reply somebody
// waits for when the client has finished (M-STDIO-017).
func TestListenDoesNotDelayTheEnd(t *testing.T) {
	srv := configured(t, Config{Session: SessionConfig{Grace: time.Hour}}, offering())
	in, out := lines(t, srv, transport.Options{})
	in.send(listenBody("1", toolsAsk))
	if got := out.next(); got != acknowledged("1", toolsAsk) {
		t.Errorf("got %s", got)
	}
	in.close()
	if err := within(t, out.served, "the end"); err != nil {
		t.Errorf("serve: %v", err)
	}
	emptied(t, srv)
}

// TestListenBesideSession: both eras on one pipe are told, each in its own way
// (ERA-14).
func TestListenBesideSession(t *testing.T) {
	srv := serverOf(t, offering())
	h := connect(t, srv)
	h.send(initializeBody("2025-11-25"))
	h.receive()
	h.send(initialized, listenBody("7", toolsAsk))
	h.wants(acknowledged("7", toolsAsk))
	offer(t, srv, oneTool("a"))
	h.either(changed("7", "tools"), toolsChanged)
	h.send(legacyBody("8", mcp.MethodListen, `{"notifications":`+toolsAsk+`}`))
	if got := h.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":8,"error":{"code":-32601,`) {
		t.Errorf("got %s", got)
	}
}
