package transport

import "os"

// Stdio is the program's standard input and output as a connection, for a
// server that a host has started. Nothing else may be written to standard
// output while it is in use (M-STDIO-003); [ClaimStdout] makes sure of it.
func Stdio(opts Options) Conn { return Lines(os.Stdin, os.Stdout, opts) }

// ClaimStdout takes standard output for the protocol: it returns a connection on
// the real one and points os.Stdout to standard error, so that a stray print of
// some library cannot break the stream. release puts os.Stdout back. It changes
// a variable of the whole program: call it at the start of main, if at all.
func ClaimStdout(opts Options) (conn Conn, release func()) {
	real := os.Stdout
	os.Stdout = os.Stderr
	return Lines(os.Stdin, real, opts), func() { os.Stdout = real }
}
