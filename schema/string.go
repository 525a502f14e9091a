package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// textRules are the keywords of strings, shared by everything that is a string
// in JSON.
type textRules struct {
	minLen, maxLen int // in characters; -1 for none
	pattern        *regexp.Regexp
	patternText    string
	format         string
	check          func(string) error // of format
	enum           []string
}

func newTextRules() textRules { return textRules{minLen: -1, maxLen: -1} }

func (r *textRules) constrain(s setting) (err error) {
	switch s.key {
	case "minlen":
		r.minLen, err = countOf(s)
	case "maxlen":
		r.maxLen, err = countOf(s)
	case "pattern":
		r.patternText = s.value()
		if r.pattern, err = compilePattern(s.value()); err == nil {
			err = readDifferently(s.value())
		}
	case "format":
		r.format, r.check = s.value(), formats[s.value()]
		if r.check == nil {
			err = fmt.Errorf("unknown format %q; known are %s", s.value(), list(formatNames()))
		}
	case "enum":
		err = distinct(s)
		r.enum = s.values
	default:
		err = inapplicable(s, "a string")
	}
	if err == nil && r.minLen >= 0 && r.maxLen >= 0 && r.minLen > r.maxLen {
		err = fmt.Errorf("minlen %d is above maxlen %d", r.minLen, r.maxLen)
	}
	return err
}

// plain reports whether every string fits.
func (r *textRules) plain() bool {
	return r.minLen < 0 && r.maxLen < 0 && r.pattern == nil && r.check == nil && r.enum == nil
}

// fault says what is wrong with s: a message and a suggestion, or nothing.
func (r *textRules) fault(s string) (message, suggest string) {
	if r.enum != nil && !slices.Contains(r.enum, s) {
		if c := closest(s, r.enum); c != "" {
			suggest = "did you mean " + strconv.Quote(c) + "?"
		}
		return "must be one of " + list(quoted(r.enum)), suggest
	}
	if r.minLen >= 0 || r.maxLen >= 0 {
		n := utf8.RuneCountInString(s)
		if n < r.minLen {
			return fmt.Sprintf("must have at least %s, has %d", plural(r.minLen, "character"), n), ""
		}
		if r.maxLen >= 0 && n > r.maxLen {
			return fmt.Sprintf("must have at most %s, has %d", plural(r.maxLen, "character"), n), ""
		}
	}
	if r.pattern != nil && !r.pattern.MatchString(s) {
		return "must match the pattern " + r.patternText, ""
	}
	if r.check != nil {
		if err := r.check(s); err != nil {
			return "must be " + formatWords(r.format), because(err)
		}
	}
	return "", ""
}

func (r *textRules) describe(w *writer) {
	if r.enum != nil {
		w.texts("enum", r.enum)
	}
	if r.format != "" {
		w.text("format", r.format)
	}
	if r.patternText != "" {
		w.text("pattern", r.patternText)
	}
	w.count("minLength", r.minLen)
	w.count("maxLength", r.maxLen)
}

// stringNode is a Go string.
type stringNode struct {
	notNull
	asText
	textRules
}

func (n *stringNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	s, ok := d.text()
	if !ok {
		d.mismatch("a string", "")
		return
	}
	if !n.plain() {
		if message, suggest := n.fault(s); message != "" {
			d.fail(message, start.Skip(), suggest)
			return
		}
	}
	v.SetString(s)
}

// text reads a string, or (leniently) the text of a number or a boolean. It
// reports false and consumes nothing when there is none.
func (d *decoder) text() (string, bool) {
	switch k := d.s.Kind(); {
	case k == jsonx.String:
		return d.s.String(), true
	case d.lenient && (k == jsonx.Number || k == jsonx.Bool):
		return string(d.s.Skip()), true
	}
	return "", false
}

func (n *stringNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	s := v.String()
	if !n.plain() {
		if message, _ := n.fault(s); message != "" {
			return dst, bad(message, quote(s))
		}
	}
	return jsonx.AppendString(dst, s), nil
}

func (n *stringNode) describe(w *writer) {
	w.text("type", "string")
	n.textRules.describe(w)
}

// countOf reads a length or a number of items.
func countOf(s setting) (int, error) {
	n, err := strconv.ParseUint(s.value(), 10, 31)
	if err != nil {
		return -1, fmt.Errorf("%s=%s: not a count", s.key, s.value())
	}
	return int(n), nil
}

// distinct refuses an enum that names a value twice.
func distinct(s setting) error {
	for i, v := range s.values {
		if slices.Contains(s.values[:i], v) {
			return fmt.Errorf("enum has %q twice", v)
		}
	}
	return nil
}

func inapplicable(s setting, what string) error {
	return fmt.Errorf("%s does not apply to %s", s.key, what)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
