package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

func exitStatus(err error) string {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}

// TestExitCode: a script can tell who must act.
func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing went wrong", nil, exitOK},
		{"interrupted by the user", fmt.Errorf("list tools: %w", context.Canceled), exitOK},
		{"the tool failed", errToolFailed, exitToolError},
		{"a wrong flag", usagef("no such flag"), exitUsage},
		{"an unknown command", errors.New(`unknown command "lits" for "diglot"`), exitUsage},
		{"the server answered an error", fmt.Errorf("call: %w", mcp.Errorf(mcp.CodeInternal, "x")), exitProtocol},
		{"the server broke the protocol", fmt.Errorf("list: %w", mcp.ErrInvalidResponse), exitProtocol},
		{"no common revision", fmt.Errorf("connect: %w", mcp.ErrEra), exitProtocol},
		{"nobody listens", errors.New("connection refused"), exitConnection},
		{"too slow", fmt.Errorf("call: %w", context.DeadlineExceeded), exitConnection},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := exitCode(c.err); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}
