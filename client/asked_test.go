package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// live is a scripted legacy server that asks the client within each tools/call:
// it sends texts, waits for as many responses as have ids, and completes.
type live struct {
	asks    []string // requests and notifications of the server
	waits   int      // responses to wait for
	mu      sync.Mutex
	answers []string
	ready   chan struct{} // closed when all are there
}

func newLive(waits int, asks ...string) *live {
	return &live{asks: asks, waits: waits, ready: make(chan struct{})}
}

func (l *live) answered(body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers = append(l.answers, string(body))
	if len(l.answers) == l.waits {
		close(l.ready)
	}
}

func (l *live) got() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.answers...)
}

// acts are what it does over HTTP: it asks on the stream of the POST.
func (l *live) acts() map[string][]act {
	return map[string][]act{
		"tools/call": {func(w http.ResponseWriter, s seen) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, a := range l.asks {
				fmt.Fprintf(w, "data: %s\n\n", a)
			}
			w.(http.Flusher).Flush()
			select {
			case <-l.ready:
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", s.id(), okResult)
			case <-s.done:
			}
		}},
		"response": {func(w http.ResponseWriter, s seen) {
			w.WriteHeader(http.StatusAccepted)
			l.answered(s.Body)
		}},
		"ping": {result(`{}`)},
	}
}

// lines are what it does on a pipe.
func (l *live) lines() map[string]line {
	var call seen
	return map[string]line{
		"tools/call": func(s seen) []string {
			call = s
			return l.asks
		},
		"": func(s seen) []string {
			if s.Method == mcp.MethodPing {
				return say(`{}`)(s)
			}
			if s.Method != "" {
				return nil
			}
			l.answered(s.Body)
			select {
			case <-l.ready:
				return say(okResult)(call)
			default:
				return nil
			}
		},
	}
}

// targets are l over each transport that a legacy server can ask on.
func (l *live) target(t *testing.T, over, version string) Target {
	if over == "pipe" {
		target, _ := onPipe(t, legacyPipe(version, l.lines()))
		return target
	}
	_, target := inMemory(t, legacy(version, "S", l.acts()))
	return target
}

// overEach runs test once for each transport, in a bubble.
func overEach(t *testing.T, test func(t *testing.T, over string)) {
	for _, over := range []string{"http", "pipe"} {
		t.Run(over, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, over) })
		})
	}
}

// TestLegacyAnswers: a server that sends requests is answered by the handlers,
// with the error codes the revision has for what cannot be (ROOT-02 to ROOT-05,
// SAMP-02 to SAMP-13, ELI-01 to ELI-13, CON-01).
func TestLegacyAnswers(t *testing.T) {
	const (
		older, old, newer = "2024-11-05", "2025-06-18", "2025-11-25"
		text              = `{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`
		formParams        = `{"message":"sure?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean","default":true}}}}`
	)
	secret := errors.New("key sk-123 is wrong")
	for _, tc := range []struct {
		name    string
		version string
		change  func(*Config)
		method  string
		params  string
		want    string
	}{
		{"a form", newer, nil, "elicitation/create", formParams, `"result":{"action":"accept","content":{"ok":true}}`},
		{"a form with its mode", newer, nil, "elicitation/create", strings.Replace(formParams, "{", `{"mode":"form",`, 1), `"result":{"action":"accept","content":{"ok":true}}`},
		{"a form of an older revision", old, nil, "elicitation/create", formParams, `"result":{"action":"accept","content":{"ok":true}}`},
		{"a form before there were forms", older, nil, "elicitation/create", formParams, `"error":{"code":-32601,"message":"this client answers no \"elicitation/create\""}`},
		{"a declined form", newer, func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, mcp.ErrDeclined }
		}, "elicitation/create", formParams, `"result":{"action":"decline"}`},
		{"a cancelled form", newer, func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, secret }
		}, "elicitation/create", formParams, `"result":{"action":"cancel"}`},
		{"a form that is filled in wrongly", newer, func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: json.RawMessage(`{"secret":1}`)}, nil
			}
		}, "elicitation/create", formParams, `"error":{"code":-32603,"message":"this client failed to answer \"elicitation/create\""}`},
		{"a form that panics", newer, func(c *Config) {
			c.Elicit = func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error) { panic("oh") }
		}, "elicitation/create", formParams, `"error":{"code":-32603,"message":"this client failed to answer \"elicitation/create\""}`},
		{"a form without a schema", newer, nil, "elicitation/create", `{"message":"?"}`, `"error":{"code":-32602,"message":"params of elicitation/create: requestedSchema is no object; a form has one with its fields in properties"}`},
		{"a form that is not flat", newer, nil, "elicitation/create", `{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`, `"error":{"code":-32602,"message":"params of elicitation/create: field \"a\" has type \"object\"; the fields of a form are strings, numbers, booleans and choices"}`},
		{"no params", newer, nil, "elicitation/create", ``, `"error":{"code":-32602,"message":"params of elicitation/create: requestedSchema is no object; a form has one with its fields in properties"}`},
		{"a form that nobody shows", newer, func(c *Config) { c.Elicit = nil }, "elicitation/create", formParams, `"error":{"code":-32602,"message":"this client answers no \"form\""}`},
		{"no elicitation", newer, func(c *Config) { c.Elicit, c.ElicitURL = nil, nil }, "elicitation/create", formParams, `"error":{"code":-32601,"message":"this client answers no \"elicitation/create\""}`},
		{"a URL", newer, nil, "elicitation/create", `{"mode":"url","message":"?","url":"https://example.com","elicitationId":"1"}`, `"result":{"action":"accept"}`},
		{"a URL that nobody opens", newer, func(c *Config) { c.ElicitURL = nil }, "elicitation/create", `{"mode":"url","message":"?","url":"https://example.com","elicitationId":"1"}`, `"error":{"code":-32602,"message":"this client answers no \"url\""}`},
		{"a URL before there were URLs", old, nil, "elicitation/create", `{"mode":"url","message":"?","url":"https://example.com"}`, `"error":{"code":-32602,"message":"this client answers no \"url\""}`},
		{"a model", older, nil, "sampling/createMessage", text, `"result":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`},
		{"a declined model", newer, func(c *Config) {
			c.Sample = func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
				return nil, fmt.Errorf("user: %w", mcp.ErrDeclined)
			}
		}, "sampling/createMessage", text, `"error":{"code":-1,"message":"rejected by the user"}`},
		{"a model that fails", newer, func(c *Config) {
			c.Sample = func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) { return nil, secret }
		}, "sampling/createMessage", text, `"error":{"code":-32603,"message":"this client failed to answer \"sampling/createMessage\""}`},
		{"a model that fails with a code", newer, func(c *Config) {
			c.Sample = func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
				return nil, &mcp.Error{Code: 42, Message: "quota", Data: json.RawMessage(`{"left":0}`)}
			}
		}, "sampling/createMessage", text, `"error":{"code":42,"message":"quota","data":{"left":0}}`},
		{"an answer the revision cannot express", old, func(c *Config) {
			c.Sample = func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
				return &mcp.CreateMessageResult{Model: "m", Content: mcp.Blocks{&mcp.ToolUseContent{ID: "1", Name: "t"}}}, nil
			}
		}, "sampling/createMessage", text, `"error":{"code":-32603,"message":"this client failed to answer \"sampling/createMessage\""}`},
		{"tools for a model", newer, func(c *Config) { c.SampleTools = true }, "sampling/createMessage", `{"maxTokens":9,"messages":[],"toolChoice":{"mode":"none"}}`, `"result":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`},
		{"tools that were not declared", newer, nil, "sampling/createMessage", `{"maxTokens":9,"messages":[],"toolChoice":{"mode":"none"}}`, `"error":{"code":-32602,"message":"this client answers no \"tools\""}`},
		{"roots", older, nil, "roots/list", ``, `"result":{"roots":[{"uri":"file:///home","name":"home"}]}`},
		{"no roots", newer, func(c *Config) { c.Roots = nil }, "roots/list", ``, `"error":{"code":-32601,"message":"this client answers no \"roots/list\""}`},
		{"roots that fail", newer, func(c *Config) {
			c.Roots = func(context.Context) ([]mcp.Root, error) { return nil, secret }
		}, "roots/list", ``, `"error":{"code":-32603,"message":"this client failed to answer \"roots/list\""}`},
		{"ping", newer, nil, "ping", ``, `"result":{}`},
		{"an unknown method", newer, nil, "vendor/ask", `{}`, `"error":{"code":-32601,"message":"this client answers no \"vendor/ask\""}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			overEach(t, func(t *testing.T, over string) {
				request := `{"jsonrpc":"2.0","id":"q","method":"` + tc.method + `"}`
				if tc.params != "" {
					request = `{"jsonrpc":"2.0","id":"q","method":"` + tc.method + `","params":` + tc.params + `}`
				}
				l := newLive(1, request)
				cfg := answering(nil)
				if tc.change != nil {
					tc.change(&cfg)
				}
				c := connected(t, l.target(t, over, tc.version), cfg)
				if r, err := c.Call(t.Context(), "x", nil); err != nil || r.Text() != "ok" {
					t.Fatalf("result %v, error %v", r, err)
				}
				if diff := cmp.Diff([]string{`{"jsonrpc":"2.0","id":"q",` + tc.want + `}`}, l.got()); diff != "" {
					t.Errorf("answers (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// question_ is a form that a legacy server asks.
func question_(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create",` + confirmForm + `}`
}

// TestLegacyLive: questions wait for people, and nothing else waits for them
// (CON-01, PING-01, CAN-01, INIT-16, ELI-18, T-60).
func TestLegacyLive(t *testing.T) {
	t.Run("a handler uses the client, and a ping overtakes it", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(2, question_("1"), `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			var c *Client
			var by Asker
			ready := make(chan struct{})
			c = connected(t, l.target(t, over, "2025-11-25"), answering(func(ctx context.Context, _ string) {
				<-ready
				by = AskedBy(ctx)
				synctest.Wait() // the ping is answered meanwhile
				if got := l.got(); len(got) != 1 || got[0] != `{"jsonrpc":"2.0","id":2,"result":{}}` {
					t.Errorf("answers before the form: %q", got)
				}
				if err := c.Ping(ctx); err != nil {
					t.Error(err)
				}
			}))
			close(ready)
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if by.Server.Info.Name != "old" || over == "http" && (by.Request != "tools/call" || by.Tool != "x") {
				t.Errorf("asked by %+v", by)
			}
		})
	})
	t.Run("a person may take longer than the timeout", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(1, question_("1"))
			c := connected(t, l.target(t, over, "2025-11-25"), answering(func(context.Context, string) { <-time.After(5 * time.Minute) }))
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("but not longer than everything", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(1, question_("1"))
			c := connected(t, l.target(t, over, "2025-11-25"), answering(func(ctx context.Context, _ string) { <-ctx.Done() }))
			start := time.Now()
			_, err := c.Call(t.Context(), "x", nil)
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Minute {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("the server cancels its question", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(1, question_("1"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			gone := make(chan struct{}, 1)
			c := connected(t, l.target(t, over, "2025-11-25"), answering(func(ctx context.Context, _ string) {
				<-ctx.Done()
				gone <- struct{}{}
			}))
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := l.got(); len(got) != 1 || !strings.Contains(got[0], `"p"`) {
				t.Errorf("answers %q; a question that was cancelled has none", got)
			}
			select {
			case <-gone:
			default:
				// It was cancelled before it was shown.
			}
		})
	})
	t.Run("more questions than are answered at once", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(3, question_("1"), question_("2"), question_("3"))
			release := make(chan struct{})
			cfg := answering(func(context.Context, string) { <-release })
			cfg.Limits.Questions = 2
			c := connected(t, l.target(t, over, "2025-11-25"), cfg)
			go func() {
				synctest.Wait()
				close(release)
			}()
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			refused := 0
			for _, a := range l.got() {
				if strings.Contains(a, `"error":{"code":-32603,"message":"2 questions wait for an answer already"}`) {
					refused++
				}
			}
			if refused != 1 {
				t.Errorf("answers %q", l.got())
			}
		})
	})
	t.Run("close does not wait for a person", func(t *testing.T) {
		overEach(t, func(t *testing.T, over string) {
			l := newLive(2, question_("1")) // an error in place of an answer is not enough for it
			release := make(chan struct{})
			c, err := Connect(t.Context(), l.target(t, over, "2025-11-25"), answering(func(context.Context, string) { <-release }))
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error)
			go func() {
				_, err := c.Call(t.Context(), "x", nil)
				failed <- err
			}()
			synctest.Wait()
			start := time.Now()
			closed := make(chan error, 1)
			go func() { closed <- c.Close() }()
			if err := <-failed; !errors.Is(err, mcp.ErrClosed) {
				t.Errorf("error is %v", err)
			}
			if err := <-closed; err == nil || time.Since(start) != DefaultCloseTimeout {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			close(release)
		})
	})
}

// TestLegacyAbandoned: over HTTP a question ends with the request on whose
// stream it came (L-HTTP-21), and is not asked twice when a stream brings it twice.
func TestLegacyAbandoned(t *testing.T) {
	t.Run("given up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLive(1, question_("1"))
			gone := make(chan error, 1)
			c := connected(t, l.target(t, "http", "2025-11-25"), answering(func(ctx context.Context, _ string) {
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
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v", err)
			}
			<-gone
			synctest.Wait()
			if got := l.got(); len(got) != 1 || !strings.Contains(got[0], "-32603") {
				t.Errorf("answers %q", got)
			}
		})
	})
	t.Run("twice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLive(1, question_("1"), question_("1"))
			asked := 0
			c := connected(t, l.target(t, "http", "2025-11-25"), answering(func(context.Context, string) {
				asked++
				<-time.After(time.Second)
			}))
			if _, err := c.Call(t.Context(), "x", nil); err != nil || asked != 1 {
				t.Errorf("asked %d times, error %v", asked, err)
			}
		})
	})
	t.Run("a question that outlives the request it came with", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			answered := make(chan string, 1)
			_, target := inMemory(t, legacy("2025-11-25", "", map[string][]act{
				"tools/call": {stream("data: " + question_("1") + "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + okResult + "}\n\n")},
				"response": {func(w http.ResponseWriter, s seen) {
					w.WriteHeader(http.StatusAccepted)
					answered <- string(s.Body)
				}},
			}))
			c := connected(t, target, answering(func(context.Context, string) { <-time.After(time.Minute) }))
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if got := <-answered; !strings.Contains(got, `"action":"accept"`) {
				t.Errorf("answer %s", got)
			}
		})
	})
	t.Run("an answer that cannot be delivered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, target := inMemory(t, legacy("2025-11-25", "", map[string][]act{
				"tools/call": {stream("data: " + question_("1") + "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + okResult + "}\n\n")},
				"response": {func(w http.ResponseWriter, _ seen) {
					w.WriteHeader(http.StatusInternalServerError)
					_, _ = io.WriteString(w, "no")
				}},
			}))
			var text log
			cfg := answering(nil)
			cfg.Logger = text.logger()
			c := connected(t, target, cfg)
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		})
	})
}

// TestDeclared: each revision is told exactly what there are handlers for
// (CAP-08 to CAP-11, ELI-01, M-ELI-001 to M-ELI-003, M-SAM-001, M-ROOT-001).
func TestDeclared(t *testing.T) {
	all := answering(nil)
	forms, urls, tools := config(), config(), config()
	forms.Elicit, urls.ElicitURL, tools.Sample, tools.SampleTools = all.Elicit, all.ElicitURL, all.Sample, true
	for _, tc := range []struct {
		name string
		cfg  Config
		want map[string]string // by revision
	}{
		{"nothing", config(), map[string]string{"2024-11-05": `{}`, "2025-03-26": `{}`, "2025-06-18": `{}`, "2025-11-25": `{}`, "2026-07-28": `{}`}},
		{"forms", forms, map[string]string{"2024-11-05": `{}`, "2025-03-26": `{}`, "2025-06-18": `{"elicitation":{}}`, "2025-11-25": `{"elicitation":{"form":{}}}`, "2026-07-28": `{"elicitation":{"form":{}}}`}},
		{"URLs", urls, map[string]string{"2024-11-05": `{}`, "2025-06-18": `{}`, "2025-11-25": `{"elicitation":{"url":{}}}`, "2026-07-28": `{"elicitation":{"url":{}}}`}},
		{"tools", tools, map[string]string{"2024-11-05": `{"sampling":{}}`, "2025-06-18": `{"sampling":{}}`, "2025-11-25": `{"sampling":{"tools":{}}}`, "2026-07-28": `{"sampling":{"tools":{}}}`}},
		{"everything", all, map[string]string{
			"2024-11-05": `{"roots":{"listChanged":true},"sampling":{}}`,
			"2025-06-18": `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`,
			"2025-11-25": `{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
			"2026-07-28": `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		}},
	} {
		for version, want := range tc.want {
			t.Run(tc.name+"/"+version, func(t *testing.T) {
				on := legacy(version, "", map[string][]act{"tools/call": {result(okResult)}})
				if version == "2026-07-28" {
					on = modern(map[string][]act{"tools/call": {result(okResult)}})
				}
				s := newScript(t, on)
				c := connected(t, HTTP(s.URL), tc.cfg)
				if _, err := c.Call(t.Context(), "x", nil); err != nil {
					t.Fatal(err)
				}
				if version != "2026-07-28" {
					// What is offered first is the newest legacy revision, and so it is said in its words.
					s = newScript(t, on)
					cfg := tc.cfg
					cfg.Profile, _ = mcp.ProfileOf(version)
					on["initialize"] = []act{welcome(version, "")}
					connected(t, HTTP(s.URL), cfg)
					if got := s.got("initialize", 0).param(t, "capabilities"); got != want {
						t.Errorf("declared %s, want %s", got, want)
					}
					return
				}
				for _, method := range []string{"server/discover", "tools/call"} {
					if got := s.got(method, 0).param(t, "_meta", mcp.MetaClientCapabilities); got != want {
						t.Errorf("%s declares %s, want %s", method, got, want)
					}
				}
			})
		}
	}
}

// TestRootsChanged: changed roots are announced where that has a meaning
// (ROOT-04).
func TestRootsChanged(t *testing.T) {
	for _, tc := range []struct {
		name string
		on   map[string][]act
		cfg  Config
		sent int
		text string
	}{
		{"legacy", legacy("2025-11-25", "S", nil), answering(nil), 1, ""},
		{"modern", modern(nil), answering(nil), 0, ""},
		{"without roots", legacy("2025-11-25", "S", nil), config(), 0, "Config.Roots is nil"},
		{"a server that fails", legacy("2025-11-25", "S", map[string][]act{"notifications/roots/list_changed": {plainly(500, "", "")}}), answering(nil), 1, "HTTP 500"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, tc.on)
			c := connected(t, HTTP(s.URL), tc.cfg)
			err := c.RootsChanged(t.Context())
			if tc.text == "" && err != nil || tc.text != "" && (err == nil || !strings.Contains(err.Error(), tc.text)) {
				t.Errorf("error is %v, want %q in it", err, tc.text)
			}
			n := 0
			for _, method := range s.sent() {
				if method == mcp.NotifyRootsListChanged {
					n++
				}
			}
			if n != tc.sent {
				t.Errorf("sent %q", s.sent())
			}
		})
	}
	c, err := Connect(t.Context(), HTTP(newScript(t, modern(nil)).URL), answering(nil))
	if err != nil || c.Close() != nil {
		t.Fatal(err)
	}
	if err := c.RootsChanged(t.Context()); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("error is %v", err)
	}
}
