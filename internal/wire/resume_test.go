package wire

import (
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestResumes: three requests of one revision end by asking for input
// (M-MRTR-002, M-MRTR-003, T-59).
func TestResumes(t *testing.T) {
	for _, p := range mcp.Profiles() {
		for method, want := range map[string]bool{
			mcp.MethodToolsCall: true, mcp.MethodResourcesRead: true, mcp.MethodPromptsGet: true,
			mcp.MethodToolsList: false, mcp.MethodDiscover: false, mcp.MethodComplete: false, mcp.MethodListen: false, "tasks/get": false, "": false,
		} {
			if got := For(p).Resumes(method); got != (want && p == mcp.Modern20260728) {
				t.Errorf("%v resumes %q: %t", p, method, got)
			}
		}
	}
}
