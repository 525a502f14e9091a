package mcp

import (
	"fmt"
	"strings"
)

// Profile says which protocol revision a peer speaks, or that it is to be found
// out. The zero value is [Auto].
//
// Profiles are ordered by age: an older revision compares less than a newer one.
type Profile uint8

// The five published revisions, oldest first, and Auto.
const (
	// Auto means: serve every revision; connect by asking the server.
	Auto Profile = iota
	// Legacy20241105 is the first revision: initialize, stdio, HTTP+SSE.
	Legacy20241105
	// Legacy20250326 adds Streamable HTTP, batches, tool annotations and audio.
	Legacy20250326
	// Legacy20250618 adds structured output, elicitation and resource links; no batches.
	Legacy20250618
	// Legacy20251125 adds icons, URL elicitation, tools in sampling and tasks.
	Legacy20251125
	// Modern20260728 is stateless: every request describes itself, and
	// server/discover replaces the handshake.
	Modern20260728
)

// Newest is the newest revision known here, NewestLegacy the newest that opens
// with initialize.
const (
	Newest       = Modern20260728
	NewestLegacy = Legacy20251125
)

var profileNames = [...]struct{ name, version string }{
	Auto:           {"AUTO", ""},
	Legacy20241105: {"LEGACY_2024_11_05", "2024-11-05"},
	Legacy20250326: {"LEGACY_2025_03_26", "2025-03-26"},
	Legacy20250618: {"LEGACY_2025_06_18", "2025-06-18"},
	Legacy20251125: {"LEGACY_2025_11_25", "2025-11-25"},
	Modern20260728: {"MODERN_2026_07_28", "2026-07-28"},
}

// Profiles lists the revisions, newest first. Auto is not among them. The slice
// is the caller's.
func Profiles() []Profile {
	return []Profile{Modern20260728, Legacy20251125, Legacy20250618, Legacy20250326, Legacy20241105}
}

// Version is the revision's date as it travels on the wire, such as
// "2026-07-28". It is empty for Auto.
func (p Profile) Version() string {
	if int(p) < len(profileNames) {
		return profileNames[p].version
	}
	return ""
}

// String is the profile's configuration name, such as MODERN_2026_07_28.
func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p].name
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// Modern reports whether the revision is stateless and self-describing.
func (p Profile) Modern() bool { return p >= Modern20260728 }

// Legacy reports whether the revision opens with initialize.
func (p Profile) Legacy() bool { return p > Auto && p < Modern20260728 }

// ProfileOf returns the profile whose wire date is version. The comparison is
// exact: versions have no order a stranger's string could be placed in
// (legacy INIT-21).
func ProfileOf(version string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.Version() == version {
			return p, true
		}
	}
	return Auto, false
}

// ParseProfile reads a profile as people write it in configuration: AUTO,
// MODERN_2026_07_28, LEGACY_2025_11_25 and so on in any case, with "-" or "_"
// between the parts, or the bare date of a revision. The empty string is Auto.
func ParseProfile(s string) (Profile, error) {
	norm := strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(s), "-", "_"))
	if norm == "" {
		return Auto, nil
	}
	for p, n := range profileNames {
		if norm == n.name || n.version != "" && norm == strings.ReplaceAll(n.version, "-", "_") {
			return Profile(p), nil
		}
	}
	return Auto, fmt.Errorf("parse protocol profile: %q is none; use AUTO, %s", s, strings.Join(profileChoices(), ", "))
}

func profileChoices() []string {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.String())
	}
	return names
}

// MarshalText writes the profile's configuration name.
func (p Profile) MarshalText() ([]byte, error) {
	if int(p) >= len(profileNames) {
		return nil, fmt.Errorf("write protocol profile: %d is none", uint8(p))
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what [ParseProfile] reads.
func (p *Profile) UnmarshalText(text []byte) error {
	v, err := ParseProfile(string(text))
	if err != nil {
		return err
	}
	*p = v
	return nil
}
