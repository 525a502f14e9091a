package httpx

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrRepeated is what [Single] returns for a header that stands there more than once.
var ErrRepeated = errors.New("repeated header")

// Single is the one value of the header name in h, without the blanks around it
// (RFC 9110, 5.5). present tells an empty value from none. A header on several
// lines is an error even when the lines agree: intermediaries disagree on which
// one counts.
func Single(h http.Header, name string) (value string, present bool, err error) {
	values := h.Values(name)
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return trimOWS(values[0]), true, nil
	default:
		return "", true, fmt.Errorf("%w: %s stands there %d times; send it once", ErrRepeated, http.CanonicalHeaderKey(name), len(values))
	}
}

// trimOWS cuts what RFC 9110 calls optional whitespace: blanks and tabs, nothing else.
func trimOWS(s string) string { return strings.Trim(s, " \t") }

// IsToken reports whether s may be a header name, or a part of one: a token of
// RFC 9110, 5.6.2, which is not empty.
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
