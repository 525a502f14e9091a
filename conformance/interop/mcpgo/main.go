// Command mcpgo is the peer github.com/mark3labs/mcp-go.
package main

import (
	"os"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

func main() {
	os.Exit(peer.Main(peer.Program{HTTP: handler, Stdio: serveStdio, Connect: connect}))
}
