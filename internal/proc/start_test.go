//go:build unix

package proc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readJSON[T any](t *testing.T, p *Process) T {
	t.Helper()
	var v T
	if err := json.NewDecoder(p.Stdout()).Decode(&v); err != nil {
		t.Fatalf("decode: %v (stderr %q)", err, p.StderrTail())
	}
	return v
}

// STD-15: arguments reach the child as they are.
func TestArguments(t *testing.T) {
	want := []string{"a b", `c"d`, "e&calc", "%PATH%", `tail\`, "", "$HOME", "`id`", "*", "上", "-"}
	p := start(t, "args", func(s *Spec) { s.Args = want })
	if diff := cmp.Diff(want, readJSON[[]string](t, p)); diff != "" {
		t.Error(diff)
	}
}

// STD-16: configured variables join a small safe set; secrets stay at home
// unless asked for.
func TestEnvironment(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET123")
	t.Setenv("TERM", "() { :; }")
	environ := func(t *testing.T, change func(*Spec)) map[string]string {
		t.Helper()
		p := start(t, "env", func(s *Spec) {
			s.Env["API_KEY"] = "x=y"
			change(s)
		})
		env := map[string]string{}
		for _, e := range readJSON[[]string](t, p) {
			name, value, _ := strings.Cut(e, "=")
			env[name] = value
		}
		return env
	}
	t.Run("safe by default", func(t *testing.T) {
		env := environ(t, func(*Spec) {})
		if env["HOME"] != "/home/u" || env["PATH"] != os.Getenv("PATH") || env["API_KEY"] != "x=y" {
			t.Errorf("environment lacks what it needs: %v", env)
		}
		for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "TERM"} {
			if v, ok := env[name]; ok {
				t.Errorf("%s=%q leaked", name, v)
			}
		}
	})
	t.Run("inherited when asked for", func(t *testing.T) {
		env := environ(t, func(s *Spec) { s.InheritEnv = true })
		if env["AWS_SECRET_ACCESS_KEY"] != "SECRET123" || env["API_KEY"] != "x=y" {
			t.Errorf("environment lacks what it was to have: %v", env)
		}
	})
	t.Run("configured wins", func(t *testing.T) {
		if env := environ(t, func(s *Spec) { s.Env["HOME"] = "/other"; s.InheritEnv = true }); env["HOME"] != "/other" {
			t.Errorf("HOME is %q", env["HOME"])
		}
	})
}

func TestDir(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, "cwd", func(s *Spec) { s.Dir = dir })
	if got := readJSON[string](t, p); got != dir {
		t.Errorf("child runs in %q, want %q", got, dir)
	}
}

// A program is found in the PATH the child gets, and a relative path from Dir.
func TestLookup(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "a-tool")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Spec){
		"PATH of the child":           func(s *Spec) { s.Command = "a-tool"; s.Env["PATH"] = "/nowhere:" + dir },
		"relative to Dir":             func(s *Spec) { s.Command = "./a-tool"; s.Dir = dir },
		"relative to Dir, from above": func(s *Spec) { s.Command = filepath.Base(dir) + "/a-tool"; s.Dir = filepath.Dir(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "args", func(s *Spec) { s.Args = []string{"found"}; change(s) })
			if got := readJSON[[]string](t, p); !slices.Equal(got, []string{"found"}) {
				t.Errorf("child said %q", got)
			}
		})
	}
}

// STD-18: what cannot be started is told at once, with its name and the reason.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "not-executable.txt")
	if err := os.WriteFile(plain, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	noFormat := filepath.Join(dir, "no-format")
	if err := os.WriteFile(noFormat, []byte("hello"), 0o700); err != nil { // it has to be executable
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		spec Spec
		want string
		is   error
	}{
		{"no command", Spec{}, `start: no command; name a program`, nil},
		{"not in PATH", Spec{Command: "no-such-program"}, `start "no-such-program": not found in PATH; install it, or give the path to it`, exec.ErrNotFound},
		{"empty PATH", Spec{Command: "sh", Env: map[string]string{"PATH": ""}}, `start "sh": not found in PATH; install it, or give the path to it`, exec.ErrNotFound},
		{"PATH of dots", Spec{Command: "no-format", Dir: dir, Env: map[string]string{"PATH": "."}}, `start "no-format": not found in PATH; install it, or give the path to it`, exec.ErrNotFound},
		{"no such file", Spec{Command: "/no/such/file"}, `start "/no/such/file": no such file or directory`, fs.ErrNotExist},
		{"directory", Spec{Command: "./", Dir: dir}, `start "./": it is a directory`, nil},
		{"directory by its path", Spec{Command: dir}, `start "` + dir + `": it is a directory`, nil},
		{"not executable", Spec{Command: "./not-executable.txt", Dir: dir}, `start "./not-executable.txt": not executable: permission denied`, fs.ErrPermission},
		{"not executable in PATH", Spec{Command: "not-executable.txt", Env: map[string]string{"PATH": dir}}, `start "not-executable.txt": "` + plain + `" is not executable`, nil},
		{"no program", Spec{Command: noFormat}, `start "` + noFormat + `": exec format error`, nil},
		{"no such directory", Spec{Command: "sh", Dir: "/no/such/dir"}, `start "sh": working directory "/no/such/dir": no such file or directory`, fs.ErrNotExist},
		{"directory is a file", Spec{Command: "sh", Dir: plain}, `start "sh": working directory "` + plain + `" is a file`, nil},
		{"NUL in an argument", Spec{Command: "sh", Args: []string{"a\x00b"}}, `start "sh": an argument holds a NUL byte`, nil},
		{
			"bad variable", Spec{Command: "sh", Env: map[string]string{"A=B": "c"}},
			`start "sh": environment variable "A=B": the name must not be empty or hold =, and neither name nor value a NUL byte`, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Start(t.Context(), c.spec)
			if err == nil {
				p.Stop(t.Context())
				t.Fatal("it started")
			}
			if err.Error() != c.want {
				t.Errorf("error is\n%q, want\n%q", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v does not match %v", err, c.is)
			}
		})
	}
	t.Run("context over", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(ctx, Spec{Command: "sh"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want the context's", err)
		}
	})
}

// The process outlives the context it was started with.
func TestContextBoundsStartOnly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Spec{Command: self, Env: map[string]string{childVar: "echo", "GORACE": "atexit_sleep_ms=0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(context.Background())
	cancel()
	if _, err := io.WriteString(p.Stdin(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(p.Stdout(), make([]byte, 1)); err != nil {
		t.Error(err)
	}
}
