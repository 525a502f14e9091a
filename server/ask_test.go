package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

type nameForm struct {
	Name string `json:"name" doc:"what to be called"`
}

type sureForm struct {
	Sure bool `json:"sure"`
}

// conversant is the handler of a tool that asks: who, and then whether.
func conversant(ctx context.Context) (string, error) {
	who, err := Elicit[nameForm](ctx, "who", "Who are you?")
	if err != nil {
		return "", err
	}
	sure, err := Elicit[sureForm](ctx, "sure", "Are you sure, "+who.Name+"?")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %t", who.Name, sure.Sure), nil
}

// inTurn gives one answer after the other.
func inTurn(texts ...string) asker {
	i := 0
	return func(string, json.RawMessage) string {
		i++
		return texts[min(i, len(texts))-1]
	}
}

const (
	isAda  = `{"action":"accept","content":{"name":"Ada"}}`
	isSure = `{"action":"accept","content":{"sure":true}}`
)

// TestConversation: one handler, the same outcome in every revision (MRT-09,
// M-MRTR-001, M-MRTR-019, M-MRTR-026).
func TestConversation(t *testing.T) {
	tests := []struct {
		name   string
		client []string
		want   string
		rounds int // where each answer is a round
	}{
		{"two questions in turn", []string{isAda, isSure}, "Ada: true", 3},
		{"the first is declined (M-ELI-019)", []string{`{"action":"decline"}`}, `isError the user declined to answer "who"`, 2},
		{"the second is cancelled", []string{isAda, `{"action":"cancel"}`}, `isError the user was asked for "sure" and did not decide`, 3},
		{"declined with values beside it", []string{`{"action":"decline","content":{"name":"Ada"}}`}, `isError the user declined to answer "who"`, 2},
		{"unknown members (T-31)", []string{`{"action":"accept","content":{"name":"Ada","age":3},"x":1,"_meta":{}}`, isSure}, "Ada: true", 3},
		{"values of another type that can only mean one thing", []string{isAda, `{"action":"accept","content":{"sure":"true"}}`}, "Ada: true", 3},
	}
	for _, p := range askable {
		srv := asksTool(t, Config{}, conversant)
		for _, tt := range tests {
			t.Run(p.Version()+"/"+tt.name, func(t *testing.T) {
				d := calling(p, inTurn(tt.client...))
				r := d.run(t, srv)
				switch {
				case p < mcp.Legacy20250618: // DN-19
					wantOutcome(t, r, `isError the client lacks a capability to be asked for "who"; the client does not support: elicitation by form`)
					return
				case p == mcp.Newest && d.rounds != tt.rounds:
					t.Errorf("%d rounds, want %d", d.rounds, tt.rounds)
				}
				wantOutcome(t, r, tt.want)
			})
		}
	}
}

// TestConversationsOfAllKinds: resources and prompts ask as tools do
// (M-MRTR-002).
func TestConversationsOfAllKinds(t *testing.T) {
	srv := asksTool(t, Config{}, conversant)
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		for method, params := range targets {
			d := calling(p, inTurn(isAda, isSure))
			d.method, d.params = method, params
			if r := d.run(t, srv); !strings.Contains(string(r.Result), "Ada: true") {
				t.Errorf("%v: %s: %s %+v", p, method, r.Result, r.Error)
			}
			d = calling(p, answers(`{"action":"decline"}`))
			d.method, d.params = method, params
			want := `-1 the user declined to answer "who" `
			if method == mcp.MethodToolsCall {
				want = `isError the user declined to answer "who"`
			}
			wantOutcome(t, d.run(t, srv), want)
		}
	}
}

// TestAskedForm is what a client sees of a question (M-ELI-005, M-ELI-008,
// M-MRTR-004, M-MRTR-006, M-RT-001).
func TestAskedForm(t *testing.T) {
	srv := asksTool(t, Config{}, conversant)
	in := calling(mcp.Newest, nil).first(t, srv)
	want := map[string]mcp.InputRequest{"who": {Method: "elicitation/create", Params: json.RawMessage(
		`{"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"what to be called"}},"required":["name"]}}`)}}
	if diff := cmp.Diff(want, in.InputRequests); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for name, wantParams := range map[mcp.Profile]string{
		mcp.Legacy20251125: string(want["who"].Params),
		mcp.Legacy20250618: strings.Replace(string(want["who"].Params), `"mode":"form",`, "", 1),
	} {
		calling(name, func(method string, params json.RawMessage) string {
			if method != mcp.MethodElicit || string(params) != wantParams {
				t.Errorf("%v: %s %s, want %s", name, method, params, wantParams)
			}
			return `{"action":"cancel"}`
		}).run(t, srv)
	}
}

// TestAskTogether: several questions in one round; on a line that stays open
// they are all under way before one is answered (MR-03).
func TestAskTogether(t *testing.T) {
	var declined error
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		var (
			who   nameForm
			said  mcp.CreateMessageResult
			roots []mcp.Root
		)
		err := Ask(ctx,
			AskForm("who", "Who are you?", &who),
			AskModel("greeting", mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("Say hello")}}}}, &said),
			AskRoots(&roots),
			AskURL("login", "Log in", "https://example.com/login"))
		if errors.Is(err, mcp.ErrDeclined) {
			declined = err
			err = nil
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s, %s, %s", who.Name, said.Model, roots[0].Name), nil
	})
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		client := func(login string) asker {
			return func(method string, params json.RawMessage) string {
				switch {
				case method == mcp.MethodCreateMessage:
					return `{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`
				case method == mcp.MethodRootsList:
					return `{"roots":[{"uri":"file:///w","name":"w"}]}`
				case strings.Contains(string(params), "example.com"):
					return `{"action":"` + login + `"}`
				default:
					return isAda
				}
			}
		}
		t.Run(p.Version()+"/all answered", func(t *testing.T) {
			d := calling(p, client("accept"))
			wantOutcome(t, d.run(t, srv), "Ada, m, w")
			if p == mcp.Newest && d.rounds != 2 || len(d.asked) != 4 {
				t.Errorf("%d rounds, asked %q", d.rounds, d.asked)
			}
		})
		t.Run(p.Version()+"/one declined, the others filled in", func(t *testing.T) {
			declined = nil
			wantOutcome(t, calling(p, client("cancel")).run(t, srv), "Ada, m, w")
			var which *DeclinedError
			if !errors.As(declined, &which) || which.Key != "login" || which.Action != mcp.ActionCancel {
				t.Errorf("declined: %v", declined)
			}
		})
	}
	t.Run("at once", func(t *testing.T) {
		var all sync.WaitGroup
		all.Add(4)
		x := requestIn(mcp.Legacy20251125, mcp.MethodToolsCall, `{"name":"t"}`)
		x.caller.capabilities = []byte(everything)
		x.peer = concurrent(func(method string) string {
			all.Done()
			all.Wait() // hangs unless all are asked
			return client20251125(method)
		})
		wantOutcome(t, ask(t, srv, x), "Ada, m, w")
	})
}

func client20251125(method string) string {
	switch method {
	case mcp.MethodCreateMessage:
		return `{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`
	case mcp.MethodRootsList:
		return `{"roots":[{"uri":"file:///w","name":"w"}]}`
	default:
		return isAda
	}
}

// TestInterceptorAsks: a server can have every destructive call confirmed in one
// place.
func TestInterceptorAsks(t *testing.T) {
	confirm := func(ctx context.Context, call *Call, next Next) (any, error) {
		if call.Method() == mcp.MethodToolsCall {
			if _, err := Elicit[struct{}](ctx, "confirm", "Run "+call.Name()+"?"); err != nil {
				return nil, err
			}
		}
		return next(ctx, call)
	}
	s := NewService("")
	Tool(s, "t", says("ran"))
	srv := configured(t, Config{Interceptors: []Interceptor{confirm}}, s)
	for _, p := range []mcp.Profile{mcp.Legacy20250618, mcp.Legacy20251125, mcp.Newest} {
		wantOutcome(t, calling(p, answers(`{"action":"accept"}`)).run(t, srv), "ran")
		wantOutcome(t, calling(p, answers(`{"action":"decline"}`)).run(t, srv), `isError the user declined to answer "confirm"`)
	}
}

// TestAskedResultIsNotCached (M-MRTR-036, M-CACHE-004).
func TestAskedResultIsNotCached(t *testing.T) {
	s := NewService("", CacheFor(1e12, mcp.CachePublic))
	Resource(s, "x://asks", func(ctx context.Context, _ nothing) (string, error) {
		_, err := Elicit[nameForm](ctx, "who", "Who?")
		return "", err
	})
	Resource(s, "x://not", says(""))
	srv := serverOf(t, s)
	for uri, want := range map[string]string{"x://asks": `0 private`, "x://not": `1000000 public`} {
		d := calling(mcp.Newest, func(string, json.RawMessage) string { return isAda })
		d.method, d.params = mcp.MethodResourcesRead, `{"uri":"`+uri+`"}`
		var hint struct {
			TTL   int64  `json:"ttlMs"`
			Scope string `json:"cacheScope"`
		}
		if err := json.Unmarshal(d.run(t, srv).Result, &hint); err != nil || fmt.Sprint(hint.TTL, " ", hint.Scope) != want {
			t.Errorf("%s: %+v, %v; want %s", uri, hint, err, want)
		}
	}
	d := calling(mcp.Newest, nil)
	d.method, d.params = mcp.MethodResourcesRead, `{"uri":"x://asks"}`
	if r := d.round(t, srv, retry{}); strings.Contains(string(r.Result), "ttlMs") || strings.Contains(string(r.Result), "cacheScope") {
		t.Errorf("a question has cache hints: %s", r.Result)
	}
}
