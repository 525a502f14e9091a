package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// translator turns the verdict of the library, a tree that follows the schema,
// into faults, a list that follows the value.
type translator struct {
	instance any
	schemas  map[string]*jsonschema.Schema // for suggestions; may be nil
}

// faults is the list, sorted by place, without repetitions, and bounded.
func (t *translator) faults(verdict *jsonschema.ValidationError) Faults {
	out := t.collect(verdict)
	slices.SortStableFunc(out, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	out = slices.Compact(out)
	if len(out) > maxFaults {
		out = append(out[:maxFaults:maxFaults], Fault{Message: moreFaults})
	}
	return out
}

// collect gathers the faults of the leaves below e.
func (t *translator) collect(e *jsonschema.ValidationError) Faults {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return t.alternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return t.alternatives(e)
		}
		return Faults{t.fault(e, fmt.Sprintf("fits alternatives %d and %d, but must fit exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1))}
	case *kind.Contains, *kind.MinContains:
		return Faults{t.fault(e, t.message(e))} // why each item is another does not help
	case *kind.PropertyNames:
		f := t.fault(e, quote(k.Property)+" is no name for a member here")
		f.Value = ""
		return Faults{f}
	case *kind.Required:
		return t.missing(e, k.Missing, "required, but missing")
	case *kind.DependentRequired:
		return t.missing(e, k.Missing, "required next to "+quote(k.Prop)+", but missing")
	case *kind.Dependency:
		return t.missing(e, k.Missing, "required next to "+quote(k.Prop)+", but missing")
	case *kind.AdditionalProperties:
		return t.unknown(e, k.Properties)
	}
	if len(e.Causes) == 0 {
		return Faults{t.fault(e, t.message(e))}
	}
	var out Faults
	for _, c := range e.Causes {
		if out = append(out, t.collect(c)...); len(out) > 4*maxFaults {
			break
		}
	}
	return out
}

// alternatives explains why none of anyOf or oneOf fits: by what all of them
// want instead, or by the one that comes nearest.
func (t *translator) alternatives(e *jsonschema.ValidationError) Faults {
	var types, choices []string
	var nearest Faults
	distance := 0
	for _, c := range e.Causes {
		leaf := c
		for len(leaf.Causes) == 1 {
			leaf = leaf.Causes[0]
		}
		here := len(leaf.InstanceLocation) == len(e.InstanceLocation)
		switch k := leaf.ErrorKind.(type) {
		case *kind.Type:
			if here {
				types = append(types, k.Want...)
				continue
			}
		}
		if c := choiceOf(leaf); c != nil && here {
			choices = append(choices, literals(c.want)...)
			continue
		}
		faults := t.collect(c)
		d := len(faults)
		if hasConst(c) {
			d += 1000 // another variant of a union: its discriminator says so
		}
		if nearest == nil || d < distance {
			nearest, distance = faults, d
		}
	}
	like := len(types) == 0 || t.isText(e) && slices.ContainsFunc(choices, func(c string) bool { return c[0] == '"' })
	switch {
	case nearest != nil:
		return nearest
	case len(choices) > 0 && like:
		return Faults{t.fault(e, "must be one of "+list(distinctOf(choices)))}
	case len(types) > 0 && len(choices) == 0:
		return Faults{t.fault(e, "must be "+typeWords(distinctOf(types)))}
	}
	return Faults{t.fault(e, fmt.Sprintf("fits none of the %d alternatives: %s, or one of %s",
		len(e.Causes), typeWords(distinctOf(types)), list(distinctOf(choices))))}
}

// isText reports whether a string stands at the place of e.
func (t *translator) isText(e *jsonschema.ValidationError) bool {
	x := t.instance
	for _, step := range e.InstanceLocation {
		x = child(x, step)
	}
	_, ok := x.(string)
	return ok
}

// choiceOf is the enum or const that e failed, or nil: as a format check of
// ours, or, in a meta-schema, as the library has it.
func choiceOf(e *jsonschema.ValidationError) *choice {
	switch k := e.ErrorKind.(type) {
	case *kind.Format:
		c, _ := k.Err.(*choice) //nolint:errorlint // the check returns it as it is
		return c
	case *kind.Enum:
		return &choice{want: k.Want}
	case *kind.Const:
		return &choice{want: []any{k.Want}, single: true}
	}
	return nil
}

// hasConst reports whether a const failed anywhere below e.
func hasConst(e *jsonschema.ValidationError) bool {
	if c := choiceOf(e); c != nil && c.single {
		return true
	}
	return slices.ContainsFunc(e.Causes, hasConst)
}

func (t *translator) missing(e *jsonschema.ValidationError, names []string, message string) Faults {
	var out Faults
	for _, n := range names {
		out = append(out, Fault{Path: t.path(append(slices.Clip(e.InstanceLocation), n)), Message: message})
	}
	return out
}

func (t *translator) unknown(e *jsonschema.ValidationError, names []string) Faults {
	var known []string
	if s := t.schemas[e.SchemaURL]; s != nil {
		known = slices.Sorted(maps.Keys(s.Properties))
	}
	var out Faults
	for _, n := range names {
		f := Fault{Path: t.path(e.InstanceLocation), Message: "unknown property " + quote(n)}
		if best := closest(n, known); best != "" {
			f.Suggest = "did you mean " + quote(best) + "?"
		} else if len(known) > 0 {
			f.Suggest = "known are " + list(quoted(known))
		}
		out = append(out, f)
	}
	return out
}

// fault is a fault at the place of e, with the value that stands there.
func (t *translator) fault(e *jsonschema.ValidationError, message string) Fault {
	f := Fault{Path: t.path(e.InstanceLocation), Message: message}
	x := t.instance
	for _, step := range e.InstanceLocation {
		if secret(step) {
			return f
		}
		x = child(x, step)
	}
	switch x.(type) {
	case []any, map[string]any:
		if _, wrongType := e.ErrorKind.(*kind.Type); !wrongType {
			return f // the message counts or names what is wrong in it
		}
	}
	if b, err := jsonx.Marshal(x); err == nil {
		f.Value = shown(b)
	}
	return f
}

func child(x any, step string) any {
	switch x := x.(type) {
	case map[string]any:
		return x[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(x) {
			return x[i]
		}
	}
	return nil
}

// path writes a location; a step is an index where the value is an array.
func (t *translator) path(steps []string) string {
	f := Faults{{}}
	x := t.instance
	parts := make([]string, len(steps))
	for i, s := range steps {
		parts[i] = nameStep(s)
		if _, ok := x.([]any); ok {
			parts[i] = "[" + s + "]"
		}
		x = child(x, s)
	}
	for _, p := range slices.Backward(parts) {
		f.prefix(0, p)
	}
	return f[0].Path
}

// message says in words what a leaf found wrong.
func (t *translator) message(e *jsonschema.ValidationError) string {
	if c := choiceOf(e); c != nil {
		return c.message()
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "must be " + typeWords(k.Want)
	case *kind.Format:
		return "must be " + formatWords(k.Want)
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.Not:
		return `is what "not" excludes`
	case *kind.FalseSchema:
		if strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") {
			return "unknown property"
		}
		return "must not be there"
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself without end"
	case *kind.Contains:
		return "must have an item that fits contains"
	case *kind.UniqueItems:
		return fmt.Sprintf("items must differ, but %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	}
	if m := amounts(e.ErrorKind); m != "" {
		return m
	}
	return "does not fit the schema"
}

func (c *choice) message() string {
	switch {
	case len(c.want) == 0:
		return "cannot have any value"
	case c.single:
		return "must be " + literals(c.want)[0]
	}
	return "must be one of " + list(literals(c.want))
}

// amounts is the message of the keywords that count or compare.
func amounts(k jsonschema.ErrorKind) string {
	atLeast := func(want, got int, noun string) string {
		return fmt.Sprintf("must have at least %s, has %d", plural(want, noun), got)
	}
	atMost := func(want, got int, noun string) string {
		return fmt.Sprintf("must have at most %s, has %d", plural(want, noun), got)
	}
	switch k := k.(type) {
	case *kind.MinLength:
		return atLeast(k.Want, k.Got, "character")
	case *kind.MaxLength:
		return atMost(k.Want, k.Got, "character")
	case *kind.MinItems:
		return atLeast(k.Want, k.Got, "item")
	case *kind.MaxItems:
		return atMost(k.Want, k.Got, "item")
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", plural(k.Count, "item"))
	case *kind.MinProperties:
		return atLeast(k.Want, k.Got, "member")
	case *kind.MaxProperties:
		return atMost(k.Want, k.Got, "member")
	case *kind.MinContains:
		return atLeast(k.Want, len(k.Got), "item") + " that fits contains"
	case *kind.MaxContains:
		return atMost(k.Want, len(k.Got), "item") + " that fits contains"
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be above " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be below " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	}
	return ""
}

// decimal writes a number exactly where that is short.
func decimal(r *big.Rat) string {
	if n, exact := r.FloatPrec(); exact && n <= 30 {
		if s := r.FloatString(n); len(s) <= 40 {
			return s
		}
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// typeWords is "a string or an integer" for the names of types.
func typeWords(types []string) string {
	if i := slices.Index(types, "null"); i >= 0 { // last, as an afterthought
		types = append(slices.Delete(slices.Clone(types), i, i+1), "null")
	}
	words := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "integer", "object", "array":
			words[i] = "an " + t
		case "boolean":
			words[i] = "true or false"
		case "null":
			words[i] = t
		default:
			words[i] = "a " + t
		}
	}
	return strings.Join(words, " or ")
}

// literals writes values as short JSON.
func literals(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte("?")
		}
		out[i] = shown(b)
	}
	return out
}

func distinctOf(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
