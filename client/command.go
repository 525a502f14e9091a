package client

import "maps"

// CommandTarget is a server that is a program of this machine. Its methods
// change it and return it; call them before it is used.
type CommandTarget struct {
	name string
	args []string
	dir  string
	env  map[string]string
}

// Command is a server that is started as a child process and spoken to on its
// standard input and output. No shell is involved. The child sees a small safe
// part of this program's environment, and what [CommandTarget.Env] adds.
func Command(name string, args ...string) *CommandTarget {
	return &CommandTarget{name: name, args: args}
}

// Dir sets the working directory. Empty is this program's own.
func (t *CommandTarget) Dir(dir string) *CommandTarget {
	t.dir = dir
	return t
}

// Env adds variables to the child's environment.
func (t *CommandTarget) Env(vars map[string]string) *CommandTarget {
	t.env = maps.Clone(t.env)
	if t.env == nil {
		t.env = map[string]string{}
	}
	maps.Copy(t.env, vars)
	return t
}

// String is the program's name.
func (t *CommandTarget) String() string { return t.name }

func (*CommandTarget) target() {}
