//go:build linux || darwin

package proc

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// awaitExit returns when the child has ended, and leaves it unreaped: its
// number, and so that of its group, cannot be given to anybody else.
func awaitExit(cmd *exec.Cmd) {
	const (
		idTypePID = 1
		exited    = 4
	)
	noWait := uintptr(0x0100_0000)
	if runtime.GOOS == "darwin" {
		noWait = 0x20
	}
	// The largest siginfo_t of any system has 128 bytes; nothing in it is used.
	var info [16]uint64
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, idTypePID, uintptr(cmd.Process.Pid),
			uintptr(unsafe.Pointer(&info[0])), exited|noWait, 0, 0) //nolint:gosec // the call writes to info, and does not keep it
		if !errors.Is(errno, syscall.EINTR) {
			return
		}
	}
}
