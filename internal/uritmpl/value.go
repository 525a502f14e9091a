package uritmpl

import "slices"

import "strings"

// Value is the value of one variable. It is a list when List is not nil, a
// set of pairs when Pairs is not nil, and a text otherwise. [Template.Match]
// never makes pairs.
type Value struct {
	// Name is the variable's name.
	Name string
	// Text is the value, decoded. For a list that Match made, it is the elements
	// joined by what parted them.
	Text string
	// List are the elements of a list, each decoded.
	List []string
	// Pairs are the members of an associative array, in order.
	Pairs [][2]string

	raw string // what stood in the URI, for a value that Match made
	max int    // of {name:max}, when the value was read from such a variable
}

// agrees reports whether v and w can be values of one variable, of which
// {name:max} shows the first characters only.
func (v *Value) agrees(w *Value) bool {
	switch {
	case v.max > 0 && (w.max == 0 || w.max > v.max):
		return v.Text == cut(w.Text, v.max)
	case w.max > 0:
		return w.Text == cut(v.Text, w.max)
	default:
		return v.Text == w.Text
	}
}

// Elements is the value as a list: List where it is one, and otherwise the
// parts between the commas of the URI. A comma that belongs to an element is
// encoded in the URI, so "a%2Cb,c" are "a,b" and "c".
func (v Value) Elements() []string {
	if v.List != nil {
		return v.List
	}
	if strings.IndexByte(v.raw, ',') < 0 {
		return []string{v.Text}
	}
	list := strings.Split(v.raw, ",")
	for i, e := range list {
		// Match has decoded the whole already; what lies between commas decodes too,
		// unless an element alone is no UTF-8, which then stays encoded.
		if text, ok := unescape(e); ok {
			list[i] = text
		}
	}
	return list
}

// HidesSlash reports whether the value holds a slash or backslash that was
// encoded in the URI. A matched {var} looks like one segment and yet has several
// then; someone who looks such a value up need not care, someone who makes a
// path of it must.
func (v Value) HidesSlash() bool {
	raw := v.raw
	for {
		at := strings.IndexByte(raw, '%')
		if at < 0 {
			return false
		}
		raw = raw[at:]
		if isEscape(raw) {
			if c := unhex(raw[1])<<4 | unhex(raw[2]); c == '/' || c == '\\' {
				return true
			}
		}
		raw = raw[1:]
	}
}

// Climbs reports whether the value, read as a path, leaves the directory it
// starts in or could be read differently by different readers: a ".." segment
// between slashes or backslashes, a NUL, a slash or a drive at its beginning.
// The value is looked at decoded, so "%2e%2e%2f" is found; symbolic links are
// not followed, for which there is [os.Root].
func (v Value) Climbs() bool {
	if v.List == nil {
		return climbs(v.Text)
	}
	if slices.ContainsFunc(v.List, climbs) {
		return true
	}
	return climbs(strings.Join(v.List, "/"))
}

func climbs(path string) bool {
	if strings.IndexByte(path, 0) >= 0 {
		return true
	}
	if path != "" && (isSlash(path[0]) || len(path) > 1 && path[1] == ':') {
		return true
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i == len(path) || isSlash(path[i]) {
			if path[start:i] == ".." {
				return true
			}
			start = i + 1
		}
	}
	return false
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }
