package transport

import (
	"io"
	"os"
	"time"
)

// Stdio is the program's standard input and output as a connection, for a
// server that a host has started. Nothing else may be written to standard output
// while it is in use (M-STDIO-003); [ClaimStdout] makes sure of it.
//
// A host that has gone away is an error of Write and no signal that kills the
// program. Close leaves both files open: what the program prints afterwards is
// printed. Where the system cannot interrupt a read of standard input, one
// goroutine stays in it until the next line or the end comes.
func Stdio(opts Options) Conn { return overStandard(os.Stdin, os.Stdout, opts) }

// ClaimStdout takes standard output for the protocol: it returns what [Stdio]
// does and points os.Stdout to standard error, so that a stray print of some
// library cannot break the stream. release puts os.Stdout back.
//
// It changes a variable of the whole program: call it at the start of main, if at
// all. What writes to file descriptor 1 by itself, as C code and child processes
// that inherit it do, is not redirected.
func ClaimStdout(opts Options) (conn Conn, release func()) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return overStandard(os.Stdin, out, opts), func() { os.Stdout = out }
}

func overStandard(in, out *os.File, opts Options) Conn {
	return Lines(standardInput{in}, standardOutput(out), opts)
}

// standardInput is a file that Close does not close.
type standardInput struct{ *os.File }

// Close interrupts a read, where the system can.
func (f standardInput) Close() error {
	_ = f.SetReadDeadline(time.Unix(1, 0)) // not for every file, and nothing is lost then
	return nil
}

// keptOpen is a writer that Close does not close.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
