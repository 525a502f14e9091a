//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childVar makes the test binary a child that behaves as its value says.
const childVar = "PROC_TEST_CHILD"

func TestMain(m *testing.M) {
	if kind, ok := os.LookupEnv(childVar); ok {
		os.Exit(children[kind]())
	}
	goleak.VerifyTestMain(m)
}

// children are the ways a child can behave. Each returns its exit code.
var children = map[string]func() int{
	// echo copies standard input to standard output until its end.
	"echo": func() int {
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 1
		}
		return 0
	},
	// args prints its arguments as JSON, env its environment.
	"args": func() int { return printJSON(os.Args[1:]) },
	"env":  func() int { return printJSON(os.Environ()) },
	"cwd": func() int {
		dir, err := os.Getwd()
		if err != nil {
			return 1
		}
		return printJSON(dir)
	},
	// boom fails at once, with its reasons on standard error.
	"boom": func() int {
		fmt.Fprintln(os.Stderr, "reading config")
		fmt.Fprintln(os.Stderr, "boom")
		return 3
	},
	// flood writes far more than a pipe holds to standard error, then echoes.
	"flood": func() int {
		out := bufio.NewWriter(os.Stderr)
		for i := range 50_000 {
			fmt.Fprintf(out, "line %d of a flood that nobody asked for\n", i)
		}
		out.Flush()
		return childEcho()
	},
	// stubborn reads nothing and ignores SIGTERM.
	"stubborn": func() int {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		forever()
		return 0
	},
	// deaf reads nothing, but ends by SIGTERM.
	"deaf": func() int {
		fmt.Println("ready")
		forever()
		return 0
	},
	// polite ends with code 7 when its input ends.
	"polite": func() int {
		io.Copy(io.Discard, os.Stdin)
		return 7
	},
	// firstline reads one line, prints it, and ends with everything unread.
	"firstline": func() int {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil {
			return 1
		}
		fmt.Print(line)
		return 0
	},
	// full writes a pipe full of output and ends.
	"full": func() int {
		os.Stdout.Write(bytes.Repeat([]byte("x"), 60_000))
		return 0
	},
	// parent starts a stubborn grandchild that holds all pipes, prints its id,
	// and stays; orphan does so and ends on the first byte or the end of its
	// input; daemon's grandchild has left the group.
	"parent": func() int { return startGrandchild(false, childEcho) },
	"orphan": func() int { return startGrandchild(false, endOnInput) },
	"daemon": func() int { return startGrandchild(true, endOnInput) },
	// silent closes its output and stays.
	"silent": func() int {
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
		return 0
	},
}

func childEcho() int {
	io.Copy(os.Stdout, os.Stdin)
	return 0
}

func endOnInput() int {
	os.Stdin.Read(make([]byte, 1))
	return 5
}

func printJSON(v any) int {
	if err := json.NewEncoder(os.Stdout).Encode(v); err != nil {
		return 1
	}
	return 0
}

// forever waits for a signal that nobody sends. A plain select would be found
// out as a deadlock.
func forever() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	<-c
}

func startGrandchild(leave bool, then func() int) int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVar+"=stubborn")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if leave {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("grandchild", cmd.Process.Pid)
	return then()
}

// start starts the test binary as a child of that kind and sees to it that it
// is stopped.
func start(t *testing.T, kind string, change func(*Spec)) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector lets a program that ends wait for a second, and one that
	// measures coverage complains when it has nowhere to write.
	s := Spec{Command: self, Env: map[string]string{childVar: kind, "GORACE": "atexit_sleep_ms=0", "GOCOVERDIR": t.TempDir()}}
	if change != nil {
		change(&s)
	}
	p, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// soon is a context for what must not take long, however busy the machine is.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// readLine reads one line of the child's output.
func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("read a line: %v (so far %q)", err, line)
	}
	return strings.TrimSuffix(line, "\n")
}

// grandchild reads the id that the child prints, past the grandchild's own line.
func grandchild(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	pid, ready := 0, false
	for pid == 0 || !ready {
		line := readLine(t, r)
		if line == "ready" {
			ready = true
		} else if id, ok := strings.CutPrefix(line, "grandchild "); ok {
			n, err := strconv.Atoi(id)
			if err != nil {
				t.Fatal(err)
			}
			pid = n
		}
	}
	return pid
}

// gone waits until there is no process pid, or only a zombie of somebody who is
// not us and does not reap.
func gone(t *testing.T, pid int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the state of a foreign process is read from /proc")
	}
	// Not the test's context: that ends before its cleanups run.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("process %d is still there: %s", pid, stat)
		}
	}
}
