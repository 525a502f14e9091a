package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/diglot-mcp/diglot/mcp"
)

// schemaFolder names the folder with the protocol's schemas, <revision>.json.
// Without it the golden tests check bytes alone.
const schemaFolder = "DIGLOT_PROTOCOL_SCHEMAS"

// protocolSchemas validates messages against the protocol's own definitions.
type protocolSchemas struct {
	folder string
	mu     sync.Mutex
	docs   map[string]*jsonschema.Compiler
	root   map[string]string
	known  map[string]map[string]any
}

func loadSchemas(t *testing.T) *protocolSchemas {
	t.Helper()
	folder := os.Getenv(schemaFolder)
	if folder == "" {
		t.Logf("%s is not set: messages are not validated against the protocol's schemas", schemaFolder)
		return nil
	}
	s := &protocolSchemas{folder: folder, docs: map[string]*jsonschema.Compiler{}, root: map[string]string{}, known: map[string]map[string]any{}}
	for _, p := range mcp.Profiles() {
		s.load(t, p.Version())
	}
	return s
}

func (s *protocolSchemas) load(t *testing.T, revision string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.folder, revision+".json"))
	if err != nil {
		t.Fatalf("%s: %v", schemaFolder, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", revision, err)
	}
	admitNumbers(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///"+revision, doc); err != nil {
		t.Fatalf("%s: %v", revision, err)
	}
	s.docs[revision] = c
	for _, name := range []string{"definitions", "$defs"} {
		if defs, ok := doc.(map[string]any)[name].(map[string]any); ok {
			s.root[revision], s.known[revision] = name, defs
		}
	}
}

// admitNumbers undoes a quirk of the schemas' generator, which wrote integer
// where any number and null are meant (T-01).
func admitNumbers(doc any) {
	switch v := doc.(type) {
	case map[string]any:
		if types, ok := v["type"].([]any); ok && len(types) == 3 && types[0] == "string" && types[1] == "integer" && types[2] == "boolean" {
			v["type"] = []any{"string", "number", "boolean", "null"}
		}
		for _, member := range v {
			admitNumbers(member)
		}
	case []any:
		for _, element := range v {
			admitNumbers(element)
		}
	}
}

// validate checks a message against a definition of its revision.
func (s *protocolSchemas) validate(t *testing.T, revision, definition string, message []byte) {
	t.Helper()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.known[revision][definition]; !ok {
		t.Errorf("revision %s has no definition %s: %s", revision, definition, message)
		return
	}
	schema, err := s.docs[revision].Compile("mem:///" + revision + "#/" + s.root[revision] + "/" + definition)
	if err != nil {
		t.Fatalf("%s of %s: %v", definition, revision, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		t.Errorf("%s of %s: %v: %s", definition, revision, err, message)
		return
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s of %s does not fit its schema: %v\n%s", definition, revision, err, message)
	}
}
