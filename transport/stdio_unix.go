//go:build unix

package transport

import (
	"io"
	"os"
	"syscall"
)

// standardOutput is a descriptor of its own for f. Writing to a pipe that nobody
// reads any more through descriptor 1 ends a Go program by a signal (STD-10);
// through any other it is an error. Closing it leaves f open.
func standardOutput(f *os.File) io.WriteCloser {
	raw, err := f.SyscallConn()
	if err != nil {
		return keptOpen{f}
	}
	own := -1
	err = raw.Control(func(fd uintptr) {
		// No child may be started between the two calls: it would keep the
		// descriptor, and the host would never see the end of the output.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if own, _ = syscall.Dup(int(fd)); own >= 0 {
			syscall.CloseOnExec(own)
		}
	})
	if err != nil || own < 0 {
		return keptOpen{f}
	}
	return os.NewFile(uintptr(own), f.Name())
}
