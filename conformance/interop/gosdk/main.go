// Command gosdk is the peer github.com/modelcontextprotocol/go-sdk.
package main

import (
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diglot-mcp/diglot/conformance/interop/peer"
)

var info = &mcp.Implementation{Name: "go-sdk", Version: "1.8.0"}

func main() {
	os.Exit(peer.Main(peer.Program{HTTP: handler, Stdio: serveStdio, Connect: connect}))
}
