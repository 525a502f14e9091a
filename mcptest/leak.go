package mcptest

import (
	"testing"

	"go.uber.org/goleak"
)

// Leak runs a package's tests and fails when they leave a goroutine behind. Call
// it from TestMain and nothing else; it does not return.
//
//	func TestMain(m *testing.M) { mcptest.Leak(m) }
func Leak(m *testing.M) {
	// An idle connection of the default transport is net/http's to keep.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}
