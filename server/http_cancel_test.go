package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// M-CAN-003, M-HTTP-033, T-19: a modern client that disconnects cancels, before
// the first byte of the answer too.
func TestModernDisconnectCancels(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	body, h := modernCall("1", "stall", "{}")
	t.Run("of a connection", func(t *testing.T) {
		c := s.dial()
		c.post(body, h)
		within(t, svc.began, "call")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := within(t, svc.ended, "cancellation"); !errors.Is(err, context.Canceled) {
			t.Errorf("cause %v, want %v", err, context.Canceled)
		}
	})
	t.Run("of an open stream", func(t *testing.T) {
		c := s.dial()
		c.post(modernBody("1", mcp.MethodToolsCall, `"name":"stall"`, `"progressToken":1`), h)
		within(t, svc.began, "call")
		if res := c.response(); res.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("before the reply: %v", res.Header)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := within(t, svc.ended, "cancellation"); err == nil {
			t.Error("the call was not cancelled")
		}
	})
	t.Run("of a request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := s.send(ctx, http.MethodPost, body, h)
			failed <- err
		}()
		within(t, svc.began, "call")
		cancel()
		if err := within(t, failed, "request"); !errors.Is(err, context.Canceled) {
			t.Errorf("request failed with %v", err)
		}
		if err := within(t, svc.ended, "cancellation"); err == nil {
			t.Error("the call was not cancelled")
		}
	})
}

// T-20, CON-05: notifications/cancelled over modern HTTP touches nobody's calls.
func TestModernCancelledIsIgnored(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	body, h := modernCall("7", "stall", "{}")
	done := make(chan answered, 1)
	go func() { done <- s.do(http.MethodPost, body, h) }()
	within(t, svc.began, "call")
	if a := s.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, legacyHeader("")); a.status != http.StatusAccepted {
		t.Errorf("notification: %d %s", a.status, a.body)
	}
	close(svc.release)
	if a := within(t, done, "reply"); !strings.Contains(a.body, "released") {
		t.Errorf("reply: %d %s", a.status, a.body)
	}
}

// L-HTTP-21: a legacy client that disconnects cancels nothing.
func TestLegacyDisconnectDoesNotCancel(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	id := s.open(mcp.Legacy20251125)
	c := s.dial()
	c.post(legacyCall("1", "stall", "{}"), legacyHeader(id))
	within(t, svc.began, "call")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	// The session still serves, and the call still runs.
	if a := s.do(http.MethodPost, legacyCall("2", "quick", "{}"), legacyHeader(id)); !strings.Contains(a.body, "quick") {
		t.Errorf("beside the lost call: %d %s", a.status, a.body)
	}
	select {
	case err := <-svc.ended:
		t.Fatalf("the call ended with %v", err)
	default:
	}
	close(svc.release)
	if err := within(t, svc.ended, "call"); err != nil {
		t.Errorf("the call was cancelled: %v", err)
	}
}

// L-HTTP-21: a call whose client is gone does not run for ever.
func TestLegacyCallLingersForALimitedTime(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, configured(t, Config{Session: SessionConfig{Linger: time.Millisecond}}, svc.Service).Handler())
	id := s.open(mcp.Legacy20250618)
	c := s.dial()
	c.post(legacyCall("1", "stall", "{}"), legacyHeader(id))
	within(t, svc.began, "call")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := within(t, svc.ended, "call"); !errors.Is(err, errLingered) {
		t.Errorf("cause %v, want %v", err, errLingered)
	}
}

// CAN-05, CON-05: notifications/cancelled cancels the request of that id, type
// included, in its own session alone; the stream ends without a reply.
func TestLegacyCancelled(t *testing.T) {
	for _, tt := range []struct{ id, named string }{
		{`7`, `7`},
		{`"7"`, `"7"`},
		{`0`, `0`},
		{`""`, `""`},
		{`-1`, `-1`},
		{`"\u0061"`, `"a"`}, // ids are looked up by value
		{`"a"`, `"\u0061"`},
		{`-0`, `0`},
	} {
		t.Run(tt.id, func(t *testing.T) {
			svc := newStalls()
			s := serveHTTP(t, serverOf(t, svc.Service).Handler())
			mine, other := s.open(mcp.Legacy20251125), s.open(mcp.Legacy20251125)
			done := make(chan answered, 2)
			for _, session := range []string{mine, other} {
				go func() { done <- s.do(http.MethodPost, legacyCall(tt.id, "stall", "{}"), legacyHeader(session)) }()
				within(t, svc.began, "call")
			}
			for _, wrong := range []string{`{"requestId":"nobody's"}`, `{}`, `{"requestId":null}`, `[]`, `{"requestId":77}`} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":%s}`, wrong)
				if a := s.do(http.MethodPost, body, legacyHeader(mine)); a.status != http.StatusAccepted {
					t.Errorf("cancelled %s: %d %s", wrong, a.status, a.body)
				}
			}
			body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"user"}}`, tt.named)
			for range 2 { // twice is once
				if a := s.do(http.MethodPost, body, legacyHeader(mine)); a.status != http.StatusAccepted || a.body != "" {
					t.Errorf("cancelled: %d %s", a.status, a.body)
				}
			}
			if err := within(t, svc.ended, "cancellation"); !errors.Is(err, errCancelled) {
				t.Errorf("cause %v, want %v", err, errCancelled)
			}
			if a := within(t, done, "answer to the cancelled request"); a.status != http.StatusOK || a.body != "" || a.header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("cancelled request: %d %q %q", a.status, a.header.Get("Content-Type"), a.body)
			}
			close(svc.release)
			if a := within(t, done, "reply to the other session"); !strings.Contains(a.body, "released") {
				t.Errorf("other session: %d %s", a.status, a.body)
			}
		})
	}
}

// A client that takes JSON alone gets no reply to a cancelled request either.
func TestLegacyCancelledWithoutStream(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	id := s.open(mcp.Legacy20250326)
	done := make(chan answered, 1)
	go func() {
		done <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(id, "Accept", "application/json"))
	}()
	within(t, svc.began, "call")
	s.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, legacyHeader(id))
	if a := within(t, done, "answer"); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("cancelled request: %d %s", a.status, a.body)
	}
}

// DELETE cancels what runs in the session.
func TestDeleteCancels(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	id := s.open(mcp.Legacy20251125)
	done := make(chan answered, 1)
	go func() { done <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(id)) }()
	within(t, svc.began, "call")
	if a := s.do(http.MethodDelete, "", legacyHeader(id)); a.status != http.StatusNoContent {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if err := within(t, svc.ended, "cancellation"); !errors.Is(err, errSessionEnded) {
		t.Errorf("cause %v, want %v", err, errSessionEnded)
	}
	if a := within(t, done, "answer"); a.body != "" {
		t.Errorf("answer: %d %s", a.status, a.body)
	}
}

// A session has a bounded number of calls in flight; ping is none of them.
func TestSessionInFlight(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, configured(t, Config{Session: SessionConfig{MaxInFlight: 2}}, svc.Service).Handler())
	id := s.open(mcp.Legacy20251125)
	done := make(chan answered, 2)
	for i := range 2 {
		go func() { done <- s.do(http.MethodPost, legacyCall(fmt.Sprint(i), "stall", "{}"), legacyHeader(id)) }()
		within(t, svc.began, "call")
	}
	if a := s.do(http.MethodPost, legacyCall("1", "quick", "{}"), legacyHeader(id)); a.status != http.StatusTooManyRequests || code(t, a.body) != int(mcp.CodeInternal) || a.header.Get("Retry-After") == "" {
		t.Errorf("third call: %d %v %s", a.status, a.header, a.body)
	}
	if a := s.do(http.MethodPost, legacyBody("9", "ping", "{}"), legacyHeader(id)); a.status != http.StatusOK || code(t, a.body) != 0 {
		t.Errorf("ping: %d %s", a.status, a.body)
	}
	close(svc.release)
	for range 2 {
		if a := within(t, done, "call"); !strings.Contains(a.body, "released") {
			t.Errorf("call: %d %s", a.status, a.body)
		}
	}
	if a := s.do(http.MethodPost, legacyCall("1", "quick", "{}"), legacyHeader(id)); a.status != http.StatusOK {
		t.Errorf("call afterwards: %d %s", a.status, a.body)
	}
}

// L-RPC-03: an id that is in flight is not taken a second time.
func TestSessionIDInFlight(t *testing.T) {
	svc := newStalls()
	s := serveHTTP(t, serverOf(t, svc.Service).Handler())
	id := s.open(mcp.Legacy20251125)
	done := make(chan answered, 1)
	go func() { done <- s.do(http.MethodPost, legacyCall("1", "stall", "{}"), legacyHeader(id)) }()
	within(t, svc.began, "call")
	if a := s.do(http.MethodPost, legacyCall("1", "quick", "{}"), legacyHeader(id)); a.status != http.StatusBadRequest || code(t, a.body) != int(mcp.CodeInvalidRequest) {
		t.Errorf("same id: %d %s", a.status, a.body)
	}
	if a := s.do(http.MethodPost, legacyCall(`"1"`, "quick", "{}"), legacyHeader(id)); a.status != http.StatusOK {
		t.Errorf("another id: %d %s", a.status, a.body)
	}
	close(svc.release)
	within(t, done, "call")
}
