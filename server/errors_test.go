package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

func testLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func wrap(err error) error { return fmt.Errorf("while doing it: %w", err) }

// failing is a service whose tool, resource and prompt all fail with err.
func failing(err error) *Service {
	s := NewService("")
	fail := func(context.Context, nothing) (string, error) { return "", err }
	Tool(s, "t", fail)
	Resource(s, "x://r", fail)
	Prompt(s, "p", fail)
	return s
}

var targets = map[string]string{
	mcp.MethodToolsCall:     `{"name":"t"}`,
	mcp.MethodResourcesRead: `{"uri":"x://r"}`,
	mcp.MethodPromptsGet:    `{"name":"p"}`,
}

// TestHandlerErrors: docs/errors.md, row by row.
func TestHandlerErrors(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		expose bool
		// want is "code message data" for each method; a tool's "isError text".
		tool, resource, prompt string
	}{
		{"an ordinary error", wrap(errors.New("secret path")), false, "isError while doing it: secret path", "-32603 internal error ", "-32603 internal error "},
		{"an ordinary error, exposed", wrap(errors.New("why")), true, "isError while doing it: why", "-32603 internal error: while doing it: why ", "-32603 internal error: while doing it: why "},
		{"Refuse", Refuse("not on %s", "Sunday"), false, "isError not on Sunday", "-32602 not on Sunday ", "-32602 not on Sunday "},
		{"a wrapped mcp.Error", wrap(&mcp.Error{Code: 4711, Message: "own", Data: []byte(`{"a":1}`)}), false, `4711 own {"a":1}`, `4711 own {"a":1}`, `4711 own {"a":1}`},
		{"mcp.ErrNotFound", wrap(mcp.ErrNotFound), false, `-32602 while doing it: not found {"name":"t"}`, `-32602 unknown resource "x://r" {"uri":"x://r"}`, `-32602 unknown prompt "p" {"name":"p"}`},
		{"a nil *mcp.Error that is an error all the same", wrap((*mcp.Error)(nil)), false, "-32603 internal error ", "-32603 internal error ", "-32603 internal error "},
		{"a nil *mcp.ToolError", (*mcp.ToolError)(nil), true, "-32603 internal error: " + errNilError.Error() + " ", "-32603 internal error: " + errNilError.Error() + " ", "-32603 internal error: " + errNilError.Error() + " "},
		{"a code that is not ours to send (M-ERR-009)", &mcp.Error{Code: -32050, Message: "odd"}, false, "-32603 odd ", "-32603 odd ", "-32603 odd "},
		{"the old code of a missing resource (M-ERR-011)", &mcp.Error{Code: mcp.CodeResourceNotFound, Message: "gone", Data: []byte(`{"uri":"x://r"}`)}, false, `-32602 gone {"uri":"x://r"}`, `-32602 gone {"uri":"x://r"}`, `-32602 gone {"uri":"x://r"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := configured(t, Config{ExposeErrors: tt.expose}, failing(tt.err))
			for method, want := range map[string]string{mcp.MethodToolsCall: tt.tool, mcp.MethodResourcesRead: tt.resource, mcp.MethodPromptsGet: tt.prompt} {
				r := ask(t, srv, request(method, targets[method]))
				if got := outline(t, r); got != want {
					t.Errorf("%s:\ngot  %s\nwant %s", method, got, want)
				}
			}
		})
	}
	t.Run("a missing resource has its old code on the old revisions (RES-06, DN-12)", func(t *testing.T) {
		srv := serverOf(t, failing(wrap(mcp.ErrNotFound)))
		for _, p := range mcp.Profiles()[1:] {
			r := ask(t, srv, requestIn(p, mcp.MethodResourcesRead, `{"uri":"x://r"}`))
			if got, want := outline(t, r), `-32002 unknown resource "x://r" {"uri":"x://r"}`; got != want {
				t.Errorf("%v: got %s, want %s", p, got, want)
			}
		}
	})
}

// outline is a response in one line.
func outline(t *testing.T, r response) string {
	t.Helper()
	if r.Error != nil {
		return fmt.Sprintf("%d %s %s", r.Error.Code, r.Error.Message, r.Error.Data)
	}
	var out mcp.CallToolResult
	if err := out.UnmarshalJSON(r.Result); err != nil {
		t.Fatal(err)
	}
	if out.IsError {
		return "isError " + out.Text()
	}
	return out.Text()
}

// TestHiddenErrorsAreLogged: what a caller is not told, the operator is.
func TestHiddenErrorsAreLogged(t *testing.T) {
	var log strings.Builder
	srv := configured(t, Config{Logger: testLogger(&log)}, failing(errors.New("secret path")))
	wantError(t, srv, request(mcp.MethodResourcesRead, `{"uri":"x://r"}`), mcp.CodeInternal)
	for _, want := range []string{"level=ERROR", "method=resources/read", "name=x://r", `error="secret path"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log %q does not say %s", log.String(), want)
		}
	}
}

// TestCancelled: nothing is sent for a request that is no longer wanted,
// whatever its handler returns (T-56, CON-05, M-CAN-007).
func TestCancelled(t *testing.T) {
	for name, outcome := range map[string]error{"its error": context.Canceled, "another error": errors.New("x"), "a result": nil, "a refusal": Refuse("x")} {
		t.Run(name, func(t *testing.T) {
			srv := serverOf(t, failing(outcome))
			for method, params := range targets {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if r := srv.serve(ctx, request(method, params)); r.body != nil {
					t.Errorf("%s: sent %s", method, r.body)
				}
			}
		})
	}
}

// TestTimedOut: a call that runs into the server's limit is told so.
func TestTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewService("")
		wait := func(ctx context.Context, _ nothing) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		Tool(s, "t", wait)
		Resource(s, "x://r", wait)
		Prompt(s, "p", wait)
		srv := configured(t, Config{Limits: Limits{Call: 5 * time.Second}}, s)
		for method, want := range map[string]string{
			mcp.MethodToolsCall:     "isError timed out after 5s",
			mcp.MethodResourcesRead: "-32603 timed out after 5s ",
			mcp.MethodPromptsGet:    "-32603 timed out after 5s ",
		} {
			if got := outline(t, parsed(t, srv.serve(t.Context(), request(method, targets[method])))); got != want {
				t.Errorf("%s: got %s, want %s", method, got, want)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := outline(t, parsed(t, srv.serve(ctx, request(mcp.MethodToolsCall, targets[mcp.MethodToolsCall])))); got != "isError timed out" {
			t.Errorf("the transport's limit: got %s", got)
		}
	})
}

// TestPanics: what user code throws ends its own exchange with -32603 and a
// neutral text, and nothing else (CON-14).
func TestPanics(t *testing.T) {
	throws := map[string]func(){
		"a value":          func() { panic("secret") },
		"nil":              func() { panic(nil) }, //nolint:govet // that is the case
		"a runtime error":  func() { n := len(targets); _ = make([]int, n)[n] },
		"a closed channel": func() { c := make(chan int); close(c); c <- 1 },
	}
	for name, throw := range throws {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			srv := configured(t, Config{Logger: testLogger(&log)}, throwing(throw))
			for method, params := range map[string]string{
				mcp.MethodToolsCall: `{"name":"t"}`, mcp.MethodResourcesRead: `{"uri":"x://a"}`, mcp.MethodPromptsGet: `{"name":"p"}`,
				mcp.MethodComplete: `{"ref":{"type":"ref/resource","uri":"x://{v}"},"argument":{"name":"v","value":""}}`,
			} {
				r := wantError(t, srv, request(method, params), mcp.CodeInternal)
				if r.Error.Message != "internal error" || r.Error.Data != nil || r.status != 200 {
					t.Errorf("%s: %d %+v", method, r.status, r.Error)
				}
			}
			if n := strings.Count(log.String(), "handler panicked"); n != 4 {
				t.Errorf("%d panics in the log: %s", n, log.String())
			}
			if !strings.Contains(log.String(), "errors_test.go") {
				t.Error("the log has no stack")
			}
		})
	}
	t.Run("predicates, interceptors and names of panicking kinds", func(t *testing.T) {
		s := NewService("")
		Tool(s, "t", says("fine"))
		for name, cfg := range map[string]Config{
			"predicate":   {Visible: func(context.Context, Entry) bool { panic("x") }},
			"interceptor": {Interceptors: []Interceptor{func(context.Context, *Call, Next) (any, error) { panic("x") }}},
		} {
			srv := configured(t, cfg, s)
			for _, method := range []string{mcp.MethodToolsCall, mcp.MethodToolsList} {
				if r := wantError(t, srv, request(method, `{"name":"t"}`), mcp.CodeInternal); r.Error.Message != "internal error" {
					t.Errorf("%s: %+v", name, r.Error)
				}
			}
		}
	})
}

// throwing is a service whose handlers, and a completion, call throw.
func throwing(throw func()) *Service {
	s := NewService("")
	handler := func(context.Context, nothing) (string, error) { throw(); return "", nil }
	Tool(s, "t", handler)
	Resource(s, "x://{v}", func(context.Context, struct {
		V string `json:"v"`
	}) (string, error) {
		throw()
		return "", nil
	}, Complete("v", func(context.Context, string, map[string]string) ([]string, error) { throw(); return nil, nil }))
	Prompt(s, "p", handler)
	return s
}

// TestGoexit: a handler that ends its goroutine still gets its caller an answer,
// through the adapter (CON-14).
func TestGoexit(t *testing.T) {
	var log strings.Builder
	srv := configured(t, Config{Logger: testLogger(&log)}, throwing(runtime.Goexit))
	x := request(mcp.MethodToolsCall, `{"name":"t"}`)
	var out reply
	x.abandon = func(r reply) { out = r }
	var done sync.WaitGroup
	done.Go(func() {
		srv.serve(t.Context(), x)
		t.Error("serve returned")
	})
	done.Wait()
	if r := parsed(t, out); r.Error == nil || r.Error.Code != int(mcp.CodeInternal) || r.Error.Message != "internal error" {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(log.String(), "handler ended its goroutine") {
		t.Errorf("log: %s", log.String())
	}
}

// TestPanicsLeaveOthersAlone: calls in flight beside one that panics finish.
func TestPanicsLeaveOthersAlone(t *testing.T) {
	s := throwing(func() { panic("x") })
	Tool(s, "fine", says("fine"))
	srv := serverOf(t, s)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			if i%10 == 0 {
				wantError(t, srv, request(mcp.MethodToolsCall, `{"name":"t"}`), mcp.CodeInternal)
			} else if r := callTool(t, srv, "fine", ""); r.Text() != "fine" {
				t.Errorf("got %q", r.Text())
			}
		})
	}
	all.Wait()
}
