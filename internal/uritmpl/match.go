package uritmpl

import (
	"strings"
	"sync"
)

const (
	// maxPairs bounds how many pairs of one query are looked at.
	maxPairs = 256
	// keepCells is how much memory of each kind a matcher keeps.
	keepCells = 4 << 10
)

// Match reads the values of the variables out of uri, in the order of the
// template. Optional variables that uri does not have are left out. ok is false
// when uri does not match, also when it is no URI: broken escapes, raw control
// characters, longer than [MaxURI].
func (t *Template) Match(uri string) (values []Value, ok bool) {
	if len(uri) > MaxURI || !strings.HasPrefix(uri, t.prefix) {
		return nil, false
	}
	rest := uri[len(t.prefix):]
	var found []Value
	if t.forced {
		found, ok = t.scan(rest)
	} else {
		found, ok = t.weighed(rest)
	}
	if !ok {
		return nil, false
	}
	return t.collect(found)
}

// scan reads a URI that can be read in one way only.
func (t *Template) scan(uri string) (found []Value, ok bool) {
	for i := range t.elements {
		e := &t.elements[i]
		if e.kind == literal {
			if uri, ok = strings.CutPrefix(uri, e.text); !ok {
				return nil, false
			}
			continue
		}
		// An escape holds only characters that every class allows.
		end := 0
		for end < len(uri) && e.class[uri[end]] {
			end++
		}
		if end == 0 {
			return nil, false
		}
		v, ok := e.spec.value(uri[:end], e.split)
		if !ok {
			return nil, false
		}
		if found == nil {
			found = make([]Value, 0, len(t.vars))
		}
		found, uri = append(found, v), uri[end:]
	}
	return found, uri == ""
}

// matchers are used again, with the memory that usual URIs need.
var matchers = sync.Pool{New: func() any { return new(matcher) }}

// weighed finds the best of several ways to read a URI.
func (t *Template) weighed(uri string) (found []Value, ok bool) {
	m, ok := matchers.Get().(*matcher)
	if !ok {
		m = new(matcher)
	}
	defer m.free()
	m.elements, m.uri = t.elements, uri
	if !m.cutUnits() {
		return nil, false
	}
	m.weigh()
	if m.at(0, 0) < 0 || !m.read() {
		return nil, false
	}
	return m.found, true
}

// free gives the matcher back without what it was about.
func (m *matcher) free() {
	best, cuts := m.best, m.cuts
	if cap(best) > keepCells {
		best = nil
	}
	if cap(cuts) > keepCells {
		cuts = nil
	}
	*m = matcher{best: best, cuts: cuts}
	matchers.Put(m)
}

// matcher finds the best way to read a URI as a sequence of elements. best says
// for each element and position how many optional parts can be matched from
// there to the end, and is negative where nothing fits; it is filled from the
// end to the start, each cell once, so that no URI makes matching go back.
type matcher struct {
	elements []element
	uri      string

	starts []int32 // where units start, and the end of the last; nil when each is one byte
	n      int     // number of units
	best   []int16 // (len(elements)+1) rows of n+1 cells
	cuts   []int32 // the memory of starts
	found  []Value
}

// cutUnits finds the units. ok is false when uri holds what no URI has.
func (m *matcher) cutUnits() (ok bool) {
	simple := true
	for i := range len(m.uri) {
		switch c := m.uri[i]; {
		case c < ' ' || c == 0x7f:
			return false
		case c == '%' || c >= 0x80:
			simple = false
		}
	}
	if simple {
		m.n = len(m.uri)
		return true
	}
	m.starts = m.cuts[:0]
	for at := 0; at < len(m.uri); {
		n, ok := unit(m.uri[at:])
		if !ok {
			return false
		}
		m.starts = append(m.starts, int32(at))
		at += n
	}
	m.n = len(m.starts)
	m.starts = append(m.starts, int32(len(m.uri)))
	m.cuts = m.starts
	return true
}

// offset is where unit i starts in uri.
func (m *matcher) offset(i int) int {
	if m.starts == nil {
		return i
	}
	return int(m.starts[i])
}

// first is the first byte of unit i, which is '%' for an escaped character.
func (m *matcher) first(i int) byte { return m.uri[m.offset(i)] }

// at is how many optional parts elements e and later match from unit i on.
func (m *matcher) at(e, i int) int16 { return m.best[e*(m.n+1)+i] }

// weigh fills best.
func (m *matcher) weigh() {
	cells := (len(m.elements) + 1) * (m.n + 1)
	if cells > cap(m.best) {
		m.best = make([]int16, cells)
	}
	m.best = m.best[:cells]
	last := m.row(len(m.elements))
	for i := range m.n {
		last[i] = -1
	}
	last[m.n] = 0
	for e := len(m.elements) - 1; e >= 0; e-- {
		switch el := &m.elements[e]; el.kind {
		case literal:
			m.weighLiteral(el, m.row(e), m.row(e+1))
		case run:
			m.weighRun(el, m.row(e), m.row(e+1), m.row(e+el.skip))
		case pairs:
			m.weighPairs(el, m.row(e), m.row(e+1))
		}
	}
}

func (m *matcher) row(e int) []int16 { return m.best[e*(m.n+1) : (e+1)*(m.n+1)] }

func (m *matcher) weighLiteral(e *element, row, next []int16) {
	for i := range row {
		row[i] = -1
		if end := i + len(e.units); end <= m.n && next[end] >= 0 && m.hasLiteral(e, i) {
			row[i] = next[end]
		}
	}
}

func (m *matcher) hasLiteral(e *element, at int) bool {
	for i, u := range e.units {
		from, to := m.offset(at+i), m.offset(at+i+1)
		if have := m.uri[from:to]; have != u && (len(have) == 1 || upperEscapes(have) != u) {
			return false
		}
	}
	return true
}

// weighRun goes backwards: what is best over all ends of a run from i on is
// what is best with one unit more, or with the run that starts one later.
func (m *matcher) weighRun(e *element, row, next, skipped []int16) {
	window := runWindow{next: next, max: e.max}
	for i := m.n; i >= 0; i-- {
		window.step(i, i < m.n && m.inRun(e, i))
		if e.prefix == 0 {
			row[i] = window.best(1)
			continue
		}
		// window still describes i; the run behind a prefix here starts at i+1,
		// whose result was put aside in taken.
		row[i] = skipped[i]
		if i < m.n && m.first(i) == e.prefix && window.taken >= 0 {
			row[i] = max(row[i], window.taken+1)
		}
		window.taken = window.best(0)
	}
}

func (m *matcher) inRun(e *element, i int) bool { return e.class[m.first(i)] }

// runWindow keeps the best of next over the ends a run can have, while its
// start moves backwards.
type runWindow struct {
	next  []int16
	max   int // units a run may have, zero for no bound
	start int
	// some is the best over ends with at least one unit, for runs without bound.
	some int16
	// ends are the ends that can still be the best, for runs with a bound: from
	// the farthest to the nearest, ever better.
	ends []int32
	// taken is the best(0) of the start before.
	taken int16
}

// step moves the start to i; inRun says whether unit i belongs to a run.
func (w *runWindow) step(i int, inRun bool) {
	if i == len(w.next)-1 {
		w.some, w.taken = -1, -1
	}
	w.start = i
	switch {
	case !inRun:
		w.some, w.ends = -1, w.ends[:0]
	case w.max == 0:
		w.some = max(w.some, w.next[i+1])
	default:
		v := w.next[i+1]
		for n := len(w.ends); n > 0 && w.next[w.ends[n-1]] <= v; n = len(w.ends) {
			w.ends = w.ends[:n-1]
		}
		w.ends = append(w.ends, int32(i+1))
		for int(w.ends[0]) > i+w.max {
			w.ends = w.ends[1:]
		}
		w.some = w.next[w.ends[0]]
	}
}

// best is the best over all ends that leave at least least units, none or one.
func (w *runWindow) best(least int) int16 {
	if least == 0 {
		return max(w.some, w.next[w.start])
	}
	return w.some
}

func (m *matcher) weighPairs(e *element, row, next []int16) {
	copy(row, next)
	var ends []int32
	for i := m.n - 1; i >= 0; i-- {
		if m.first(i) != e.prefix {
			continue
		}
		if ends == nil {
			ends = m.valueEnds(e)
		}
		m.eachPair(e, ends, i, func(end int, count int16) {
			if next[end] >= 0 {
				row[i] = max(row[i], next[end]+count)
			}
		})
	}
}

// valueEnds is for each unit where a value that reaches it ends.
func (m *matcher) valueEnds(e *element) []int32 {
	ends := make([]int32, m.n+1)
	ends[m.n] = int32(m.n)
	for i := m.n - 1; i >= 0; i-- {
		ends[i] = int32(i)
		if m.inRun(e, i) {
			ends[i] = ends[i+1]
		}
	}
	return ends
}

// eachPair calls visit with the end of each pair from i on, and how many there
// have been, for as long as the pairs are ones the element names.
func (m *matcher) eachPair(e *element, ends []int32, i int, visit func(end int, count int16)) {
	var seenArray [16]bool
	seen := seenArray[:]
	if len(e.specs) > len(seen) {
		seen = make([]bool, len(e.specs))
	}
	for count := int16(1); count <= maxPairs; count++ {
		s, value := m.pairName(e, i+1)
		if s < 0 || seen[s] && !e.specs[s].explode {
			return
		}
		seen[s] = true
		end := int(ends[value])
		if most := e.specs[s].max; most > 0 && end-value > most {
			return
		}
		visit(end, count)
		if end == m.n || m.first(end) != e.sep {
			return
		}
		i = end
	}
}

// pairName finds the name that starts at unit i and where its value starts,
// which is the end of the name when there is no equals sign.
func (m *matcher) pairName(e *element, i int) (index, value int) {
	end := i
	for end < m.n && end-i <= e.longest && m.first(end) != '=' && m.inRun(e, end) {
		end++
	}
	name := m.uri[m.offset(i):m.offset(end)]
	value = end
	if end < m.n && m.first(end) == '=' {
		value++
	} else if end < m.n && m.inRun(e, end) {
		return -1, 0 // longer than any name
	}
	for j := range e.specs {
		if e.specs[j].name == name {
			return j, value
		}
	}
	return -1, 0
}
