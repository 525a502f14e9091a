package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A snippet is one fenced Go block of a Markdown file.
type snippet struct {
	file string // path below the module's directory
	line int    // of the first line of code
	code string
	from string // FILE#REGION the block is a copy of, or ""
}

var fromComment = regexp.MustCompile(`^<!-- from (\S+#\S+) -->$`)

// markdownFiles lists the documentation below dir, without what tools put there.
func markdownFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != dir &&
			(name == "node_modules" || name == "out" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".md") {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// snippets returns the Go blocks of one Markdown file.
func snippets(path string) ([]snippet, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var (
		found  []snippet
		cur    *snippet
		fence  string
		indent string
		from   string
	)
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		switch {
		case cur != nil && text == fence:
			found = append(found, *cur)
			cur, fence = nil, ""
		case cur != nil:
			cur.code += strings.TrimPrefix(line, indent) + "\n"
		case fence != "": // inside a block of another language
			if text == fence {
				fence = ""
			}
		case strings.HasPrefix(text, "```"):
			ticks := len(text) - len(strings.TrimLeft(text, "`"))
			fence = strings.Repeat("`", ticks)
			if info := strings.TrimSpace(text[ticks:]); info == "go" {
				indent, _, _ = strings.Cut(line, "`")
				cur = &snippet{file: path, line: i + 2, from: from}
			}
			from = ""
		case text != "":
			from = ""
			if m := fromComment.FindStringSubmatch(text); m != nil {
				from = m[1]
			}
		}
	}
	return found, nil
}
