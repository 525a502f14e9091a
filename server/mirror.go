package server

import (
	"net/http"
	"strings"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// mirror is an argument that HTTP clients repeat in a header: one annotation
// x-mcp-header of a tool's input schema.
type mirror struct {
	// header is the canonical name of the header.
	header string
	// path leads to the argument.
	path []string
	// integer: the header compares as a number (M-VAL-006).
	integer bool
}

func newMirrors(headers []schema.Header) []mirror {
	var out []mirror
	for _, h := range headers {
		out = append(out, mirror{
			header: http.CanonicalHeaderKey("Mcp-Param-" + h.Name), path: h.Path, integer: h.Type == "integer",
		})
	}
	return out
}

// compareMirrors checks that every mirrored argument stands in its header, once
// and with the same value, and that a header without an argument is absent
// (M-XMH-016 to M-XMH-019, M-XMH-025, M-VAL-001 to M-VAL-006, T-15, T-17).
// Headers that mirror nothing are none of the tool's business.
func compareMirrors(mirrors []mirror, header http.Header, args []byte) error {
	for i := range mirrors {
		if err := mirrors[i].compare(header, args); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) compare(header http.Header, args []byte) error {
	sent, present, err := httpx.Single(header, m.header)
	if err != nil {
		return mismatch("%s is there more than once; send it once", m.header)
	}
	body, due := m.value(args)
	switch {
	case due && !present:
		return mismatch("%s is missing; it repeats the argument %s", m.header, m.argument())
	case !due && present:
		return mismatch("%s is there, and the argument %s that it repeats is not", m.header, m.argument())
	case !due:
		return nil
	}
	text, err := httpx.DecodeHeader(sent)
	if err != nil {
		return mismatch("%s: %v", m.header, err)
	}
	if !m.equal(text, body) {
		return mismatch("%s differs from the argument %s", m.header, m.argument())
	}
	return nil
}

// mismatch does not repeat values: they may be secrets of the caller's, and the
// message may be logged on its way.
func mismatch(format string, args ...any) error {
	return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: "+format, args...)
}

// argument is the argument as a message names it.
func (m *mirror) argument() string { return quoted(strings.Join(m.path, ".")) }

// value finds the argument, and reports whether a header is due for it: not when
// it is absent, null, or no scalar, which is the schema's to refuse (T-15).
func (m *mirror) value(args []byte) ([]byte, bool) {
	v := args
	for _, step := range m.path {
		if jsonx.KindOf(v) != jsonx.Object {
			return nil, false
		}
		var ok bool
		if v, ok = jsonx.Lookup(v, step); !ok {
			return nil, false
		}
	}
	switch jsonx.KindOf(v) {
	case jsonx.String, jsonx.Number, jsonx.Bool:
		return v, true
	default:
		return nil, false
	}
}

// equal compares a decoded header with the argument. A scalar of another type
// than declared compares as the text that stands there.
func (m *mirror) equal(text string, body []byte) bool {
	switch jsonx.KindOf(body) {
	case jsonx.String:
		s, ok := wire.String(body)
		return ok && s == text
	case jsonx.Number:
		if string(body) == text {
			return true
		}
		return m.integer && isNumber(text) && jsonx.EqualNumber([]byte(text), body)
	default:
		return string(body) == text
	}
}

// isNumber reports whether text is a number as JSON writes one.
func isNumber(text string) bool {
	return text != "" && text[0] > ' ' && text[len(text)-1] > ' ' &&
		jsonx.KindOf([]byte(text)) == jsonx.Number && jsonx.Check([]byte(text), 1) == nil
}
