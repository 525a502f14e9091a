//go:build !linux && !darwin

package proc

import "os/exec"

// awaitExit returns when the child has ended, and has been reaped by that.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
