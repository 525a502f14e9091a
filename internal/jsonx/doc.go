// Package jsonx reads and edits JSON as bytes, strictly and without reflection.
//
// [Check] judges a whole text once: grammar, UTF-8, unique names, depth. All
// else walks texts that Check has accepted and never validates again; on other
// input it stays within bounds and terminates, but what it says means nothing.
package jsonx

// DefaultDepth is how deep arrays and objects may nest unless told otherwise.
const DefaultDepth = 128

// Kind is the kind of a JSON value.
type Kind byte

// The kinds. Invalid is what stands at the end of a text or container.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

// String names the kind in a word.
func (k Kind) String() string {
	return [...]string{"nothing", "object", "array", "string", "number", "boolean", "null"}[min(k, Null)]
}

// KindOf is the kind of the value raw begins with.
func KindOf(raw []byte) Kind {
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return Invalid
	}
	return kindOf(raw[i])
}

func kindOf(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return Invalid
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}
