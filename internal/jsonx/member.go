package jsonx

import (
	"bytes"
	"iter"
	"strings"
)

// Members walks the members of a checked object: decoded names, raw values.
func Members(obj []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		s := NewScanner(obj)
		s.EnterObject()
		for {
			name, ok := s.NextName()
			if !ok || !yield(name, s.Skip()) {
				return
			}
		}
	}
}

// Lookup finds a member of a checked object.
func Lookup(obj []byte, name string) (raw []byte, ok bool) {
	s := NewScanner(obj)
	s.EnterObject()
	for {
		n, more := s.NextName()
		if !more {
			return nil, false
		}
		v := s.Skip()
		if string(n) == name {
			return v, true
		}
	}
}

// FoldedMember finds a member of a checked object that is none of known but
// equals one of them when case is ignored, as Unicode folds it (which makes the
// Kelvin sign a k): a name two readers would understand differently.
func FoldedMember(obj []byte, known ...string) (got, want string, found bool) {
	s := NewScanner(obj)
	s.EnterObject()
	for {
		n, more := s.NextName()
		if !more {
			return "", "", false
		}
		s.Skip()
		if k, twin := folded(n, known); twin {
			return string(n), k, true
		}
	}
}

// folded finds the one of known that n equals only when case is ignored.
func folded(n []byte, known []string) (want string, twin bool) {
	for _, k := range known {
		switch {
		case string(n) == k:
			return "", false
		case len(n) <= 3*len(k) && strings.EqualFold(string(n), k):
			want, twin = k, true
		}
	}
	return want, twin
}

// SetMember returns a copy of the checked object obj in which name has the
// given value: in place of the one it had, or at the end. All other bytes are
// as they were.
func SetMember(obj []byte, name string, value []byte) []byte {
	out := make([]byte, 0, len(obj)+len(name)+len(value)+4)
	if at, end, ok := valueSpan(obj, name); ok {
		out = append(out, obj[:at]...)
		out = append(out, value...)
		return append(out, obj[end:]...)
	}
	closing := bytes.LastIndexByte(obj, '}')
	if closing < 0 {
		return append(out, obj...)
	}
	head := bytes.TrimRight(obj[:closing], " \t\r\n")
	out = append(out, head...)
	if len(head) > 0 && head[len(head)-1] != '{' {
		out = append(out, ',')
	}
	out = AppendString(out, name)
	out = append(out, ':')
	out = append(out, value...)
	return append(out, obj[len(head):]...)
}

func valueSpan(obj []byte, name string) (at, end int, ok bool) {
	s := NewScanner(obj)
	s.EnterObject()
	for {
		n, more := s.NextName()
		if !more {
			return 0, 0, false
		}
		s.i = skipSpace(s.b, s.i)
		at = s.i
		s.Skip()
		if string(n) == name {
			return at, s.i, true
		}
	}
}

// DeleteMember returns the checked object obj without the member name: a copy
// if it was there, obj itself if not. All other members keep their bytes.
func DeleteMember(obj []byte, name string) []byte {
	s := NewScanner(obj)
	s.EnterObject()
	// before is the end of what precedes the member and its comma.
	before := s.i
	for first := true; ; first = false {
		n, more := s.NextName()
		if !more {
			return obj
		}
		s.Skip()
		if string(n) != name {
			before = s.i
			continue
		}
		after := s.i
		if first {
			// The comma that follows goes with the first member.
			after = skipSpace(obj, after)
			if after < len(obj) && obj[after] == ',' {
				after++
			}
		}
		out := make([]byte, 0, len(obj))
		out = append(out, obj[:before]...)
		return append(out, obj[after:]...)
	}
}
