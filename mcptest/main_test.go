package mcptest_test

import (
	"flag"
	"testing"

	"github.com/diglot-mcp/diglot/mcptest"
)

// Golden looks this flag up.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) { mcptest.Leak(m) }
