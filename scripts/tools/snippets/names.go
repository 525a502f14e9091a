package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// packages maps the name of each public package of the module to the exported
// names at its top level.
type packages map[string]map[string]bool

// loadPackages reads the module in dir. Test files, programs, nested modules and
// internal packages are left out: documentation is about what users can import.
func loadPackages(dir string) (packages, error) {
	found := packages{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && !public(path) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return found.add(path)
	})
	return found, err
}

// public reports whether the directory may hold packages that users import.
func public(path string) bool {
	name := filepath.Base(path)
	if name == "internal" || name == "testdata" || name == "node_modules" || name == "out" || strings.HasPrefix(name, ".") {
		return false
	}
	nested, _ := filepath.Glob(filepath.Join(path, "go.mod"))
	return nested == nil
}

// add records the exported top-level names of one file.
func (p packages) add(path string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if f.Name.Name == "main" {
		return nil
	}
	names := p[f.Name.Name]
	if names == nil {
		names = map[string]bool{}
		p[f.Name.Name] = names
	}
	for _, d := range f.Decls {
		for _, id := range declared(d) {
			if id.IsExported() {
				names[id.Name] = true
			}
		}
	}
	return nil
}

// declared returns the names a top-level declaration introduces.
func declared(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var ids []*ast.Ident
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				ids = append(ids, spec.Name)
			case *ast.ValueSpec:
				ids = append(ids, spec.Names...)
			}
		}
		return ids
	}
	return nil
}

// unknownNames lists each pkg.Name of the file that is no exported name of the
// package. A variable that shadows a package hides it for the whole snippet.
func (p packages) unknownNames(f *ast.File) []string {
	local := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						local[id.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, id := range n.Names {
				local[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				local[id.Name] = true
			}
		}
		return true
	})
	var faults []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || local[x.Name] {
			return true
		}
		if names, ours := p[x.Name]; ours && !names[sel.Sel.Name] {
			faults = append(faults, fmt.Sprintf("package %s has no %q", x.Name, sel.Sel.Name))
		}
		return true
	})
	slices.Sort(faults)
	return slices.Compact(faults)
}
