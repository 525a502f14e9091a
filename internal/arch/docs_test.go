package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	snippet = regexp.MustCompile("(?s)(?:<!-- ([^#\n]+)#([^ \n]+) -->\n)?```go\n(.*?)```")
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
)

// pages lists the documents of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// TestSnippets: Go code in documents is a region of a compiled example.
func TestSnippets(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range snippet.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "" {
				t.Errorf("%s: a snippet does not say which example it is from:\n%s", filepath.Base(page), m[3])
				continue
			}
			want := region(t, m[1], m[2])
			if strings.TrimSpace(m[3]) != want {
				t.Errorf("%s: the snippet is not what %s#%s has:\n%s", filepath.Base(page), m[1], m[2], want)
			}
		}
	}
}

// region cuts the lines between "// region NAME" and "// endregion".
func region(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "// region "+name+"\n")
	if !ok {
		t.Fatalf("%s has no region %q", file, name)
	}
	body, _, ok := strings.Cut(rest, "// endregion")
	if !ok {
		t.Fatalf("%s: region %q has no end", file, name)
	}
	return strings.TrimSpace(body)
}

// TestLinks: links between documents lead somewhere.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %q, which is not there", filepath.Base(page), m[1])
			}
		}
	}
}
