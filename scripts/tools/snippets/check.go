package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// check examines all snippets below dir, which holds the module's go.mod, and
// returns the faults in the order of the files, and how many snippets it saw.
func check(dir string) (faults []string, n int, err error) {
	files, err := markdownFiles(dir)
	if err != nil {
		return nil, 0, err
	}
	own, err := loadPackages(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, file := range files {
		list, err := snippets(file)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range list {
			n++
			for _, f := range own.faults(dir, s) {
				faults = append(faults, fmt.Sprintf("%s:%d: %s", s.file, s.line, f))
			}
		}
	}
	return faults, n, nil
}

// faults says what is wrong with one snippet.
func (p packages) faults(dir string, s snippet) []string {
	if s.from != "" {
		if err := sameAsRegion(dir, s); err != nil {
			return []string{err.Error()}
		}
	}
	file, err := parseSnippet(s.code)
	if err != nil {
		return []string{err.Error()}
	}
	faults := p.unknownNames(file)
	if strings.HasPrefix(s.code, "package ") && len(faults) == 0 {
		if err := compile(dir, s.code); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// parseSnippet reads code as a file, else as declarations, else as statements.
// The error of the last try is the one that says most about a fragment.
func parseSnippet(code string) (*ast.File, error) {
	fset := token.NewFileSet()
	if strings.HasPrefix(code, "package ") {
		return parser.ParseFile(fset, "snippet.go", code, parser.AllErrors)
	}
	code = strings.ReplaceAll(code, "…", "/* … */") // what documentation leaves out
	for _, wrapped := range wrappings(code) {
		if f, err := parser.ParseFile(fset, "snippet.go", wrapped, 0); err == nil {
			return f, nil
		}
	}
	_, err := parser.ParseFile(fset, "snippet.go", wrappings(code)[1], 0)
	return nil, fmt.Errorf("does not parse: %w", err)
}

// wrappings are the ways a fragment may become a file. The last one is for
// documentation that shows declarations first and then how they are used.
func wrappings(code string) []string {
	list := []string{"package p\n" + code, "package p; func _() {" + code + "\n}"}
	lines := strings.SplitAfter(code, "\n")
	for i := 1; i < len(lines); i++ {
		if strings.TrimSpace(lines[i-1]) == "" {
			list = append(list, "package p\n"+strings.Join(lines[:i], "")+"func _() {"+strings.Join(lines[i:], "")+"\n}")
		}
	}
	return list
}

// compile builds a whole file as a program or package inside the module.
func compile(dir, code string) error {
	tmp, err := os.MkdirTemp(dir, "snippet-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := os.WriteFile(filepath.Join(tmp, "main.go"), []byte(code), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "vet", "./"+filepath.Base(tmp))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not compile: %s", strings.TrimSpace(string(out)))
	}
	return nil
}

// sameAsRegion compares a snippet with the region of the file it says it is from.
func sameAsRegion(dir string, s snippet) error {
	name, region, _ := strings.Cut(s.from, "#")
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	_, rest, found := strings.Cut(string(data), "// region "+region+"\n")
	if !found {
		return fmt.Errorf("%s has no region %q", name, region)
	}
	body, _, found := strings.Cut(rest, "// endregion "+region+"\n")
	if !found {
		return fmt.Errorf("%s does not end region %q", name, region)
	}
	if dedent(body) != dedent(s.code) {
		return errors.New("differs from " + s.from)
	}
	return nil
}

// dedent removes the tabs all lines share, and blank lines at both ends.
func dedent(code string) string {
	lines := strings.Split(strings.Trim(code, "\n"), "\n")
	shared := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if tabs := len(l) - len(strings.TrimLeft(l, "\t")); shared < 0 || tabs < shared {
			shared = tabs
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(l[min(max(shared, 0), len(l)):], "\t ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
