// Command snippets checks the Go code in the documentation of a module.
//
//	snippets [DIR]
//
// Every fenced block marked "go" in a Markdown file below DIR must
//
//   - parse, as a file, as declarations or as statements;
//   - name only things that exist: in pkg.Name, where pkg is a package of this
//     module, Name must be exported there;
//   - when it is a whole file (it starts with a package clause), compile;
//   - when the comment <!-- from FILE#REGION --> stands above it, equal the lines
//     of FILE between the comments "// region REGION" and "// endregion REGION".
//
// It prints one line per fault and exits with 1 if there is any.
package main

import (
	"fmt"
	"os"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	faults, n, err := check(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check snippets:", err)
		os.Exit(2)
	}
	for _, f := range faults {
		fmt.Println(f)
	}
	fmt.Printf("%d snippets, %d faults\n", n, len(faults))
	if len(faults) > 0 {
		os.Exit(1)
	}
}
