package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = `module example.com/m

go 1.26.0
`

const library = `package server

// Tool does nothing.
func Tool() {}

type hidden int
`

const example = `package hello

func run() {
	// region call
	if true {
		println("hi")
	}
	// endregion call
}
`

func TestCheck(t *testing.T) {
	const fence = "```"
	tests := []struct {
		name, markdown string
		want           []string // what each fault must contain
	}{
		{"statements", fence + "go\nserver.Tool()\n" + fence, nil},
		{"declarations", fence + "go\ntype A struct{ B int }\n" + fence, nil},
		{"declarations, then statements", fence + "go\ntype A int\n\nserver.Tool()\n" + fence, nil},
		{"parts left out", fence + "go\nfor { … }\n" + fence, nil},
		{"another language", fence + "sh\nserver.Nothing(\n" + fence, nil},
		{"indented block", "- item\n\n  " + fence + "go\n  server.Tool()\n  " + fence, nil},
		{"whole file", fence + "go\npackage main\n\nimport \"example.com/m/server\"\n\nfunc main() { server.Tool() }\n" + fence, nil},
		{"copy of a region", "<!-- from hello/hello.go#call -->\n" + fence + "go\nif true {\n\tprintln(\"hi\")\n}\n" + fence, nil},
		{"no Go", fence + "go\nserver.Tool(\n" + fence, []string{"doc.md:2: does not parse"}},
		{"a name that is not there", fence + "go\nserver.Tol()\n" + fence, []string{`package server has no "Tol"`}},
		{"a name that is not exported", fence + "go\nvar x server.hidden\n" + fence, []string{`package server has no "hidden"`}},
		{"a variable named like a package", fence + "go\nserver := f()\nserver.Close()\n" + fence, nil},
		{"whole file with a fault", fence + "go\npackage main\n\nfunc main() { x := 1 }\n" + fence, []string{"does not compile"}},
		{"old copy of a region", "<!-- from hello/hello.go#call -->\n" + fence + "go\nprintln(\"hi\")\n" + fence, []string{"differs from hello/hello.go#call"}},
		{"no such region", "<!-- from hello/hello.go#x -->\n" + fence + "go\nf()\n" + fence, []string{`has no region "x"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"go.mod": module, "server/server.go": library, "hello/hello.go": example, "doc.md": tt.markdown + "\n",
			} {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			faults, n, err := check(dir)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(strings.Count(tt.markdown, "go\n"), 1); n != want {
				t.Errorf("saw %d snippets, want %d", n, want)
			}
			if len(faults) != len(tt.want) {
				t.Fatalf("faults %q, want %q", faults, tt.want)
			}
			for i, f := range faults {
				if !strings.Contains(f, tt.want[i]) {
					t.Errorf("fault %q, want %q in it", f, tt.want[i])
				}
			}
		})
	}
}
