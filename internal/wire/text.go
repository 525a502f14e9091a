package wire

import (
	"unicode/utf8"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// typeOf names the type of an encoded value for a message.
func typeOf(raw []byte) string {
	switch jsonx.KindOf(raw) {
	case jsonx.String:
		return "a string"
	case jsonx.Object:
		return "an object"
	case jsonx.Array:
		return "an array"
	case jsonx.Bool:
		return "a boolean"
	case jsonx.Null:
		return "null"
	case jsonx.Number:
		return "a number"
	default:
		return "absent"
	}
}

// shown is how much of a stranger's text a message repeats, in bytes.
const shown = 80

// clip shortens a stranger's text for a message.
func clip(s string) string {
	if len(s) <= shown {
		return s
	}
	end := shown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
