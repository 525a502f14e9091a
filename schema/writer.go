package schema

import (
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// writer builds the bytes of a schema. Members come in the order they are
// written, so the same type always gives the same bytes.
type writer struct {
	b []byte
	// names gives the $defs name of each node that is shared or recursive.
	names map[node]string
}

// key begins a member.
func (w *writer) key(k string) {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = jsonx.AppendString(w.b, k)
	w.b = append(w.b, ':')
}

func (w *writer) text(k, v string) {
	w.key(k)
	w.b = jsonx.AppendString(w.b, v)
}

func (w *writer) raw(k string, v []byte) {
	w.key(k)
	w.b = append(w.b, v...)
}

func (w *writer) count(k string, n int) {
	if n >= 0 {
		w.key(k)
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
}

func (w *writer) texts(k string, vs []string) {
	w.key(k)
	w.b = append(w.b, '[')
	for i, v := range vs {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = jsonx.AppendString(w.b, v)
	}
	w.b = append(w.b, ']')
}

func (w *writer) open()  { w.b = append(w.b, '{') }
func (w *writer) close() { w.b = append(w.b, '}') }

// members writes the members of n's schema: in place, or as a reference.
func (w *writer) members(n node) {
	if name, ok := w.names[n]; ok {
		w.text("$ref", name)
		return
	}
	n.describe(w)
}

// schema writes n's schema as an object.
func (w *writer) schema(n node) {
	w.open()
	w.members(n)
	w.close()
}
