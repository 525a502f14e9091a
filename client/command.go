package client

import (
	"context"
	"maps"
	"time"

	"github.com/diglot-mcp/diglot/internal/proc"
	"github.com/diglot-mcp/diglot/transport"
)

// ExitError says how a child process ended: its exit code or signal, and the
// end of its standard error. It is found in the errors of requests to a server
// that is gone.
type ExitError = proc.ExitError

// CommandTarget is a server that is a program of this machine. Its methods
// change it and return it; call them before it is used.
type CommandTarget struct {
	memory

	spec proc.Spec
}

var _ Target = (*CommandTarget)(nil)

// Command is a server that is started as a child process, in a process group of
// its own, and spoken to on its standard input and output. name is looked for in
// PATH; no shell is involved. The child sees a small safe part of this program's
// environment, and what [CommandTarget.Env] adds.
//
// A child that exits when it is asked what it speaks is started once more:
// some servers take any message before initialize for fatal. Pin Config.Profile
// where a second start would do harm.
func Command(name string, args ...string) *CommandTarget {
	return &CommandTarget{spec: proc.Spec{Command: name, Args: args}}
}

// Dir sets the working directory. Empty is this program's own.
func (t *CommandTarget) Dir(dir string) *CommandTarget {
	t.spec.Dir = dir
	return t
}

// Env adds variables to the child's environment. They win over inherited ones.
func (t *CommandTarget) Env(vars map[string]string) *CommandTarget {
	env := maps.Clone(t.spec.Env)
	if env == nil {
		env = make(map[string]string, len(vars))
	}
	maps.Copy(env, vars)
	t.spec.Env = env
	return t
}

// InheritEnv gives the child this program's whole environment, with whatever
// secrets are in it.
func (t *CommandTarget) InheritEnv() *CommandTarget {
	t.spec.InheritEnv = true
	return t
}

// Grace is how long Close waits for the child to end after each of: the end of
// its input, SIGTERM, SIGKILL. The default is 2 s. Config.CloseTimeout bounds
// the whole.
func (t *CommandTarget) Grace(d time.Duration) *CommandTarget {
	t.spec.EOFGrace, t.spec.TermGrace, t.spec.KillGrace = d, d, d
	return t
}

// String is the program's name, without its arguments.
func (t *CommandTarget) String() string { return t.spec.Command }

func (t *CommandTarget) open(ctx context.Context, c *Client) (link, error) {
	spec := t.spec
	spec.Stderr = c.cfg.Stderr
	child, err := proc.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	lines := transport.Lines(child.Stdout(), child.Stdin(), transport.Options{MaxMessage: c.cfg.Limits.Message})
	return newPipe(c, lines, child), nil
}
