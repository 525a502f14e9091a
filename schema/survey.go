package schema

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// maxStray is how many references may lead to places that hold no schema by
// their position (M-JS-014 allows any pointer): each costs the compiler a copy
// of what it knows about the document.
const maxStray = 500

// survey looks over a document before it is compiled: the library spends time
// and memory without a bound of its own.
type survey struct {
	count    int
	places   map[string]bool // pointers of all schemas
	pointers []string        // of references into the document
	anchored []string        // pointers of the schemas with a $dynamicAnchor
}

func surveyOf(raw []byte) *survey {
	s := &survey{places: map[string]bool{}}
	s.visit(raw, "", "")
	return s
}

// visit notes one schema. base is the pointer of the resource it belongs to.
func (s *survey) visit(raw []byte, pointer, base string) {
	s.count++
	s.places[pointer] = true
	if jsonx.KindOf(raw) != jsonx.Object {
		return
	}
	if _, ok := jsonx.Lookup(raw, "$id"); ok {
		base = pointer
	}
	for name, value := range jsonx.Members(raw) {
		switch string(name) {
		case "$dynamicAnchor":
			s.anchored = append(s.anchored, pointer)
		case "$ref", "$dynamicRef", "$recursiveRef":
			v := jsonx.NewScanner(value)
			if v.Kind() == jsonx.String {
				s.reference(v.String(), base)
			}
		}
		for step, sub := range subschemas(string(name), value) {
			s.visit(sub, pointer+"/"+escapePointer(string(name))+step, base)
		}
	}
}

// reference notes where a reference leads if that is a pointer.
func (s *survey) reference(ref, base string) {
	_, fragment, ok := strings.Cut(ref, "#")
	if !ok || !strings.HasPrefix(fragment, "/") {
		return
	}
	if p, err := url.PathUnescape(fragment); err == nil {
		s.pointers = append(s.pointers, base+p)
	}
}

// fault says what is too much.
func (s *survey) fault(limit int) error {
	if s.count > limit {
		return fmt.Errorf("it contains %d schemas; the limit is %d", s.count, limit)
	}
	stray := map[string]bool{}
	for _, p := range s.pointers {
		if !s.places[p] {
			stray[p] = true
		}
	}
	if len(stray) > maxStray {
		return fmt.Errorf("it refers to %d places that are no schemas by their position; the limit is %d", len(stray), maxStray)
	}
	return nil
}
