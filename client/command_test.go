//go:build unix

package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCommand: a child is used, over lines of any size, and ended (STD-01,
// STD-02, STD-03, STD-07).
func TestCommand(t *testing.T) {
	for _, kind := range []string{"modern", "noisy"} {
		t.Run(kind, func(t *testing.T) {
			c := connected(t, child(t, kind), config())
			if got := c.Server(); got.Profile != mcp.Modern20260728 || got.Info.Name != "child" {
				t.Errorf("server is %+v", got)
			}
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("sizes", func(t *testing.T) {
		c := connected(t, child(t, "modern"), config())
		for _, n := range []int{65_535, 65_536, 65_537, 1 << 20, 5 << 20} {
			text := strings.Repeat("é", n/2) + "上下文 🚀"
			r, err := c.Call(t.Context(), "x", map[string]string{"s": text})
			if err != nil || r.Text() != text {
				t.Errorf("%d bytes: error %v", n, err)
			}
		}
	})
	t.Run("STD-13 many at once", func(t *testing.T) {
		c := connected(t, child(t, "modern"), config())
		var calls sync.WaitGroup
		for i := range 50 {
			calls.Go(func() {
				text := strings.Repeat(string(rune('a'+i%26)), 100<<10)
				r, err := c.Call(t.Context(), "x", map[string]string{"s": text})
				if err != nil || r.Text() != text {
					t.Errorf("error %v", err)
				}
			})
		}
		calls.Wait()
	})
}

// TestCommandStart: a program that cannot be started, or ends at once, is an
// error that says so, soon (STD-18).
func TestCommandStart(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "not-executable.txt")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		target Target
		want   []string
	}{
		{"no such file", Command("/no/such/file"), []string{"/no/such/file"}},
		{"not in PATH", Command("no-such-program-here"), []string{"no-such-program-here"}},
		{"a directory", Command(dir), []string{dir}},
		{"not executable", Command(plain), []string{plain}},
		{"no such directory", Command("true").Dir("/no/such/dir"), []string{"/no/such/dir"}},
		{"ends at once", child(t, "boom"), []string{"code 3", "boom"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start := time.Now()
			_, err := Connect(t.Context(), tc.target, config())
			if err == nil || time.Since(start) > 4*time.Second {
				t.Fatalf("error %v after %v", err, time.Since(start))
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is %v, want %q in it", err, want)
				}
			}
		})
	}
}

// TestTouchyChild: a child that exits on the probe is started once more, as
// legacy (DIS-05), and so is one that closes its output.
func TestTouchyChild(t *testing.T) {
	t.Run("exits", func(t *testing.T) {
		target := child(t, "touchy")
		c := connected(t, target, config())
		if _, err := c.Call(t.Context(), "x", nil); err != nil || c.Server().Profile != mcp.Legacy20251125 {
			t.Errorf("error %v, speaks %v", err, c.Server().Profile)
		}
		if !strings.HasPrefix(c.Verdict().Found, rowExit) {
			t.Errorf("found by %q", c.Verdict().Found)
		}
		// From now on it is not provoked any more.
		start := time.Now()
		connected(t, target, config())
		t.Logf("second start took %v", time.Since(start))
	})
	t.Run("closes its output", func(t *testing.T) {
		target := child(t, "closer").Env(map[string]string{"CLIENT_TEST_FIRST": filepath.Join(t.TempDir(), "started")})
		c := connected(t, target, config())
		if got := c.Server().Profile; got != mcp.Legacy20251125 {
			t.Errorf("speaks %v", got)
		}
	})
}

// TestChildDies: what is in flight ends with the exit status and the last lines
// of standard error, and so does what comes later (STD-08, T-05).
func TestChildDies(t *testing.T) {
	var stderr log
	cfg := config()
	cfg.Stderr = &stderr
	c := connected(t, child(t, "mortal"), cfg)
	var calls sync.WaitGroup
	start := time.Now()
	for range 3 {
		calls.Go(func() {
			_, err := c.Call(context.Background(), "x", nil)
			var exit *ExitError
			if !errors.Is(err, mcp.ErrClosed) || !errors.As(err, &exit) || exit.Code != 4 || !strings.Contains(err.Error(), "boom") {
				t.Errorf("error is %v", err)
			}
		})
	}
	calls.Wait()
	if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrClosed) || !strings.Contains(err.Error(), "code 4") {
		t.Errorf("error is %v", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	// A binary built for coverage adds a line of its own.
	if got := stderr.String(); !strings.HasPrefix(got, "reading config\nboom\n") {
		t.Errorf("standard error is %q", got)
	}
}

// TestStubbornChild: Close ends a child that ignores everything (STD-09).
func TestStubbornChild(t *testing.T) {
	c, err := Connect(t.Context(), child(t, "stubborn").Grace(100*time.Millisecond), config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Error(err)
	}
	start := time.Now()
	if err := c.Close(); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// TestDeafChild: a child that reads nothing any more holds nobody beyond the
// timeout (CON-16), and Close still ends it.
func TestDeafChild(t *testing.T) {
	c, err := Connect(t.Context(), child(t, "deaf").Grace(100*time.Millisecond), config())
	if err != nil {
		t.Fatal(err)
	}
	big := map[string]string{"s": strings.Repeat("x", 1<<20)}
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if _, err := c.Call(t.Context(), "x", big, Timeout(50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
		})
	}
	calls.Wait()
	start := time.Now()
	if err := c.Close(); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// TestEnvironment: a child sees what programs need and what it is given, not the
// secrets of this program, unless told so (STD-16).
func TestEnvironment(t *testing.T) {
	t.Setenv("CLIENT_TEST_SECRET", "hidden")
	seen := func(target *CommandTarget) string {
		r, err := connected(t, target.Env(map[string]string{"A": "1"}), config()).Call(t.Context(), "x", nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	if got := seen(child(t, "environment")); strings.Contains(got, "hidden") || !strings.Contains(got, "PATH=") || !strings.Contains(got, "A=1") {
		t.Errorf("environment is %q", got)
	}
	if got := seen(child(t, "environment").InheritEnv()); !strings.Contains(got, "hidden") {
		t.Errorf("environment is %q", got)
	}
}
