package httpx

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The sentinel around a value that travels as base64. Both marks are exact and
// lower case (M-ENC-006).
const (
	sentinelOpen  = "=?base64?"
	sentinelClose = "?="
)

// strict refuses junk after the padding, so that a value has one spelling.
var strict = base64.StdEncoding.Strict()

// ErrHeaderValue is what errors of [DecodeHeader] wrap.
var ErrHeaderValue = errors.New("invalid header value")

// EncodeHeader is s as the value of Mcp-Name or Mcp-Param-* (revision
// 2026-07-28, Value Encoding). Plain ASCII stays as it is; anything else, blanks
// at either end, every tab and control character, and text that could be taken
// for an encoded value go through base64.
//
// The result is ASCII without control characters. A string that is no UTF-8 is
// encoded byte by byte, and [DecodeHeader] refuses it.
func EncodeHeader(s string) string {
	if plain(s) {
		return s
	}
	n := strict.EncodedLen(len(s))
	b := make([]byte, 0, len(sentinelOpen)+n+len(sentinelClose))
	b = append(b, sentinelOpen...)
	b = strict.AppendEncode(b, []byte(s))
	b = append(b, sentinelClose...)
	return string(b)
}

// plain reports whether s is its own header value. "=?base64?=", where the two
// marks overlap, is not.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	if s == "" {
		return true
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	return !strings.HasPrefix(s, sentinelOpen) || !strings.HasSuffix(s, sentinelClose)
}

// DecodeHeader is the string that the header value v stands for. v has lost the
// blanks around it, as [Single] returns it. A value without both marks is taken
// literally; an inner tab is allowed there.
//
// Errors wrap [ErrHeaderValue]: characters no header value may have, wrong base64
// or padding, and base64 of something that is not UTF-8. They do not repeat the
// value, which may be a secret parameter.
func DecodeHeader(v string) (string, error) {
	for i := range len(v) {
		if c := v[i]; (c < ' ' && c != '\t') || c > '~' {
			return "", fmt.Errorf("%w: byte 0x%02x at offset %d; send such values as %s…%s", ErrHeaderValue, c, i, sentinelOpen, sentinelClose)
		}
	}
	if len(v) < len(sentinelOpen)+len(sentinelClose) || !strings.HasPrefix(v, sentinelOpen) || !strings.HasSuffix(v, sentinelClose) {
		return v, nil
	}
	b, err := strict.DecodeString(v[len(sentinelOpen) : len(v)-len(sentinelClose)])
	if err != nil {
		return "", fmt.Errorf("%w: what is between %s and %s is not standard base64 with padding: %w", ErrHeaderValue, sentinelOpen, sentinelClose, err)
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("%w: the base64 does not hold UTF-8", ErrHeaderValue)
	}
	return string(b), nil
}
