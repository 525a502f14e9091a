package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The official JSON-Schema-Test-Suite lies in this module's testdata.
	_ "github.com/google/jsonschema-go/jsonschema"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// suiteGroup is one schema of the official suite with its tests.
type suiteGroup struct {
	File        string
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// suiteDir is the testdata of the module that carries the suite.
func suiteDir(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("find the module with the suite: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
}

// suite reads the required part of one draft.
func suite(t testing.TB, dir, draft string) []suiteGroup {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, draft, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no suite in %s: %v", dir, err)
	}
	var all []suiteGroup
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, g := range groups {
			g.File = strings.TrimSuffix(filepath.Base(f), ".json")
			all = append(all, g)
		}
	}
	return all
}

// remotes stands for the web server of the suite.
func remotes(dir string) func(string) (any, error) {
	return func(uri string) (any, error) {
		path, ok := strings.CutPrefix(uri, "http://localhost:1234/")
		if !ok {
			return nil, fmt.Errorf("not part of the suite")
		}
		text, err := os.ReadFile(filepath.Join(dir, "remotes", filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		r := reader{s: jsonx.NewScanner(text)}
		return r.value(), nil
	}
}

// TestOfficialSuite runs the required part of the JSON-Schema-Test-Suite
// (M-JS-001, M-JS-004) against Validator, without an exception.
func TestOfficialSuite(t *testing.T) {
	dir := suiteDir(t)
	for draft, least := range map[string]int{"draft2020-12": 1000, "draft7": 850} {
		t.Run(draft, func(t *testing.T) {
			ran := 0
			for _, g := range suite(t, dir, draft) {
				raw := g.Schema
				if draft == "draft7" {
					raw = withDialect(raw, "http://json-schema.org/draft-07/schema#")
				}
				v, err := Compile(raw, compileOption(func(c *compileConfig) { c.loader = remotes(dir) }))
				if err != nil {
					t.Errorf("%s: %s: %v", g.File, g.Description, err)
					continue
				}
				for _, test := range g.Tests {
					ran++
					if err := v.Validate(test.Data); (err == nil) != test.Valid {
						t.Errorf("%s: %s: %s: valid is %t, want %t: %v", g.File, g.Description, test.Description, err == nil, test.Valid, err)
					}
				}
			}
			t.Logf("%d tests", ran)
			if ran < least {
				t.Errorf("%d tests ran, want at least %d", ran, least)
			}
		})
	}
}

// withDialect says of an object schema which dialect it is in, for the groups
// of draft-07 do not.
func withDialect(raw json.RawMessage, uri string) json.RawMessage {
	if jsonx.KindOf(raw) != jsonx.Object {
		return raw
	}
	if _, ok := jsonx.Lookup(raw, "$schema"); ok {
		return raw
	}
	return jsonx.SetMember(raw, "$schema", jsonx.AppendString(nil, uri))
}
