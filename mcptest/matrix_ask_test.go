package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

type city struct {
	City string `json:"city"`
}

type amount struct {
	Amount int `json:"amount" mcp:"default=7"`
}

// curious is a server whose tools ask.
func curious(t testing.TB) *server.Server {
	t.Helper()
	s := server.NewService("q", server.Doc("questions"))
	server.Tool(s, "sequence", func(ctx context.Context, _ struct{}) (string, error) {
		where, err := server.Elicit[city](ctx, "where", "Where?")
		if err != nil {
			return "", err
		}
		much, err := server.Elicit[amount](ctx, "much", "How much in "+where.City+"?")
		return fmt.Sprint(much.Amount, " in ", where.City), err
	}, server.Doc("asks twice"))
	server.Tool(s, "both", func(ctx context.Context, _ struct{}) (string, error) {
		var where city
		var much amount
		err := server.Ask(ctx, server.AskForm("where", "Where?", &where), server.AskForm("much", "How much?", &much))
		return fmt.Sprint(much.Amount, " in ", where.City), err
	}, server.Doc("asks two things at once"))
	server.Tool(s, "model", func(ctx context.Context, _ struct{}) (string, error) {
		r, err := server.Sample(ctx, "model", mcp.CreateMessageParams{
			MaxTokens: 9, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("hi")}}},
		})
		if err != nil {
			return "", err
		}
		return r.Model, nil
	}, server.Doc("asks a model"))
	server.Tool(s, "roots", func(ctx context.Context, _ struct{}) (string, error) {
		roots, err := server.Roots(ctx)
		if err != nil {
			return "", err
		}
		return roots[0].URI, nil
	}, server.Doc("asks for roots"))
	srv, err := server.New(server.Config{Info: mcp.Implementation{Name: "curious", Version: "1"}}, s)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// user answers forms and remembers what it was asked.
type user struct {
	mu    sync.Mutex
	asked []string
	// say replaces what is answered, when not nil.
	say func(mcp.ElicitParams) (*mcp.ElicitResult, error)
}

func (u *user) elicit(_ context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, p.Message)
	if u.say != nil {
		return u.say(p)
	}
	r := &mcp.ElicitResult{Action: mcp.ActionAccept}
	if strings.HasPrefix(p.Message, "Where") {
		r.Content = json.RawMessage(`{"city":"Oslo"}`)
	}
	if strings.Contains(string(p.RequestedSchema), "amount") && !strings.Contains(string(p.RequestedSchema), "default") {
		r.Content = json.RawMessage(`{"amount":7}`) // the revision has no defaults
	}
	return r, nil
}

// TestAsking: the same handler asks, and the same client answers, in every
// revision that can carry it, over every transport (MRT-09, CON-01).
func TestAsking(t *testing.T) {
	for _, tc := range []struct {
		tool  string
		say   func(mcp.ElicitParams) (*mcp.ElicitResult, error)
		text  string
		fails bool
		asked []string
	}{
		{tool: "q_sequence", text: "7 in Oslo", asked: []string{"How much in Oslo?", "Where?"}},
		{tool: "q_both", text: "7 in Oslo", asked: []string{"How much?", "Where?"}},
		{tool: "q_sequence", fails: true, asked: []string{"Where?"}, say: func(mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, mcp.ErrDeclined }},
		{tool: "q_sequence", fails: true, asked: []string{"Where?"}, say: func(mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ActionCancel}, nil
		}},
		{tool: "q_model", text: "m"},
		{tool: "q_roots", text: "file:///home"},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			var u *user
			cfg := client.Config{
				Elicit: func(ctx context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) { return u.elicit(ctx, p) },
				Sample: func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Model: "m", Content: mcp.Blocks{mcp.Text("hello")}}, nil
				},
				Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///home"}}, nil },
			}
			mcptest.Eras(t, curious, cfg, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
				u = &user{say: tc.say}
				r, err := c.Call(t.Context(), tc.tool, nil)
				if cell.Spoken < mcp.Legacy20250618 && tc.asked != nil {
					// ELI-01: the revision has no elicitation.
					if err == nil && !r.IsError || len(u.asked) > 0 {
						t.Errorf("result %v, error %v, asked %q", r, err, u.asked)
					}
					return
				}
				if err != nil || r.IsError != tc.fails || !tc.fails && r.Text() != tc.text {
					t.Fatalf("result %v, error %v, want %q", r, err, tc.text)
				}
				slices.Sort(u.asked) // two at once come in any order
				if !slices.Equal(u.asked, tc.asked) {
					t.Errorf("asked %q, want %q", u.asked, tc.asked)
				}
			})
		})
	}
}

// TestAskingNobody: a client that declares nothing is not asked, and hears why
// (CON-02, MRT-09, M-MRTR-009).
func TestAskingNobody(t *testing.T) {
	mcptest.Eras(t, curious, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		for _, tool := range []string{"q_sequence", "q_both", "q_model", "q_roots"} {
			r, err := c.Call(t.Context(), tool, nil)
			var required *client.InputRequiredError
			if err == nil && !r.IsError || errors.As(err, &required) {
				t.Errorf("%s: result %v, error %v", tool, r, err)
			}
		}
	})
}
