package proc

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Defaults of a [Spec].
const (
	// DefaultStderrTail is how much of standard error is kept, in bytes.
	DefaultStderrTail = 64 << 10
	// DefaultGrace is how long each step of [Process.Stop] waits.
	DefaultGrace = 2 * time.Second
)

// Spec says what to start and how to end it.
type Spec struct {
	// Command is a program's name, which is looked for in PATH, or a path to it.
	// A relative path starts at Dir. No shell is involved.
	Command string
	// Args are the program's arguments, which reach it as they are. On Windows,
	// where a batch file would interpret some characters, those are refused.
	Args []string
	// Dir is the child's working directory, this process's when empty.
	Dir string
	// Env are further variables, which win over those of the same name. A PATH
	// among them is also where Command is looked for.
	Env map[string]string
	// InheritEnv gives the child this whole process's environment, whatever
	// secrets it holds. Otherwise it gets what programs need to run: PATH, HOME,
	// USER, language, terminal, temporary directory and their like.
	InheritEnv bool
	// StderrTail is how many bytes of standard error are kept,
	// [DefaultStderrTail] when zero or less.
	StderrTail int
	// Stderr gets the child's standard error too, one line with its end per
	// Write, or a piece of a line longer than 16 KiB. It is called from one
	// goroutine, and must not block, since the child may then have to wait. After
	// an error it is not called again.
	Stderr io.Writer
	// EOFGrace, TermGrace and KillGrace are how long [Process.Stop] waits after
	// it has closed standard input, after SIGTERM, and after SIGKILL;
	// [DefaultGrace] each when zero or less.
	EOFGrace, TermGrace, KillGrace time.Duration
}

func (s Spec) withDefaults() Spec {
	if s.StderrTail <= 0 {
		s.StderrTail = DefaultStderrTail
	}
	for _, d := range []*time.Duration{&s.EOFGrace, &s.TermGrace, &s.KillGrace} {
		if *d <= 0 {
			*d = DefaultGrace
		}
	}
	return s
}

// validate finds what could not even be handed to the system.
func (s Spec) validate() error {
	if s.Command == "" {
		return errors.New("start: no command; name a program")
	}
	for _, a := range append([]string{s.Command, s.Dir}, s.Args...) {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("start %q: an argument holds a NUL byte", s.Command)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.IndexByte(s.Env[name], 0) >= 0 {
			return fmt.Errorf("start %q: environment variable %q: the name must not be empty or hold =, and neither name nor value a NUL byte", s.Command, name)
		}
	}
	return nil
}

// plainVariables are handed on to every child. None of them is a place where
// people keep secrets.
var plainVariables = map[bool][]string{
	false: {
		"HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	},
	true: {
		"ALLUSERSPROFILE", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT",
		"TEMP", "TMP", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
	},
}

// environ is the child's environment.
func (s Spec) environ() []string {
	var env []string
	if s.InheritEnv {
		env = os.Environ()
	} else {
		for _, name := range plainVariables[runtime.GOOS == "windows"] {
			// A value like "() {" is a function that a shell exported; see Shellshock.
			if v, ok := os.LookupEnv(name); ok && !strings.HasPrefix(v, "()") {
				env = append(env, name+"="+v)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, name+"="+s.Env[name]) // os/exec lets the last one win
	}
	return env
}
