package client

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// restarting is a legacy server with sessions that loses them all, once.
func restarting(gone act) (on map[string][]act, lose func()) {
	var mu sync.Mutex
	sessions, current := 0, ""
	lose = func() {
		mu.Lock()
		defer mu.Unlock()
		current = ""
	}
	call := func(w http.ResponseWriter, s seen) {
		mu.Lock()
		known := current != "" && s.Header.Get(headerSession) == current
		mu.Unlock()
		if !known {
			gone(w, s)
			return
		}
		result(okResult)(w, s)
	}
	initialize := func(w http.ResponseWriter, s seen) {
		mu.Lock()
		sessions++
		current = "S" + string(rune('0'+sessions))
		id := current
		mu.Unlock()
		if s.Header.Get(headerSession) != "" {
			plainly(400, "text/plain", "initialize with a session id")(w, s)
			return
		}
		welcome("2025-11-25", id)(w, s)
	}
	return legacy("", "", map[string][]act{"initialize": {initialize}, "tools/call": {call}}), lose
}

// TestSessionLost: a 404 starts one new session, however many calls meet it, and
// each of them is sent once more (SES-02, L-HTTP-56, T-57).
func TestSessionLost(t *testing.T) {
	for name, gone := range map[string]act{
		"empty":                    plainly(404, "", ""),
		"HTML":                     plainly(404, "text/html", "<html>"),
		"an error, foreign id":     plainly(404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`),
		"an error, null id":        plainly(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`),
		"an error, the call's own": faultAt(404, -32600, "Session not found"),
	} {
		t.Run(name, func(t *testing.T) {
			on, lose := restarting(gone)
			s := newScript(t, on)
			c := connected(t, HTTP(s.URL), config())
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			lose()
			var calls sync.WaitGroup
			for range 10 {
				calls.Go(func() {
					if _, err := c.Call(t.Context(), "x", nil); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			n := map[string]int{}
			for _, m := range s.sent() {
				n[m]++
			}
			if n["initialize"] != 2 || n["notifications/initialized"] != 2 || n["server/discover"] != 1 {
				t.Errorf("sent %v", n)
			}
		})
	}
}

// TestLevelKept: a new session has the log level of the lost one (SES-02).
func TestLevelKept(t *testing.T) {
	on, lose := restarting(plainly(404, "", ""))
	on["logging/setLevel"] = []act{result(`{}`)}
	s := newScript(t, on)
	c := connected(t, HTTP(s.URL), config())
	if _, err := c.Call(t.Context(), "x", nil, LogLevel(mcp.LevelInfo)); err != nil {
		t.Fatal(err)
	}
	lose()
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if again := s.got("logging/setLevel", 1); again.param(t, "level") != `"info"` || again.Header.Get(headerSession) != "S2" {
		t.Errorf("sent %s in the session %q", again.Body, again.Header.Get(headerSession))
	}
}

// TestSessionLostAgain: a second 404 is the caller's to see.
func TestSessionLostAgain(t *testing.T) {
	s := newScript(t, legacy("2025-11-25", "S", map[string][]act{"tools/call": {plainly(404, "text/plain", "gone")}}))
	c := connected(t, HTTP(s.URL), config())
	_, err := c.Call(t.Context(), "x", nil)
	var status *StatusError
	if !errors.Is(err, mcp.ErrSessionLost) || !errors.As(err, &status) || status.Status != 404 {
		t.Errorf("error is %v", err)
	}
	want := []string{"server/discover", "initialize", "notifications/initialized", "tools/call", "initialize", "notifications/initialized", "tools/call"}
	if diff := cmp.Diff(want, s.sent()); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// TestSessionless404: without a session, and for an unknown method, 404 is what
// it says (T-57).
func TestSessionless404(t *testing.T) {
	for _, tc := range []struct {
		name, session string
		do            act
		want          error
	}{
		{"no session", "", plainly(404, "", ""), &StatusError{Status: 404}},
		{"unknown method", "S", faultAt(404, -32601, "no such"), &mcp.Error{Code: mcp.CodeMethodNotFound}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, legacy("2025-11-25", tc.session, map[string][]act{"tools/call": {tc.do}}))
			c := connected(t, HTTP(s.URL), config())
			_, err := c.Call(t.Context(), "x", nil)
			if !errors.Is(err, tc.want) && !sameStatus(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
			if n := len(s.sent()); n != 4 {
				t.Errorf("sent %q", s.sent())
			}
		})
	}
}

// TestUpgraded: a session is lost because the server has become modern (DIS-08).
func TestUpgraded(t *testing.T) {
	s := newScript(t, map[string][]act{
		"server/discover": {plainly(400, "", ""), discovery("2026-07-28")},
		"initialize":      {welcome("2025-11-25", "S"), faultAt(400, -32020, "speak 2026-07-28", `{"supported":["2026-07-28"]}`)},
		"tools/call":      {plainly(404, "", ""), result(okResult)},
	})
	target := HTTP(s.URL)
	c := connected(t, target, config())
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if got := c.Server().Profile; got != mcp.Modern20260728 || target.remembered().Profile != got {
		t.Errorf("speaks %v, remembers %v", got, target.remembered().Profile)
	}
}

// TestInitialize: what the handshake says (INIT-01, INIT-02, INIT-08, INIT-09).
func TestInitialize(t *testing.T) {
	s := newScript(t, legacy("2025-11-25", "", nil))
	connected(t, HTTP(s.URL), config())
	got := string(s.got("initialize", 0).Params)
	want := `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}`
	if got != want {
		t.Errorf("params are %s, want %s", got, want)
	}
	if body := string(s.got("notifications/initialized", 0).Body); body != `{"jsonrpc":"2.0","method":"notifications/initialized"}` {
		t.Errorf("initialized is %s", body)
	}
}

// TestSessionID: what is accepted as one (L-HTTP-51), and that a modern server's
// is not one (SES-12).
func TestSessionID(t *testing.T) {
	for name, id := range map[string]string{"blank inside": "a b", "not ASCII": "é", "too long": strings.Repeat("x", 5000)} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, legacy("2025-11-25", id, nil))
			if _, err := Connect(t.Context(), HTTP(s.URL), config()); !errors.Is(err, mcp.ErrInvalidResponse) {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("modern", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"server/discover": {func(w http.ResponseWriter, s seen) {
			w.Header().Set("Mcp-Session-Id", "stray")
			discovery("2026-07-28")(w, s)
		}}, "tools/call": {result(okResult)}}))
		c := connected(t, HTTP(s.URL), config())
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if got := s.got("tools/call", 0).Header.Get(headerSession); got != "" {
			t.Errorf("session id %q was sent", got)
		}
		if err := c.Close(); err != nil || len(s.sent()) != 2 {
			t.Errorf("error %v, sent %q", err, s.sent())
		}
	})
}

// TestVersionRefusedLater: -32022 on an established connection is answered with
// the same request again, once, when the revision is listed (M-VER-003).
func TestVersionRefusedLater(t *testing.T) {
	refused := faultAt(400, -32022, "no", unsupported(`["2026-07-28"]`))
	s := newScript(t, modern(map[string][]act{"tools/call": {refused, result(okResult), refused}}))
	c := connected(t, HTTP(s.URL), config())
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if a, b := s.got("tools/call", 0), s.got("tools/call", 1); a.id() == b.id() {
		t.Errorf("the id %s was used twice", a.id())
	}
	_, err := c.Call(t.Context(), "x", nil)
	if !errors.Is(err, &mcp.Error{Code: mcp.CodeUnsupportedVersion}) || len(s.sent()) != 5 {
		t.Errorf("error %v, sent %q", err, s.sent())
	}
}

// TestLogLevel: sessions have a level of their own, raised when it is asked for
// and only where the server can log.
func TestLogLevel(t *testing.T) {
	s := newScript(t, legacy("2025-11-25", "", map[string][]act{
		"logging/setLevel": {result(`{}`), fault(-32602, "no")}, "tools/call": {result(okResult)},
	}))
	c := connected(t, HTTP(s.URL), config())
	for _, level := range []mcp.LogLevel{mcp.LevelWarning, mcp.LevelError, mcp.LevelInfo} {
		if _, err := c.Call(t.Context(), "x", nil, LogLevel(level)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"server/discover", "initialize", "notifications/initialized", "logging/setLevel", "tools/call", "tools/call", "logging/setLevel", "tools/call"}
	if diff := cmp.Diff(want, s.sent()); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if got := string(s.got("logging/setLevel", 1).Params); got != `{"level":"info"}` {
		t.Errorf("params are %s", got)
	}
	if _, err := c.Call(t.Context(), "x", nil, LogLevel("loud")); err == nil || !strings.Contains(err.Error(), `"loud" is no level`) {
		t.Errorf("error is %v", err)
	}
}
