package mcp

import (
	"encoding/json"
)

// Meta is a _meta object: keys are "prefix/name", values any JSON. Keys of
// others are passed on unchanged (revision 2026-07-28, "_meta"). A nil Meta is
// an absent one.
type Meta map[string]json.RawMessage

// Implementation names a client or a server (schema type Implementation).
type Implementation struct {
	// Name identifies the program; required.
	Name string `json:"name"`
	// Version is the program's own version; required.
	Version string `json:"version"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description says in a sentence what the program is.
	Description string `json:"description,omitzero"`
	// WebsiteURL leads to more about it.
	WebsiteURL string `json:"websiteUrl,omitzero"`
	// Icons are pictures of it.
	Icons []Icon `json:"icons,omitempty"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Icon is a picture (schema type Icon). Whoever draws it must treat Src and
// what it leads to as hostile input.
type Icon struct {
	// Src is an https: or data: URL.
	Src string `json:"src"`
	// MIMEType is a hint; the bytes decide.
	MIMEType string `json:"mimeType,omitzero"`
	// Sizes are "48x48" and the like, or "any"; none means every size.
	Sizes []string `json:"sizes,omitempty"`
	// Theme is "light", "dark", or empty for both.
	Theme string `json:"theme,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Role is who speaks or listens.
type Role string

// The two roles of the protocol.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Annotations are hints on content and resources (schema type Annotations).
type Annotations struct {
	// Audience is whom the content is for; empty means anybody.
	Audience []Role `json:"audience,omitempty"`
	// Priority is 0 (optional) to 1 (required), nil when unsaid.
	Priority *float64 `json:"priority,omitzero"`
	// LastModified is an ISO 8601 time.
	LastModified string `json:"lastModified,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// LogLevel is a syslog severity (RFC 5424) as the protocol spells it.
type LogLevel string

// Levels from least to most severe.
const (
	LevelDebug     LogLevel = "debug"
	LevelInfo      LogLevel = "info"
	LevelNotice    LogLevel = "notice"
	LevelWarning   LogLevel = "warning"
	LevelError     LogLevel = "error"
	LevelCritical  LogLevel = "critical"
	LevelAlert     LogLevel = "alert"
	LevelEmergency LogLevel = "emergency"
)

var logLevels = [...]LogLevel{LevelDebug, LevelInfo, LevelNotice, LevelWarning, LevelError, LevelCritical, LevelAlert, LevelEmergency}

// Severity is the level's place from 0 (debug) to 7 (emergency), or -1 when the
// level is none of the eight.
func (l LogLevel) Severity() int {
	for i, k := range logLevels {
		if k == l {
			return i
		}
	}
	return -1
}

// Valid reports whether the level is one of the eight.
func (l LogLevel) Valid() bool { return l.Severity() >= 0 }
