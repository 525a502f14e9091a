package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookup finds the program that Command names. The error tells what to do.
func (s Spec) lookup() (path string, err error) {
	if s.Dir != "" {
		if info, err := os.Stat(s.Dir); err != nil {
			return "", fmt.Errorf("start %q: working directory %q: %w", s.Command, s.Dir, reason(err))
		} else if !info.IsDir() {
			return "", fmt.Errorf("start %q: working directory %q is a file", s.Command, s.Dir)
		}
	}
	if filepath.Base(s.Command) != s.Command {
		return s.Command, s.inspect(s.Command)
	}
	search := os.Getenv("PATH")
	for name, value := range s.Env {
		if name == "PATH" || envFold && strings.EqualFold(name, "PATH") {
			search = value
		}
	}
	var denied error
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue // a program must not depend on where this process happens to be
		}
		path, err := exec.LookPath(filepath.Join(dir, s.Command))
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = fmt.Errorf("start %q: %q is not executable", s.Command, filepath.Join(dir, s.Command))
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("start %q: %w; install it, or give the path to it", s.Command, errNotFound)
}

// errNotFound also matches [exec.ErrNotFound].
var errNotFound = notFoundError{}

type notFoundError struct{}

func (notFoundError) Error() string { return "not found in PATH" }
func (notFoundError) Unwrap() error { return exec.ErrNotFound }

// inspect finds out before the start what the system would only hint at.
func (s Spec) inspect(path string) error {
	if !filepath.IsAbs(path) {
		abs, err := filepath.Abs(filepath.Join(s.Dir, path))
		if err != nil {
			return fmt.Errorf("start %q: %w", s.Command, err)
		}
		path = abs
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("start %q: it is a directory", s.Command)
	}
	if _, err := exec.LookPath(path); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("start %q: not executable: %w", s.Command, reason(err))
		}
		return fmt.Errorf("start %q: %w", s.Command, reason(err))
	}
	return nil
}

// reason is the system's part of an error, without the names this package
// gives better.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if execErr, ok := errors.AsType[*exec.Error](err); ok {
		return reason(execErr.Err)
	}
	return err
}
