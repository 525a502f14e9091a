package arch

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

var (
	badName = regexp.MustCompile(`Util|Helper|Manager$|[a-z]2$`)
	// badFunc: types may begin with Get where the protocol's own names do.
	badFunc = regexp.MustCompile(`^(With|Get)[A-Z]`)
)

// TestExportedNames: everything exported has a comment that begins with its
// name, and no name of the kinds the project does without.
func TestExportedNames(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					checkName(t, s, d.Name, d.Doc)
					if badFunc.MatchString(d.Name.Name) {
						t.Errorf("%s: %s is no name for this project", s.fset.Position(d.Pos()), d.Name.Name)
					}
				}
			case *ast.GenDecl:
				checkGroup(t, s, d)
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func checkGroup(t *testing.T, s source, d *ast.GenDecl) {
	t.Helper()
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				doc := spec.Doc
				if doc == nil {
					doc = d.Doc
				}
				checkName(t, s, spec.Name, doc)
			}
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				// A group's comment speaks for its members.
				if n.IsExported() && spec.Doc == nil && spec.Comment == nil && d.Doc == nil {
					t.Errorf("%s: %s has no comment", s.fset.Position(n.Pos()), n.Name)
				}
			}
		}
	}
}

func checkName(t *testing.T, s source, name *ast.Ident, doc *ast.CommentGroup) {
	t.Helper()
	pos := func(p token.Pos) token.Position { return s.fset.Position(p) }
	if badName.MatchString(name.Name) {
		t.Errorf("%s: %s is no name for this project", pos(name.Pos()), name.Name)
	}
	if doc == nil {
		t.Errorf("%s: %s has no comment", pos(name.Pos()), name.Name)
		return
	}
	text := strings.TrimSpace(doc.Text())
	for _, article := range []string{"", "A ", "An ", "The "} {
		if strings.HasPrefix(text, article+name.Name) {
			return
		}
	}
	t.Errorf("%s: the comment of %s begins %q, not with its name", pos(name.Pos()), name.Name, firstWords(text))
}

func firstWords(s string) string {
	w := strings.Fields(s)
	return strings.Join(w[:min(3, len(w))], " ")
}
