package client

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestPipePrior: a stored verdict is used without a probe, and given up when it
// proves wrong.
func TestPipePrior(t *testing.T) {
	for _, tc := range []struct {
		name   string
		prior  mcp.Profile
		starts []map[string]line
		want   mcp.Profile
		sent   []string
		fails  bool
	}{
		{"modern holds", mcp.Modern20260728, []map[string]line{modernPipe(map[string]line{"tools/call": say(okResult)})}, mcp.Modern20260728, []string{"tools/call"}, false},
		{"modern holds, and the call fails", mcp.Modern20260728, []map[string]line{modernPipe(map[string]line{"tools/call": refuse(-32602, "no")})}, mcp.Modern20260728, []string{"tools/call", "server/discover"}, true},
		{
			"modern is wrong", mcp.Modern20260728,
			[]map[string]line{legacyPipe("2025-06-18", map[string]line{"tools/call": once(refuse(-32600, "not initialized"), say(okResult))})},
			mcp.Legacy20250618,
			[]string{"tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"}, false,
		},
		{
			"modern is wrong, and the server takes it for fatal", mcp.Modern20260728,
			[]map[string]line{{"tools/call": hangUp}, {"server/discover": hangUp}, legacyPipe("2025-11-25", map[string]line{"tools/call": say(okResult)})},
			mcp.Legacy20251125,
			[]string{"tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"}, false,
		},
		{"legacy holds", mcp.Legacy20241105, []map[string]line{legacyPipe("2024-11-05", map[string]line{"tools/call": say(okResult)})}, mcp.Legacy20241105, []string{"initialize", "notifications/initialized", "tools/call"}, false},
		{
			"legacy is wrong", mcp.Legacy20251125,
			[]map[string]line{modernPipe(map[string]line{"initialize": refuse(-32601, "modern only"), "tools/call": say(okResult)})}, mcp.Modern20260728,
			[]string{"initialize", "server/discover", "tools/call"}, false,
		},
		{
			"legacy is wrong, and the server takes it for fatal", mcp.Legacy20251125,
			[]map[string]line{{"initialize": hangUp}, modernPipe(map[string]line{"tools/call": say(okResult)})}, mcp.Modern20260728,
			[]string{"initialize", "server/discover", "tools/call"}, false,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target, all := onPipe(t, tc.starts...)
				cfg := config()
				cfg.Prior = Verdict{Profile: tc.prior}
				c := connected(t, target, cfg)
				if _, err := c.Call(t.Context(), "x", nil); (err != nil) != tc.fails {
					t.Errorf("error is %v", err)
				}
				if got := c.Verdict().Profile; got != tc.want {
					t.Errorf("speaks %v, want %v", got, tc.want)
				}
				synctest.Wait()
				var sent []string
				for _, server := range all() {
					sent = append(sent, server.sent()...)
				}
				if diff := cmp.Diff(tc.sent, sent); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// once answers first in one way, then in another.
func once(first, then line) line {
	do := first
	return func(s seen) []string {
		now := do
		do = then
		return now(s)
	}
}
