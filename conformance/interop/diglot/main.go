// Command diglot is this library as a peer of the others.
package main

import (
	"os"

	"github.com/diglot-mcp/diglot/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

var info = mcp.Implementation{Name: "diglot", Version: "1.0.0"}

func main() {
	os.Exit(peer.Main(peer.Program{HTTP: handler, Stdio: serveStdio, Connect: connect}))
}
