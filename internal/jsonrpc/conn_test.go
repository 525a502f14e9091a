package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair connects two Conns in memory and closes both at the end of the test.
func pair(t *testing.T, a, b jsonrpc.Options) (*jsonrpc.Conn, *jsonrpc.Conn) {
	t.Helper()
	x, y := transport.Pipe()
	ca, cb := jsonrpc.NewConn(x, a), jsonrpc.NewConn(y, b)
	t.Cleanup(func() { _, _ = ca.Close(), cb.Close() })
	return ca, cb
}

// peer is the other end of a Conn, which says what it likes.
type peer struct {
	t    *testing.T
	conn transport.Conn
}

// facing makes a Conn and its peer.
func facing(t *testing.T, opts jsonrpc.Options) (*jsonrpc.Conn, peer) {
	t.Helper()
	x, y := transport.Pipe()
	c := jsonrpc.NewConn(x, opts)
	t.Cleanup(func() { _, _ = c.Close(), y.Close() })
	return c, peer{t, y}
}

func (p peer) says(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if err := p.conn.Write(context.Background(), []byte(text)); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p peer) hears() string {
	p.t.Helper()
	got, err := p.conn.Read(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	return string(got)
}

// hearsNothing says that nothing comes in a minute of a bubble's time.
func (p peer) hearsNothing() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if got, err := p.conn.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
		p.t.Errorf("heard %s, %v", got, err)
	}
}

func request(id, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
}

func echo(_ context.Context, req *jsonrpc.Incoming) {
	_ = req.Reply(append(append([]byte(`{"params":`), req.Params...), '}')) // the asker may be gone
}

// TestCallConcurrent: a thousand calls at once, in both directions, get their own
// answers.
func TestCallConcurrent(t *testing.T) {
	a, b := pair(t, jsonrpc.Options{Handle: echo}, jsonrpc.Options{Handle: echo})
	var wg sync.WaitGroup
	for i := range 1000 {
		for name, c := range map[string]*jsonrpc.Conn{"there": a, "back": b} {
			wg.Go(func() {
				m, err := c.Call(t.Context(), "echo", fmt.Appendf(nil, `{"n":%d,"to":%q}`, i, name), nil)
				if want := fmt.Sprintf(`{"params":{"n":%d,"to":%q}}`, i, name); err != nil || string(m.Result) != want {
					t.Errorf("call %d: %s, %v; want %s", i, m.Result, err, want)
				}
			})
		}
	}
	wg.Wait()
}

// TestCallID: ids count from 1, and the caller knows its own before it is sent.
func TestCallID(t *testing.T) {
	c, p := facing(t, jsonrpc.Options{})
	for n := range int64(3) {
		done := make(chan error, 1)
		go func() {
			m, err := c.CallFunc(t.Context(), "x", func(id jsonrpc.ID) []byte {
				return fmt.Appendf(nil, `{"token":%s}`, id)
			}, nil)
			if err == nil && m.Error != nil {
				err = errors.New(m.Error.Message)
			}
			done <- err
		}()
		if got, want := p.hears(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x","params":{"token":%d}}`, n+1, n+1); got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`, n+1))
		if err := <-done; err == nil || err.Error() != "no" {
			t.Errorf("call %d: %v", n+1, err)
		}
	}
}

// TestCallAbandoned: a call whose context ends tells its id, and a late answer
// is dropped without a word (M-CAN-009); a second one, and one to what was never
// asked, are strays.
func TestCallAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var strays []string
		c, p := facing(t, jsonrpc.Options{Stray: func(m jsonrpc.Message) { strays = append(strays, m.ID.String()) }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var abandoned jsonrpc.ID
		_, err := c.Call(ctx, "slow", []byte(`{}`), func(id jsonrpc.ID) { abandoned = id })
		if !errors.Is(err, context.DeadlineExceeded) || abandoned != jsonrpc.IntID(1) {
			t.Fatalf("err %v, abandoned %v", err, abandoned)
		}
		late := `{"jsonrpc":"2.0","id":1,"result":{}}`
		p.says(late)
		synctest.Wait()
		if strays != nil {
			t.Errorf("the late answer is a stray")
		}
		p.says(late, `{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`)
		synctest.Wait()
		if got := fmt.Sprint(strays); got != `[1 "1" 2 ]` {
			t.Errorf("strays are %s", got)
		}
	})
}

// TestCallsAbandonedForEver: calls that are never answered are not remembered
// without end, and the latest are.
func TestCallsAbandonedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		strays := 0
		c, p := facing(t, jsonrpc.Options{Stray: func(jsonrpc.Message) { strays++ }})
		const calls = 3000
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range calls {
			wg.Go(func() { _, _ = c.Call(ctx, "slow", nil, nil) })
		}
		for range calls {
			p.hears()
		}
		cancel()
		wg.Wait()
		for n := range calls {
			p.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n+1))
		}
		synctest.Wait()
		if strays != calls-1024 {
			t.Errorf("%d late answers of %d are strays", strays, calls)
		}
	})
}

// TestCallRace: whether the answer or the end of the context comes first, there
// is one outcome (M-CAN-010).
func TestCallRace(t *testing.T) {
	a, _ := pair(t, jsonrpc.Options{Stray: func(m jsonrpc.Message) { t.Errorf("stray answer %s", m.ID) }}, jsonrpc.Options{Handle: echo})
	for range 1000 { // which may all be late
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		told := 0
		m, err := a.Call(ctx, "x", []byte(`{}`), func(jsonrpc.ID) { told++ })
		if (err == nil) == (m.Result == nil) || err == nil && told != 0 || told > 1 || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, %v, told %d times", m.Result, err, told)
		}
	}
}

// TestCallMalformedAnswer: an answer that is none ends its call at once, with
// the text (RPC-10), after it was reported.
func TestCallMalformedAnswer(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"a plain string (RPC-10)", `{"jsonrpc":"2.0","id":1,"error":"boom"}`, "boom"},
		{"a null error and a result (RPC-10)", `{"jsonrpc":"2.0","id":1,"error":null,"result":{"x":1}}`, `{"x":1}`},
		{"a code that is no integer (RPC-10)", `{"jsonrpc":"2.0","id":1,"error":{"code":"E_FAIL","message":"x"}}`, "E_FAIL"},
		{"no message (RPC-10)", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`, "-32603"},
		{"a result that is none (M-RT-002)", `{"jsonrpc":"2.0","id":1,"result":"done"}`, "done"},
		{"a null result (M-RT-002)", `{"jsonrpc":"2.0","id":1,"result":null}`, "null"},
		{"a result and an error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, "both"},
		{"no version", `{"id":1,"result":{}}`, "jsonrpc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reported := false
			conn, p := facing(t, jsonrpc.Options{Malformed: func([]byte, *jsonrpc.Fault, error) { reported = true }})
			type outcome struct {
				m   jsonrpc.Message
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				m, err := conn.Call(t.Context(), "x", nil, func(jsonrpc.ID) { t.Error("it was not given up") })
				done <- outcome{m, err}
			}()
			p.hears()
			p.says(c.answer)
			got := <-done
			text := string(got.m.Result)
			if got.m.Error != nil {
				text = got.m.Error.Message
			}
			if got.err != nil {
				text = got.err.Error()
				var fault *jsonrpc.Fault
				if !reported || !errors.As(got.err, &fault) || errors.Is(got.err, jsonrpc.ErrClosed) {
					t.Errorf("reported %v, %v", reported, got.err)
				}
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("the call got %q, want %q", text, c.want)
			}
		})
	}
}

// TestCallSlowPeer: a peer that does not read holds a call up no longer than its
// context, and is told of those that may have gone out only.
func TestCallSlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, feed := io.Pipe()
		unread, out := io.Pipe()
		defer unread.Close()
		defer feed.Close()
		c := jsonrpc.NewConn(transport.Lines(in, out, transport.Options{}), jsonrpc.Options{})
		params := []byte(`{"pad":"` + strings.Repeat("x", 100<<10) + `"}`)
		told, calls := 0, 10
		for range calls {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			_, err := c.Call(ctx, "x", params, func(jsonrpc.ID) { told++ })
			cancel()
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
				t.Errorf("%v after %v", err, took)
			}
		}
		if told == 0 || told == calls {
			t.Errorf("%d of %d calls went out", told, calls)
		}
		waiting := make(chan error, 1)
		go func() { waiting <- c.Notify(context.Background(), "n", params) }()
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-waiting; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a blocked notification: %v", err)
		}
	})
}

// TestCallCannotBeWritten: a message that the transport refuses is lost alone,
// and an answer to it is a stray: it never went out.
func TestCallCannotBeWritten(t *testing.T) {
	stray := make(chan jsonrpc.ID, 1)
	c, say, heard := overLines(t, jsonrpc.Options{Stray: func(m jsonrpc.Message) { stray <- m.ID }}, 0)
	told := func(jsonrpc.ID) { t.Error("it was given up") }
	if _, err := c.Call(t.Context(), "x", []byte("not\nJSON"), told); err == nil || errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("a message that is none: %v", err)
	}
	say(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
	if id := <-stray; id != jsonrpc.IntID(1) {
		t.Errorf("the stray answer is %s", id)
	}
	sent := make(chan error, 1)
	go func() { sent <- c.Notify(t.Context(), "n", nil) }()
	if line, err := heard.ReadString('\n'); err != nil || line != "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n" {
		t.Errorf("heard %q, %v", line, err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}
