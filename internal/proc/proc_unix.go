//go:build unix

package proc

import (
	"os"
	"syscall"
)

// envFold: names of environment variables differ by case.
const envFold = false

// canTerminate: there is a signal that asks a process to end.
const canTerminate = true

// groupOutlivesChild: a group can be signalled when its leader has ended.
const groupOutlivesChild = true

type groupSignal = syscall.Signal

const (
	terminate groupSignal = syscall.SIGTERM
	kill      groupSignal = syscall.SIGKILL
)

// ownGroup makes the child the leader of a new process group, so that signals
// reach its descendants, and those of a terminal do not reach it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup does not report failure: the group may be gone already, and what
// could not be signalled is found by waiting for it.
func signalGroup(p *os.Process, s groupSignal) { _ = syscall.Kill(-p.Pid, s) }

func checkArgs(string, []string) error { return nil }

// signalName is the signal that ended the process, or empty.
func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
