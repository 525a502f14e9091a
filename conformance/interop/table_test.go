package interop

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/interop.md")

const head = `# Interoperability

Every row is a run of two programs, one of them on diglot, over loopback HTTP or
stdio. The programs serve the same little service and go through the same list:
connect, list tools, resources, templates and prompts, call tools that succeed,
fail and echo (a 53-bit integer, Unicode), read a resource and a templated one,
get a prompt, complete an argument, ask for a tool, a resource and a prompt that
do not exist, close. Where both sides keep the digits of a number, a 30-digit
integer is one more check. ` + "`server-everything`" + ` has a catalog and a list of its own.

` + "*Server's eras*" + ` is what the server is set to; *asked* is what the client wants
(` + "`auto`" + `, or one revision); *spoken* is what they ended up with.

Written by ` + "`conformance/interop/run.sh -update`" + `; CI fails when a check fails or
this page is out of date.
`

// table renders docs/interop.md.
func table(t *testing.T, list []cell, results []*outcome) string {
	t.Helper()
	versions := versions(t)
	var b strings.Builder
	b.WriteString(head)
	for _, role := range []string{"client", "server"} {
		fmt.Fprintf(&b, "\n## diglot as the %s\n\n", role)
		b.WriteString("| peer | version | transport | server's eras | asked | spoken | checks |\n|---|---|---|---|---|---|---|\n")
		for i, c := range list {
			peer := c.server
			if role == "server" {
				peer = c.client
			}
			if peer.name == diglot.name {
				continue
			}
			r := results[i]
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d of %d |\n", peer.module, versions[peer.module],
				c.transport, c.serves, c.asks, r.speaks, r.passed, r.passed+r.failed)
		}
	}
	return b.String()
}

// versions reads the pinned version of each peer.
func versions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Path}} {{.Version}}",
		goSDK.module, mcpGo.module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[path] = strings.TrimPrefix(version, "v")
	}
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		t.Fatal(err)
	}
	maps.Copy(found, pkg.Dependencies)
	return found
}
