package arch

import (
	"flag"
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the test column of docs/requirements")

// requirementID matches the ids of docs/requirements and docs/cases.md.
var requirementID = regexp.MustCompile(`\b(?:[ML]-)?[A-Z]{1,6}-[0-9]{2,3}\b`)

// citations maps each id to the tests that cite it: package.Test for Go tests,
// the path for golden files and scripts.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string]map[string]bool{}
	cite := func(text, where string) {
		for _, id := range requirementID.FindAllString(text, -1) {
			if found[id] == nil {
				found[id] = map[string]bool{}
			}
			found[id][where] = true
		}
	}
	for _, s := range sources(t) {
		if s.test && s.pkg != "internal/arch" {
			citeGo(s, cite)
		}
	}
	base := root(t)
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "out") {
			return filepath.SkipDir
		}
		slash := filepath.ToSlash(path)
		if d.IsDir() || !strings.Contains(slash, "/testdata/") || !(strings.HasSuffix(slash, ".txtar") || strings.HasSuffix(slash, ".txt")) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, path)
		cite(string(text), filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for id, where := range found {
		out[id] = slices.Sorted(maps.Keys(where))
	}
	return out
}

// citeGo attributes ids to the top-level declaration they stand in or above;
// ids outside any test function count for the file's tests as a whole.
func citeGo(s source, cite func(text, where string)) {
	pkg := s.pkg
	for _, d := range s.file.Decls {
		start, end := d.Pos(), d.End()
		where := pkg + " (" + filepath.Base(s.path) + ")"
		if fn, ok := d.(*ast.FuncDecl); ok {
			if fn.Doc != nil {
				start = fn.Doc.Pos()
			}
			if fn.Recv == nil && (strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz") || strings.HasPrefix(fn.Name.Name, "Example")) {
				where = pkg + "." + fn.Name.Name
			}
		} else if g, ok := d.(*ast.GenDecl); ok && g.Doc != nil {
			start = g.Doc.Pos()
		}
		cite(s.text[s.fset.Position(start).Offset:s.fset.Position(end).Offset], where)
	}
}

// TestRequirements: every row of docs/requirements names the tests that show
// it, or says in words why none can.
func TestRequirements(t *testing.T) {
	cited := citations(t)
	files, err := filepath.Glob(filepath.Join(root(t), "docs", "requirements", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("docs/requirements has no tables")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			cells := strings.Split(line, "|")
			if len(cells) < 5 {
				continue
			}
			id := strings.TrimSpace(cells[1])
			if requirementID.FindString(id) != id || id == "" {
				continue
			}
			have := strings.TrimSpace(cells[len(cells)-2])
			if len(cited[id]) == 0 {
				if have == "" || strings.HasPrefix(have, "`") {
					t.Errorf("%s:%d: %s is cited by no test", filepath.Base(file), i+1, id)
				}
				continue
			}
			want := shown(cited[id])
			if have == want {
				continue
			}
			if !*update {
				t.Errorf("%s:%d: %s is shown by %s, the table says %s; run go test ./internal/arch -update", filepath.Base(file), i+1, id, want, have)
				continue
			}
			cells[len(cells)-2] = " " + want + " "
			lines[i] = strings.Join(cells, "|")
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// shown lists at most three tests, so that a row stays readable.
func shown(tests []string) string {
	var out []string
	for _, test := range tests[:min(3, len(tests))] {
		out = append(out, "`"+test+"`")
	}
	s := strings.Join(out, ", ")
	if more := len(tests) - 3; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
