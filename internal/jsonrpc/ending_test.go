package jsonrpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// TestUrgent: an urgent request is dealt with before the next message is read,
// also while every place to run is taken.
func TestUrgent(t *testing.T) {
	busy := make(chan struct{})
	level := "none"
	a, _ := pair(t, jsonrpc.Options{}, jsonrpc.Options{
		Concurrency: 1,
		Urgent: func(_ context.Context, req *jsonrpc.Incoming) bool {
			if req.Method != "set" {
				return false
			}
			level = string(req.Params)
			return req.Reply([]byte(`{}`)) == nil
		},
		Handle: func(ctx context.Context, req *jsonrpc.Incoming) {
			close(busy)
			<-ctx.Done()
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	blocked := make(chan error, 1)
	go func() {
		_, err := a.Call(ctx, "block", nil, nil)
		blocked <- err
	}()
	<-busy
	if m, err := a.Call(t.Context(), "set", []byte(`{"x":1}`), nil); err != nil || string(m.Result) != `{}` || level != `{"x":1}` {
		t.Errorf("urgent call: %s, %v; level %q", m.Result, err, level)
	}
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("blocked call: %v", err)
	}
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
				in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n"))
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
