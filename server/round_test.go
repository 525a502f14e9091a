package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func formRequest(message string) mcp.InputRequest {
	return mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`{"message":"` + message + `","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`)}
}

// rawTool is a server with a raw tool that drives its rounds itself.
func rawTool(t *testing.T, cfg Config, fn func(ctx context.Context) (string, error)) *Server {
	t.Helper()
	s := NewService("")
	RawTool(s, mcp.Tool{Name: "t"}, func(ctx context.Context, _ json.RawMessage) (*mcp.CallToolResult, error) {
		text, err := fn(ctx)
		if err != nil {
			return nil, err
		}
		return textResult(text), nil
	})
	return configured(t, cfg, s)
}

// TestRounds: a handler that drives its rounds itself does so in every revision
// (MRT-09, MR-02 to MR-04).
func TestRounds(t *testing.T) {
	for _, p := range []mcp.Profile{mcp.Legacy20250618, mcp.Legacy20251125, mcp.Newest} {
		t.Run(p.Version(), func(t *testing.T) {
			var seen []Round
			srv := rawTool(t, Config{}, func(ctx context.Context) (string, error) {
				r := RoundFrom(ctx)
				seen = append(seen, r)
				switch r.Number {
				case 0:
					return "", &InputRequired{Requests: map[string]mcp.InputRequest{"x": formRequest("X?"), "y": {Method: mcp.MethodRootsList}}, State: "one"}
				case 1:
					return "", wrap(&InputRequired{State: "two\x00"})
				default:
					return "done", nil
				}
			})
			d := calling(p, func(method string, params json.RawMessage) string {
				if method == mcp.MethodRootsList {
					return someRoot
				}
				return `{"action":"decline","vendor":1}`
			})
			wantOutcome(t, d.run(t, srv), "done")
			want := []Round{{}, {Number: 1, State: "one", Responses: map[string]json.RawMessage{
				"x": json.RawMessage(`{"action":"decline","vendor":1}`), "y": json.RawMessage(someRoot),
			}}, {Number: 2, State: "two\x00"}}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("rounds (-want +got):\n%s", diff)
			}
			if len(d.asked) != 2 {
				t.Errorf("asked %q", d.asked)
			}
		})
	}
}

// TestRoundResponses: only answers to what was asked, of the kind that was asked,
// of the latest round (M-MRTR-020, M-MRTR-022, T-34).
func TestRoundResponses(t *testing.T) {
	var got map[string]json.RawMessage
	srv := rawTool(t, Config{}, func(ctx context.Context) (string, error) {
		r := RoundFrom(ctx)
		if r.Number == 0 && r.Responses == nil {
			return "", &InputRequired{Requests: map[string]mcp.InputRequest{"x": formRequest("X?"), "m": {Method: mcp.MethodCreateMessage, Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}`)}}}
		}
		got = r.Responses
		return "done", nil
	})
	for responses, want := range map[string]string{
		`{"x":{"action":"accept","content":{"a":7}},"other":{"action":"accept"}}`: "done x",
		`{}`: "done ",
		`{"x":{"action":"accept"},"m":` + aMessage + `}`: "done m x",
		`{"m":{"action":"accept"}}`:                      `-32602 params.inputResponses["m"]: `,
		`{"x":` + aMessage + `}`:                         `-32602 params.inputResponses["x"]: `,
		`{"x":null}`:                                     `-32602 params.inputResponses["x"]: `,
	} {
		got = nil
		d := calling(mcp.Newest, nil)
		out := sketch(t, d.round(t, srv, retry{state: stateOf(d.first(t, srv)), responses: json.RawMessage(responses)}))
		if out == "done" {
			var keys []string
			for _, key := range []string{"m", "other", "x"} {
				if got[key] != nil {
					keys = append(keys, key)
				}
			}
			out += " " + strings.Join(keys, " ")
		}
		if !strings.HasPrefix(out, want) {
			t.Errorf("%s: got %q, want %q", responses, out, want)
		}
	}
	t.Run("of a first round, as they come", func(t *testing.T) {
		wantOutcome(t, calling(mcp.Newest, nil).round(t, srv, retry{responses: json.RawMessage(`{"z":7}`)}), "done")
		if string(got["z"]) != "7" {
			t.Errorf("%s", got)
		}
	})
	if r := RoundFrom(t.Context()); r.Number != 0 || r.Responses != nil || r.State != "" {
		t.Errorf("outside a call: %+v", r)
	}
}

// TestRoundFaults: what a handler can ask wrongly, and what its client lacks.
func TestRoundFaults(t *testing.T) {
	one := func(r mcp.InputRequest) *InputRequired {
		return &InputRequired{Requests: map[string]mcp.InputRequest{"k": r}}
	}
	tests := []struct {
		name string
		asks *InputRequired
		caps string
		want string
		log  string
	}{
		{"a method that asks nobody", one(mcp.InputRequest{Method: "tools/list"}), everything, "-32603 internal error ", `a client is not asked for "tools/list"`},
		{"params that are none", one(mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`[]`)}), everything, "-32603 internal error ", `the request "k"`},
		{"no message", one(mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`{}`)}), everything, "-32603 internal error ", "the message of \"k\" is empty"},
		{"no key", &InputRequired{Requests: map[string]mcp.InputRequest{"": formRequest("x")}}, everything, "-32603 internal error ", "the key is empty"},
		{"a form, undeclared", one(formRequest("x")), `{"elicitation":{"url":{}}}`, `-32021 the client lacks a capability to be asked for "k" {"requiredCapabilities":{"elicitation":{"form":{}}}}`, ""},
		{"a URL, undeclared", one(mcp.InputRequest{Method: mcp.MethodElicit, Params: json.RawMessage(`{"mode":"url","message":"x","url":"https://example.com"}`)}), `{"elicitation":{}}`, `-32021 the client lacks a capability to be asked for "k" {"requiredCapabilities":{"elicitation":{"url":{}}}}`, ""},
		{"tools for a model, undeclared", one(mcp.InputRequest{Method: mcp.MethodCreateMessage, Params: json.RawMessage(`{"messages":[],"maxTokens":1,"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`)}), `{"sampling":{}}`, `-32021 the client lacks a capability to be asked for "k" {"requiredCapabilities":{"sampling":{"tools":{}}}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			srv := rawTool(t, Config{Logger: testLogger(&log)}, func(context.Context) (string, error) { return "", tt.asks })
			d := calling(mcp.Newest, nil)
			d.capabilities = tt.caps
			wantOutcome(t, d.run(t, srv), tt.want)
			if !strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), tt.log) {
				t.Errorf("log %s does not say %q", log.String(), tt.log)
			}
		})
	}
	t.Run("for ever, on a line that stays open", func(t *testing.T) {
		var log strings.Builder
		srv := rawTool(t, Config{Logger: testLogger(&log)}, func(context.Context) (string, error) { return "", one(formRequest("again?")) })
		d := calling(mcp.Legacy20251125, answers(`{"action":"accept","content":{}}`))
		wantOutcome(t, d.run(t, srv), "-32603 internal error ")
		if len(d.asked) != 25 || !strings.Contains(log.String(), "asked its client in 25 rounds, which is the most") {
			t.Errorf("asked %d times, log %s", len(d.asked), log.String())
		}
	})
	t.Run("a client that fails to answer (MR-06)", func(t *testing.T) {
		for _, tt := range []struct{ method, answer, want string }{
			{mcp.MethodElicit, "error -32000 no", `{"action":"cancel"}`},
			{mcp.MethodCreateMessage, "error -1 no", `isError the user declined to answer "k": no`},
			{mcp.MethodRootsList, "error -32601 no", `isError ask for "k": the client answered: no: method not found (-32601)`},
			{mcp.MethodRootsList, `{}`, `isError ask for "k": invalid response: `},
		} {
			srv := rawTool(t, Config{}, func(ctx context.Context) (string, error) {
				if r := RoundFrom(ctx); r.Number > 0 {
					return string(r.Responses["k"]), nil
				}
				q := formRequest("x")
				if tt.method != mcp.MethodElicit {
					q = mcp.InputRequest{Method: tt.method, Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}`)}
				}
				return "", one(q)
			})
			if got := outline(t, calling(mcp.Legacy20251125, answers(tt.answer)).run(t, srv)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s answered %s: got %q, want %q", tt.method, tt.answer, got, tt.want)
			}
		}
	})
}

// TestRoundsBesideQuestions: both ways of asking in one handler.
func TestRoundsBesideQuestions(t *testing.T) {
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		srv := rawTool(t, Config{}, func(ctx context.Context) (string, error) {
			who, err := Elicit[nameForm](ctx, "who", "Who?")
			if err != nil {
				return "", err
			}
			r := RoundFrom(ctx)
			if r.State != "asked" {
				return "", &InputRequired{Requests: map[string]mcp.InputRequest{"x": formRequest("X?")}, State: "asked"}
			}
			return fmt.Sprintf("%s %s", who.Name, r.Responses["x"]), nil
		})
		wantOutcome(t, calling(p, answers(isAda)).run(t, srv), "Ada "+isAda)
	}
	t.Run("under one key", func(t *testing.T) {
		var log strings.Builder
		srv := rawTool(t, Config{Logger: testLogger(&log)}, func(ctx context.Context) (string, error) {
			_ = Ask(ctx, AskForm("x", "X?", new(nameForm)))
			return "", &InputRequired{Requests: map[string]mcp.InputRequest{"x": formRequest("X?")}}
		})
		wantOutcome(t, calling(mcp.Newest, nil).run(t, srv), "-32603 internal error ")
		if !strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), `the key "x" is used twice at once`) {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestInterceptorReturnsRound: a result that asks for input is one of the results
// an interceptor may return, as one that passes calls on does.
func TestInterceptorReturnsRound(t *testing.T) {
	upstream := "upstream state"
	pass := func(ctx context.Context, c *Call, next Next) (any, error) {
		if c.Method() != mcp.MethodToolsCall {
			return next(ctx, c)
		}
		if r := RoundFrom(ctx); r.Number > 0 {
			return textResult(r.State + " " + string(r.Responses["k"])), nil
		}
		return &mcp.InputRequiredResult{InputRequests: map[string]mcp.InputRequest{"k": formRequest("x")}, RequestState: &upstream}, nil
	}
	srv := configured(t, Config{Interceptors: []Interceptor{pass}}, func() *Service {
		s := NewService("")
		Tool(s, "t", says(""))
		return s
	}())
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		d := calling(p, answers(`{"action":"decline"}`))
		wantOutcome(t, d.run(t, srv), `upstream state {"action":"decline"}`)
	}
	in := calling(mcp.Newest, nil).first(t, srv)
	if strings.Contains(*in.RequestState, "upstream") {
		t.Errorf("the state is not sealed: %s", *in.RequestState)
	}
	t.Run("but not of a list (M-MRTR-003)", func(t *testing.T) {
		srv := configured(t, Config{Interceptors: []Interceptor{func(context.Context, *Call, Next) (any, error) {
			return &mcp.InputRequiredResult{RequestState: &upstream}, nil
		}}}, NewService(""))
		wantError(t, srv, request(mcp.MethodDiscover, ``), mcp.CodeInternal)
	})
}
