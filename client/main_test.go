package client

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// update rewrites golden files and the table in docs/design/auto.md.
var update = flag.Bool("update", false, "rewrite golden files")

// childVar makes the test binary a server on its standard streams that behaves
// as its value says.
const childVar = "CLIENT_TEST_CHILD"

func TestMain(m *testing.M) {
	if kind, ok := os.LookupEnv(childVar); ok {
		os.Exit(children[kind]())
	}
	goleak.VerifyTestMain(m)
}
