package server

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// update rewrites golden files; package mcptest looks it up by its name.
var update = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
