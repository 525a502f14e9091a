package uritmpl

import "strings"

// read walks over the elements along the best cells and takes the values. ok is
// false when one does not decode.
func (m *matcher) read() (ok bool) {
	i := 0
	for e := 0; e < len(m.elements); {
		switch el := &m.elements[e]; el.kind {
		case literal:
			i += len(el.units)
		case run:
			from, end, taken := m.runAt(el, e, i)
			if !taken {
				e += el.skip
				continue
			}
			if !m.take(el.spec, el.split, from, end) {
				return false
			}
			i = end
		case pairs:
			if i, ok = m.readPairs(el, e, i); !ok {
				return false
			}
		}
		e++
	}
	return true
}

// runAt is the longest run at unit i that leads on along the best cells.
func (m *matcher) runAt(el *element, e, i int) (from, end int, taken bool) {
	from, goal, least := i, m.at(e, i), el.min
	if el.prefix != 0 {
		if i == m.n || m.first(i) != el.prefix {
			return 0, 0, false
		}
		from, goal = i+1, goal-1
	}
	if goal < 0 {
		return 0, 0, false // only leaving it out leads on
	}
	end = from
	for end < m.n && m.inRun(el, end) && (el.max == 0 || end-from < el.max) {
		end++
	}
	for ; end >= from+least; end-- {
		if m.at(e+1, end) == goal {
			return from, end, true
		}
	}
	return 0, 0, false
}

// readPairs takes the longest row of pairs at unit i that leads on along the
// best cells, in the order of the template.
func (m *matcher) readPairs(el *element, e, i int) (end int, ok bool) {
	goal := m.at(e, i)
	if i == m.n || m.first(i) != el.prefix {
		return i, true
	}
	ends := m.valueEnds(el)
	end = i
	if m.at(e+1, i) != goal {
		end = -1
	}
	m.eachPair(el, ends, i, func(at int, count int16) {
		if next := m.at(e+1, at); next >= 0 && next+count == goal {
			end = at
		}
	})
	for j := range el.specs {
		var list []span
		for at := i; at < end; {
			s, value := m.pairName(el, at+1)
			at = int(ends[value])
			if s == j {
				list = append(list, span{value, at})
			}
		}
		if len(list) > 0 && !m.takePairs(el.specs[j], list) {
			return 0, false
		}
	}
	return end, true
}

// span is a range of units.
type span struct{ from, end int }

func (m *matcher) slice(s span) string { return m.uri[m.offset(s.from):m.offset(s.end)] }

// takePairs takes the values of one name.
func (m *matcher) takePairs(s spec, list []span) bool {
	if !s.explode {
		return m.take(s, 0, list[0].from, list[0].end)
	}
	v := Value{Name: s.name, List: make([]string, 0, len(list))}
	for i, sp := range list {
		raw := m.slice(sp)
		text, ok := unescape(raw)
		if !ok {
			return false
		}
		v.List = append(v.List, text)
		if i > 0 {
			v.raw += ","
		}
		v.raw += raw
	}
	v.Text = strings.Join(v.List, ",")
	m.found = append(m.found, v)
	return true
}

// take takes one value.
func (m *matcher) take(s spec, split byte, from, end int) bool {
	v, ok := s.value(m.slice(span{from, end}), split)
	m.found = append(m.found, v)
	return ok
}

// value decodes what stands in the URI, and its elements when split is not
// zero. ok is false when it does not decode.
func (s *spec) value(raw string, split byte) (v Value, ok bool) {
	v = Value{Name: s.name, raw: raw, max: s.max}
	if v.Text, ok = unescape(raw); !ok || split == 0 {
		return v, ok
	}
	v.List = strings.Split(raw, string(split))
	for i, e := range v.List {
		if v.List[i], ok = unescape(e); !ok {
			return v, false
		}
	}
	return v, true
}

// collect folds names that appear several times, which must agree.
func (t *Template) collect(found []Value) (values []Value, ok bool) {
	if len(found) <= 1 {
		return found, true
	}
	values = found[:0]
	for _, v := range found {
		known := false
		for i := range values {
			if values[i].Name != v.Name {
				continue
			}
			if !values[i].agrees(&v) {
				return nil, false
			}
			if values[i].max > 0 && (v.max == 0 || v.max > values[i].max) {
				values[i] = v // the more complete one
			}
			known = true
		}
		if !known {
			values = append(values, v)
		}
	}
	return values, true
}
