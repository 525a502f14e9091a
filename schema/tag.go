package schema

import (
	"fmt"
	"slices"
	"strings"
)

// setting is one entry of an mcp tag: a bare key, or a key with a value.
// Only enum has more than one value.
type setting struct {
	key    string
	values []string // nil for a bare key
}

func (s setting) value() string { return s.values[0] }

// tagKeys says of every known key whether it takes a value.
var tagKeys = map[string]bool{
	"default": true, "min": true, "max": true, "minlen": true, "maxlen": true,
	"minitems": true, "maxitems": true, "pattern": true, "format": true, "enum": true,
	"example": true, "header": true, "title": true, "discriminator": true,
	"unique": false, "optional": false, "rest": false,
}

// parseTag reads the text of an mcp tag:
//
//	tag     = [ setting *( "," setting ) ]
//	setting = key [ "=" value ]
//	value   = quoted / plain                ; enum: value *( "|" value )
//	quoted  = "'" *( any but "'" / "''" ) "'"
//	plain   = *( any but "," / "\," )       ; enum: nor "|", but "\|"
//
// White space around plain values is dropped. A backslash is kept unless it stands before a comma (in enum: or a bar), so
// that patterns are written as they are.
func parseTag(text string) ([]setting, error) {
	var out []setting
	for rest := text; strings.TrimSpace(rest) != ""; {
		var s setting
		var err error
		if s, rest, err = nextSetting(rest); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o setting) bool { return o.key == s.key }) {
			return nil, fmt.Errorf("key %q is given twice", s.key)
		}
		out = append(out, s)
	}
	return out, nil
}

// nextSetting reads one setting and the comma after it.
func nextSetting(text string) (s setting, rest string, err error) {
	end := strings.IndexAny(text, "=,")
	if end < 0 {
		end = len(text)
	}
	s.key = strings.TrimSpace(text[:end])
	takesValue, known := tagKeys[s.key]
	switch {
	case s.key == "":
		return s, "", fmt.Errorf("empty key in %q", text)
	case !known:
		return s, "", fmt.Errorf("unknown key %q%s", s.key, nearest(s.key, knownKeys()))
	}
	if end == len(text) || text[end] == ',' {
		if takesValue {
			return s, "", fmt.Errorf("key %q needs a value, as in %s=VALUE", s.key, s.key)
		}
		return s, text[min(end+1, len(text)):], nil
	}
	if !takesValue {
		return s, "", fmt.Errorf("key %q takes no value", s.key)
	}
	rest = text[end+1:]
	for {
		var v string
		var next byte
		if v, next, rest, err = nextValue(rest, s.key == "enum"); err != nil {
			return s, "", fmt.Errorf("key %q: %w", s.key, err)
		}
		s.values = append(s.values, v)
		if next != '|' {
			return s, rest, nil
		}
	}
}

// nextValue reads one value and what ends it: a comma, a bar (if list), or 0
// at the end of the text.
func nextValue(text string, list bool) (value string, next byte, rest string, err error) {
	var b strings.Builder
	i := 0
	if strings.HasPrefix(text, "'") {
		if i, err = quotedValue(text, &b); err != nil {
			return "", 0, "", err
		}
		if i < len(text) && text[i] != ',' && !(list && text[i] == '|') {
			return "", 0, "", fmt.Errorf("text after the closing quote of %q", text)
		}
	}
	value = b.String()
	b.Reset()
	for ; i < len(text); i++ {
		c := text[i]
		if c == ',' || list && c == '|' {
			return value + strings.TrimSpace(b.String()), c, text[i+1:], nil
		}
		if c == '\\' && i+1 < len(text) && (text[i+1] == ',' || list && text[i+1] == '|') {
			i++
			c = text[i]
		}
		b.WriteByte(c)
	}
	return value + strings.TrimSpace(b.String()), 0, "", nil
}

// quotedValue copies the quoted text that begins text, and returns the index
// behind its closing quote.
func quotedValue(text string, b *strings.Builder) (int, error) {
	for i := 1; i < len(text); i++ {
		if text[i] != '\'' {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return i + 1, nil
	}
	return 0, fmt.Errorf("no closing quote in %q", text)
}

func knownKeys() []string {
	keys := make([]string, 0, len(tagKeys))
	for k := range tagKeys {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
