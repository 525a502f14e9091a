package schema

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// textNode is a Go value with a text form: a string in JSON.
type textNode struct {
	notNull
	asText
	textRules
	typ  reflect.Type
	form *textForm
	// spelling is how the enum writes a value that Go writes otherwise: 1m for
	// 1m0s.
	spelling map[string]string
}

// textForm is how one Go type is written as text.
type textForm struct {
	what    string // for faults: "must be " + what
	format  string // of the schema, "" for none
	pattern string // of the schema, "" for none
	parse   func(s string, v reflect.Value) error
	print   func(v reflect.Value) (string, error)
}

func newTextNode(t reflect.Type, f *textForm) *textNode {
	n := &textNode{textRules: newTextRules(), typ: t, form: f}
	n.format, n.patternText = f.format, f.pattern
	return n
}

func (n *textNode) constrain(s setting) error {
	if err := n.textRules.constrain(s); err != nil || s.key != "enum" {
		return err
	}
	n.spelling = map[string]string{}
	for _, e := range s.values {
		v := reflect.New(n.typ).Elem()
		if n.form.parse(e, v) != nil {
			return fmt.Errorf("enum: %q must be %s", e, n.form.what)
		}
		if text, err := n.form.print(v); err == nil {
			n.spelling[text] = e
		}
	}
	return nil
}

func (n *textNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	s, ok := d.text()
	if !ok {
		d.mismatch(n.form.what, "")
		return
	}
	if message, suggest := n.fault(s); message != "" {
		d.fail(message, start.Skip(), suggest)
		return
	}
	if err := n.form.parse(s, v); err != nil {
		d.fail("must be "+n.form.what, start.Skip(), because(err))
	}
}

func (n *textNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	s, err := n.form.print(v)
	if err != nil {
		return dst, bad("cannot be written as "+n.form.what+": "+err.Error(), "")
	}
	if e, ok := n.spelling[s]; ok {
		s = e
	}
	if message, _ := n.fault(s); message != "" {
		return dst, bad(message, quote(s))
	}
	return jsonx.AppendString(dst, s), nil
}

func (n *textNode) describe(w *writer) {
	w.text("type", "string")
	n.textRules.describe(w)
}

// durationPattern is what time.ParseDuration reads.
const durationPattern = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// ratForm is what a big.Rat is written as: big.Rat itself reads much more.
var ratForm = regexp.MustCompile(`^-?[0-9]+(/0*[1-9][0-9]*|\.[0-9]+)?$`)

// textForms are the types of the standard library with a form of their own.
// Where they have a text form anyway, this one is stricter: no empty text for
// a zero address, no date without offset.
var textForms = map[reflect.Type]*textForm{
	reflect.TypeFor[time.Time](): {
		what: "a date and time, as in 2026-07-28T09:30:00Z", format: "date-time",
		parse: func(s string, v reflect.Value) error {
			t, err := parseDateTime(s)
			if err == nil {
				v.Set(reflect.ValueOf(t))
			}
			return err
		},
		print: func(v reflect.Value) (string, error) {
			b, err := v.Interface().(time.Time).MarshalText()
			return string(b), err
		},
	},
	// A duration is written as Go writes it. The ISO 8601 form of JSON Schema's
	// own "duration" has years and months, which time.Duration has not, and
	// models know both.
	reflect.TypeFor[time.Duration](): {
		what: "a duration, as in 1m30s", pattern: durationPattern,
		parse: func(s string, v reflect.Value) error {
			t, err := time.ParseDuration(s)
			v.SetInt(int64(t))
			return reworded(err)
		},
		print: func(v reflect.Value) (string, error) { return time.Duration(v.Int()).String(), nil },
	},
	reflect.TypeFor[url.URL](): {
		what: "a URI or a URI reference, as in https://example.com/path", format: "uri-reference",
		parse: func(s string, v reflect.Value) error {
			u, err := parseURI(s)
			if err == nil {
				v.Set(reflect.ValueOf(*u))
			}
			return err
		},
		print: func(v reflect.Value) (string, error) {
			u := v.Interface().(url.URL)
			return u.String(), nil
		},
	},
	reflect.TypeFor[netip.Addr](): {
		what:  "an IP address, as in 192.0.2.1 or 2001:db8::1",
		parse: parseInto(netip.ParseAddr),
		print: printValid(netip.Addr.IsValid, netip.Addr.String),
	},
	reflect.TypeFor[netip.Prefix](): {
		what:  "an IP prefix, as in 192.0.2.0/24 or 2001:db8::/32",
		parse: parseInto(netip.ParsePrefix),
		print: printValid(netip.Prefix.IsValid, netip.Prefix.String),
	},
	reflect.TypeFor[netip.AddrPort](): {
		what:  "an IP address and port, as in 192.0.2.1:80 or [2001:db8::1]:80",
		parse: parseInto(netip.ParseAddrPort),
		print: printValid(netip.AddrPort.IsValid, netip.AddrPort.String),
	},
	reflect.TypeFor[big.Rat](): {
		what: "a fraction or a decimal, as in 3/4 or 0.75", pattern: ratForm.String(),
		parse: func(s string, v reflect.Value) error {
			if len(s) > maxNumber || !ratForm.MatchString(s) {
				return errFormat
			}
			v.Addr().Interface().(*big.Rat).SetString(s)
			return nil
		},
		print: func(v reflect.Value) (string, error) {
			r := v.Interface().(big.Rat)
			return r.RatString(), nil
		},
	},
}

// parseInto makes a parse of a function that returns the value.
func parseInto[T any](parse func(string) (T, error)) func(string, reflect.Value) error {
	return func(s string, v reflect.Value) error {
		t, err := parse(s)
		if err == nil {
			v.Set(reflect.ValueOf(t))
		}
		return reworded(err)
	}
}

// printValid makes a print of a type whose zero value is no value.
func printValid[T any](valid func(T) bool, text func(T) string) func(reflect.Value) (string, error) {
	return func(v reflect.Value) (string, error) {
		t := v.Interface().(T)
		if !valid(t) {
			return "", errors.New("it is the zero value")
		}
		return text(t), nil
	}
}

// reworded drops the text of a parser that was written for programmers.
func reworded(err error) error {
	if err != nil {
		return errFormat
	}
	return nil
}

// marshalerForm is the form of a type that has its own text methods.
func marshalerForm(t reflect.Type) *textForm {
	return &textForm{
		what: "text for " + t.Name(),
		parse: func(s string, v reflect.Value) error {
			u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
			if !ok {
				return errors.New("the type has no UnmarshalText")
			}
			return u.UnmarshalText([]byte(s))
		},
		print: func(v reflect.Value) (string, error) {
			m, ok := reflect.TypeAssert[encoding.TextMarshaler](addressable(v))
			if !ok {
				return "", errors.New("the type has no MarshalText")
			}
			b, err := m.MarshalText()
			return string(b), err
		},
	}
}

// addressable is a pointer to v, or to a copy of it: methods may hang on the
// pointer.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v.Addr()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

// bytesNode is a []byte: base64 (RFC 4648 section 4) in JSON.
type bytesNode struct {
	notNull
	asText
	noKeywords
}

func (n *bytesNode) decode(d *decoder, v reflect.Value) {
	if d.s.Kind() != jsonx.String {
		d.mismatch("a base64 string", "")
		return
	}
	start := d.s
	text, _ := d.s.StringBytes()
	b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	size, err := base64.StdEncoding.Strict().Decode(b, text)
	if err != nil {
		d.fail("must be base64 with padding, as in aGVsbG8=", start.Skip(), "")
		return
	}
	v.SetBytes(b[:size])
}

func (n *bytesNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
	return append(dst, '"'), nil
}

func (n *bytesNode) describe(w *writer) {
	w.text("type", "string")
	w.text("contentEncoding", "base64")
}

// bigNode is a big.Int or a big.Float: a number of any length in JSON.
type bigNode struct {
	notNull
	asJSON
	numberRules
	integer bool
}

func (n *bigNode) what() string {
	if n.integer {
		return "an integer"
	}
	return "a number"
}

func (n *bigNode) decode(d *decoder, v reflect.Value) {
	start := d.s
	lit, ok := d.number()
	if !ok {
		d.mismatch(n.what(), "")
		return
	}
	r, err := rational(string(lit))
	switch {
	case err != nil:
		d.fail("must be a number of at most 1000 digits", start.Skip(), "")
		return
	case n.integer && !r.IsInt():
		d.fail("must be an integer", start.Skip(), "")
		return
	}
	rounded, _ := r.Float64()
	if message := n.fault(lit, rounded); message != "" {
		d.fail(message, start.Skip(), "")
		return
	}
	if n.integer {
		v.Addr().Interface().(*big.Int).Set(r.Num())
		return
	}
	// Enough bits that the decimal comes back unchanged.
	prec := max(64, uint(len(lit))*4)
	v.Addr().Interface().(*big.Float).SetPrec(prec).SetRat(r)
}

func (n *bigNode) encode(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	start := len(dst)
	if n.integer {
		dst = addressable(v).Interface().(*big.Int).Append(dst, 10)
	} else {
		f := addressable(v).Interface().(*big.Float)
		if f.IsInf() {
			return dst, bad("must be a finite number", f.String())
		}
		dst = f.Append(dst, 'g', -1)
	}
	if n.min != nil || n.max != nil || n.enum != nil {
		lit := dst[start:]
		r, err := rational(string(lit))
		if err != nil {
			return dst[:start], bad("must be a number of at most 1000 digits", shown(lit))
		}
		rounded, _ := r.Float64()
		if message := n.fault(lit, rounded); message != "" {
			return dst[:start], bad(message, shown(lit))
		}
	}
	return dst, nil
}

func (n *bigNode) describe(w *writer) {
	w.text("type", map[bool]string{true: "integer", false: "number"}[n.integer])
	n.numberRules.describe(w)
}
