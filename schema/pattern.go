package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// maxPattern is the longest pattern compiled, in bytes.
const maxPattern = 4096

// compilePattern compiles a pattern of a schema. JSON Schema speaks of ECMA-262
// regular expressions; Go has RE2, which runs in linear time whatever the
// input. What the two write differently is rewritten here (\uXXXX, \u{X},
// \cX, [^], \s with all of Unicode); what RE2 cannot do (look-around,
// back-references) is an error, for a pattern that is not checked is worse
// than one that is refused.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("pattern of %d bytes; the limit is %d", len(pattern), maxPattern)
	}
	re, err := regexp.Compile(fromECMA(pattern))
	if err != nil {
		var invalid *syntax.Error
		if errors.As(err, &invalid) && (invalid.Code == syntax.ErrInvalidPerlOp || invalid.Code == syntax.ErrInvalidEscape) {
			return nil, fmt.Errorf("pattern %s cannot be used: %s: Go's regular expressions (RE2) have no look-around and no back-references", quote(pattern), invalid.Expr)
		}
		return nil, fmt.Errorf("pattern %s is wrong: %w", quote(pattern), err)
	}
	return re, nil
}

// namedClass is a class such as [[:alpha:]].
var namedClass = regexp.MustCompile(`\[[^\]]*\[:\^?(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]`)

// readDifferently is the error for a pattern of a Go type that Go and ECMA-262
// both accept and understand differently: clients read the published one as
// ECMA-262, where [[:alpha:]] is one of "[:alph" and a "]" behind it.
func readDifferently(pattern string) error {
	if named := namedClass.FindString(pattern); named != "" {
		return fmt.Errorf("pattern %s has %s, which ECMA-262 reads differently; write the characters, as in [A-Za-z0-9]", quote(pattern), named)
	}
	return nil
}

// ecmaSpace is \s of ECMA-262: its WhiteSpace and LineTerminator.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// fromECMA rewrites what ECMA-262 and RE2 spell differently.
func fromECMA(p string) string {
	if !strings.ContainsAny(p, `\[`) {
		return p
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			n := escapeECMA(&b, p[i:], class)
			i += n - 1
		case c == '[' && !class && strings.HasPrefix(p[i:], "[^]"):
			b.WriteString(`(?s:.)`)
			i += 2
		case c == '[' && !class && strings.HasPrefix(p[i:], "[]"):
			b.WriteString(`[^\x{0}-\x{10FFFF}]`)
			i++
		case c == '[' && class: // no nested class in ECMA-262; RE2 has [[:alpha:]]
			b.WriteString(`\[`)
		default:
			if c == '[' {
				class = true
			} else if c == ']' {
				class = false
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapeECMA writes the escape that begins p and returns its length.
func escapeECMA(b *strings.Builder, p string, class bool) int {
	switch c := p[1]; {
	case c == 'u' && len(p) >= 6 && allHex(p[2:6]):
		b.WriteString(`\x{` + p[2:6] + `}`)
		return 6
	case c == 'u' && strings.HasPrefix(p[2:], "{"):
		if end := strings.IndexByte(p, '}'); end > 3 && allHex(p[3:end]) {
			b.WriteString(`\x{` + p[3:end] + `}`)
			return end + 1
		}
	case c == 'c' && len(p) >= 3 && isLetter(p[2]):
		b.WriteString(`\x{` + strconv.FormatUint(uint64(p[2]&0x1f), 16) + `}`)
		return 3
	case c == 's' && class:
		b.WriteString(ecmaSpace)
		return 2
	case c == 's':
		b.WriteString(`[` + ecmaSpace + `]`)
		return 2
	case c == 'S' && !class:
		b.WriteString(`[^` + ecmaSpace + `]`)
		return 2
	case c == '0' && (len(p) < 3 || !isDigit(p[2])):
		b.WriteString(`\x{0}`)
		return 2
	case c == 'b' && class:
		b.WriteString(`\x{8}`)
		return 2
	case c == '/' || c == '-' && !class:
		b.WriteString(`\` + p[1:2])
		return 2
	}
	b.WriteString(p[:2])
	return 2
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return s != ""
}
