package mcptest_test

import (
	"net/http"
	"testing"

	"github.com/diglot-mcp/diglot/mcptest"
)

// TestGolden: recorded exchanges give the recorded bytes, with what changes from
// run to run hidden and used.
func TestGolden(t *testing.T) {
	mcptest.Golden(t, "testdata/*.txtar", func(t testing.TB) http.Handler { return kitchen(t).Handler() })
}
