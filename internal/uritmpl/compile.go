package uritmpl

import "strings"

// element is one step of matching. A URI is a sequence of units, see [unit].
type element struct {
	kind kind

	// units are the characters of a literal, those beyond ASCII and escapes in
	// the form that escape gives them. text is the literal when it is plain
	// ASCII without escapes, and empty otherwise.
	units []string
	text  string

	// A run is an optional prefix character and then between min and max units of
	// the class; max zero means no bound. With a prefix the whole may be missing,
	// and then matching goes on skip elements later.
	prefix   byte
	min, max int
	class    *class
	skip     int
	spec     spec
	split    byte // what parts the elements of an exploded run

	// Pairs are prefix name=value sep name=value …, in any order, none of them
	// needed. The class is that of the values.
	specs   []spec
	sep     byte
	longest int // length of the longest name
}

type kind uint8

const (
	literal kind = iota
	run
	pairs
)

// class says which characters a run may hold. An escaped one is always allowed.
type class [256]bool

func classWithout(not string) *class {
	var c class
	for b := range c {
		c[b] = b >= ' ' && b != 0x7f && strings.IndexByte(not, byte(b)) < 0
	}
	return &c
}

var (
	anything  = classWithout("")
	noComma   = classWithout(",")
	segment   = classWithout("/?#")
	segments  = classWithout("?#")
	dotted    = segment
	oneOfMany = classWithout("/?#,")
	// Behind a question mark, an ampersand ends a value.
	argument  = classWithout("/?#&")
	oneOfArgs = classWithout("/?#&,")
	// Values of named pairs: a query's may hold slashes and question marks.
	queryValue = classWithout("#&")
	pathValue  = classWithout("/?#;")
)

// compile turns parts into elements and gathers what is known about the whole.
func (t *Template) compile() {
	inQuery, constant := false, true
	for _, p := range t.parts {
		if p.op == nil {
			if at := strings.LastIndexAny(p.literal, "?#"); at >= 0 {
				inQuery = p.literal[at] == '?'
			}
			e := element{kind: literal, units: literalUnits(p.literal)}
			if len(e.units) == len(p.literal) {
				e.text = p.literal
			}
			t.elements = append(t.elements, e)
			t.rank.literals += len(e.units)
			for _, u := range e.units {
				// Escapes have two spellings, and so no place in a prefix.
				if constant = constant && len(u) == 1; constant {
					t.prefix += u
				}
			}
			continue
		}
		constant = false
		for _, s := range p.specs {
			t.declare(p.op, s, &p)
		}
		if p.op.named {
			t.compilePairs(p)
		} else {
			t.compileRuns(p, inQuery)
		}
	}
	for i := range t.elements {
		e := &t.elements[i]
		switch e.kind {
		case literal:
		case run:
			if e.class['/'] {
				t.rank.wide++
			}
			if e.prefix != 0 {
				t.rank.optional++
			}
		case pairs:
			t.rank.optional += len(e.specs)
		}
	}
	t.rank.vars = len(t.vars)
	if t.prefix != "" {
		// It is the beginning of the first literal, and compared at once.
		first := &t.elements[0]
		first.units = first.units[len(t.prefix):]
		first.text = strings.TrimPrefix(first.text, t.prefix)
		if len(first.units) == 0 {
			t.elements = t.elements[1:]
		}
	}
	t.forced = forced(t.elements)
}

// forced reports whether a URI can be read in one way only: each run ends where
// its class does, since what follows begins with a character that it cannot hold.
func forced(elements []element) bool {
	for i := range elements {
		e := &elements[i]
		switch {
		case e.kind == literal && e.text != "":
		case e.kind == run && e.prefix == 0 && e.max == 0:
			if i+1 < len(elements) && (elements[i+1].text == "" || e.class[elements[i+1].text[0]]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// declare adds a variable, unless it is known by an earlier appearance.
func (t *Template) declare(op *operator, s spec, p *part) {
	optional := op.first != "" || s.name != p.specs[0].name
	for i := range t.vars {
		if v := &t.vars[i]; v.Name == s.name {
			v.Optional = v.Optional && optional
			v.List = v.List || s.explode
			return
		}
	}
	t.vars = append(t.vars, Var{Name: s.name, Optional: optional, List: s.explode})
}

func literalUnits(s string) []string {
	var units []string
	for s != "" {
		n, ok := unit(s)
		if !ok {
			n = 1 // parse has refused what is no URI
		}
		units = append(units, upperEscapes(s[:n]))
		s = s[n:]
	}
	return units
}

// upperEscapes is the unit u in the form that comparing uses.
func upperEscapes(u string) string {
	if len(u) == 1 {
		return u
	}
	if u[0] != '%' {
		return escape(u, false)
	}
	return strings.ToUpper(u)
}

// compileRuns adds an expression whose values stand without their names.
func (t *Template) compileRuns(p part, inQuery bool) {
	for i, s := range p.specs {
		e := element{kind: run, spec: s, max: s.max, skip: len(p.specs) - i}
		last := i == len(p.specs)-1
		switch {
		case i > 0:
			e.prefix = p.op.sep
		case p.op.first != "":
			e.prefix = p.op.first[0]
		default:
			e.min = 1
		}
		e.class, e.split = runClass(p.op, s, last, inQuery)
		t.elements = append(t.elements, e)
	}
}

// runClass is what the value of s may hold, and what parts its elements.
func runClass(op *operator, s spec, last, inQuery bool) (c *class, split byte) {
	if s.explode {
		split = op.sep
	}
	switch op.char {
	case '+', '#':
		if last {
			return anything, split
		}
		return noComma, split
	case '/':
		if s.explode {
			return segments, split
		}
		return segment, split
	case '.':
		return dotted, split
	default:
		switch {
		case inQuery && last:
			return argument, split
		case inQuery:
			return oneOfArgs, split
		case last:
			return segment, split
		default:
			return oneOfMany, split
		}
	}
}

// compilePairs adds an expression of named values. {&b} behind {?a} goes on with
// the same query, whatever the order there.
func (t *Template) compilePairs(p part) {
	if n := len(t.elements); p.op.char == '&' && n > 0 {
		if e := &t.elements[n-1]; e.kind == pairs && e.sep == '&' {
			e.add(p.specs)
			return
		}
	}
	e := element{kind: pairs, prefix: p.op.first[0], sep: p.op.sep, class: queryValue}
	if p.op.char == ';' {
		e.class = pathValue
	}
	e.add(p.specs)
	t.elements = append(t.elements, e)
}

func (e *element) add(specs []spec) {
	for _, s := range specs {
		e.specs = append(e.specs, s)
		e.longest = max(e.longest, len(s.name))
	}
}
