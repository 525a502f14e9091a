package client

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestRemembered: a target is probed once (ERA-11, M-ERA-005).
func TestRemembered(t *testing.T) {
	t.Run("modern", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {result(okResult)}}))
		target := HTTP(s.URL)
		connected(t, target, config())
		c := connected(t, target, config())
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"server/discover", "tools/call"}, s.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if got := c.Server(); got.Info.Name != "new" || got.Instructions != "be nice" || got.Capabilities.Tools == nil {
			t.Errorf("server is %+v", got)
		}
	})
	t.Run("legacy", func(t *testing.T) {
		s := newScript(t, legacy("2025-06-18", "", nil))
		target := HTTP(s.URL)
		connected(t, target, config())
		connected(t, target, config())
		want := []string{"server/discover", "initialize", "notifications/initialized", "initialize", "notifications/initialized"}
		if diff := cmp.Diff(want, s.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if got := s.got("initialize", 1).param(t, "protocolVersion"); got != `"2025-06-18"` {
			t.Errorf("offered %s", got)
		}
	})
	t.Run("not on the way of a failure", func(t *testing.T) {
		s := newScript(t, map[string][]act{"server/discover": {plainly(503, "", ""), discovery("2026-07-28")}})
		target := HTTP(s.URL)
		if _, err := Connect(t.Context(), target, config()); err == nil {
			t.Fatal("connected")
		}
		connected(t, target, config())
	})
}

// TestPrior: a stored verdict spares the probe, and is given up when it proves
// wrong (M-ERA-006, DIS-08).
func TestPrior(t *testing.T) {
	prior := func(p mcp.Profile) Config {
		cfg := config()
		stored, err := json.Marshal(Verdict{Profile: p, Server: mcp.Implementation{Name: "n", Version: "1"}, Found: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(stored, &cfg.Prior); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	call := map[string][]act{"tools/call": {result(okResult)}}
	for _, tc := range []struct {
		name  string
		prior mcp.Profile
		on    map[string][]act
		want  mcp.Profile
		sent  []string
	}{
		{"modern holds", mcp.Modern20260728, modern(call), mcp.Modern20260728, []string{"tools/call"}},
		{"legacy holds", mcp.Legacy20250326, legacy("2025-03-26", "", call), mcp.Legacy20250326, []string{"initialize", "notifications/initialized", "tools/call"}},
		{"legacy, and the server chooses another", mcp.Legacy20251125, legacy("2025-03-26", "", call), mcp.Legacy20250326, []string{"initialize", "notifications/initialized", "tools/call"}},
		{
			"server was rolled back", mcp.Modern20260728,
			legacy("2025-11-25", "", map[string][]act{"tools/call": {plainly(400, "text/plain", "no session"), result(okResult)}}), mcp.Legacy20251125,
			[]string{"tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"},
		},
		{
			"server was upgraded", mcp.Legacy20251125,
			modern(map[string][]act{"initialize": {faultAt(400, -32020, "modern only")}, "tools/call": {result(okResult)}}), mcp.Modern20260728,
			[]string{"initialize", "server/discover", "tools/call"},
		},
		{
			"modern has no such revision any more", mcp.Modern20260728,
			legacy("2025-11-25", "", map[string][]act{"server/discover": {discovery("2025-11-25")}, "tools/call": {faultAt(400, -32022, "no", unsupported(`["2025-11-25"]`)), result(okResult)}}), mcp.Legacy20251125,
			[]string{"tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, tc.on)
			c := connected(t, HTTP(s.URL), prior(tc.prior))
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if got := c.Verdict().Profile; got != tc.want {
				t.Errorf("speaks %v, want %v", got, tc.want)
			}
			if diff := cmp.Diff(tc.sent, s.sent()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a refusal says nothing", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {plainly(401, "", ""), plainly(503, "", ""), fault(-32602, "x"), faultAt(404, -32601, "x")}}))
		c := connected(t, HTTP(s.URL), prior(mcp.Modern20260728))
		for range 4 {
			if _, err := c.Call(t.Context(), "x", nil); err == nil {
				t.Error("no error")
			}
		}
		if n := len(s.sent()); n != 4 {
			t.Errorf("sent %q", s.sent())
		}
	})
	t.Run("the profile holds, the call does not", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {plainly(400, "", "proxy")}}))
		c := connected(t, HTTP(s.URL), prior(mcp.Modern20260728))
		_, err := c.Call(t.Context(), "x", nil)
		if !sameStatus(err, &StatusError{Status: 400}) {
			t.Errorf("error is %v", err)
		}
		if diff := cmp.Diff([]string{"tools/call", "server/discover"}, s.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
	t.Run("established is never demoted", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {result(okResult), plainly(400, "", ""), faultAt(400, -32022, "no", unsupported(`["2025-11-25"]`))}}))
		c := connected(t, HTTP(s.URL), prior(mcp.Modern20260728))
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "x", nil); !sameStatus(err, &StatusError{Status: 400}) {
			t.Errorf("error is %v", err)
		}
		if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrEra) {
			t.Errorf("error is %v", err)
		}
		if n := len(s.sent()); n != 3 {
			t.Errorf("sent %q", s.sent())
		}
	})
}

// TestPinned: a pin sends no probe, and is exact.
func TestPinned(t *testing.T) {
	pin := func(p mcp.Profile) Config {
		cfg := config()
		cfg.Profile = p
		cfg.Prior = Verdict{Profile: mcp.Legacy20241105}
		return cfg
	}
	t.Run("modern", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {result(`{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}}`)}}))
		c := connected(t, HTTP(s.URL), pin(mcp.Modern20260728))
		if len(s.sent()) != 0 {
			t.Errorf("sent %q", s.sent())
		}
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if got := c.Server().Info.Name; got != "n" {
			t.Errorf("the name of the server is %q", got)
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := c.Server(); got.Info.Name != "new" || got.Capabilities.Tools == nil {
			t.Errorf("server is %+v", got)
		}
		if v := c.Verdict(); v.Found != "pinned" || v.Profile != mcp.Modern20260728 {
			t.Errorf("verdict is %+v", v)
		}
	})
	t.Run("MOD-19 modern, and the server is not", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "", map[string][]act{"tools/call": {plainly(400, "", "what")}}))
		c := connected(t, HTTP(s.URL), pin(mcp.Modern20260728))
		_, err := c.Call(t.Context(), "x", nil)
		if !errors.Is(err, mcp.ErrEra) || !strings.Contains(err.Error(), "2026-07-28") {
			t.Errorf("error is %v", err)
		}
	})
	for _, p := range []mcp.Profile{mcp.Legacy20241105, mcp.Legacy20250326, mcp.Legacy20250618, mcp.Legacy20251125} {
		t.Run(p.Version(), func(t *testing.T) {
			s := newScript(t, legacy(p.Version(), "", nil))
			connected(t, HTTP(s.URL), pin(p))
			if diff := cmp.Diff([]string{"initialize", "notifications/initialized"}, s.sent()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if got := s.got("initialize", 0).param(t, "protocolVersion"); got != `"`+p.Version()+`"` {
				t.Errorf("offered %s", got)
			}
		})
	}
	t.Run("INIT-06 another revision is answered", func(t *testing.T) {
		s := newScript(t, legacy("2025-03-26", "", nil))
		_, err := Connect(t.Context(), HTTP(s.URL), pin(mcp.Legacy20251125))
		if !errors.Is(err, mcp.ErrEra) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("M-ERA-007 the server is modern only", func(t *testing.T) {
		s := newScript(t, map[string][]act{"initialize": {faultAt(400, -32020, "speak 2026-07-28", `{"supported":["2026-07-28"]}`)}})
		_, err := Connect(t.Context(), HTTP(s.URL), pin(mcp.Legacy20251125))
		if !errors.Is(err, mcp.ErrEra) || !strings.Contains(err.Error(), "2026-07-28") {
			t.Errorf("error is %v", err)
		}
	})
}
