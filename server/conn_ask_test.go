package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// CON-01: a handler asks the client of a pipe, whose answer may need the server
// first; also when every place among the calls is taken by one that waits.
func TestPipeAsk(t *testing.T) {
	for _, p := range legacyProfiles() {
		t.Run(p.Version(), func(t *testing.T) {
			svc := newAsks()
			c := connect(t, configured(t, Config{Session: SessionConfig{MaxInFlight: 1}}, svc.Service))
			c.initialize(p)
			const calls = 3
			var questions [calls]spoken
			for i := range calls {
				c.send(legacyCall(fmt.Sprint(i), "ask", "{}"))
				if err := heardOn(c.receive(), &questions[i]); err != nil || questions[i].Method != mcp.MethodElicit {
					t.Fatalf("question %+v, %v", questions[i], err)
				}
			}
			if got := c.ask(legacyCall("10", "quick", "{}")); !strings.Contains(got, "quick") {
				t.Errorf("call meanwhile: %s", got)
			}
			c.send(`{"jsonrpc":"2.0","id":77,"result":{}}`) // CAN-07: nobody waits for it
			for i := calls - 1; i >= 0; i-- {
				got := c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"for":%d}}`, questions[i].ID, i))
				if !strings.Contains(got, fmt.Sprintf(`"id":%d,`, i)) || !strings.Contains(got, fmt.Sprintf(`{\"for\":%d}`, i)) {
					t.Errorf("reply to %d: %s", i, got)
				}
			}
		})
	}
}

// CAN-01: the client of a pipe is told that its answer is not needed any more; the
// end of the pipe ends its questions.
func TestPipeAskEnds(t *testing.T) {
	svc := newAsks()
	c := connect(t, serverOf(t, svc.Service))
	c.initialize(mcp.Legacy20251125)
	c.send(legacyCall("1", "ask", "{}"))
	var q spoken
	if err := heardOn(c.receive(), &q); err != nil {
		t.Fatal(err)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got, want := c.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the answer is not needed any more"}}`, q.ID); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := within(t, svc.got, "end of the question"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	c.send(legacyCall("2", "ask", "{}"))
	c.receive()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := within(t, svc.got, "end of the question"); err == nil {
		t.Error("the question was answered by nobody")
	}
}

// INIT-10: what the server says on its own waits on a pipe until the client is
// ready, too.
func TestPipeBeforeInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := lines(t, serverOf(t), transport.Options{})
		in.send(initializeBody("2025-06-18"))
		out.next()
		synctest.Wait()
		in.send(legacyBody("1", mcp.MethodPing, "{}"))
		if got := out.next(); !strings.Contains(got, `"id":1`) {
			t.Errorf("got %s", got)
		}
		in.send(ready)
		synctest.Wait()
		in.send(legacyBody("2", mcp.MethodPing, "{}"))
		if got := out.next(); !strings.Contains(got, `"id":2`) {
			t.Errorf("got %s", got)
		}
	})
}

// PING-03, CON-13: a client that answers no ping loses its pipe, and Serve says so.
func TestPipePings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := lines(t, configured(t, Config{Session: SessionConfig{Ping: time.Minute}}), transport.Options{})
		in.send(initializeBody("2025-06-18"))
		out.next()
		for i := range 5 {
			var q spoken
			if err := heardOn(out.next(), &q); err != nil || q.Method != mcp.MethodPing {
				t.Fatalf("got %+v, %v", q, err)
			}
			if i < 2 {
				in.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, q.ID))
			}
		}
		if err := <-out.served; !errors.Is(err, errNoPong) {
			t.Errorf("serve: %v", err)
		}
	})
}
