//go:build !unix

package client

// children has nobody here: the tests that start children send signals.
var children map[string]func() int
