package server

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// M-STDIO-017: when the client has sent everything, what runs is answered within
// the grace, then cancelled; Serve returns after all of it.
func TestPipeEnd(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, out := lines(t, slow(t, time.Second), transport.Options{})
			in.send(modernLine("1", mcp.MethodToolsCall, `"name":"slow"`))
			in.close()
			if got := out.next(); !strings.Contains(got, "done") {
				t.Errorf("got %s", got)
			}
			if err := <-out.served; err != nil {
				t.Errorf("serve: %v", err)
			}
		})
	})
	t.Run("too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			in, out := lines(t, slow(t, time.Hour), transport.Options{})
			in.send(modernLine("1", mcp.MethodToolsCall, `"name":"slow"`))
			in.close()
			if err := <-out.served; err != nil {
				t.Errorf("serve: %v", err)
			}
			if took := time.Since(began); took != 2*time.Second {
				t.Errorf("serve took %v", took)
			}
		})
	})
	t.Run("piped input (STD-02)", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, out := lines(t, slow(t, 0), transport.Options{})
			// Nobody waits for a reply here, as in a shell script.
			in.raw(initializeBody("2025-06-18") + "\r\n\r\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n\n" + legacyCall("1", "slow", "{}") + "\r\n" + legacyBody("2", "ping", "{}"))
			in.close()
			got := map[string]bool{}
			for range 3 {
				got[out.next()] = true
			}
			if err := <-out.served; err != nil {
				t.Errorf("serve: %v", err)
			}
			for _, want := range []string{`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`} {
				if !got[want] {
					t.Errorf("no reply %s in %v", want, got)
				}
			}
		})
	})
}

// slow is a server whose tool takes a while.
func slow(t testing.TB, takes time.Duration) *Server {
	svc := NewService("")
	Tool(svc, "slow", func(ctx context.Context, _ nothing) (string, error) {
		select {
		case <-time.After(takes):
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	return serverOf(t, svc)
}

// STD-10: when replies cannot be written, handlers are cancelled and Serve ends.
func TestPipeBrokenOutput(t *testing.T) {
	svc := newStalls()
	in, out := lines(t, serverOf(t, svc.Service), transport.Options{})
	in.send(stallLine("1"))
	within(t, svc.began, "call")
	if err := out.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	in.send(modernLine("2", mcp.MethodToolsCall, `"name":"quick"`))
	if err := within(t, out.served, "end of Serve"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("serve: %v", err)
	}
	if err := within(t, svc.ended, "cancellation"); err == nil {
		t.Error("the call was not cancelled")
	}
}

// The end of the context ends everything at once.
func TestPipeContext(t *testing.T) {
	svc := newStalls()
	srv := serverOf(t, svc.Service)
	near, far := transport.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, far) }()
	if err := near.Write(t.Context(), []byte(stallLine("1"))); err != nil {
		t.Fatal(err)
	}
	within(t, svc.began, "call")
	cancel()
	if err := within(t, served, "end of Serve"); !errors.Is(err, context.Canceled) {
		t.Errorf("serve: %v", err)
	}
	if err := within(t, svc.ended, "cancellation"); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("cause %v", err)
	}
}
