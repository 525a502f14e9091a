package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// orphanGrace is how long descendants that outlive the child and hold its pipes
// have between SIGTERM and SIGKILL. The end of the child is told after it.
const orphanGrace = 500 * time.Millisecond

// ErrStillRunning is what [Process.Stop] returns for a process that not even
// SIGKILL has ended in time.
var ErrStillRunning = errors.New("still running")

// Process is a running or ended child. Its methods are safe for concurrent use.
type Process struct {
	spec   Spec
	cmd    *exec.Cmd
	stdin  *input
	stdout *output
	stderr pipe
	tail   tail

	drained chan struct{} // closed when standard error is read to its end
	done    chan struct{} // closed when the child is reaped; exit is set then
	exit    *ExitError

	stopping sync.Once // who comes later waits for it, too
	stopErr  error
	hurrying sync.Once
	hurry    chan struct{} // closed when no grace is left to give

	// mu guards reaped: the group may be signalled as long as it is false, since
	// its number can then belong to nobody else.
	mu     sync.Mutex
	reaped bool
}

func newProcess(s Spec, cmd *exec.Cmd, files pipes) *Process {
	p := &Process{
		spec: s, cmd: cmd,
		stdin:   &input{command: s.Command, file: files.stdin.parent},
		stdout:  &output{command: s.Command, file: files.stdout.parent},
		stderr:  files.stderr,
		tail:    tail{limit: s.StderrTail},
		drained: make(chan struct{}), done: make(chan struct{}),
		hurry: make(chan struct{}),
	}
	go func() {
		defer close(p.drained)
		drain(p.stderr.parent, &p.tail, s.Stderr)
	}()
	go p.watch()
	return p
}

// Stdin is the child's standard input. Writing to it fails once the child has
// ended; closing it tells the child to end. Closing more than once is harmless.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the child's standard output. It ends when the child has ended and
// its output has been read, even if a descendant holds the pipe open. Stop
// closes it, which ends a blocked read.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// PID is the child's process id, which is also that of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended, for whatever reason, and what
// remained of its group has been killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitError says how the child ended, be it without a fault. It is nil until
// Done is closed.
func (p *Process) ExitError() *ExitError {
	select {
	case <-p.done:
		return p.exit
	default:
		return nil
	}
}

// Wait waits for the child's end. It is nil for exit code 0, the
// [*ExitError] otherwise, or the context's error.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		if p.exit.Code != 0 {
			return p.exit
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for %q: %w", p.spec.Command, ctx.Err())
	}
}

// StderrTail is the end of what the child has written to standard error so far,
// as UTF-8, beginning with a whole line.
func (p *Process) StderrTail() string { return p.tail.String() }

// watch waits for the child's end, ends what is left of its group, and reaps
// it. The pipes have deadlines from then on, so that nobody who holds their
// other ends can keep us.
func (p *Process) watch() {
	awaitExit(p.cmd)
	_ = p.stdin.file.SetWriteDeadline(time.Now())
	_ = p.stdout.file.SetReadDeadline(time.Now().Add(orphanGrace))
	select {
	case <-p.drained:
	default:
		p.signalOrphans(terminate)
		p.awaitDrained()
	}
	p.signalOrphans(kill)
	p.mu.Lock()
	p.reaped = true
	_ = p.cmd.Wait() // its error is the exit code, which the state tells
	p.mu.Unlock()
	p.awaitDrained()
	_ = p.stderr.parent.SetReadDeadline(time.Now())
	p.awaitDrained()
	p.stderr.parent.Close()
	p.exit = newExitError(p.spec.Command, p.cmd.ProcessState, p.tail.String())
	close(p.done)
}

// awaitDrained waits until standard error is read, but not for ever: somebody
// outside the group may hold it, and the sink may block.
func (p *Process) awaitDrained() {
	timer := time.NewTimer(orphanGrace)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
}

// signal sends to the whole group, unless the child has been reaped.
func (p *Process) signal(s groupSignal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signalGroup(p.cmd.Process, s)
	}
}

// signalOrphans sends to what is left of the group after the child's end.
func (p *Process) signalOrphans(s groupSignal) {
	if groupOutlivesChild {
		p.signal(s)
	}
}

// Stop ends the child and everything of its group: it closes standard input,
// waits EOFGrace, sends SIGTERM, waits TermGrace, sends SIGKILL, and waits
// KillGrace. A child that ends goes no further down that list. When ctx ends,
// no more grace is given. On Windows there is no SIGTERM.
//
// Stop then closes the pipes. It may be called several times and at once; all
// callers wait for the same end. It is nil whatever the exit code, and
// [ErrStillRunning] when the child is beyond the reach of signals.
func (p *Process) Stop(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { p.hurrying.Do(func() { close(p.hurry) }) })
	defer stop()
	p.stopping.Do(func() { p.stopErr = p.end() })
	return p.stopErr
}

func (p *Process) end() error {
	_ = p.stdin.Close()
	defer func() { _ = p.stdout.Close() }()
	if p.endsWithin(p.spec.EOFGrace, p.hurry) {
		return nil
	}
	if canTerminate {
		p.signal(terminate)
		if p.endsWithin(p.spec.TermGrace, p.hurry) {
			return nil
		}
	}
	p.signal(kill)
	if p.endsWithin(p.spec.KillGrace, nil) {
		return nil
	}
	return fmt.Errorf("stop %q: process %d is %w %s after SIGKILL", p.spec.Command, p.PID(), ErrStillRunning, p.spec.KillGrace)
}

// endsWithin reports whether the child ends before the time is up or hurry closed.
func (p *Process) endsWithin(grace time.Duration, hurry <-chan struct{}) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-hurry:
	case <-timer.C:
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
