package jsonrpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// TestEnds: pending calls end with the cause, whatever it is (STD-08), and so do
// later ones.
func TestEnds(t *testing.T) {
	broken := errors.New("the cable is cut")
	for _, c := range []struct {
		name  string
		end   func(c *jsonrpc.Conn, feed *io.PipeWriter)
		cause error
		says  string
	}{
		{"the peer ends", func(_ *jsonrpc.Conn, feed *io.PipeWriter) { _ = feed.Close() }, io.EOF, "peer"},
		{"the stream breaks", func(_ *jsonrpc.Conn, feed *io.PipeWriter) { _ = feed.CloseWithError(broken) }, broken, "cable"},
		{"this side closes", func(c *jsonrpc.Conn, _ *io.PipeWriter) { _ = c.Close() }, nil, "this side"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, feed := io.Pipe()
			out, answers := io.Pipe()
			go func() { _, _ = io.Copy(io.Discard, out) }()
			conn := jsonrpc.NewConn(transport.Lines(in, answers, transport.Options{}), jsonrpc.Options{Handle: block})
			var wg sync.WaitGroup
			sent := make(chan struct{}, 3)
			for range 3 {
				wg.Go(func() {
					_, err := conn.CallFunc(context.Background(), "slow", func(jsonrpc.ID) []byte {
						sent <- struct{}{}
						return nil
					}, func(jsonrpc.ID) { t.Error("it was not given up") })
					if !errors.Is(err, jsonrpc.ErrClosed) || c.cause != nil && !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.says) {
						t.Errorf("a pending call ended with %v", err)
					}
				})
			}
			for range 3 {
				<-sent
			}
			if _, err := io.WriteString(feed, request("1", "slow")+"\n"); err != nil {
				t.Fatal(err)
			}
			if err := conn.Err(); err != nil {
				t.Errorf("alive, and yet %v", err)
			}
			c.end(conn, feed)
			wg.Wait()
			<-conn.Done()
			for what, err := range map[string]error{
				"Err":    conn.Err(),
				"Notify": conn.Notify(context.Background(), "n", nil),
				"Call":   func() error { _, err := conn.Call(context.Background(), "x", nil, nil); return err }(),
			} {
				if !errors.Is(err, jsonrpc.ErrClosed) || c.cause != nil && !errors.Is(err, c.cause) {
					t.Errorf("%s afterwards: %v", what, err)
				}
			}
			if err := conn.Close(); err != nil {
				t.Errorf("Close afterwards: %v", err)
			}
		})
	}
}

// TestCloseConcurrently: Close is idempotent, safe to call by many, and waits for
// requests.
func TestCloseConcurrently(t *testing.T) {
	started := make(chan struct{})
	ended := false
	c, p := facing(t, jsonrpc.Options{Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
		close(started)
		<-ctx.Done()
		if jsonrpc.Cancelled(ctx) || !errors.Is(context.Cause(ctx), jsonrpc.ErrClosed) {
			t.Errorf("the context ended by %v", context.Cause(ctx))
		}
		if err := req.Reply([]byte(`{}`)); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("an answer after the end: %v", err)
		}
		ended = true
	}})
	p.says(request("1", "slow"))
	<-started
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if !ended {
				t.Error("Close does not wait")
			}
		})
	}
	wg.Wait()
}

// TestCloseUnblocksReply: an answer to a peer that does not read ends with the
// connection.
func TestCloseUnblocksReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unread, out := io.Pipe()
		defer unread.Close()
		in, feed := io.Pipe()
		replied := make(chan error, 1)
		c := jsonrpc.NewConn(transport.Lines(in, out, transport.Options{}), jsonrpc.Options{
			Handle: func(_ context.Context, req *jsonrpc.Incoming) { replied <- req.Reply([]byte(`{}`)) },
		})
		if _, err := io.WriteString(feed, request("1", "x")+"\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-replied; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("the answer: %v", err)
		}
	})
}

// TestGrace: requests that run when the peer has sent its last message are
// answered within the grace, and cancelled after it.
func TestGrace(t *testing.T) {
	for _, tt := range []struct {
		name        string
		grace, runs time.Duration
		want        string
	}{
		{"in time", 2 * time.Second, time.Second, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"too late", 2 * time.Second, 3 * time.Second, ""},
		{"no grace", 0, time.Second, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := io.NopCloser(strings.NewReader(request("1", "x") + "\n"))
				fromServer, out := io.Pipe()
				began := time.Now()
				c := jsonrpc.NewConn(transport.Lines(in, out, transport.Options{}), jsonrpc.Options{
					Grace: tt.grace,
					Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
						select {
						case <-time.After(tt.runs):
							_ = req.Reply([]byte(`{}`)) // nobody may read it any more
						case <-ctx.Done():
						}
					},
				})
				line, err := bufio.NewReader(fromServer).ReadString('\n')
				if got := strings.TrimSpace(line); got != tt.want {
					t.Errorf("got %q (%v), want %q", got, err, tt.want)
				}
				<-c.Done()
				if took := time.Since(began); took != min(tt.grace, tt.runs) {
					t.Errorf("ended after %v", took)
				}
				if err := c.Err(); !errors.Is(err, io.EOF) || !errors.Is(err, jsonrpc.ErrClosed) {
					t.Errorf("ended with %v", err)
				}
				_ = c.Close() // idempotent
			})
		})
	}
}

// TestGraceIsForAnswers: what asks the peer in the grace fails at once, since no
// answer can come; a stream that broke has no grace; Close ends it.
func TestGraceIsForAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"the peer ended", strings.NewReader(request("1", "ask") + "\n"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"cannot ask"}}`},
		{"the stream broke", io.MultiReader(strings.NewReader(request("1", "wait")+"\n"), iotest.ErrReader(io.ErrNoProgress)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fromServer, out := io.Pipe()
				var conn *jsonrpc.Conn
				ready := make(chan struct{})
				conn = jsonrpc.NewConn(transport.Lines(io.NopCloser(c.in), out, transport.Options{}), jsonrpc.Options{
					Grace: time.Minute,
					Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
						if req.Method == "wait" {
							<-ctx.Done()
							return
						}
						<-ready
						_, err := conn.Call(ctx, "elicitation/create", nil, nil)
						if errors.Is(err, jsonrpc.ErrClosed) {
							_ = req.ReplyError(-32603, "cannot ask", nil)
						}
					},
				})
				began := time.Now()
				heard := make(chan string, 1)
				go func() {
					lines := bufio.NewReader(fromServer)
					line, _ := lines.ReadString('\n')
					if strings.Contains(line, "elicitation") { // it was asked before the end was seen
						line, _ = lines.ReadString('\n')
					}
					heard <- strings.TrimSpace(line)
				}()
				close(ready)
				<-conn.Done()
				if took := time.Since(began); took > time.Second {
					t.Errorf("ended after %v", took)
				}
				if got := <-heard; got != c.want {
					t.Errorf("heard %s, want %s", got, c.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := jsonrpc.NewConn(transport.Lines(io.NopCloser(strings.NewReader(request("1", "x")+"\n")), nop{}, transport.Options{}), jsonrpc.Options{Grace: time.Hour, Handle: block})
		synctest.Wait()
		began := time.Now()
		if err := c.Close(); err != nil || time.Since(began) > time.Second {
			t.Errorf("Close took %v, %v", time.Since(began), err)
		}
	})
}

type nop struct{}

func (nop) Write(p []byte) (int, error) { return len(p), nil }
func (nop) Close() error                { return nil }
