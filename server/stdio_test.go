package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// stdioChild makes the test program a server on its standard streams.
const stdioChild = "DIGLOT_TEST_STDIO_CHILD"

// serveAsChild is what the child does.
func serveAsChild() {
	svc := NewService("")
	Tool(svc, "big", says(strings.Repeat("x", 1<<20)))
	srv, err := New(Config{Info: testInfo}, svc)
	if err == nil {
		err = srv.ServeStdio(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// child starts this program as a server.
func child(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser, errs *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0], "-test.run=^TestServeStdio$")
	cmd.Env = append(os.Environ(), stdioChild+"=1")
	errs = new(bytes.Buffer)
	cmd.Stderr = errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, out, errs
}

// STD-01, STD-02, STD-10, M-STDIO-017: a server process on its standard streams.
func TestServeStdio(t *testing.T) {
	if os.Getenv(stdioChild) != "" {
		serveAsChild()
	}
	t.Run("ends with its input", func(t *testing.T) {
		cmd, in, out, errs := child(t)
		if _, err := io.WriteString(in, initializeBody("2025-06-18")+"\r\n\r\n"+legacyCall("1", "big", "{}")+"\n"+modernLine("2", mcp.MethodDiscover, "")); err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"id":0,"result":{"protocolVersion":"2025-06-18"`, strings.Repeat("x", 1<<20), `"id":2,"result":{"resultType":"complete"`} {
			if !strings.Contains(string(all), want) {
				t.Errorf("no %.60q in %d bytes of output", want, len(all))
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("exit: %v, %s", err, errs)
		}
	})
	t.Run("ends when nobody reads its output", func(t *testing.T) {
		cmd, in, out, errs := child(t)
		if _, err := io.WriteString(in, modernLine("1", mcp.MethodToolsCall, `"name":"big"`)+"\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("exit: %v, %s", err, errs)
		}
		if strings.Contains(errs.String(), "goroutine") || !strings.Contains(errs.String(), "write reply") {
			t.Errorf("standard error: %s", errs)
		}
		if took := time.Since(began); took > patience/2 {
			t.Errorf("ended after %v", took)
		}
	})
}
