package jsonrpc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// overLines makes a Conn on a stream, and gives the other ends of it.
func overLines(t *testing.T, opts jsonrpc.Options, limit int) (c *jsonrpc.Conn, say func(string), heard *bufio.Reader) {
	t.Helper()
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	c = jsonrpc.NewConn(transport.Lines(in, answers, transport.Options{MaxMessage: limit}), opts)
	t.Cleanup(func() { _, _, _ = feed.Close(), out.Close(), c.Close() })
	return c, func(text string) {
		t.Helper()
		if _, err := io.WriteString(feed, text); err != nil {
			t.Fatal(err)
		}
	}, bufio.NewReader(out)
}

// TestLinesThatAreNoMessages: a client reports log lines and bare values, gets
// its answer all the same, and writes nothing back (STD-03).
func TestLinesThatAreNoMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var malformed []string
		c, say, heard := overLines(t, jsonrpc.Options{Malformed: func(text []byte, f *jsonrpc.Fault, _ error) {
			malformed = append(malformed, fmt.Sprintf("%d %s", f.Code, text))
		}}, 0)
		done := make(chan error, 1)
		go func() {
			_, err := c.Call(t.Context(), "x", nil, nil)
			done <- err
		}()
		if line, err := heard.ReadString('\n'); err != nil || line != request("1", "x")+"\n" {
			t.Errorf("heard %q, %v", line, err)
		}
		say("Gracefully restarting...\n[12:00:01] listening\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n3\n\"text\"\n")
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := strings.Join(malformed, "\n"); got != "-32700 Gracefully restarting...\n-32700 [12:00:01] listening\n-32600 3\n-32600 \"text\"" {
			t.Errorf("reported:\n%s", got)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(heard); len(rest) != 0 {
			t.Errorf("it wrote %q, %v", rest, err)
		}
	})
}

// TestLinesAreWhole: a server answers a line as a whole: what follows a message
// on its line spoils it, and nothing else (STD-02, STD-05).
func TestLinesAreWhole(t *testing.T) {
	var c *jsonrpc.Conn
	ready := make(chan struct{})
	c, say, heard := overLines(t, jsonrpc.Options{
		Handle: func(_ context.Context, req *jsonrpc.Incoming) { _ = req.Reply([]byte(`{}`)) },
		Malformed: func(_ []byte, f *jsonrpc.Fault, _ error) {
			<-ready
			_ = c.Write(context.Background(), jsonrpc.AppendError(nil, f.ID, int64(f.Code), f.Message, nil))
		},
	}, 0)
	close(ready)
	for _, step := range []struct{ line, want string }{
		{request("1", "ping") + "xyz\n", `"code":-32700`},
		{request("2", "ping") + request("3", "ping") + "\n", `"code":-32700`},
		{"\r\n\n" + request("4", "ping") + "\r\n", `"id":4,"result"`},
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\n", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":6}` + "\n", `"id":6,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":null,"method":"tools/list"}` + "\n", `{"jsonrpc":"2.0","error":{"code":-32600`},
		{request("7", "ping") + "\n", `"id":7,"result"`},
	} {
		say(step.line)
		if got, err := heard.ReadString('\n'); err != nil || !strings.Contains(got, step.want) {
			t.Errorf("%q is answered %q, %v; want %s", step.line, got, err, step.want)
		}
	}
}

// TestMessageTooLarge: it is reported, and the next is read (STD-01).
func TestMessageTooLarge(t *testing.T) {
	reported := make(chan error, 1)
	_, say, heard := overLines(t, jsonrpc.Options{
		Handle:    func(_ context.Context, req *jsonrpc.Incoming) { _ = req.Reply([]byte(`{}`)) },
		Malformed: func(_ []byte, _ *jsonrpc.Fault, err error) { reported <- err },
	}, 100)
	say(strings.Repeat("x", 10_000) + "\n" + request("1", "x") + "\n")
	if err := <-reported; !errors.Is(err, transport.ErrTooLarge) {
		t.Errorf("reported %v", err)
	}
	if got, err := heard.ReadString('\n'); err != nil || got != "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" {
		t.Errorf("heard %q, %v", got, err)
	}
}

// TestRawStaysRaw: params and results pass digit for digit (JSON-03, JSON-06).
func TestRawStaysRaw(t *testing.T) {
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{Handle: echo})
	params := `{"id":9007199254740993,"neg":-9223372036854775808,"big":18446744073709551615,"dec":0.1000000000000000055,"e":1E400,"z":1.0,"html":"<a href=\"x?y=1&z=2\">\u2028","Z":{"b":1,"a":2}}`
	m, err := a.Call(t.Context(), "echo", []byte(params), nil)
	if err != nil || string(m.Result) != `{"params":`+params+`}` {
		t.Errorf("%s, %v", m.Result, err)
	}
}

// TestBatch: an array's answers come as an array; a bad member gets its own
// error; what was meant as an answer, and notifications, get none (BATCH-10,
// BATCH-11, RPC-14).
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // pieces of the one reply; nil: none
		notified   string
	}{
		{
			"calls, a notification and a bad member (RPC-14)",
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"foo":1}]`,
			[]string{"[{", `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","error":{"code":-32600`}, "n",
		},
		{"a bad member alone", `[5]`, []string{`[{"jsonrpc":"2.0","error":{"code":-32600`}, ""},
		{"only notifications", `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"o"}]`, nil, "no"},
		{"answers, good and bad", `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":5}]`, nil, ""},
		{"an answer that is none beside a call", `[{"jsonrpc":"2.0","id":2,"result":5},{"jsonrpc":"2.0","id":3,"method":"ping"}]`, []string{`[{"jsonrpc":"2.0","id":3,"result":{}}]`}, ""},
		{"a cancelled call and another", `[{"jsonrpc":"2.0","id":1,"method":"drop"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, []string{`[{"jsonrpc":"2.0","id":2,"result":{}}]`}, ""},
		{"a cancelled call alone", `[{"jsonrpc":"2.0","id":1,"method":"drop"}]`, nil, ""},
		{"one id twice", `[{"jsonrpc":"2.0","id":1,"method":"drop"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{`[{"jsonrpc":"2.0","id":1,"error":{"code":-32600`}, ""},
		{"nothing", `[]`, []string{`{"jsonrpc":"2.0","error":{"code":-32600`}, ""},
		{"too many", `[1,2,3,4,5]`, []string{`{"jsonrpc":"2.0","error":{"code":-32600`, "more than 4"}, ""},
		{"no JSON", `[{]`, []string{`{"jsonrpc":"2.0","error":{"code":-32700`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				notified := ""
				x, y := transport.Pipe()
				p := peer{t, y}
				conn := jsonrpc.NewConn(x, jsonrpc.Options{
					MaxBatch: 4,
					Batches:  func() bool { return true },
					Notify:   func(m jsonrpc.Message) { notified += m.Method },
					Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
						if req.Method == "drop" {
							<-ctx.Done()
						}
						_ = req.Reply([]byte(`{}`))
					},
					Malformed: func(_ []byte, f *jsonrpc.Fault, _ error) {
						if !f.Response {
							_ = x.Write(context.Background(), jsonrpc.AppendError(nil, f.ID, int64(f.Code), f.Message, nil))
						}
					},
				})
				p.says(c.text)
				synctest.Wait()
				conn.Cancel(jsonrpc.IntID(1))
				if c.want != nil {
					got := p.hears()
					for _, piece := range c.want {
						if !strings.Contains(got, piece) {
							t.Errorf("heard %s, want %s", got, piece)
						}
					}
				}
				p.hearsNothing()
				if notified != c.notified {
					t.Errorf("notified of %q", notified)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestNoBatch: without batches an array is one message that is none (BATCH-12).
func TestNoBatch(t *testing.T) {
	reported := make(chan int, 1)
	_, p := facing(t, jsonrpc.Options{Malformed: func(_ []byte, f *jsonrpc.Fault, _ error) { reported <- f.Code }})
	p.says(`[` + request("1", "x") + `]`)
	if code := <-reported; code != jsonrpc.CodeInvalidRequest {
		t.Errorf("reported %d", code)
	}
}
