package arch

import (
	"go/ast"
	"strings"
	"testing"
)

// Budgets, in lines. What outgrows one is split, or stands in the list of
// exceptions with its reason until it shrinks.
const (
	fileBudget     = 400
	functionBudget = 80
)

// fileExceptions are files that may be longer, each with its reason.
var fileExceptions = map[string]string{
	"mcp/json_methods.go": "two uniform methods for each type; a table, not a text",
}

// functionExceptions are functions that may be longer, each with its reason.
var functionExceptions = map[string]string{}

// TestBudgets: one idea a file, one screen a function.
func TestBudgets(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		lines := strings.Count(s.text, "\n")
		if _, excepted := fileExceptions[s.path]; !excepted && lines > fileBudget {
			t.Errorf("%s has %d lines; the budget is %d: is it still one idea?", s.path, lines, fileBudget)
		}
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.fset.Position(fn.End()).Line - s.fset.Position(fn.Pos()).Line + 1
			if _, excepted := functionExceptions[s.path+":"+fn.Name.Name]; !excepted && n > functionBudget {
				t.Errorf("%s: %s has %d lines; the budget is %d", s.fset.Position(fn.Pos()), fn.Name.Name, n, functionBudget)
			}
		}
	}
	for path := range fileExceptions {
		if !strings.HasSuffix(path, ".go") {
			t.Errorf("exception %q is no Go file", path)
		}
	}
}
