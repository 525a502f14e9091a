package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// threefold asks for one of each kind at once, so that a round can bring any
// part of it.
func threefold(ctx context.Context) (string, error) {
	var (
		who   nameForm
		said  mcp.CreateMessageResult
		roots []mcp.Root
	)
	err := Ask(ctx,
		AskForm("who", "Who are you?", &who),
		AskModel("said", mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("Hi")}}}}, &said),
		AskRoots(&roots))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %d", who.Name, said.Model, len(roots)), nil
}

const (
	aMessage = `{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`
	someRoot = `{"roots":[{"uri":"file:///w"}]}`
)

// TestResponses is what a retry can bring (MRT-07, M-MRTR-020 to M-MRTR-023,
// T-31, T-35, VAL-16).
func TestResponses(t *testing.T) {
	answered := func(who, said, roots string) string {
		return `{"who":` + who + `,"said":` + said + `,"client_roots":` + roots + `}`
	}
	all := answered(isAda, aMessage, someRoot)
	tests := []struct {
		name string
		// responses is the member, empty for none.
		responses string
		// want is the outline of the outcome, or the keys that are asked again.
		want string
	}{
		{"all", all, "Ada m 1"},
		{"an unknown key beside (M-MRTR-022)", strings.Replace(all, `{`, `{"other":7,`, 1), "Ada m 1"},
		{"none (M-MRTR-023)", `{}`, "asks client_roots said who"},
		{"no member at all", ``, "asks client_roots said who"},
		{"one of three", `{"who":` + isAda + `}`, "asks client_roots said"},
		{"only what was not asked", `{"other":` + isAda + `}`, "asks client_roots said who"},
		{"null (M-MRTR-021)", `null`, "-32602 params.inputResponses must be an object; got a null "},
		{"a list", `[]`, "-32602 params.inputResponses must be an object; got an array "},
		{"a text", `"who"`, "-32602 params.inputResponses must be an object; got a string "},

		{"a number for a form", answered(`12345`, aMessage, someRoot), `-32602 params.inputResponses["who"]: `},
		{"null for a form", answered(`null`, aMessage, someRoot), `-32602 params.inputResponses["who"]: `},
		{"a message for a form", answered(aMessage, aMessage, someRoot), `-32602 params.inputResponses["who"]: `},
		{"no action", answered(`{"content":{"name":"Ada"}}`, aMessage, someRoot), `-32602 params.inputResponses["who"]: `},
		{"an action that is none", answered(`{"action":"ok","content":{"name":"Ada"}}`, aMessage, someRoot), `-32602 params.inputResponses["who"]: the action is "ok"`},
		{"an action in other letters", answered(`{"action":"Accept","content":{"name":"Ada"}}`, aMessage, someRoot), `-32602 params.inputResponses["who"]: the action is "Accept"`},
		{"content that is no object", answered(`{"action":"accept","content":"Ada"}`, aMessage, someRoot), `-32602 params.inputResponses["who"]: the content must be an object`},
		{"declined, with content that is null", answered(`{"action":"decline","content":null}`, aMessage, someRoot), `isError the user declined to answer "who"`},
		{"an error object, which no answer is (T-37)", answered(`{"code":-1,"message":"no"}`, aMessage, someRoot), `-32602 params.inputResponses["who"]: `},

		{"values of the wrong type", answered(`{"action":"accept","content":{"name":["Ada"]}}`, aMessage, someRoot), "asks who"},
		{"values missing", answered(`{"action":"accept","content":{}}`, aMessage, someRoot), "asks who"},
		{"accepted without content", answered(`{"action":"accept"}`, aMessage, someRoot), "asks who"},

		{"a form for a message", answered(isAda, isAda, someRoot), `-32602 params.inputResponses["said"]: `},
		{"content in a list", answered(isAda, `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"model":"m"}`, someRoot), "Ada m 1"},
		{"content of an empty list", answered(isAda, `{"role":"assistant","content":[],"model":"m"}`, someRoot), "Ada m 1"},
		{"content of a type of tomorrow", answered(isAda, `{"role":"assistant","content":{"type":"hologram","x":1},"model":"m"}`, someRoot), "Ada m 1"},
		{"content that is a text", answered(isAda, `{"role":"assistant","content":"x","model":"m"}`, someRoot), `-32602 params.inputResponses["said"]: `},
		{"a block that is none", answered(isAda, `{"role":"assistant","content":[{"type":"text","text":"a"},"oops"],"model":"m"}`, someRoot), `-32602 params.inputResponses["said"]: `},
		{"no model", answered(isAda, `{"role":"assistant","content":{"type":"text","text":"x"}}`, someRoot), `-32602 params.inputResponses["said"]: `},
		{"a role that is none", answered(isAda, `{"role":"system","content":{"type":"text","text":"x"},"model":"m"}`, someRoot), `-32602 params.inputResponses["said"]: the role is "system"`},

		{"no roots", answered(isAda, aMessage, `{"roots":[]}`), "Ada m 0"},
		{"roots that are no list", answered(isAda, aMessage, `{"roots":{}}`), `-32602 params.inputResponses["client_roots"]: `},
		{"a form for roots", answered(isAda, aMessage, isAda), `-32602 params.inputResponses["client_roots"]: `},
		{"a path for a URL", answered(isAda, aMessage, `{"roots":[{"uri":"file:///w"},{"uri":"/etc"}]}`), `-32602 params.inputResponses["client_roots"]: root 1 is "/etc"; it must be a file: URL `},
	}
	srv := asksTool(t, Config{}, threefold)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := calling(mcp.Newest, nil)
			sent := retry{state: stateOf(d.first(t, srv))}
			if tt.responses != "" {
				sent.responses = json.RawMessage(tt.responses)
			}
			r := d.round(t, srv, sent)
			if got := sketch(t, r); !strings.HasPrefix(got, tt.want) || tt.want == "" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// sketch is the outline of a reply, or the keys it asks for.
func sketch(t *testing.T, r response) string {
	t.Helper()
	in := required(t, r)
	if in == nil {
		return outline(t, r)
	}
	d := &dialogue{client: answers("")}
	d.reply(in)
	return strings.Join(append([]string{"asks"}, d.asked...), " ")
}

// TestResponsesWithoutState: a client may know the keys already, since they are
// always the same. Its answers are judged as any are.
func TestResponsesWithoutState(t *testing.T) {
	for responses, want := range map[string]string{
		`{"who":` + isAda + `,"said":` + aMessage + `,"client_roots":` + someRoot + `}`: "Ada m 1",
		`{"who":12345}`:           `-32602 params.inputResponses["who"]: `,
		`{"other":` + isAda + `}`: "asks client_roots said who",
		`null`:                    "-32602 params.inputResponses must be an object; got a null ",
	} {
		srv := asksTool(t, Config{}, threefold)
		got := sketch(t, calling(mcp.Newest, nil).round(t, srv, retry{responses: json.RawMessage(responses)}))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", responses, got, want)
		}
	}
	t.Run("not where every state counts once", func(t *testing.T) {
		srv := asksTool(t, Config{State: StateConfig{SingleUse: true, Store: NewMemoryStates(0)}}, conversant)
		got := sketch(t, calling(mcp.Newest, nil).round(t, srv, retry{responses: json.RawMessage(`{"who":` + isAda + `}`)}))
		if got != "asks who" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("and an older revision has neither (DN-02)", func(t *testing.T) {
		d := calling(mcp.Legacy20251125, inTurn(isAda, isSure))
		d.params = `{"name":"t","requestState":7,"inputResponses":null}`
		wantOutcome(t, d.run(t, asksTool(t, Config{}, conversant)), "Ada: true")
	})
}

// TestAnswersAreKept: what was answered in one round is not asked in the next,
// and an answer cannot be changed any more (M-MRTR-023, T-34).
func TestAnswersAreKept(t *testing.T) {
	srv := asksTool(t, Config{}, threefold)
	d := calling(mcp.Newest, nil)
	in := d.first(t, srv)
	for _, round := range []struct{ responses, want string }{
		{`{"said":` + aMessage + `}`, "asks client_roots who"},
		{`{"said":{"role":"assistant","content":{"type":"text","text":"x"},"model":"other"},"client_roots":` + someRoot + `}`, "asks who"},
		{`{"who":` + isAda + `}`, "Ada m 1"},
	} {
		r := d.round(t, srv, retry{responses: json.RawMessage(round.responses), state: stateOf(in)})
		if got := sketch(t, r); got != round.want {
			t.Fatalf("got %q, want %q", got, round.want)
		}
		if in = required(t, r); in == nil {
			return
		}
	}
}

// TestMisfits: values that do not fit a form are asked for again, saying what was
// wrong (M-ELI-043, ELI-23).
func TestMisfits(t *testing.T) {
	type ageForm struct {
		Age int `json:"age" mcp:"min=18"`
	}
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		a, err := Elicit[ageForm](ctx, "age", "How old are you?")
		if err != nil {
			return "", err
		}
		return fmt.Sprint(a.Age), nil
	})
	misfit := `{"action":"accept","content":{"age":3}}`
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		t.Run(p.Version(), func(t *testing.T) {
			var messages []string
			client := func(texts ...string) asker {
				next := inTurn(texts...)
				return func(method string, params json.RawMessage) string {
					var p mcp.ElicitParams
					if err := json.Unmarshal(params, &p); err != nil {
						t.Error(err)
					}
					messages = append(messages, p.Message)
					return next(method, params)
				}
			}
			wantOutcome(t, calling(p, client(misfit, `{"action":"accept","content":{"age":30}}`)).run(t, srv), "30")
			if len(messages) != 2 || messages[0] != "How old are you?" ||
				messages[1] != "How old are you?\n\nThe last answer did not fit: age: must be at least 18; got 3" {
				t.Errorf("asked %q", messages)
			}
			wantOutcome(t, calling(p, client(misfit, `{"action":"decline"}`)).run(t, srv), `isError the user declined to answer "age"`)
			if p == mcp.Newest {
				return // the client decides how often
			}
			messages = nil
			got := outline(t, calling(p, client(misfit)).run(t, srv))
			if len(messages) != 3 || !strings.Contains(got, "3 times the values did not fit: age: must be at least 18; got 3") {
				t.Errorf("%d questions, then %q", len(messages), got)
			}
		})
	}
}

// TestClientErrors: how a client of the older revisions fails to answer (MR-06,
// SAMP-07, ROOT-05).
func TestClientErrors(t *testing.T) {
	ask := map[string]func(ctx context.Context) error{
		"form": func(ctx context.Context) error { _, err := Elicit[nameForm](ctx, "k", "Who?"); return err },
		"model": func(ctx context.Context) error {
			_, err := Sample(ctx, "k", mcp.CreateMessageParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("x")}}}})
			return err
		},
		"roots": func(ctx context.Context) error { _, err := Roots(ctx); return err },
	}
	tests := []struct {
		name, question, answer string
		is                     error
		want                   string
	}{
		{"a form, rejected", "form", "error -32602 unsupported mode", mcp.ErrDeclined, `isError the user was asked for "k" and did not decide: unsupported mode: invalid params (-32602)`},
		{"a model, rejected by the user", "model", "error -1 rejected", mcp.ErrDeclined, `isError the user declined to answer "k": rejected`},
		{"a model that failed", "model", "error -32603 no model", nil, `isError ask for "k": the client answered: no model: internal error (-32603)`},
		{"roots that failed", "roots", "error -32601 no roots", nil, `isError ask for "client_roots": the client answered: no roots: method not found (-32601)`},
		{"a form, answered with something else", "form", `{"roots":[]}`, mcp.ErrInvalidResponse, `isError ask for "k": invalid response: `},
		{"a form, answered with no object", "form", `7`, mcp.ErrInvalidResponse, `isError ask for "k": invalid response: `},
		{"roots that are paths", "roots", `{"roots":[{"uri":"C:\\x"}]}`, mcp.ErrInvalidResponse, `isError ask for "client_roots": invalid response: root 0 is "C:\\x"; it must be a file: URL`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
				err := ask[tt.question](ctx)
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("%v does not match %v", err, tt.is)
				}
				if code := (*mcp.Error)(nil); errors.As(err, &code) {
					t.Errorf("the client's code would be sent back: %v", code)
				}
				return "", err
			})
			got := outline(t, calling(mcp.Legacy20251125, answers(tt.answer)).run(t, srv))
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAskingIsCancelled: who gives up a call gives up its questions; nothing is
// sent any more.
func TestAskingIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var got error
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		_, got = Elicit[nameForm](ctx, "k", "Who?")
		return "", got
	})
	x := requestIn(mcp.Legacy20251125, mcp.MethodToolsCall, `{"name":"t"}`)
	x.caller.capabilities = []byte(everything)
	x.peer = waiting{asked: cancel}
	if r := srv.serve(ctx, x); r.body != nil {
		t.Errorf("sent %s", r.body)
	}
	if !errors.Is(got, context.Canceled) {
		t.Errorf("the handler saw %v", got)
	}
}
