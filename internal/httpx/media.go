package httpx

import (
	"net/http"
	"strings"
)

// The two media types MCP over HTTP is made of.
const (
	// JSON is the media type of a message.
	JSON = "application/json"
	// EventStream is the media type of a stream of messages.
	EventStream = "text/event-stream"
)

// Media is the media type that a Content-Type names, in lower case. Parameters
// are ignored. ok is false when contentType is not of the form type/subtype
// (RFC 9110, 8.3.1), and so for a list of types.
func Media(contentType string) (typ string, ok bool) {
	typ, _, _ = strings.Cut(contentType, ";")
	typ = trimOWS(typ)
	if typ == JSON || typ == EventStream {
		return typ, true
	}
	main, sub, ok := strings.Cut(typ, "/")
	if !ok || !IsToken(main) || !IsToken(sub) {
		return "", false
	}
	return strings.ToLower(typ), true
}

// IsJSON reports whether contentType is application/json, whatever its case and
// parameters.
func IsJSON(contentType string) bool {
	typ, _ := Media(contentType)
	return typ == JSON
}

// IsEventStream reports whether contentType is text/event-stream, whatever its
// case and parameters.
func IsEventStream(contentType string) bool {
	typ, _ := Media(contentType)
	return typ == EventStream
}

// acceptBoth is what clients are told to send, in the order most of them do.
const acceptBoth = JSON + ", " + EventStream

// Accepts reports which of the two media types the Accept headers of h allow
// (RFC 9110, 12.5.1). All lines count, the most specific range decides, q=0
// excludes, other parameters are ignored, and what cannot be read is skipped.
// No Accept header at all, or an empty one, allows both.
func Accepts(h http.Header) (json, sse bool) {
	lines := h.Values("Accept")
	if len(lines) == 1 && lines[0] == acceptBoth {
		return true, true
	}
	j, s := acceptance{main: "application", full: JSON}, acceptance{main: "text", full: EventStream}
	empty := true
	for _, line := range lines {
		for element := range elements(line, ',') {
			if element == "" {
				continue
			}
			empty = false
			typ, q := mediaRange(element)
			j.weigh(typ, q)
			s.weigh(typ, q)
		}
	}
	if empty {
		return true, true
	}
	return j.ok, s.ok
}

// acceptance collects what is said about one media type: the most specific
// range so far, and whether any range that specific has a weight above zero.
type acceptance struct {
	main, full  string
	specificity int
	ok          bool
}

func (a *acceptance) weigh(typ string, positive bool) {
	var specificity int
	main, sub, _ := strings.Cut(typ, "/")
	switch {
	case strings.EqualFold(typ, a.full):
		specificity = 3
	case sub == "*" && strings.EqualFold(main, a.main):
		specificity = 2
	case typ == "*/*" || typ == "*": // a lone star is what old Java clients send
		specificity = 1
	default:
		return
	}
	switch {
	case specificity > a.specificity:
		a.specificity, a.ok = specificity, positive
	case specificity == a.specificity:
		a.ok = a.ok || positive
	}
}

// mediaRange is the range of one element and whether its weight is above zero.
// A weight that cannot be read counts as none given.
func mediaRange(element string) (typ string, positive bool) {
	positive = true
	first := true
	for part := range elements(element, ';') {
		if first {
			typ, first = part, false
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if strings.EqualFold(trimOWS(name), "q") {
			positive = !isZero(trimOWS(value))
		}
	}
	return typ, positive
}

// isZero reports whether s is a number of value zero, such as 0 or 0.000.
func isZero(s string) bool {
	whole, fraction, _ := strings.Cut(s, ".")
	return s != "" && s != "." && strings.Trim(whole, "0") == "" && strings.Trim(fraction, "0") == ""
}

// elements yields the parts of s between separators that are not inside a
// quoted string, without the blanks around them.
func elements(s string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == separator && !quoted:
				if !yield(trimOWS(s[start:i])) {
					return
				}
				start = i + 1
			}
		}
		yield(trimOWS(s[start:]))
	}
}
