package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of hand-written schemas and of one validation. Schemas come from
// peers, and composition lets a small one cost any amount of work.
const (
	// DefaultSubschemas is how many schemas one document may contain.
	DefaultSubschemas = 5_000
	// DefaultWork is how much work one validation may be, in steps of about one
	// keyword or one value each; it bounds time and memory.
	DefaultWork = 500_000
	// maxSchema is the size of a schema document in bytes.
	maxSchema = 1 << 20
)

// CompileOption changes how [Compile] treats a schema.
type CompileOption interface{ applyCompile(*compileConfig) }

type compileConfig struct {
	formats    bool
	subschemas int
	work       int
	// loader gives documents to references that leave the schema. It is nil
	// outside of tests: nothing is ever fetched.
	loader func(uri string) (any, error)
}

type compileOption func(*compileConfig)

func (o compileOption) applyCompile(c *compileConfig) { o(c) }

// AssertFormats makes format a check and not only a remark, for the formats
// that plans know (see the package comment). JSON Schema 2020-12 has it a
// remark by default.
func AssertFormats() CompileOption { return compileOption(func(c *compileConfig) { c.formats = true }) }

// MaxSubschemas sets how many schemas the document may contain, instead of
// [DefaultSubschemas].
func MaxSubschemas(n int) CompileOption {
	return compileOption(func(c *compileConfig) { c.subschemas = n })
}

// MaxWork sets how much work one validation may be, instead of [DefaultWork].
func MaxWork(steps int) CompileOption {
	return compileOption(func(c *compileConfig) { c.work = steps })
}

// Validator checks values against a hand-written schema. It is immutable and
// safe for concurrent use.
type Validator struct {
	raw      json.RawMessage
	doc      any
	anchored []string // pointers of the schemas with a $dynamicAnchor
	dialect  *jsonschema.Draft
	conf     compileConfig

	// idle are compiled copies of the schema that no validation uses now: each
	// counts the work of one validation at a time. mu guards it.
	mu   sync.Mutex
	idle []*program
}

// dialects are the values of $schema that are understood, without scheme and
// empty fragment. The library behind [Validator] knows them all.
var dialects = map[string]*jsonschema.Draft{
	"json-schema.org/draft/2020-12/schema": jsonschema.Draft2020,
	"json-schema.org/draft/2019-09/schema": jsonschema.Draft2019,
	"json-schema.org/draft-07/schema":      jsonschema.Draft7,
	"json-schema.org/draft-06/schema":      jsonschema.Draft6,
	"json-schema.org/draft-04/schema":      jsonschema.Draft4,
}

// Compile makes a validator of a hand-written schema. Without $schema the
// schema is JSON Schema 2020-12; 2019-09, draft-07, draft-06 and draft-04 are
// understood as well, any other dialect is an error.
//
// References are resolved within the document (pointers, anchors, embedded
// $id) and to the meta-schemas of the dialects, which are built in. A reference
// to anything else is an error that names it: nothing is fetched, neither from
// the network nor from files. Patterns are run by Go's regexp (RE2, linear
// time); one that needs look-around or back-references is an error.
func Compile(raw json.RawMessage, opts ...CompileOption) (*Validator, error) {
	conf := compileConfig{subschemas: DefaultSubschemas, work: DefaultWork}
	for _, o := range opts {
		o.applyCompile(&conf)
	}
	v := &Validator{raw: slices.Clone(raw), conf: conf}
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	p, err := v.compile()
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	v.idle = append(v.idle, p)
	return v, nil
}

// prepare reads the document and checks its bounds and its dialect.
func (v *Validator) prepare() error {
	if len(v.raw) > maxSchema {
		return fmt.Errorf("it has %d bytes; the limit is %d", len(v.raw), maxSchema)
	}
	if err := jsonx.Check(v.raw, 0); err != nil {
		return err
	}
	if !isSchema(v.raw) {
		return fmt.Errorf("it must be an object or a boolean; got %s", shown(v.raw))
	}
	look := surveyOf(v.raw)
	if err := look.fault(v.conf.subschemas); err != nil {
		return err
	}
	v.anchored = look.anchored
	r := reader{s: jsonx.NewScanner(v.raw), counts: true}
	v.doc = r.value()
	if r.huge != "" {
		return fmt.Errorf("number %s is too long or too large", quote(r.huge))
	}
	return v.setDialect()
}

func (v *Validator) setDialect() error {
	v.dialect = jsonschema.Draft2020
	root, _ := v.doc.(map[string]any)
	uri, ok := root["$schema"].(string)
	if !ok {
		return nil // absent, or refused by the meta-schema
	}
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(uri, "http://"), "https://"), "#")
	if d := dialects[name]; d != nil {
		v.dialect = d
		return nil
	}
	if v.conf.loader != nil {
		return nil // a dialect the loader may have the meta-schema of
	}
	return fmt.Errorf("unsupported dialect %s in $schema; supported are 2020-12 (the default), 2019-09, draft-07, draft-06 and draft-04", quote(uri))
}

// base is where the document is said to lie, so that relative references have
// something to be relative to.
const base = "schema:///"

// noDocument is the answer to every reference that leaves the document.
type noDocument struct{}

func (noDocument) Load(string) (any, error) { return nil, errors.New("not part of the schema") }

type documents func(uri string) (any, error)

func (d documents) Load(uri string) (any, error) { return d(uri) }

// compile makes one more program of the document.
func (v *Validator) compile() (*program, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(v.dialect)
	c.UseLoader(noDocument{})
	if v.conf.loader != nil {
		c.UseLoader(documents(v.conf.loader))
	}
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := compilePattern(s)
		if err != nil {
			return nil, err
		}
		return ecmaRegexp{re, s}, nil
	})
	if v.conf.formats {
		c.AssertFormat()
	}
	for name, check := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: onText(check)})
	}
	if err := c.AddResource(base, v.doc); err != nil {
		return nil, v.plainly(err)
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, v.plainly(err)
	}
	p := &program{root: root, schemas: map[string]*jsonschema.Schema{}, formats: v.conf.formats}
	p.instrument(root)
	for _, pointer := range v.anchored {
		// Reached through the dynamic scope alone, so no field leads there.
		if s, err := c.Compile(base + "#" + fragment(pointer)); err == nil {
			p.instrument(s)
		}
	}
	return p, nil
}

// ecmaRegexp is a compiled pattern that shows its original text.
type ecmaRegexp struct {
	*regexp.Regexp
	text string
}

func (r ecmaRegexp) String() string { return r.text }

// onText makes a format check apply to strings alone.
func onText(check func(string) error) func(any) error {
	return func(x any) error {
		if s, ok := x.(string); ok {
			return check(s)
		}
		return nil
	}
}

// fragment escapes a JSON Pointer for a URI.
func fragment(pointer string) string {
	return strings.NewReplacer("%", "%25", "#", "%23", "\"", "%22", " ", "%20", "^", "%5E").Replace(pointer)
}

// plainly rewords the errors of the library.
func (v *Validator) plainly(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		uri := strings.TrimPrefix(load.URL, base)
		return fmt.Errorf("reference to %s, which is not part of the schema; references are followed within the document only", quote(uri))
	}
	var invalid *jsonschema.SchemaValidationError
	var verdict *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &verdict) {
		t := translator{instance: v.doc}
		return fmt.Errorf("it does not fit its meta-schema: %w", t.faults(verdict))
	}
	return errors.New(strings.ReplaceAll(strings.ReplaceAll(err.Error(), base+"#", "#"), base, ""))
}

// JSON is the schema as it was given. The caller must not change it.
func (v *Validator) JSON() json.RawMessage { return v.raw }

// Validate checks that raw is one strict JSON value and does what
// [Validator.ValidateChecked] does.
func (v *Validator) Validate(raw []byte) error {
	if len(raw) > 0 {
		if err := jsonx.Check(raw, jsonx.DefaultDepth); err != nil {
			return Faults{{Message: "must be valid JSON: " + err.Error()}}
		}
	}
	return v.ValidateChecked(raw)
}

// ValidateChecked checks raw, which is known to be one strict JSON value,
// against the schema. Empty raw counts as {}. Numbers are compared exactly. What is wrong
// is an error of type [Faults], as is a validation that would be too much work.
func (v *Validator) ValidateChecked(raw []byte) error {
	if len(raw) == 0 {
		raw = emptyObject
	}
	r := reader{s: jsonx.NewScanner(raw)}
	x := r.value()
	if r.huge != "" {
		return Faults{{Message: "has a number that is too long or too large to be checked", Value: shown([]byte(r.huge))}}
	}
	p, err := v.take()
	if err != nil {
		return err
	}
	defer v.put(p)
	return p.run(x, v.conf.work)
}

// take gives a program to one validation.
func (v *Validator) take() (*program, error) {
	if p := v.pop(); p != nil {
		return p, nil
	}
	return v.compile()
}

func (v *Validator) pop() *program {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := len(v.idle)
	if n == 0 {
		return nil
	}
	p := v.idle[n-1]
	v.idle = v.idle[:n-1]
	return p
}

// put keeps a program for the next one, as many as can run at a time.
func (v *Validator) put(p *program) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.idle) < runtime.GOMAXPROCS(0) {
		v.idle = append(v.idle, p)
	}
}

// reader decodes checked JSON for the library, watching for numbers that are
// cheap to write and dear to compute with.
type reader struct {
	s    jsonx.Scanner
	huge string
	// counts: the document is a schema, whose counts the library holds as int.
	counts bool
}

// countKeywords are the keywords whose values are counts.
var countKeywords = []string{
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
}

func (r *reader) value() any {
	switch r.s.Kind() {
	case jsonx.Number:
		lit := r.s.Number()
		if !bounded(lit) {
			r.huge = string(lit)
		}
		return json.Number(lit)
	case jsonx.Array:
		r.s.EnterArray()
		out := []any{}
		for r.s.More() {
			out = append(out, r.value())
		}
		return out
	case jsonx.Object:
		r.s.EnterObject()
		out := map[string]any{}
		for {
			name, ok := r.s.NextName()
			if !ok {
				return out
			}
			key := string(name)
			out[key] = r.value()
			if lit, ok := out[key].(json.Number); ok && r.counts && slices.Contains(countKeywords, key) {
				out[key] = clamp(lit)
			}
		}
	}
	return decodeAny(&r.s)
}

// clamp holds a count within an int: no value has more of anything.
func clamp(lit json.Number) json.Number {
	const most = "2147483647"
	s, ok := jsonx.Integer([]byte(lit))
	if ok && s[0] != '-' && (len(s) > len(most) || len(s) == len(most) && s > most) {
		return most
	}
	return lit
}
