package mcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

func TestParseProfile(t *testing.T) {
	for _, c := range []struct {
		in   string
		want mcp.Profile
	}{
		{"", mcp.Auto},
		{"AUTO", mcp.Auto},
		{"auto", mcp.Auto},
		{" Auto ", mcp.Auto},
		{"MODERN_2026_07_28", mcp.Modern20260728},
		{"modern_2026_07_28", mcp.Modern20260728},
		{"modern-2026-07-28", mcp.Modern20260728},
		{"2026-07-28", mcp.Modern20260728},
		{"2026_07_28", mcp.Modern20260728},
		{"LEGACY_2025_11_25", mcp.Legacy20251125},
		{"Legacy-2025-11-25", mcp.Legacy20251125},
		{"2025-11-25", mcp.Legacy20251125},
		{"LEGACY_2025_06_18", mcp.Legacy20250618},
		{"2025-06-18", mcp.Legacy20250618},
		{"LEGACY_2025_03_26", mcp.Legacy20250326},
		{"2025-03-26", mcp.Legacy20250326},
		{"LEGACY_2024_11_05", mcp.Legacy20241105},
		{"2024-11-05", mcp.Legacy20241105},
	} {
		got, err := mcp.ParseProfile(c.in)
		if err != nil || got != c.want {
			t.Errorf("ParseProfile(%q) = %v, %v; want %v", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{
		"MODERN", "LEGACY", "2026", "2026-07", "2025-11-26", "MODERN_2025_11_25", "LEGACY_2026_07_28",
		"draft", "latest", "AUTO_2026", "_", "-", "2026-07-28-", "20260728", "Profile(1)",
	} {
		got, err := mcp.ParseProfile(bad)
		if err == nil {
			t.Errorf("ParseProfile(%q) = %v", bad, got)
			continue
		}
		for _, part := range []string{`"` + bad + `"`, "AUTO", "MODERN_2026_07_28", "LEGACY_2024_11_05"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error for %q does not say %s: %v", bad, part, err)
			}
		}
	}
}

// TestProfileOf: versions are compared exactly, by membership (INIT-21).
func TestProfileOf(t *testing.T) {
	for _, p := range mcp.Profiles() {
		if got, ok := mcp.ProfileOf(p.Version()); !ok || got != p {
			t.Errorf("ProfileOf(%q) = %v, %v", p.Version(), got, ok)
		}
	}
	for _, bad := range []string{"", "draft", "2025-11-26", "2026-07-28 ", "2026_07_28", "LEGACY_2025_11_25", "AUTO"} {
		if got, ok := mcp.ProfileOf(bad); ok || got != mcp.Auto {
			t.Errorf("ProfileOf(%q) = %v, %v", bad, got, ok)
		}
	}
}

func TestProfileOrder(t *testing.T) {
	all := mcp.Profiles()
	if len(all) != 5 || all[0] != mcp.Newest || !slices.IsSortedFunc(all, func(a, b mcp.Profile) int { return int(b) - int(a) }) {
		t.Errorf("Profiles() = %v, want five, newest first", all)
	}
	all[0] = mcp.Auto
	if mcp.Profiles()[0] != mcp.Newest {
		t.Error("a caller's change of the slice is seen by others")
	}
	for _, p := range mcp.Profiles() {
		if p.Modern() == p.Legacy() {
			t.Errorf("%v is both or neither of modern and legacy", p)
		}
	}
	if mcp.Auto.Modern() || mcp.Auto.Legacy() || mcp.Auto.Version() != "" {
		t.Error("Auto belongs to an era")
	}
	if !mcp.NewestLegacy.Legacy() || !mcp.Newest.Modern() {
		t.Error("the newest of each era is of the other one")
	}
}

func TestProfileText(t *testing.T) {
	for _, p := range append(mcp.Profiles(), mcp.Auto) {
		b, err := json.Marshal(map[string]mcp.Profile{"p": p})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]mcp.Profile
		if err := json.Unmarshal(b, &back); err != nil || back["p"] != p {
			t.Errorf("%v is written as %s and read as %v (%v)", p, b, back["p"], err)
		}
	}
	const none = mcp.Profile(99)
	if none.String() != "Profile(99)" || none.Version() != "" {
		t.Errorf("an invalid profile is %q, version %q", none, none.Version())
	}
	if _, err := none.MarshalText(); err == nil {
		t.Error("an invalid profile is written")
	}
	kept := mcp.Legacy20250618
	if err := kept.UnmarshalText([]byte("nonsense")); err == nil || kept != mcp.Legacy20250618 {
		t.Errorf("a failed read gives %v and leaves %v", err, kept)
	}
}
