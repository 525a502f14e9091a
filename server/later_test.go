package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// patient is a handler that puts the call off until it ran three times.
func patient(runs *int) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		*runs++
		who, err := Elicit[nameForm](ctx, "who", "Who?")
		if err != nil {
			return "", err
		}
		if *runs < 4 {
			return "", wrap(Later(time.Second))
		}
		return who.Name, nil
	}
}

// TestLater: the call ends with a state and no questions, and goes on when it
// comes again; what was answered is kept (M-MRTR-024, T-36, T-38).
func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		srv := asksTool(t, Config{}, patient(&runs))
		d := calling(mcp.Newest, answers(isAda))
		in := d.first(t, srv)
		in = required(t, d.round(t, srv, d.reply(in)))
		if in == nil || in.InputRequests != nil || in.RequestState == nil {
			t.Fatalf("the call was put off with %+v", in)
		}
		began := time.Now()
		in = required(t, d.round(t, srv, d.reply(in))) // at once: it is held
		if held := time.Since(began); held != time.Second || runs != 3 || in == nil {
			t.Fatalf("held for %v, %d runs", held, runs)
		}
		time.Sleep(time.Minute) // the clock of the bubble
		began = time.Now()
		wantOutcome(t, d.round(t, srv, d.reply(in)), "Ada")
		if held := time.Since(began); held != 0 {
			t.Errorf("a late retry was held for %v", held)
		}
	})
	t.Run("given up while it is held", func(t *testing.T) {
		runs := 0
		srv := asksTool(t, Config{}, patient(&runs))
		d := calling(mcp.Newest, answers(isAda))
		in := required(t, d.round(t, srv, d.reply(d.first(t, srv))))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := srv.serve(ctx, request(d.method, `{"name":"t","requestState":`+string(stateOf(in))+`}`)); r.body != nil || runs != 2 {
			t.Errorf("%d runs, sent %s", runs, r.body)
		}
	})
	t.Run("for longer than a state lives", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			first := true
			srv := asksTool(t, Config{State: StateConfig{TTL: time.Second}}, func(context.Context) (string, error) {
				if first {
					first = false
					return "", Later(time.Hour)
				}
				return "done", nil
			})
			d := calling(mcp.Newest, nil)
			in := d.first(t, srv)
			time.Sleep(time.Hour)
			wantOutcome(t, d.round(t, srv, d.reply(in)), "done")
			time.Sleep(time.Second)
			wantOutcome(t, d.round(t, srv, d.reply(in)), "-32602 "+errStateRefused.Message+" ")
		})
	})
}

// TestLaterOnOpenLine: where the call stays open, the server itself runs it
// again.
func TestLaterOnOpenLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		d := calling(mcp.Legacy20250618, answers(isAda))
		began := time.Now()
		wantOutcome(t, d.run(t, asksTool(t, Config{}, patient(&runs))), "Ada")
		if waited := time.Since(began); waited != 3*time.Second || runs != 4 || len(d.asked) != 1 {
			t.Errorf("waited %v, %d runs, asked %q", waited, runs, d.asked)
		}
	})
	t.Run("until the client gives up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			srv := asksTool(t, Config{}, func(context.Context) (string, error) { runs++; return "", Later(0) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			x := requestIn(mcp.Legacy20251125, mcp.MethodToolsCall, `{"name":"t"}`)
			wantOutcome(t, parsed(t, srv.serve(ctx, x)), "isError timed out")
			if runs < 10 || runs > 21 {
				t.Errorf("%d runs in a second", runs)
			}
		})
	})
}

// TestLaterElsewhere: a request that cannot go on later fails.
func TestLaterElsewhere(t *testing.T) {
	var log strings.Builder
	later := func(ctx context.Context, c *Call, next Next) (any, error) { return nil, Later(time.Second) }
	srv := configured(t, Config{Logger: testLogger(&log), Interceptors: []Interceptor{later}}, func() *Service {
		s := NewService("")
		Tool(s, "t", says(""))
		return s
	}())
	wantError(t, srv, request(mcp.MethodToolsList, ``), mcp.CodeInternal)
	if !strings.Contains(log.String(), "tools/list cannot end by asking for input") {
		t.Errorf("log: %s", log.String())
	}
	if err := Later(time.Second); err == nil || errors.Is(err, ErrInputRequired) || fmt.Sprint(err) != "the call was put off for 1s" {
		t.Errorf("%v", err)
	}
}
