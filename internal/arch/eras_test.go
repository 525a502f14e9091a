package arch

import (
	"go/ast"
	"path"
	"regexp"
	"testing"
)

// edge lists the files that may ask which era they are in: the wire, and the
// adapters where a connection, a session or a negotiation belongs to one era.
var edge = []string{
	"mcp/*.go", "internal/wire/*.go",
	"server/http*.go", "server/session*.go", "server/initialize*.go", "server/conn*.go", "server/stdio*.go",
	"client/negotiate*.go", "client/auto*.go", "client/verdict*.go", "client/session*.go", "client/http*.go", "client/connect*.go",
	"internal/cli/*.go", "mcptest/*.go",
}

var eraWord = regexp.MustCompile(`^(Modern|Legacy)`)

// TestNoEraAboveTheWire: nothing above the wire asks whether it is modern.
// Whoever needs to know a difference gives it a name on the Era interface.
func TestNoEraAboveTheWire(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || atEdge(s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "Modern" || sel.Sel.Name == "Legacy") && len(call.Args) == 0 {
				t.Errorf("%s: asks for the era (%s)", s.fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
		ast.Inspect(s.file, func(n ast.Node) bool {
			cond, ok := n.(*ast.IfStmt)
			if !ok {
				return true
			}
			ast.Inspect(cond.Cond, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && eraWord.MatchString(sel.Sel.Name) {
					t.Errorf("%s: decides by revision (%s)", s.fset.Position(n.Pos()), sel.Sel.Name)
				}
				return true
			})
			return true
		})
	}
}

func atEdge(file string) bool {
	for _, pattern := range edge {
		if ok, _ := path.Match(pattern, file); ok {
			return true
		}
	}
	return false
}
