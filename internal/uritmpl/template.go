package uritmpl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// MaxTemplate is the length in bytes a template may have.
	MaxTemplate = 8 << 10
	// MaxURI is the length in bytes beyond which a URI matches no template.
	MaxURI = 64 << 10
)

// Template is a parsed URI template. It is immutable and safe for concurrent use.
type Template struct {
	text  string
	parts []part
	vars  []Var

	elements []element // what follows the prefix
	forced   bool
	prefix   string
	rank     rank
}

// Var describes a variable of a template.
type Var struct {
	// Name is the variable's name as the template has it.
	Name string
	// Optional says that a URI can match without it.
	Optional bool
	// List says that it is exploded, as {name*}: a match gives a list.
	List bool
}

// part is a literal or an expression.
type part struct {
	literal string // in the form expansion writes it
	op      *operator
	specs   []spec
}

// spec is a variable within an expression.
type spec struct {
	name    string
	explode bool
	max     int // of {name:max}, zero for none
}

// operator is one row of the table in RFC 6570, appendix A.
type operator struct {
	char     byte // zero for none
	first    string
	sep      byte
	named    bool
	ifEmpty  string
	reserved bool
}

var operators = map[byte]*operator{
	0:   {sep: ','},
	'+': {char: '+', sep: ',', reserved: true},
	'#': {char: '#', first: "#", sep: ',', reserved: true},
	'.': {char: '.', first: ".", sep: '.'},
	'/': {char: '/', first: "/", sep: '/'},
	';': {char: ';', first: ";", sep: ';', named: true},
	'?': {char: '?', first: "?", sep: '&', named: true, ifEmpty: "="},
	'&': {char: '&', first: "&", sep: '&', named: true, ifEmpty: "="},
}

// SyntaxError says what is wrong with a template.
type SyntaxError struct {
	// Template is the text that was parsed.
	Template string
	// Offset is where the fault is, in bytes.
	Offset int
	// Reason says what is wrong and how it would be right.
	Reason string
}

// Error is the template, the place and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("URI template %q: at offset %d: %s", e.Template, e.Offset, e.Reason)
}

// Parse reads a template. The error is a [*SyntaxError].
func Parse(s string) (*Template, error) {
	if len(s) > MaxTemplate {
		return nil, &SyntaxError{Template: s[:64] + "…", Offset: MaxTemplate, Reason: fmt.Sprintf("longer than %d bytes", MaxTemplate)}
	}
	parts, err := parse(s)
	if err != nil {
		return nil, err
	}
	t := &Template{text: s, parts: parts}
	t.compile()
	return t, nil
}

// String is the text the template was parsed from.
func (t *Template) String() string { return t.text }

// Vars lists the variables in the order of their first appearance. The slice is
// the caller's.
func (t *Template) Vars() []Var { return slices.Clone(t.vars) }

// Prefix is what every matching URI begins with, byte for byte. It can be empty.
func (t *Template) Prefix() string { return t.prefix }

// rank is how general a template is, most weighty member first.
type rank struct{ literals, wide, optional, vars int }

// Compare orders templates from the most specific to the most general, for
// [slices.SortFunc]: more literal characters come first, then fewer variables
// that can span slashes, fewer that may be missing, fewer at all, and then the
// order of their text. It is zero for equal texts alone. The first template in
// this order that matches a URI is the one to use.
func Compare(a, b *Template) int {
	return cmp.Or(
		-cmp.Compare(a.rank.literals, b.rank.literals),
		cmp.Compare(a.rank.wide, b.rank.wide),
		cmp.Compare(a.rank.optional, b.rank.optional),
		cmp.Compare(a.rank.vars, b.rank.vars),
		strings.Compare(a.text, b.text),
	)
}
