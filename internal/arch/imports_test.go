package arch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// allowed says which packages of ours each package may import, tests apart.
// A package that is missing here may import none: say so when you add one.
var allowed = map[string][]string{
	"mcp":              {},
	"transport":        {"internal/jsonx"},
	"internal/jsonx":   {},
	"internal/sse":     {},
	"internal/httpx":   {},
	"internal/uritmpl": {},
	"internal/proc":    {},
	"internal/seal":    {},
	"internal/arch":    {},
	"internal/jsonrpc": {"internal/jsonx"},
	"internal/wire":    {"internal/jsonx", "internal/jsonrpc", "mcp"},
	"schema":           {"internal/jsonx", "mcp"},
	"server": {
		"internal/httpx", "internal/jsonrpc", "internal/jsonx", "internal/seal", "internal/sse", "internal/uritmpl",
		"internal/wire", "mcp", "schema", "transport",
	},
	"client": {
		"internal/httpx", "internal/jsonrpc", "internal/jsonx", "internal/proc", "internal/sse", "internal/wire",
		"mcp", "schema", "transport",
	},
	"mcptest":            {"client", "internal/jsonx", "mcp", "server", "transport"},
	"internal/cli":       {"client", "internal/demo", "internal/jsonx", "mcp", "server", "transport"},
	"internal/demo":      {"mcp", "schema", "server"},
	"cmd/diglot":         {"internal/cli"},
	"conformance/server": {"mcp", "schema", "server"},
	"conformance/client": {"client", "mcp"},
}

// TestImportGraph: the direction of imports is the architecture.
func TestImportGraph(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "examples/") {
			continue
		}
		may, known := allowed[s.pkg]
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			ours, ok := strings.CutPrefix(path, module+"/")
			if !ok {
				continue
			}
			if !known {
				t.Errorf("%s: package %q imports %q, but is not in the table of allowed imports", s.path, s.pkg, ours)
				continue
			}
			if !slices.Contains(may, ours) {
				t.Errorf("%s: %q may not import %q; it may import %q", s.path, s.pkg, ours, may)
			}
		}
	}
}

// external says which modules may be imported where, tests apart: a dependency
// stays behind the package that needs it.
var external = map[string][]string{
	"github.com/go-json-experiment/json":       {"mcp", "internal/jsonx", "internal/wire"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"schema"},
	"golang.org/x/text":                        {"schema"},
	"github.com/rs/cors":                       {"server"},
	"github.com/spf13/cobra":                   {"internal/cli", "cmd/diglot"},
	"golang.org/x/tools":                       {"mcptest"},
	"go.uber.org/goleak":                       {"mcptest"},
	"golang.org/x/term":                        {"internal/cli"},
}

// TestDependenciesStayHome: each external module is imported by the packages
// that docs/design/dependencies.md gives it to.
func TestDependenciesStayHome(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "examples/") {
			continue
		}
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(path, module) {
				continue
			}
			home := ""
			for _, m := range slices.Sorted(maps.Keys(external)) {
				if path == m || strings.HasPrefix(path, m+"/") {
					home = m
				}
			}
			if home == "" {
				t.Errorf("%s imports %q, which is not in the table of dependencies", s.path, path)
			} else if !slices.Contains(external[home], s.pkg) {
				t.Errorf("%s imports %q; only %q may", s.path, path, external[home])
			}
		}
	}
}
