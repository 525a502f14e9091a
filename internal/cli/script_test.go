package cli

import (
	"context"
	"flag"
	"net"
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/diglot-mcp/diglot/internal/demo"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

var update = flag.Bool("update", false, "rewrite the recorded output of scripts")

// TestMain lets scripts run the tool as a program of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"diglot": program})
}

func program() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

// TestScripts plays the scripts of testdata/script: the command line as its
// users see it. The command "demo [PROFILE]" starts the demo server and sets
// $URL.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"demo":  startDemo,
			"exit":  wantExit,
			"port":  freePort,
			"until": until,
		},
	})
}

func startDemo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: demo [PROFILE]")
	}
	var profile mcp.Profile
	if len(args) == 1 {
		p, err := mcp.ParseProfile(args[0])
		ts.Check(err)
		profile = p
	}
	srv, err := server.New(server.Config{
		Info: mcp.Implementation{Name: "diglot-demo", Version: "1"}, Profile: profile, Instructions: demo.Instructions,
	}, demo.Service())
	ts.Check(err)
	hs := httptest.NewServer(srv.Handler())
	ts.Defer(hs.Close)
	ts.Setenv("URL", hs.URL)
}

// freePort sets $PORT to a port that was free a moment ago.
func freePort(ts *testscript.TestScript, _ bool, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(ln.Addr().String())
	ts.Check(err)
	ts.Check(ln.Close())
	ts.Setenv("PORT", port)
}

// until runs a command again and again until it succeeds, for as long as a
// server may take to start.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: until command args…")
	}
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if err = ts.Exec(args[0], args[1:]...); err == nil {
			return
		}
	}
	ts.Fatalf("until %v: %v", args, err)
}

// wantExit runs a command and checks its exit code, as in: exit 3 diglot list.
func wantExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE command args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitStatus(err)
	}
	if code != args[0] {
		ts.Fatalf("%v: exit %s (%v), want %s", args[1:], code, err, args[0])
	}
}
