package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/transport"
)

// roleVariable makes the test's own program a server with a role.
const roleVariable = "TRANSPORT_TEST_ROLE"

// roles are what the program does then; each returns its exit code.
var roles = map[string]func() int{
	// echo sends back what it gets until its input ends.
	"echo": func() int {
		conn := transport.Stdio(transport.Options{})
		for {
			msg, err := conn.Read(context.Background())
			if errors.Is(err, io.EOF) {
				return 0
			}
			if err != nil || conn.Write(context.Background(), msg) != nil {
				return 1
			}
		}
	},
	// print closes the connection during a Read, and prints afterwards.
	"print": func() int {
		conn := transport.Stdio(transport.Options{})
		failed := make(chan error, 1)
		go func() {
			_, err := conn.Read(context.Background())
			failed <- err
		}()
		if err := conn.Write(context.Background(), []byte("{}")); err != nil {
			return 1
		}
		if err := conn.Close(); err != nil {
			return 2
		}
		if <-failed == nil {
			return 3
		}
		if _, err := fmt.Println("printed"); err != nil {
			return 4
		}
		return 0
	},
	// flood writes until it cannot.
	"flood": func() int {
		conn := transport.Stdio(transport.Options{})
		for {
			if err := conn.Write(context.Background(), []byte(`{"pad":"`+strings.Repeat("x", 1000)+`"}`)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 7
			}
		}
	},
	// noise prints while the connection has standard output, and after.
	"noise": func() int {
		conn, release := transport.ClaimStdout(transport.Options{})
		fmt.Println("noise")
		if err := conn.Write(context.Background(), []byte("{}")); err != nil {
			return 1
		}
		release()
		fmt.Println("printed")
		return 0
	},
}

// child starts the program in a role.
func child(t *testing.T, role string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, stderr *strings.Builder) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	stderr = &strings.Builder{}
	cmd.Stderr = stderr
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewReader(stdout), stderr
}

// TestStdio: a program is a server on its standard input and output, whatever
// the locale (STD-07), until its input ends (M-STDIO-017).
func TestStdio(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	cmd, in, out, _ := child(t, "echo")
	for _, msg := range []string{`{"s":"上下文 🚀 é"}`, `{"pad":"` + strings.Repeat("x", 200_000) + `"}`} {
		go func() { _, _ = io.WriteString(in, msg+"\r\n") }()
		if got, err := out.ReadString('\n'); err != nil || got != msg+"\n" {
			t.Errorf("%.40q, %v; want %.40q", got, err, msg)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program: %v", err)
	}
}

// TestStdioClosed: Close does not wait for input that does not come, and what is
// printed afterwards is printed (STD-19).
func TestStdioClosed(t *testing.T) {
	cmd, in, out, _ := child(t, "print")
	defer in.Close()
	got, err := io.ReadAll(out)
	if err != nil || string(got) != "{}\nprinted\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program: %v", err)
	}
}

// TestStdioHostGone: a host that stops reading is an error of Write; the program
// ends as it decides, without a signal or a trace (STD-10).
func TestStdioHostGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"=flood")
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if _, err := io.CopyN(io.Discard, r, 10); err != nil {
		t.Error(err)
	}
	_ = r.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("the program: %v", err)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "write a line: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("it says %q", got)
	}
}

// TestClaimStdout: a stray print cannot break the stream (M-STDIO-003).
func TestClaimStdout(t *testing.T) {
	cmd, in, out, stderr := child(t, "noise")
	defer in.Close()
	got, err := io.ReadAll(out)
	if err != nil || string(got) != "{}\nprinted\n" {
		t.Errorf("standard output has %q, %v", got, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program: %v", err)
	}
	if stderr.String() != "noise\n" {
		t.Errorf("standard error has %q", stderr.String())
	}
}
