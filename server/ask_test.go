package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

// TestCannotAsk: a client is not asked for what it did not declare; a handler
// may do without, else the call is refused with what is missing (M-MRTR-009,
// T-08, MOD-12, M-ELI-004, CON-02).
func TestCannotAsk(t *testing.T) {
	type kind struct {
		question Question
		missing  string // with nothing declared
		named    string
	}
	var (
		who   nameForm
		said  mcp.CreateMessageResult
		roots []mcp.Root
	)
	hello := []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("hello")}}}
	kinds := map[string]kind{
		"a form": {AskForm("k", "?", &who), `{"elicitation":{"form":{}}}`, "elicitation by form"},
		"a URL":  {AskURL("k", "?", "https://example.com"), `{"elicitation":{"url":{}}}`, "elicitation by URL"},
		"a model": {AskModel("k", mcp.CreateMessageParams{MaxTokens: 1, Messages: hello}, &said),
			`{"sampling":{}}`, "sampling"},
		"a model with tools (M-SAM-002)": {AskModel("k", mcp.CreateMessageParams{MaxTokens: 1, Messages: hello, Tools: []mcp.Tool{{Name: "x"}}}, &said),
			`{"sampling":{"tools":{}}}`, "sampling with tools"},
		"roots": {AskRoots(&roots), `{"roots":{}}`, "roots"},
	}
	for name, k := range kinds {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { return "", Ask(ctx, k.question) })
		able := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			if err := Ask(ctx, k.question); !errors.Is(err, mcp.ErrCannotAsk) {
				return "", fmt.Errorf("it matches no ErrCannotAsk: %w", err)
			}
			return "done without", nil
		})
		for _, p := range askable {
			t.Run(name+"/"+p.Version(), func(t *testing.T) {
				d := calling(p, func(string, json.RawMessage) string { t.Error("it was asked"); return "" })
				d.capabilities = `{}`
				r := d.run(t, srv)
				switch {
				case p == mcp.Newest && (r.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != int(mcp.CodeMissingCapability) ||
					string(r.Error.Data) != `{"requiredCapabilities":`+k.missing+`}`):
					t.Errorf("got %d %+v", r.status, r.Error)
				case p != mcp.Newest && !strings.HasSuffix(outline(t, r), "; the client does not support: "+k.named): // DN-13
					t.Errorf("got %q", outline(t, r))
				}
				wantOutcome(t, d.run(t, able), "done without")
			})
		}
	}
	t.Run("several, some declared", func(t *testing.T) {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			return "", Ask(ctx, kinds["a form"].question, AskURL("u", "?", "https://example.com"), AskRoots(&roots))
		})
		d := calling(mcp.Newest, nil)
		d.capabilities = `{"elicitation":{}}`
		r := d.run(t, srv)
		wantOutcome(t, r, `-32021 the client lacks a capability to be asked for "u" and "client_roots" `+
			`{"requiredCapabilities":{"roots":{},"elicitation":{"url":{}}}}`)
	})
	t.Run("no other revision's words", func(t *testing.T) {
		var many struct {
			Tags []string `json:"tags" mcp:"enum=a|b"`
		}
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { return "", Ask(ctx, AskForm("k", "?", &many)) })
		r := calling(mcp.Legacy20250618, answers("")).run(t, srv) // DN-18
		if got := outline(t, r); !strings.Contains(got, `cannot be asked for "k"`) || !strings.Contains(got, `the field "tags" takes several choices`) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("nothing leads back", func(t *testing.T) {
		for name, peer := range map[string]requester{
			"no requester": nil,
			"one that knows at once": requesterFunc(func() error {
				return fmt.Errorf("ask: %w: its request accepts no event stream", mcp.ErrCannotAsk)
			}),
		} {
			x := requestIn(mcp.Legacy20251125, mcp.MethodToolsCall, `{"name":"t"}`)
			x.caller.capabilities, x.peer = []byte(everything), peer
			srv := asksTool(t, Config{}, conversant)
			if got := outline(t, ask(t, srv, x)); !strings.HasPrefix(got, `isError the client cannot be asked for "who": `) {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}

// TestAskElsewhere: there are requests that cannot ask, and there is code that
// runs for none (M-MRTR-003, T-59).
func TestAskElsewhere(t *testing.T) {
	if _, err := Elicit[nameForm](t.Context(), "who", "Who?"); !errors.Is(err, mcp.ErrCannotAsk) {
		t.Errorf("outside a call: %v", err)
	}
	var err error
	s := NewService("")
	Prompt(s, "p", func(context.Context, struct {
		A string `json:"a"`
	}) (string, error) {
		return "", nil
	}, Complete("a", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
		_, err = Elicit[nameForm](ctx, "who", "Who?")
		return nil, nil
	}))
	srv := serverOf(t, s)
	for _, p := range askable[1:] {
		d := calling(p, nil)
		d.method, d.params = mcp.MethodComplete, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`
		if err = nil; d.run(t, srv).Error != nil || !errors.Is(err, mcp.ErrCannotAsk) || !strings.Contains(err.Error(), mcp.MethodComplete) {
			t.Errorf("%v: %v", p, err)
		}
	}
	t.Run("after the handler has returned", func(t *testing.T) {
		late := make(chan context.Context, 1)
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) { late <- ctx; return "", nil })
		for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
			calling(p, nil).run(t, srv)
			if _, err := Elicit[nameForm](<-late, "who", "Who?"); !errors.Is(err, mcp.ErrCannotAsk) {
				t.Errorf("%v: %v", p, err)
			}
		}
	})
}

// TestLostError: what was asked is asked, whatever a handler makes of the error
// (MRT-09).
func TestLostError(t *testing.T) {
	for name, fn := range map[string]func(context.Context, error) (string, error){
		"taken for a failure":     func(context.Context, error) (string, error) { return "could not ask", nil },
		"its text alone returned": func(_ context.Context, err error) (string, error) { return "", errors.New(err.Error()) },
		"taken for a refusal":     func(context.Context, error) (string, error) { return "", Refuse("no") },
		"wrapped":                 func(_ context.Context, err error) (string, error) { return "", wrap(err) },
	} {
		t.Run(name, func(t *testing.T) {
			srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
				who, err := Elicit[nameForm](ctx, "who", "Who are you?")
				if err != nil {
					if !errors.Is(err, ErrInputRequired) {
						t.Errorf("the error is %v", err)
					}
					return fn(ctx, err)
				}
				return who.Name, nil
			})
			wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, srv), "Ada")
		})
	}
}

// TestChangedQuestion: an answer counts for the question that was asked and for
// no other one (T-35, T-39).
func TestChangedQuestion(t *testing.T) {
	for name, second := range map[string]func(context.Context) error{
		"another message": func(ctx context.Context) error { _, err := Elicit[nameForm](ctx, "k", "Other?"); return err },
		"another form":    func(ctx context.Context) error { _, err := Elicit[sureForm](ctx, "k", "Who?"); return err },
		"a URL":           func(ctx context.Context) error { return ElicitURL(ctx, "k", "Who?", "https://example.com") },
		"another kind": func(ctx context.Context) error {
			_, err := Sample(ctx, "k", mcp.CreateMessageParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.Blocks{mcp.Text("x")}}}})
			return err
		},
		"something to do once": func(ctx context.Context) error {
			_, err := Once(ctx, "k", func(context.Context) (int, error) { t.Error("it ran"); return 1, nil })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			changed := false
			srv := asksTool(t, Config{Logger: testLogger(&log)}, func(ctx context.Context) (string, error) {
				if changed {
					return "went on", ignore(second(ctx))
				}
				changed = true
				_, err := Elicit[nameForm](ctx, "k", "Who?")
				return "", err
			})
			wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, srv), "-32603 internal error ")
			if !strings.Contains(log.String(), `under the key \"k\" when it runs again`) {
				t.Errorf("log: %s", log.String())
			}
		})
	}
	t.Run("within one run", func(t *testing.T) {
		for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
			srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
				if _, err := Elicit[nameForm](ctx, "k", "Who?"); err != nil {
					return "", err
				}
				_, err := Elicit[nameForm](ctx, "k", "Who else?")
				return "", ignore(err)
			})
			wantOutcome(t, calling(p, answers(isAda)).run(t, srv), "-32603 internal error ")
		}
	})
	t.Run("the same key and question twice is one question", func(t *testing.T) {
		for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
			srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
				if _, err := Elicit[nameForm](ctx, "k", "Who?"); err != nil {
					return "", err
				}
				who, err := Elicit[nameForm](ctx, "k", "Who?")
				return who.Name, err
			})
			d := calling(p, answers(isAda))
			wantOutcome(t, d.run(t, srv), "Ada")
			if len(d.asked) != 1 {
				t.Errorf("%v: asked %q", p, d.asked)
			}
		}
	})
	t.Run("at once", func(t *testing.T) {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			var a, b nameForm
			return "", Ask(ctx, AskForm("k", "Who?", &a), AskForm("k", "Who?", &b))
		})
		wantOutcome(t, calling(mcp.Newest, nil).run(t, srv), "-32603 internal error ")
	})
}

func ignore(error) error { return nil }

// TestBadQuestions: what is wrong with a question is the handler's fault, and is
// found before anybody is asked.
func TestBadQuestions(t *testing.T) {
	var (
		who nameForm
		raw json.RawMessage
		bad struct {
			Inner struct{} `json:"inner"`
		}
	)
	hello := mcp.Blocks{mcp.Text("x")}
	tests := []struct {
		name     string
		question Question
		want     string
	}{
		{"nil", nil, "question 0 is nil"},
		{"no key", AskForm("", "?", &who), "the key is empty"},
		{"a long key", AskForm(strings.Repeat("k", 129), "?", &who), "has 129 bytes; the most is 128"},
		{"a key that is no text", AskForm("\xff", "?", &who), "is not UTF-8"},
		{"no message", AskForm("k", "", &who), "the message of \"k\" is empty"},
		{"nowhere to put the answer", AskForm[nameForm]("k", "?", nil), "the destination of \"k\" is nil"},
		{"a struct that is no form", AskForm("k", "?", &bad), `field "inner": a form has strings, numbers, booleans and choices`},
		{"no struct", AskForm("k", "?", new(int)), "must be an object"},
		{"a schema that is no JSON", AskSchema("k", "?", json.RawMessage(`{`), &raw), "its schema"},
		{"a schema that is no object", AskSchema("k", "?", json.RawMessage(`{"type":"string"}`), &raw), `must say "type": "object", and have properties`},
		{"a schema with an object inside", AskSchema("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":"object"}}}`), &raw), `field "a" must say which type`},
		{"a schema that cannot be checked", AskSchema("k", "?", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`), &raw), `the form of "k"`},
		{"a URL that is none", AskURL("k", "?", "://"), "the URL of \"k\""},
		{"a script", AskURL("k", "?", "javascript:alert(1)"), "https: and http: URLs"},
		{"a URL without a host", AskURL("k", "?", "https:///x"), "https: and http: URLs"},
		{"a prefill of no field", AskForm("k", "?", &who, Prefill("age", 3)), `prefill "age": there is no such field`},
		{"a prefill of another type", AskForm("k", "?", &who, Prefill("name", 3)), `prefill "name": 3 does not fit a field of type "string"`},
		{"no option", AskForm("k", "?", &who, nil), "an option is nil"},
		{"nothing to say to a model", AskModel("k", mcp.CreateMessageParams{MaxTokens: 1}, new(mcp.CreateMessageResult)), "there are no messages"},
		{"an answer without end", AskModel("k", mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{{Role: "user", Content: hello}}}, new(mcp.CreateMessageResult)), "MaxTokens is 0"},
		{"nowhere to put a message", AskModel("k", mcp.CreateMessageParams{}, nil), "the destination of \"k\" is nil"},
		{"nowhere to put roots", AskRoots(nil), "the destination of the roots is nil"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
				var log strings.Builder
				srv := asksTool(t, Config{Logger: testLogger(&log)}, func(ctx context.Context) (string, error) { return "", Ask(ctx, tt.question) })
				wantOutcome(t, calling(p, func(string, json.RawMessage) string { t.Error("it was asked"); return "" }).run(t, srv), "-32603 internal error ")
				if !strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), tt.want) {
					t.Errorf("log %s does not say %q", log.String(), tt.want)
				}
			}
		})
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
