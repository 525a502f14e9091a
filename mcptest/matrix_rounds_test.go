package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

// effects counts what happens once, and is whether a page is done with.
type effects struct{ made, looks atomic.Int32 }

// rounded is a server whose tools take several rounds.
func rounded(e *effects) func(t testing.TB) *server.Server {
	return func(t testing.TB) *server.Server {
		t.Helper()
		e.made.Store(0)
		e.looks.Store(0)
		s := server.NewService("r", server.Doc("rounds"))
		server.Tool(s, "once", func(ctx context.Context, _ struct{}) (string, error) {
			n, err := server.Once(ctx, "made", func(context.Context) (int32, error) { return e.made.Add(1), nil })
			if err != nil {
				return "", err
			}
			for _, key := range []string{"a", "b"} {
				if _, err := server.Elicit[city](ctx, key, "Where "+key+"?"); err != nil {
					return "", err
				}
			}
			return fmt.Sprint("made ", n), nil
		}, server.Doc("makes something once"))
		server.Tool(s, "login", func(ctx context.Context, _ struct{}) (string, error) {
			if err := server.ElicitURL(ctx, "login", "Log in", "https://example.com/login"); err != nil {
				return "", err
			}
			if e.looks.Add(1) < 3 {
				return "", server.Later(0)
			}
			return "logged in", nil
		}, server.Doc("waits for the user"))
		server.Tool(s, "raw", func(ctx context.Context, _ struct{}) (string, error) {
			r := server.RoundFrom(ctx)
			if r.Number < 2 {
				return "", &server.InputRequired{State: fmt.Sprint(r.State, r.Number), Requests: map[string]mcp.InputRequest{
					fmt.Sprint("k", r.Number): {Method: mcp.MethodElicit, Params: json.RawMessage(`{"message":"Where?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`)},
				}}
			}
			return r.State + string(r.Responses["k1"]), nil
		}, server.Doc("drives its rounds itself"))
		srv, err := server.New(server.Config{
			Info:  mcp.Implementation{Name: "rounded", Version: "1"},
			State: server.StateConfig{SingleUse: true, Store: server.NewMemoryStates(0)},
		}, s)
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
}

// TestRounds: side effects that happen once, calls that are put off, and rounds
// that a handler drives itself, in every revision that can carry them, over every
// transport (MRT-09, M-MRTR-017, M-MRTR-024, M-MRTR-026).
func TestRounds(t *testing.T) {
	var e effects
	accept := func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ActionAccept, Content: json.RawMessage(`{"city":"Oslo"}`)}, nil
	}
	cfg := client.Config{Elicit: accept, ElicitURL: func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ActionAccept}, nil
	}}
	mcptest.Eras(t, rounded(&e), cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		for tool, tt := range map[string]struct {
			since mcp.Profile
			want  string
		}{
			"r_once":  {mcp.Legacy20250618, "made 1"},
			"r_login": {mcp.Legacy20251125, "logged in"},
			"r_raw":   {mcp.Legacy20250618, `01{"action":"accept","content":{"city":"Oslo"}}`},
		} {
			r, err := c.Call(t.Context(), tool, nil)
			switch {
			case err != nil:
				t.Errorf("%s: %v", tool, err)
			case cell.Spoken < tt.since:
				if !r.IsError || !strings.Contains(r.Text(), "does not support: elicitation") { // DN-13, DN-19
					t.Errorf("%s: %q", tool, r.Text())
				}
			case r.IsError || r.Text() != tt.want:
				t.Errorf("%s: %q, want %q", tool, r.Text(), tt.want)
			}
		}
		if made := e.made.Load(); cell.Spoken >= mcp.Legacy20250618 && made != 1 {
			t.Errorf("made %d times", made)
		}
	})
}

// TestForeignState: a state that was changed, or used, is refused, on every
// transport of the revision that has one (MRT-05, M-MRTR-012).
func TestForeignState(t *testing.T) {
	var e effects
	mcptest.Eras(t, rounded(&e), client.Config{}, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		if cell.Spoken != mcp.Newest {
			return // there are no states
		}
		manual := client.Manual(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &mcp.Settings{}}})
		resume := func(asks *mcp.InputRequiredResult) error {
			answers := client.Answers{}
			for key := range asks.InputRequests {
				answers[key] = &mcp.ElicitResult{Action: mcp.ActionAccept, Content: json.RawMessage(`{"city":"Oslo"}`)}
			}
			_, err := c.Call(t.Context(), "r_once", nil, manual, client.Resume(asks, answers))
			return err
		}
		_, err := c.Call(t.Context(), "r_once", nil, manual)
		var required *client.InputRequiredError
		if !errors.As(err, &required) {
			t.Fatalf("the first round: %v", err)
		}
		tampered := *required.Result
		tampered.RequestState = new(*required.Result.RequestState + "-TAMPERED")
		refused := &mcp.Error{Code: mcp.CodeInvalidParams}
		if err := resume(&tampered); !errors.Is(err, refused) {
			t.Errorf("a state that was changed: %v", err)
		}
		var next *client.InputRequiredError
		if err := resume(required.Result); !errors.As(err, &next) {
			t.Errorf("the state that was given: %v", err)
		}
		if err := resume(required.Result); !errors.Is(err, refused) {
			t.Errorf("a state that was used: %v", err)
		}
	})
}
