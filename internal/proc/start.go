package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Start starts the program. ctx bounds the start alone: the process outlives
// it, until [Process.Stop], which the caller must call whatever happens to the
// process meanwhile.
//
// The error names the command and what the system says: not found in PATH, not
// executable, a directory, no such working directory.
func Start(ctx context.Context, s Spec) (*Process, error) {
	s = s.withDefaults()
	if err := s.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %q: %w", s.Command, err)
	}
	path, err := s.lookup()
	if err != nil {
		return nil, err
	}
	if err := checkArgs(path, s.Args); err != nil {
		return nil, err
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", s.Command, err)
	}
	// exec.CommandContext would kill the child alone, not its group.
	cmd := exec.Command(path, s.Args...) //nolint:gosec,noctx // starting what the caller names is the purpose
	cmd.Args[0] = s.Command
	cmd.Dir, cmd.Env = s.Dir, s.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.stdin.child, pipes.stdout.child, pipes.stderr.child
	cmd.SysProcAttr = ownGroup()
	err = cmd.Start()
	pipes.closeChild()
	if err != nil {
		pipes.closeParent()
		return nil, fmt.Errorf("start %q: %w", s.Command, reason(err))
	}
	return newProcess(s, cmd, pipes), nil
}

// pipe is one standard stream: the child's end and ours.
type pipe struct{ child, parent *os.File }

type pipes struct{ stdin, stdout, stderr pipe }

func openPipes() (p pipes, err error) {
	var errs [3]error
	p.stdin.child, p.stdin.parent, errs[0] = os.Pipe()
	p.stdout.parent, p.stdout.child, errs[1] = os.Pipe()
	p.stderr.parent, p.stderr.child, errs[2] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		p.closeChild()
		p.closeParent()
		return pipes{}, err
	}
	return p, nil
}

// closeChild and closeParent may meet files that were never opened; closing
// those does nothing.
func (p *pipes) closeChild() {
	p.stdin.child.Close()
	p.stdout.child.Close()
	p.stderr.child.Close()
}

func (p *pipes) closeParent() {
	p.stdin.parent.Close()
	p.stdout.parent.Close()
	p.stderr.parent.Close()
}
