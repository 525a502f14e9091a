//go:build windows

package proc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// envFold: names of environment variables do not differ by case.
const envFold = true

// canTerminate: a console program cannot be asked to end from outside.
const canTerminate = false

// groupOutlivesChild: the tree is found from the child, as long as it is there.
const groupOutlivesChild = false

type groupSignal int

const (
	terminate groupSignal = iota
	kill
)

// treeKillTime bounds the system's program that ends a process tree.
const treeKillTime = 5 * time.Second

// ownGroup keeps the console's Ctrl-C from the child.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// signalGroup ends the child and its descendants. A group is no unit there, so
// the system's own program walks the tree; without it the child alone is ended.
func signalGroup(p *os.Process, s groupSignal) {
	if s != kill {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), treeKillTime)
	defer cancel()
	taskkill := filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe")
	_ = exec.CommandContext(ctx, taskkill, "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() //nolint:gosec // a program of the system, a number
	_ = p.Kill()
}

func checkArgs(path string, args []string) error { return checkBatch(path, args) }

func signalName(*os.ProcessState) string { return "" }
