package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// modernPipe is a scripted modern server on a pipe.
func modernPipe(on map[string]line) map[string]line {
	out := map[string]line{"server/discover": say(discovered_("2026-07-28"))}
	maps.Copy(out, on)
	return out
}

func legacyPipe(version string, on map[string]line) map[string]line {
	out := map[string]line{"server/discover": refuse(-32601, "no"), "initialize": greets(version)}
	maps.Copy(out, on)
	return out
}

// TestPipeAnswers: every way a request on a pipe can be answered ends it
// (RPC-02, RPC-10, STD-03, JSON-01).
func TestPipeAnswers(t *testing.T) {
	const ok = `{"jsonrpc":"2.0","id":ID,"result":` + okResult + `}`
	for _, tc := range []struct {
		name  string
		lines []string
		err   error
		text  string
	}{
		{"a result", []string{ok}, nil, ""},
		{"lines that are no messages before it", []string{"Gracefully restarting...", "3", `"text"`, "{", `[]`, ok}, nil, ""},
		{"answers to others before it", []string{`{"jsonrpc":"2.0","id":4711,"result":{}}`, `{"jsonrpc":"2.0","id":"ID","result":{}}`, ok}, nil, ""},
		{"an error", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"unknown tool"}}`}, &mcp.Error{Code: mcp.CodeInvalidParams}, "unknown tool"},
		{"an error that is a string", []string{`{"jsonrpc":"2.0","id":ID,"error":"boom"}`}, &mcp.Error{Code: mcp.CodeInternal}, "boom"},
		{"an error with a word for a code", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":"E_FAIL","message":"x"}}`}, mcp.ErrInvalidResponse, "E_FAIL"},
		{"an error without a message", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32603}}`}, mcp.ErrInvalidResponse, "-32603"},
		{"result and error", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"x"},"result":{}}`}, mcp.ErrInvalidResponse, "both"},
		{"a result that is null", []string{`{"jsonrpc":"2.0","id":ID,"result":null}`}, mcp.ErrInvalidResponse, "null"},
		{"the end", errHangUp, mcp.ErrClosed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target, all := onPipe(t, modernPipe(map[string]line{"tools/call": texts(tc.lines...)}))
			c := connected(t, target, config())
			r, err := c.Call(t.Context(), "x", nil)
			if tc.err == nil {
				if err != nil || r.Text() != "ok" {
					t.Errorf("result %v, error %v", r, err)
				}
			} else if !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error is %v, want %v with %q", err, tc.err, tc.text)
			}
			// Nothing is ever written back for what the server should not have sent.
			if diff := cmp.Diff([]string{"server/discover", "tools/call"}, all()[0].sent()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGarbledLog: a server that prints among its messages is mentioned once
// (STD-03).
func TestGarbledLog(t *testing.T) {
	var text log
	cfg := config()
	cfg.Logger = text.logger()
	target, _ := onPipe(t, modernPipe(map[string]line{"tools/call": func(s seen) []string {
		return append([]string{"one", "two", "three"}, say(okResult)(s)...)
	}}))
	c := connected(t, target, cfg)
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if logged := text.String(); strings.Count(logged, "level=WARN") != 1 || !strings.Contains(logged, "line=one") {
		t.Errorf("log is %q", logged)
	}
}

// TestPipeTimeout: a request that ends early is cancelled with a notification,
// its late answer is dropped, and the pipe lives on (M-STDIO-013, T-41).
func TestPipeTimeout(t *testing.T) {
	for era, on := range map[string]map[string]line{"modern": modernPipe(nil), "legacy": legacyPipe("2024-11-05", nil)} {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on["tools/call"] = func(s seen) []string {
					if s.param(t, "name") == `"slow"` {
						return nil
					}
					return say(okResult)(s)
				}
				target, all := onPipe(t, on)
				c := connected(t, target, config())
				start := time.Now()
				_, err := c.Call(t.Context(), "slow", nil, Timeout(3*time.Second))
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "3s (client.Timeout)") || time.Since(start) != 3*time.Second {
					t.Errorf("error %v after %v", err, time.Since(start))
				}
				synctest.Wait()
				server := all()[0]
				id := server.nth("tools/call", 0).id()
				if n := server.nth("notifications/cancelled", 0); n.param(t, "requestId") != id {
					t.Errorf("cancelled with %s", n.Body)
				}
				server.write(`{"jsonrpc":"2.0","id":` + id + `,"result":` + okResult + `}`)
				if _, err := c.Call(t.Context(), "fast", nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestPipeInitializeTimeout: initialize is never cancelled with a notification
// (CON-07).
func TestPipeInitializeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, all := onPipe(t, map[string]line{"server/discover": refuse(-32601, "no")})
		_, err := Connect(t.Context(), target, config())
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"server/discover", "initialize"}, all()[0].sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

// TestPipeNotifications: progress goes by its token and in order, log messages
// to all that want them (CON-09, M-STDIO-012, T-22).
func TestPipeNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := func(s seen) []string {
			token := s.param(t, "_meta", "progressToken")
			var out []string
			for i := range 100 {
				out = append(out, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, i+1))
			}
			out = append(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"`+token+`","progress":1000}}`,
				`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`)
			return append(out, say(okResult)(s)...)
		}
		target, _ := onPipe(t, modernPipe(map[string]line{"tools/call": do}))
		cfg := config()
		var mu sync.Mutex
		seen := 0
		cfg.Notify = func(string, json.RawMessage) {
			mu.Lock()
			defer mu.Unlock()
			seen++
		}
		c := connected(t, target, cfg)
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() {
				last, logs := 0.0, 0
				_, err := c.Call(t.Context(), "x", nil, OnProgress(func(p mcp.ProgressParams) {
					if p.Progress != last+1 {
						t.Errorf("progress %v after %v", p.Progress, last)
					}
					last = p.Progress
				}), OnLog(func(mcp.LogParams) { logs++ }))
				if err != nil || last != 100 || logs == 0 {
					t.Errorf("error %v, progress to %v, %d log messages", err, last, logs)
				}
			})
		}
		calls.Wait()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if seen != 2*102 {
			t.Errorf("Config.Notify saw %d notifications", seen)
		}
	})
}

// TestSlowNotify: a callback that blocks holds up neither answers nor, beyond
// its limit, Close.
func TestSlowNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		cfg := config()
		var text log
		cfg.Logger = text.logger()
		cfg.Notify = func(string, json.RawMessage) { <-release }
		target, _ := onPipe(t, modernPipe(map[string]line{"tools/call": func(s seen) []string {
			var out []string
			for range noticeRoom + 10 {
				out = append(out, `{"jsonrpc":"2.0","method":"notifications/x"}`)
			}
			return append(out, say(okResult)(s)...)
		}}))
		c, err := Connect(t.Context(), target, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Error(err)
		}
		if !strings.Contains(text.String(), "does not keep up") {
			t.Error("log says nothing")
		}
		start := time.Now()
		if err := c.Close(); err == nil || !strings.Contains(err.Error(), "Config.Notify") || time.Since(start) > DefaultCloseTimeout {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
		close(release)
	})
}

// TestPipeRequests: a legacy server is answered at any time, a modern one never
// (PING-01, M-STDIO-005, CON-13).
func TestPipeRequests(t *testing.T) {
	ask := []string{`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`}
	t.Run("legacy, before initialize too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			target, all := onPipe(t, map[string]line{
				"server/discover": func(s seen) []string { return append(ask[:1:1], refuse(-32601, "no")(s)...) },
				"initialize":      greets("2025-11-25"),
				"tools/call":      func(s seen) []string { return append(ask[1:2:2], say(okResult)(s)...) },
			})
			c := connected(t, target, config())
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			server := all()[0]
			server.mu.Lock()
			defer server.mu.Unlock()
			got := map[string]string{}
			for _, s := range server.got {
				if s.Method == "" {
					got[s.id()] = string(s.Body)
				}
			}
			want := map[string]string{
				`"p"`: `{"jsonrpc":"2.0","id":"p","result":{}}`,
				`9`:   `{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"this client answers no \"roots/list\""}}`,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("modern", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			target, all := onPipe(t, modernPipe(map[string]line{"tools/call": func(s seen) []string { return append(ask, say(okResult)(s)...) }}))
			c := connected(t, target, config())
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if diff := cmp.Diff([]string{"server/discover", "tools/call"}, all()[0].sent()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	})
}

// TestPipeBatch: 2025-03-26 may send several messages at once (BATCH-08).
func TestPipeBatch(t *testing.T) {
	batch := texts(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},{"jsonrpc":"2.0","id":ID,"result":` + okResult + `}]`)
	target, _ := onPipe(t, legacyPipe("2025-03-26", map[string]line{"tools/call": batch}))
	c := connected(t, target, config())
	logs := 0
	if _, err := c.Call(t.Context(), "x", nil, OnLog(func(mcp.LogParams) { logs++ })); err != nil || logs != 1 {
		t.Errorf("error %v, %d log messages", err, logs)
	}
}

// TestPipeEnd: the end of a pipe ends its requests, and the later ones at once.
func TestPipeEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, all := onPipe(t, modernPipe(nil))
		c := connected(t, target, config())
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(func() {
				if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrClosed) {
					t.Errorf("error is %v", err)
				}
			})
		}
		synctest.Wait()
		if err := all()[0].conn.Close(); err != nil {
			t.Error(err)
		}
		calls.Wait()
		if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("error is %v", err)
		}
	})
}

// TestTooLarge: a message beyond the limit ends its request alone (STD-01).
func TestTooLarge(t *testing.T) {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	server := transport.Lines(fromClient, toClient, transport.Options{})
	p := &piped{t: t, conn: server, done: make(chan struct{})}
	go p.serve(modernPipe(map[string]line{"tools/call": func(s seen) []string {
		if s.param(t, "name") == `"big"` {
			return say(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 8<<10) + `"}]}`)(s)
		}
		return say(okResult)(s)
	}}))
	target := Dial(func(context.Context) (transport.Conn, error) {
		return transport.Lines(fromServer, toServer, transport.Options{MaxMessage: 4 << 10}), nil
	})
	c, err := Connect(t.Context(), target, config())
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			name, want := "small", error(nil)
			if i%2 == 0 {
				name, want = "big", mcp.ErrTooLarge
			}
			if _, err := c.Call(t.Context(), name, nil); !errors.Is(err, want) {
				t.Errorf("%s: error is %v", name, err)
			}
		})
	}
	calls.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	_ = server.Close() // the client has closed the other end
	<-p.done
}

// TestDialFault: what the application's function returns is checked.
func TestDialFault(t *testing.T) {
	for name, dial := range map[string]func(context.Context) (transport.Conn, error){
		"error":   func(context.Context) (transport.Conn, error) { return nil, errors.New("no route") },
		"nothing": func(context.Context) (transport.Conn, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Connect(t.Context(), Dial(dial), config()); err == nil || !strings.Contains(err.Error(), "dial: ") {
				t.Errorf("error is %v", err)
			}
		})
	}
}
