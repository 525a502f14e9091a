package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// asks is a result that asks for input. state is a JSON literal, or empty;
// questions are the members of inputRequests, or empty.
func asks(state, questions string) string {
	s := `{"resultType":"input_required"`
	if questions != "" {
		s += `,"inputRequests":{` + questions + `}`
	}
	if state != "" {
		s += `,"requestState":` + state
	}
	return s + "}"
}

// Questions.
const (
	confirmForm = `"params":{"message":"sure?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean","default":true}}}}`
	openParams  = `"params":{"mode":"url","message":"log in","url":"https://example.com/login"}`
	sampleText  = `"params":{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`
)

func form_(key string) string { return key + `:{"method":"elicitation/create",` + confirmForm + `}` }
func page(key string) string  { return key + `:{"method":"elicitation/create",` + openParams + `}` }
func model(key string) string { return key + `:{"method":"sampling/createMessage",` + sampleText + `}` }
func roots(key string) string { return key + `:{"method":"roots/list"}` }

// answering is a configuration whose handlers accept everything. asked sees
// each question.
func answering(asked func(ctx context.Context, what string)) Config {
	if asked == nil {
		asked = func(context.Context, string) {}
	}
	cfg := config()
	cfg.Elicit = func(ctx context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) {
		asked(ctx, p.Message)
		return &mcp.ElicitResult{Action: mcp.ActionAccept}, nil
	}
	cfg.ElicitURL = func(ctx context.Context, p mcp.ElicitParams) (*mcp.ElicitResult, error) {
		asked(ctx, p.URL)
		return &mcp.ElicitResult{Action: mcp.ActionAccept}, nil
	}
	cfg.Sample = func(ctx context.Context, _ mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		asked(ctx, "model")
		return &mcp.CreateMessageResult{Model: "m", Content: mcp.Blocks{mcp.Text("hello")}}, nil
	}
	cfg.Roots = func(ctx context.Context) ([]mcp.Root, error) {
		asked(ctx, "roots")
		return []mcp.Root{{URI: "file:///home", Name: "home"}}, nil
	}
	return cfg
}

// round is what the nth request of a call carried beside its parameters.
type round struct{ Answers, State string }

func roundsOf(t testing.TB, s *script, method string, n int) []round {
	t.Helper()
	var all []round
	for i := range n {
		r := s.got(method, i)
		all = append(all, round{r.param(t, "inputResponses"), r.param(t, "requestState")})
	}
	return all
}

// TestRounds: what is asked is answered, and the request sent again with the
// answers and the state of the latest round alone (M-MRTR-027 to M-MRTR-034,
// M-ELI-007, M-ELI-015, M-ROOT-002, MRT-01, MRT-04, T-31, T-34).
func TestRounds(t *testing.T) {
	const accepted = `{"action":"accept","content":{"ok":true}}`
	for _, tc := range []struct {
		name    string
		results []string // before the last
		want    []round  // of the requests after the first
	}{
		{"a form", []string{asks(`"s"`, form_(`"k"`))}, []round{{`{"k":` + accepted + `}`, `"s"`}}},
		{"no state", []string{asks("", form_(`"k"`))}, []round{{`{"k":` + accepted + `}`, ""}}},
		{"an empty state", []string{asks(`""`, form_(`"k"`))}, []round{{`{"k":` + accepted + `}`, `""`}}},
		{"a state in odd writing", []string{asks(`"\u0000\u2028 \u00e9\/é"`, form_(`"k"`))}, []round{{`{"k":` + accepted + `}`, `"\u0000\u2028 \u00e9\/é"`}}},
		{"a large state", []string{asks(`"`+strings.Repeat("x", 64<<10)+`"`, form_(`"k"`))}, []round{{`{"k":` + accepted + `}`, `"` + strings.Repeat("x", 64<<10) + `"`}}},
		{"odd keys", []string{asks("", form_(`"a.b"`)+","+form_(`""`)+","+form_(`"__proto__"`))}, []round{{`{"a.b":` + accepted + `,"":` + accepted + `,"__proto__":` + accepted + `}`, ""}}},
		{"all kinds, in the server's order", []string{asks(`"s"`, roots(`"r"`)+","+model(`"m"`)+","+page(`"p"`)+","+form_(`"f"`))}, []round{{
			`{"r":{"roots":[{"uri":"file:///home","name":"home"}]},"m":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"},` +
				`"p":{"action":"accept"},"f":` + accepted + `}`, `"s"`,
		}}},
		{"a round after a round", []string{asks(`"1"`, form_(`"a"`)), asks("", form_(`"b"`)), asks(`"3"`, roots(`"c"`))}, []round{
			{`{"a":` + accepted + `}`, `"1"`}, {`{"b":` + accepted + `}`, ""}, {`{"c":{"roots":[{"uri":"file:///home","name":"home"}]}}`, `"3"`},
		}},
		{"a state alone", []string{asks(`"later"`, "")}, []round{{"", `"later"`}}},
		{"a state and no questions", []string{`{"resultType":"input_required","requestState":"s","inputRequests":{}}`}, []round{{"", `"s"`}}},
		{"members of a complete result beside the questions", []string{
			`{"resultType":"input_required","content":[],"structuredContent":{},"_meta":{"x/y":1},"requestState":"s","inputRequests":{` + form_(`"k"`) + `}}`,
		}, []round{{`{"k":` + accepted + `}`, `"s"`}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var acts []act
			for _, r := range tc.results {
				acts = append(acts, result(r))
			}
			s := newScript(t, modern(map[string][]act{"tools/call": append(acts, result(okResult))}))
			c := connected(t, HTTP(s.URL), answering(nil))
			args := json.RawMessage(`{"n":12345678901234567890}`)
			r, err := c.Call(t.Context(), "x", args, OnProgress(func(mcp.ProgressParams) {}))
			if err != nil || r.Text() != "ok" {
				t.Fatalf("result %v, error %v", r, err)
			}
			if diff := cmp.Diff(append([]round{{}}, tc.want...), roundsOf(t, s, "tools/call", len(tc.want)+1)); diff != "" {
				t.Errorf("rounds (-want +got):\n%s", diff)
			}
			ids := map[string]bool{}
			for i := range len(tc.want) + 1 {
				got := s.got("tools/call", i)
				ids[got.id()], ids[got.param(t, "_meta", "progressToken")] = true, true
				if got.param(t, "arguments") != string(args) || got.param(t, "name") != `"x"` || got.param(t, "_meta", mcp.MetaProtocolVersion) == "" ||
					got.Header.Get(headerName) != "x" || got.Header.Get(headerMethod) != "tools/call" {
					t.Errorf("request %d is %s with %v", i, got.Body, got.Header)
				}
			}
			if len(ids) < len(tc.want)+2 { // tokens and ids may meet
				t.Errorf("ids and tokens %v", ids)
			}
			// Nothing is carried into the next request.
			if _, err := c.Call(t.Context(), "x", args); err != nil {
				t.Fatal(err)
			}
			if got := roundsOf(t, s, "tools/call", len(tc.want)+2)[len(tc.want)+1]; got != (round{}) {
				t.Errorf("another request carries %+v", got)
			}
		})
	}
	t.Run("other requests", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{
			"resources/read": {result(asks(`"r"`, form_(`"k"`))), result(`{"contents":[{"uri":"a:b","text":"t"}]}`)},
			"prompts/get":    {result(asks(`"p"`, form_(`"k"`))), result(`{"messages":[]}`)},
		}))
		c := connected(t, HTTP(s.URL), answering(nil))
		if _, err := c.Read(t.Context(), "a:b"); err != nil {
			t.Error(err)
		}
		if _, err := c.Prompt(t.Context(), "p", map[string]string{"k": "v"}); err != nil {
			t.Error(err)
		}
		if got := s.got("resources/read", 1); got.param(t, "uri") != `"a:b"` || got.param(t, "requestState") != `"r"` {
			t.Errorf("sent %s", got.Body)
		}
		if got := s.got("prompts/get", 1); got.param(t, "arguments") != `{"k":"v"}` || got.param(t, "requestState") != `"p"` {
			t.Errorf("sent %s", got.Body)
		}
	})
	t.Run("on a pipe", func(t *testing.T) {
		target, all := onPipe(t, modernPipe(map[string]line{"tools/call": func(s seen) []string {
			if s.param(t, "requestState") == `"s"` {
				return say(okResult)(s)
			}
			return say(asks(`"s"`, form_(`"k"`)))(s)
		}}))
		c := connected(t, target, answering(nil))
		if r, err := c.Call(t.Context(), "x", nil); err != nil || r.Text() != "ok" {
			t.Errorf("result %v, error %v", r, err)
		}
		if got := all()[0].nth("tools/call", 1); got.param(t, "inputResponses") != `{"k":`+accepted+`}` {
			t.Errorf("sent %s", got.Body)
		}
	})
	t.Run("parallel requests keep their states", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/call": {func(w http.ResponseWriter, s seen) {
			n := s.param(t, "arguments", "n")
			if state := s.param(t, "requestState"); state != "" {
				if state != `"`+n+`"` || s.param(t, "inputResponses", "k"+n) == "" {
					t.Errorf("request %s has the state %s", n, s.Body)
				}
				result(okResult)(w, s)
				return
			}
			result(asks(`"`+n+`"`, form_(`"k`+n+`"`)))(w, s)
		}}}))
		c := connected(t, HTTP(s.URL), answering(nil))
		var calls sync.WaitGroup
		for n := range 20 {
			calls.Go(func() {
				if _, err := c.Call(t.Context(), "x", map[string]int{"n": n}); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
	})
}

// TestDecisions: what a handler decides is what the server is told, where there
// is a way to say it (MRT-03, T-37, M-MRTR-035, M-SAM-017).
func TestDecisions(t *testing.T) {
	decide := func(r *mcp.ElicitResult, err error) func(*Config) {
		return func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { return r, err }
		}
	}
	sample := func(r *mcp.CreateMessageResult, err error) func(*Config) {
		return func(c *Config) {
			c.Sample = func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) { return r, err }
		}
	}
	list := func(uri string, err error) func(*Config) {
		return func(c *Config) {
			c.Roots = func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: uri}}, err }
		}
	}
	broken := errors.New("broken")
	for _, tc := range []struct {
		name   string
		change func(*Config)
		ask    string
		answer string // what is sent, or empty
		err    error
		text   string
	}{
		{"decline", decide(&mcp.ElicitResult{Action: "decline"}, nil), form_(`"k"`), `{"action":"decline"}`, nil, ""},
		{"cancel", decide(&mcp.ElicitResult{Action: "cancel"}, nil), form_(`"k"`), `{"action":"cancel"}`, nil, ""},
		{"ErrDeclined", decide(nil, fmt.Errorf("no: %w", mcp.ErrDeclined)), form_(`"k"`), `{"action":"decline"}`, nil, ""},
		{"an error", decide(nil, broken), form_(`"k"`), `{"action":"cancel"}`, nil, ""},
		{"content", decide(&mcp.ElicitResult{Action: "accept", Content: json.RawMessage(`{"ok":false}`)}, nil), form_(`"k"`), `{"action":"accept","content":{"ok":false}}`, nil, ""},
		{"content that does not fit", decide(&mcp.ElicitResult{Action: "accept", Content: json.RawMessage(`{"ok":1}`)}, nil), form_(`"k"`), "", nil, `answer "k": content does not fit the form: ok`},
		{"no answer", decide(nil, nil), form_(`"k"`), "", nil, "answer is nil"},
		{"a panic", func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { panic("oh") }
		}, form_(`"k"`), "", nil, "handler of elicitation/create panicked: oh"},
		{"a URL declined", func(c *Config) {
			c.ElicitURL = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, mcp.ErrDeclined }
		}, page(`"k"`), `{"action":"decline"}`, nil, ""},
		{"sampling", sample(&mcp.CreateMessageResult{Role: "assistant", Model: "m", StopReason: "endTurn", Content: mcp.Blocks{mcp.Text("a"), mcp.Text("b")}}, nil), model(`"k"`),
			`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"model":"m","stopReason":"endTurn"}`, nil, ""},
		{"sampling declined", sample(nil, mcp.ErrDeclined), model(`"k"`), "", mcp.ErrDeclined, `answer "k"`},
		{"sampling failed", sample(nil, broken), model(`"k"`), "", broken, ""},
		{"sampling without a model", sample(&mcp.CreateMessageResult{Content: mcp.Blocks{mcp.Text("a")}}, nil), model(`"k"`), "", nil, "has no Model"},
		{"sampling without content (VAL-16)", sample(&mcp.CreateMessageResult{Model: "m"}, nil), model(`"k"`), "", nil, "has no Content"},
		{"sampling with a block that is nil (VAL-16)", sample(&mcp.CreateMessageResult{Model: "m", Content: mcp.Blocks{nil}}, nil), model(`"k"`), "", nil, "block 0"},
		{"sampling without an answer", sample(nil, nil), model(`"k"`), "", nil, "answer is nil"},
		{"roots failed", list("", broken), roots(`"k"`), "", broken, ""},
		{"a root that is no file (M-ROOT-003)", list("/home", nil), roots(`"k"`), "", nil, `root 0 has the URI "/home"`},
		{"no roots", func(c *Config) { c.Roots = func(context.Context) ([]mcp.Root, error) { return nil, nil } }, roots(`"k"`), `{"roots":[]}`, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {result(asks(`"s"`, tc.ask)), result(okResult)}}))
			cfg := answering(nil)
			tc.change(&cfg)
			_, err := connected(t, HTTP(s.URL), cfg).Call(t.Context(), "x", nil)
			if tc.answer != "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := s.got("tools/call", 1).param(t, "inputResponses", "k"); got != tc.answer {
					t.Errorf("answer %s, want %s", got, tc.answer)
				}
				return
			}
			var required *InputRequiredError
			if !errors.As(err, &required) || tc.err != nil && !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error is %v, want %v with %q", err, tc.err, tc.text)
			}
			if errors.Is(err, mcp.ErrCannotAsk) {
				t.Errorf("error %v says that nobody could be asked", err)
			}
			if sent := s.sent(); len(sent) != 2 {
				t.Errorf("sent %q: there is no form for such an answer", sent)
			}
		})
	}
}

// TestRefusals: what must not be asked ends the request before anybody is
// bothered (M-MRTR-009, M-ELI-004, M-SAM-002, T-35, T-37, T-60, MRT-03).
func TestRefusals(t *testing.T) {
	var many []string
	for i := range 33 {
		many = append(many, roots(fmt.Sprintf(`"k%d"`, i)))
	}
	tools := `"k":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`
	for _, tc := range []struct {
		name   string
		change func(*Config)
		result string
		err    error
		text   string
	}{
		{"no handler at all", func(c *Config) { *c = config() }, asks(`"s"`, form_(`"k"`)), mcp.ErrCannotAsk, `server asks for "k" (elicitation/create)`},
		{"no handler for forms", func(c *Config) { c.Elicit = nil }, asks(`"s"`, form_(`"k"`)), mcp.ErrCannotAsk, ""},
		{"no handler for URLs", func(c *Config) { c.ElicitURL = nil }, asks(`"s"`, page(`"k"`)), mcp.ErrCannotAsk, ""},
		{"no handler for one of several", func(c *Config) { c.Sample = nil }, asks(`"s"`, form_(`"k"`)+","+model(`"l"`)), mcp.ErrCannotAsk, `answer "l"`},
		{"no handler for roots", func(c *Config) { c.Roots = nil }, asks(`"s"`, roots(`"k"`)), mcp.ErrCannotAsk, ""},
		{"an unknown method", nil, asks(`"s"`, `"k":{"method":"vendor/ask","params":{}}`), mcp.ErrCannotAsk, "vendor/ask"},
		{"an unknown mode", nil, asks(`"s"`, `"k":{"method":"elicitation/create","params":{"mode":"voice","message":"?"}}`), mcp.ErrCannotAsk, "voice"},
		{"tools that were not declared", nil, asks(`"s"`, tools), mcp.ErrCannotAsk, "tools"},
		{"no schema", nil, asks(`"s"`, `"k":{"method":"elicitation/create","params":{"message":"?"}}`), mcp.ErrInvalidResponse, "requestedSchema"},
		{"a URL that starts a program", nil, asks(`"s"`, `"k":{"method":"elicitation/create","params":{"mode":"url","message":"?","url":"file:///bin/sh"}}`), mcp.ErrInvalidResponse, "file:///bin/sh"},
		{"params of another type", nil, asks(`"s"`, `"k":{"method":"elicitation/create","params":{"message":7}}`), mcp.ErrInvalidResponse, "message"},
		{"a result without its use", nil, asks(`"s"`, `"k":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[]}}]}}`), mcp.ErrInvalidResponse, "messages[0]"},
		{"too many questions", nil, asks(`"s"`, strings.Join(many, ",")), mcp.ErrTooLarge, "33 questions"},
		{"neither questions nor state", nil, `{"resultType":"input_required","inputRequests":{}}`, mcp.ErrInvalidResponse, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {result(tc.result)}}))
			cfg := answering(func(_ context.Context, what string) { t.Errorf("%s was asked", what) })
			if tc.change != nil {
				tc.change(&cfg)
			}
			_, err := connected(t, HTTP(s.URL), cfg).Call(t.Context(), "x", nil)
			var required *InputRequiredError
			if !errors.As(err, &required) || required.Rounds != 0 || !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error is %v, want %v with %q", err, tc.err, tc.text)
			}
			if sent := s.sent(); len(sent) != 2 {
				t.Errorf("sent %q", sent)
			}
		})
	}
	t.Run("input required of a request that cannot", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"completion/complete": {result(asks(`"s"`, form_(`"k"`)))}}))
		if _, err := connected(t, HTTP(s.URL), answering(nil)).Complete(t.Context(), mcp.CompleteParams{}); !errors.Is(err, mcp.ErrInvalidResponse) {
			t.Errorf("error is %v (M-MRTR-003)", err)
		}
	})
}

// TestRoundLimits: however the server goes on asking, it comes to an end (MRT-03,
// T-36, T-38, M-MRTR-028).
func TestRoundLimits(t *testing.T) {
	for _, tc := range []struct {
		name   string
		result func(n int) string
		asked  int
		again  int // how often the asker said so
		least  time.Duration
		most   time.Duration
	}{
		{"a new question each time", func(n int) string { return asks("", form_(fmt.Sprintf(`"k%d"`, n))) }, 10, 0, 0, 0},
		{"the same question each time", func(int) string { return asks(`"s"`, form_(`"k"`)) }, 10, 0, 0, 0},
		{"the same URL each time", func(int) string { return asks(`"s"`, page(`"k"`)) }, 10, 9, 10 * time.Second, 40 * time.Second},
		{"a state each time", func(int) string { return asks(`"s"`, "") }, 0, 0, 10 * time.Second, 40 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, asked, again := 0, 0, 0
				s, target := inMemory(t, modern(map[string][]act{"tools/call": {func(w http.ResponseWriter, s seen) {
					n++
					result(tc.result(n))(w, s)
				}}}))
				c := connected(t, target, answering(func(ctx context.Context, _ string) {
					asked++
					if AskedBy(ctx).Again {
						again++
					}
				}))
				start := time.Now()
				_, err := c.Call(t.Context(), "x", nil)
				var required *InputRequiredError
				if !errors.As(err, &required) || required.Rounds != 10 || !strings.Contains(err.Error(), "after 10 rounds (Config.MaxRounds)") {
					t.Errorf("error is %v", err)
				}
				if n != 11 || asked != tc.asked || again != tc.again {
					t.Errorf("%d requests, %d questions, %d of them again; want 11, %d, %d", n, asked, again, tc.asked, tc.again)
				}
				if took := time.Since(start); took < tc.least || took > tc.most {
					t.Errorf("took %v, want %v to %v", took, tc.least, tc.most)
				}
				_ = s
			})
		})
	}
}

// TestHumanTime: the time a question takes does not count for the request's
// timeout, but for the whole (INIT-16, M-MRTR-027, MRT-03).
func TestHumanTime(t *testing.T) {
	for _, tc := range []struct {
		name  string
		takes time.Duration // each answer
		opts  []CallOption
		after time.Duration
		limit string
	}{
		{"longer than the timeout", 4 * time.Minute, nil, 8 * time.Minute, ""},
		{"longer than the call's timeout", time.Minute, []CallOption{Timeout(time.Second)}, 2 * time.Minute, ""},
		{"longer than everything", 6 * time.Minute, nil, 10 * time.Minute, "10m0s (Config.MaxTimeout)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, target := inMemory(t, modern(map[string][]act{
					"tools/call": {result(asks("", form_(`"a"`))), result(asks("", form_(`"b"`))), result(okResult)},
				}))
				c := connected(t, target, answering(func(ctx context.Context, _ string) {
					select {
					case <-time.After(tc.takes):
					case <-ctx.Done():
					}
				}))
				start := time.Now()
				_, err := c.Call(t.Context(), "x", nil, tc.opts...)
				if tc.limit == "" && err != nil || tc.limit != "" && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tc.limit)) {
					t.Errorf("error is %v, want %q in it", err, tc.limit)
				}
				if got := time.Since(start); got != tc.after {
					t.Errorf("ended after %v, want %v", got, tc.after)
				}
			})
		})
	}
	t.Run("a server that is silent after the answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan string, 1)
			_, target := inMemory(t, modern(map[string][]act{"tools/call": {result(asks("", form_(`"a"`))), silent(ended)}}))
			c := connected(t, target, answering(func(context.Context, string) { <-time.After(2 * time.Minute) }))
			start := time.Now()
			_, err := c.Call(t.Context(), "x", nil)
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3*time.Minute {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			<-ended
		})
	})
	for name, end := range map[string]func(cancel context.CancelFunc, c *Client) error{
		"the caller goes away": func(cancel context.CancelFunc, _ *Client) error { cancel(); return nil },
		"the client is closed": func(_ context.CancelFunc, c *Client) error { return c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, target := inMemory(t, modern(map[string][]act{"tools/call": {result(asks("", form_(`"a"`)+","+form_(`"b"`)))}}))
				asked, gone := 0, make(chan error, 1)
				c := connected(t, target, answering(func(ctx context.Context, _ string) {
					asked++
					<-ctx.Done()
					gone <- context.Cause(ctx)
				}))
				ctx, cancel := context.WithCancel(t.Context())
				failed := make(chan error)
				go func() {
					_, err := c.Call(ctx, "x", nil)
					failed <- err
				}()
				synctest.Wait()
				closed := make(chan error, 1)
				go func() { closed <- end(cancel, c) }()
				err := <-failed
				if !errors.Is(err, context.Canceled) && !errors.Is(err, mcp.ErrClosed) {
					t.Errorf("error is %v", err)
				}
				<-gone
				cancel()
				if err := <-closed; err != nil || asked != 1 {
					t.Errorf("%d questions, error %v", asked, err)
				}
			})
		})
	}
	t.Run("a handler that does not return", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, target := inMemory(t, modern(map[string][]act{"tools/call": {result(asks("", form_(`"a"`)))}}))
			release := make(chan struct{})
			c, err := Connect(t.Context(), target, answering(func(context.Context, string) { <-release }))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := c.Call(ctx, "x", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
			if err := c.Close(); err == nil || !strings.Contains(err.Error(), "did not end") {
				t.Errorf("error is %v", err)
			}
			close(release)
		})
	})
}

// TestAskedBy: a handler can tell the user who asks, and why (M-ELI-020, ELI-18,
// T-60).
func TestAskedBy(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"tools/call": {result(asks("", form_(`"a"`))), result(okResult)}}))
	var got Asker
	c := connected(t, HTTP(s.URL), answering(func(ctx context.Context, _ string) { got = AskedBy(ctx) }))
	if _, err := c.Call(t.Context(), "rm", nil); err != nil {
		t.Fatal(err)
	}
	if got.Target != s.URL || got.Server.Info.Name != "new" || got.Request != mcp.MethodToolsCall || got.Tool != "rm" || got.Again {
		t.Errorf("asked by %+v", got)
	}
	if a := AskedBy(t.Context()); a.Target != "" {
		t.Errorf("nobody asks, but %+v", a)
	}
}
