package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

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
