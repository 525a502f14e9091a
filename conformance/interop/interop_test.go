// Package interop crosses diglot with the other MCP libraries: its client with
// their servers, their clients with its server, over loopback HTTP and stdio.
//
// Every peer is a program of its own with the same command line (package peer),
// diglot's among them, so that a cell of the table is two processes and a list
// of checks. The run writes docs/interop.md with -update, and otherwise says
// when that page does not show what the run saw.
package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	modern     = "2026-07-28"
	legacy     = "2025-11-25"
	cellLimit  = 60 * time.Second // of one cell, both processes
	startLimit = 20 * time.Second // of a server until it says its URL
)

// Revisions a legacy peer speaks, newest first.
var legacies = []string{legacy, "2025-06-18", "2025-03-26", "2024-11-05"}

// A library is a peer and how to start its program.
type library struct {
	name, module string // name for people, and where go.mod or package-lock.json has its version
	command      []string
}

var (
	sdkLegacy  = library{"TypeScript SDK 1.x", "@modelcontextprotocol/sdk", []string{"node", "npm/legacy.mjs"}}
	sdkServer  = library{"TypeScript SDK 2.x", "@modelcontextprotocol/server", []string{"node", "npm/modern.mjs"}}
	sdkClient  = library{"TypeScript SDK 2.x", "@modelcontextprotocol/client", []string{"node", "npm/modern.mjs"}}
	goSDK      = library{"Go SDK", "github.com/modelcontextprotocol/go-sdk", []string{"../../out/interop/gosdk"}}
	mcpGo      = library{"mcp-go", "github.com/mark3labs/mcp-go", []string{"../../out/interop/mcpgo"}}
	everything = library{
		"server-everything", "@modelcontextprotocol/server-everything",
		[]string{"node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"},
	}
	diglot = library{"diglot", "", []string{"../../out/interop/diglot"}}
)

// A cell is a client, a server, and what they should come to speak.
type cell struct {
	client, server library
	transport      string // "stdio" or "http"
	serves         string // eras the server is set to: both, modern, legacy
	asks           string // auto, or the one revision the client wants
	speaks         string // the revision they end up with
}

func (c cell) String() string {
	return fmt.Sprintf("%s to %s/%s/%s/%s", c.client.name, c.server.name, c.transport, c.serves, c.asks)
}

// checks names the list of checks both sides can pass: see package peer.
func (c cell) checks() string {
	switch {
	case c.server.name == everything.name:
		return "everything"
	case c.server.name == diglot.name && c.client.command[0] != "node",
		c.client.name == diglot.name && c.server.name == goSDK.name:
		return "exact"
	}
	return "check"
}

// cells lists the whole matrix.
func cells() []cell {
	var list []cell
	both := []string{"stdio", "http"}
	add := func(client, server library, transports []string, serves, asks, speaks string) {
		for _, t := range transports {
			list = append(list, cell{client, server, t, serves, asks, speaks})
		}
	}

	// diglot's client: AUTO must find what each server is best at, and a pinned
	// revision must get what it asks for.
	add(diglot, sdkLegacy, both, "legacy", "auto", legacy)
	add(diglot, sdkServer, both, "both", "auto", modern)
	add(diglot, sdkServer, both, "modern", "auto", modern)
	add(diglot, goSDK, both, "both", "auto", modern)
	add(diglot, goSDK, []string{"http"}, "legacy", "auto", legacy)
	add(diglot, mcpGo, both, "both", "auto", modern)
	add(diglot, mcpGo, []string{"http"}, "legacy", "auto", legacy)
	add(diglot, everything, []string{"stdio"}, "legacy", "auto", legacy)
	for _, server := range []library{sdkServer, goSDK, mcpGo} {
		add(diglot, server, both, "both", modern, modern)
	}
	for _, revision := range legacies {
		add(diglot, sdkLegacy, both, "legacy", revision, revision)
		for _, server := range []library{sdkServer, goSDK, mcpGo} {
			add(diglot, server, both, "both", revision, revision)
		}
	}

	// diglot's server, with both eras on one endpoint and pinned to one.
	add(sdkLegacy, diglot, both, "both", "auto", legacy)
	for _, client := range []library{sdkClient, goSDK, mcpGo} {
		add(client, diglot, both, "both", "auto", modern)
		add(client, diglot, both, "both", modern, modern)
		add(client, diglot, both, "modern", "auto", modern)
		add(client, diglot, both, "both", legacy, legacy)
	}
	for _, client := range []library{sdkLegacy, sdkClient, goSDK} {
		add(client, diglot, both, "legacy", "auto", legacy)
	}
	for _, revision := range legacies[1:] {
		for _, client := range []library{goSDK, mcpGo} {
			add(client, diglot, both, "both", revision, revision)
		}
	}
	return list
}

// A verdict is one line a client printed.
type verdict struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// outcome is what became of a cell.
type outcome struct {
	speaks         string
	passed, failed int
}

func TestInterop(t *testing.T) {
	build(t)
	list := cells()
	results := make([]*outcome, len(list))
	t.Run("cells", func(t *testing.T) {
		for i, c := range list {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				results[i] = play(t, c)
			})
		}
	})
	for _, r := range results {
		if r == nil {
			return // -run chose some cells only: the table would be incomplete
		}
	}
	compareTable(t, table(t, list, results))
}

// build compiles the Go peers. Only diglot's is watched for data races.
func build(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"build", "-buildvcs=false", "-o", "../../out/interop/", "./gosdk", "./mcpgo"},
		{"build", "-buildvcs=false", "-race", "-o", "../../out/interop/", "./diglot"},
	} {
		if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// play runs the two programs of a cell and judges what the client printed.
func play(t *testing.T, c cell) *outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cellLimit)
	defer cancel()

	args := append(slices.Clone(c.client.command[1:]), c.checks(), c.asks)
	switch {
	case c.transport == "http":
		args = append(args, startServer(ctx, t, c))
	case c.server.name == everything.name:
		args = append(append(args, "--"), c.server.command...)
	default:
		args = append(append(append(args, "--"), c.server.command...), "serve", "stdio", c.serves)
	}
	cmd := exec.CommandContext(ctx, c.client.command[0], args...)
	// A client ends its server on its own; this bounds the wait for a pipe that a
	// forgotten child holds open.
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()

	got := &outcome{}
	for dec := json.NewDecoder(&stdout); ; {
		var v verdict
		if e := dec.Decode(&v); e == io.EOF {
			break
		} else if e != nil {
			t.Fatalf("client printed something else than verdicts: %v\nstderr: %s", e, stderr.Bytes())
		}
		if v.Check == "connect" && v.OK {
			got.speaks = v.Detail
		}
		if v.OK {
			got.passed++
			continue
		}
		got.failed++
		t.Errorf("%s: %s", v.Check, v.Detail)
	}
	if got.speaks != c.speaks {
		t.Errorf("speaks %q, want %q", got.speaks, c.speaks)
	}
	if err != nil {
		t.Errorf("client: %v", err)
	}
	if t.Failed() {
		t.Logf("stderr:\n%s", stderr.Bytes())
	}
	return got
}

// startServer starts the server of a cell on HTTP and returns its URL. The
// server ends with the test, when its standard input does.
func startServer(ctx context.Context, t *testing.T, c cell) string {
	t.Helper()
	args := append(slices.Clone(c.server.command[1:]), "serve", "http", c.serves)
	cmd := exec.CommandContext(ctx, c.server.command[0], args...)
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // its status says nothing: how a server ends is the peer's own affair
		if t.Failed() {
			t.Logf("server's stderr:\n%s", stderr.Bytes())
		}
	})
	url := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		url <- strings.TrimSpace(line)
	}()
	select {
	case u := <-url:
		if u == "" {
			t.Fatal("server ended without a URL")
		}
		return u
	case <-time.After(startLimit):
		t.Fatal("server said no URL")
		return ""
	}
}

// compareTable holds docs/interop.md against what the run saw.
func compareTable(t *testing.T, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "interop.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/interop.md does not show what this run saw; write it with conformance/interop/run.sh -update.\nIt should read:\n%s", want)
	}
}
