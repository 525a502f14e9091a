package jsonrpc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// ID is a request's id, a string or an integer, kept as the literal it came in.
// It is comparable: 1 and "1" are two ids. The zero ID is no id.
type ID struct{ raw string }

// ParseID reads an id from checked JSON. Null, fractions and everything else
// that is neither a string nor an integer literal is refused (M-MSG-001,
// M-MSG-002).
func ParseID(raw []byte) (ID, error) {
	switch jsonx.KindOf(raw) {
	case jsonx.String:
		return ID{string(raw)}, nil
	case jsonx.Number:
		for i, c := range raw {
			if (c < '0' || c > '9') && (c != '-' || i != 0) {
				return ID{}, fmt.Errorf("id %s is no integer; use a string or an integer", shorten(raw))
			}
		}
		return ID{string(raw)}, nil
	}
	return ID{}, fmt.Errorf("id is %s; use a string or an integer", article(jsonx.KindOf(raw)))
}

// IntID makes an id from a number, StringID one from a string.
func IntID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// StringID makes an id from a string.
func StringID(s string) ID { return ID{string(jsonx.AppendString(nil, s))} }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// String is the id's literal.
func (id ID) String() string { return id.raw }

// Append appends the id's literal to dst.
func (id ID) Append(dst []byte) []byte { return append(dst, id.raw...) }

// Key is the id in its plainest spelling, for maps: "\u0061" and "a" are one id,
// and a peer may spell it either way when it names it again.
func (id ID) Key() ID {
	switch {
	case id.raw == "-0":
		return ID{"0"}
	case len(id.raw) > 0 && id.raw[0] == '"' && strings.IndexByte(id.raw, '\\') >= 0:
		s := jsonx.NewScanner([]byte(id.raw))
		return StringID(s.String())
	}
	return id
}

func article(k jsonx.Kind) string {
	switch k {
	case jsonx.Null, jsonx.Invalid:
		return k.String()
	case jsonx.Object, jsonx.Array:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

// shorten keeps texts of strangers short in errors.
func shorten(b []byte) string {
	const most = 64
	if len(b) <= most {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b[:most], nil)) + "…"
}
