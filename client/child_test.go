//go:build unix

package client

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// childServer answers lines on standard input by method, until its end.
func childServer(on map[string]line) int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			fmt.Fprintf(os.Stderr, "bad line %q\n", text)
			return 9
		}
		do := on[m.Method]
		if do == nil {
			continue
		}
		var s seen
		s.Method, s.Params = m.Method, m.Params
		for _, out := range do(s) {
			if code, ok := strings.CutPrefix(out, "exit "); ok {
				fmt.Fprintln(os.Stderr, "reading config\nboom")
				var n int
				fmt.Sscan(code, &n)
				return n
			}
			fmt.Println(strings.ReplaceAll(out, "ID", string(m.ID)))
		}
	}
}

const (
	childDiscovery  = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"child","version":"1"}}}}`
	childInitialize = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"child","version":"1"}}}`
	childResult     = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ok"}]}}`
)

// echoed answers a call with the text of its argument s.
func echoed(s seen) []string {
	var p struct {
		Arguments struct {
			S string `json:"s"`
		} `json:"arguments"`
	}
	_ = json.Unmarshal(s.Params, &p)
	text, _ := json.Marshal(p.Arguments.S)
	return []string{`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":` + string(text) + `}]}}`}
}

func childTexts(all ...string) line { return func(seen) []string { return all } }

// children are the ways a child can behave. Each returns its exit code.
var children = map[string]func() int{
	"modern": func() int {
		return childServer(map[string]line{"server/discover": childTexts(childDiscovery), "tools/call": echoed})
	},
	// noisy prints a banner among its messages (STD-03), with CRLF (STD-02).
	"noisy": func() int {
		fmt.Print("Gracefully restarting...\r\n\r\n[12:00:01] listening\n3\n\"text\"\n")
		return childServer(map[string]line{"server/discover": childTexts(childDiscovery + "\r"), "tools/call": childTexts("calling…", childResult)})
	},
	// boom exits at once, as STD-18 has it.
	"boom": func() int {
		fmt.Fprintln(os.Stderr, "reading config\nboom")
		return 3
	},
	// touchy takes any message before initialize for fatal (DIS-05).
	"touchy": func() int {
		return childServer(map[string]line{"server/discover": childTexts("exit 1"), "initialize": childTexts(childInitialize), "tools/call": childTexts(childResult)})
	},
	// mortal dies in a call (STD-08).
	"mortal": func() int {
		return childServer(map[string]line{"server/discover": childTexts(childDiscovery), "tools/call": childTexts("exit 4")})
	},
	// closer closes its output on the probe, but lives (DIS-05).
	"closer": func() int {
		first := os.Getenv("CLIENT_TEST_FIRST")
		if _, err := os.Stat(first); err == nil {
			return childServer(map[string]line{"initialize": childTexts(childInitialize)})
		}
		if err := os.WriteFile(first, nil, 0o600); err != nil {
			return 9
		}
		os.Stdout.Close()
		return childServer(nil)
	},
	// stubborn ignores the end of its input and SIGTERM (STD-09).
	"stubborn": func() int {
		signal.Ignore(syscall.SIGTERM)
		childServer(map[string]line{"server/discover": childTexts(childDiscovery), "tools/call": childTexts(childResult)})
		select {}
	},
	// deaf answers the probe and reads nothing more.
	"deaf": func() int {
		in := bufio.NewReaderSize(os.Stdin, 16)
		if _, err := in.ReadString('\n'); err != nil {
			return 9
		}
		fmt.Println(strings.ReplaceAll(childDiscovery, "ID", "1"))
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		<-ended
		return 0
	},
	// environment answers a call with what it sees of the environment.
	"environment": func() int {
		text, _ := json.Marshal(strings.Join(os.Environ(), "\n"))
		return childServer(map[string]line{
			"server/discover": childTexts(childDiscovery),
			"tools/call":      childTexts(`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":` + string(text) + `}]}}`),
		})
	},
}

// child is a target that is this test binary, behaving as kind says.
func child(t testing.TB, kind string) *CommandTarget {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command(self).Env(map[string]string{childVar: kind})
}
