package proc

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// ExitError says how a child ended, also when that was without a fault.
type ExitError struct {
	// Command is what was started, without its arguments.
	Command string
	// Code is the exit code, -1 when a signal ended the child.
	Code int
	// Signal is the name of that signal, such as "killed", or empty.
	Signal string
	// Stderr is the end of what the child wrote to standard error, as
	// [Process.StderrTail] returns it.
	Stderr string
}

// Error is one line: the command, how it ended, and its last words.
func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != "" {
		how = "signal " + e.Signal
	}
	if words := lastLines(e.Stderr); words != "" {
		return fmt.Sprintf("%q ended with %s; its standard error ends with %q", e.Command, how, words)
	}
	return fmt.Sprintf("%q ended with %s", e.Command, how)
}

// lastLines is what of a tail fits into an error: five lines, 1 KiB.
func lastLines(tail string) string {
	const lines, size = 5, 1 << 10
	tail = strings.TrimSpace(tail)
	if len(tail) > size {
		tail = tail[len(tail)-size:]
		for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
	}
	at := len(tail)
	for range lines {
		if at = strings.LastIndexByte(tail[:at], '\n'); at < 0 {
			return tail
		}
	}
	return tail[at+1:]
}

func newExitError(command string, state *os.ProcessState, tail string) *ExitError {
	e := &ExitError{Command: command, Code: -1, Stderr: tail}
	if state != nil {
		e.Code, e.Signal = state.ExitCode(), signalName(state)
	}
	return e
}
