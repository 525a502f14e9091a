package schema

import (
	"reflect"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// node is one compiled position of a plan. It is built once and then only
// read, so a plan needs no lock.
type node interface {
	// decode reads exactly one value from d and stores it in v, or records
	// what is wrong with it. v is addressable and of the node's type.
	decode(d *decoder, v reflect.Value)
	// encode appends v as JSON, or fails with Faults. depth is how deep v lies.
	encode(dst []byte, v reflect.Value, depth int) ([]byte, error)
	// describe writes the members of the node's schema object.
	describe(w *writer)
	// constrain applies a keyword of a tag, or says why it cannot.
	constrain(s setting) error
	// literal turns the text of a tag into JSON for this node.
	literal(text string) []byte
	// nullable reports whether null is a value of this node, not an absence.
	nullable() bool
}

// decoder is the state of one walk over one value: a scanner over bytes that
// are known to be JSON, and what was found wrong so far.
type decoder struct {
	s      jsonx.Scanner
	faults Faults
	// lenient allows scalars of the wrong type that can only mean one thing,
	// and null for what is optional.
	lenient bool
	// root is the struct whose members are called arguments.
	root *structNode
	// nest counts defaults within defaults.
	nest int
	// more is set when faults were left out.
	more bool
}

// decoders are pooled because a decoder handed to an interface method lives on
// the heap, and a walk should cost no allocation but the values it makes.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// full reports whether enough faults are known. What comes then is skipped.
func (d *decoder) full() bool {
	d.more = len(d.faults) >= maxFaults
	return d.more
}

// fail records a fault at the current place. raw is the offending value.
func (d *decoder) fail(message string, raw []byte, suggest string) {
	if d.full() {
		return
	}
	d.faults = append(d.faults, Fault{Message: message, Value: shown(raw), Suggest: suggest})
}

// mismatch skips a value of the wrong type and records that.
func (d *decoder) mismatch(want, suggest string) {
	raw := d.s.Skip()
	d.fail("must be "+want, raw, suggest)
}

// locate says of the faults from start on that they lie in the member name.
func (d *decoder) locate(start int, name string) {
	if secret(name) {
		for i := start; i < len(d.faults); i++ {
			if len(d.faults[i].Value) > 0 && d.faults[i].Value[0] == '"' {
				d.faults[i].Value = ""
			}
		}
	}
	d.faults.prefix(start, nameStep(name))
}

// finish is the outcome of the walk.
func (d *decoder) finish() error {
	if len(d.faults) == 0 {
		return nil
	}
	if d.more {
		d.faults = append(d.faults, Fault{Message: moreFaults})
	}
	return d.faults
}

// noKeywords is embedded by nodes that no tag can constrain.
type noKeywords struct{ what string }

func (n noKeywords) constrain(s setting) error { return inapplicable(s, n.what) }

// notNull is embedded by nodes for which null is an absence.
type notNull struct{}

func (notNull) nullable() bool { return false }

// asJSON is embedded by nodes whose default is written as JSON in a tag.
type asJSON struct{}

func (asJSON) literal(text string) []byte { return []byte(text) }

// asText is embedded by nodes whose default is written without quotes.
type asText struct{}

func (asText) literal(text string) []byte { return jsonx.AppendString(nil, text) }

// bad is the error of encode for one fault.
func bad(message, value string) error {
	return Faults{{Message: message, Value: value}}
}

// within puts a step in front of the paths of an error of encode.
func within(err error, step string) error {
	if f, ok := err.(Faults); ok { //nolint:errorlint // encode fails with nothing else
		f.prefix(0, step)
	}
	return err
}
