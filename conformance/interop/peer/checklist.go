package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Conn is a client's connection in the words of the checklist.
type Conn interface {
	// Revision is what was negotiated.
	Revision() string
	// Tools, Resources and Templates list names, URIs and URI templates.
	Tools(ctx context.Context) ([]string, error)
	Resources(ctx context.Context) ([]string, error)
	Templates(ctx context.Context) ([]string, error)
	// Prompts lists prompts as "name(argument, argument)"; optional arguments end in "?".
	Prompts(ctx context.Context) ([]string, error)
	// Call calls a tool with raw arguments.
	Call(ctx context.Context, tool, args string) (Result, error)
	// Read returns the URI and the text of the first contents.
	Read(ctx context.Context, uri string) (gotURI, text string, err error)
	// Prompt returns the role and text of the first message.
	Prompt(ctx context.Context, name string, args map[string]string) (role, text string, err error)
	// Complete completes an argument of a prompt.
	Complete(ctx context.Context, prompt, argument, prefix string) ([]string, error)
	// Code returns the JSON-RPC code in an error, or 0 if the library hides it.
	Code(err error) int
	Close() error
}

// Result is what a tool call gave.
type Result struct {
	Text       string // of all text blocks
	Structured string // as JSON, "" if there was none
	IsError    bool
}

// The service has one completion, these names by prefix.
var completions = []string{"Ada", "Alan", "Grace"}

// Completions returns the names that start with the prefix.
func Completions(prefix string) []string {
	return slices.DeleteFunc(slices.Clone(completions), func(n string) bool { return !strings.HasPrefix(n, prefix) })
}

// A check returns a detail worth telling, or what is wrong.
type check struct {
	name string
	run  func(context.Context, Conn) (detail string, err error)
}

// bigInteger is the largest integer every peer can carry: JavaScript has no
// larger exact one.
const bigInteger = "9007199254740991"

const unicode = `{"text":"Grüße, 世界 👋\u2028\"\\","none":null,"list":[]}`

// checklist is for the service that all peers serve.
var checklist = []check{
	{"tools", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Tools(ctx)
		slices.Sort(got)
		return "", same(err, got, []string{"add", "echo", "fail"})
	}},
	{"resources", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Resources(ctx)
		return "", same(err, got, []string{"note://1"})
	}},
	{"templates", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Templates(ctx)
		return "", same(err, got, []string{"note://{id}"})
	}},
	{"prompts", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Prompts(ctx)
		return "", same(err, got, []string{"greet(name)"})
	}},
	{"add", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "add", `{"a":2,"b":0.5}`)
		if err == nil && !strings.Contains(r.Text, "2.5") {
			err = fmt.Errorf("text %q has no 2.5", r.Text)
		}
		return "", sameResult(c, err, r, `{"sum":2.5}`)
	}},
	{"fail", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "fail", `{}`)
		if err == nil && (!r.IsError || !strings.Contains(r.Text, "failed as asked")) {
			err = fmt.Errorf("got %+v", r)
		}
		return "", err
	}},
	{"echo-integer", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "echo", `{"value":`+bigInteger+`}`)
		if err == nil && !strings.Contains(r.Text, bigInteger) {
			err = fmt.Errorf("text %q has no %s", r.Text, bigInteger)
		}
		return "", sameResult(c, err, r, `{"value":`+bigInteger+`}`)
	}},
	{"echo-unicode", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "echo", `{"value":`+unicode+`}`)
		return "", sameResult(c, err, r, `{"value":`+unicode+`}`)
	}},
	{"read", func(ctx context.Context, c Conn) (string, error) {
		uri, text, err := c.Read(ctx, "note://1")
		return "", same(err, []string{uri, text}, []string{"note://1", "note 1"})
	}},
	{"read-template", func(ctx context.Context, c Conn) (string, error) {
		const want = "note://caf%C3%A9"
		uri, text, err := c.Read(ctx, want)
		if err == nil && text != "note café" && text != "note caf%C3%A9" {
			err = fmt.Errorf("text %q", text)
		}
		return text, same(err, uri, want)
	}},
	{"prompt", func(ctx context.Context, c Conn) (string, error) {
		role, text, err := c.Prompt(ctx, "greet", map[string]string{"name": "Ada"})
		return "", same(err, []string{role, text}, []string{"user", "Hello, Ada!"})
	}},
	{"complete", func(ctx context.Context, c Conn) (string, error) {
		got, err := c.Complete(ctx, "greet", "name", "A")
		return "", same(err, got, []string{"Ada", "Alan"})
	}},
	{"unknown-tool", func(ctx context.Context, c Conn) (string, error) {
		r, err := c.Call(ctx, "nothing", `{}`)
		if err == nil && r.IsError {
			return "isError: " + r.Text, nil
		}
		return refused(c, err)
	}},
	{"unknown-resource", func(ctx context.Context, c Conn) (string, error) {
		_, _, err := c.Read(ctx, "nothing://here")
		return refused(c, err)
	}},
	{"unknown-prompt", func(ctx context.Context, c Conn) (string, error) {
		_, _, err := c.Prompt(ctx, "nothing", nil)
		return refused(c, err)
	}},
}

// exact is for peers that keep the digits of a number.
var exact = []check{
	{"echo-exact", func(ctx context.Context, c Conn) (string, error) {
		const huge = "123456789012345678901234567890"
		r, err := c.Call(ctx, "echo", `{"value":`+huge+`}`)
		if err == nil && !strings.Contains(r.Text, huge) {
			err = fmt.Errorf("text %q has no %s", r.Text, huge)
		}
		return "", err
	}},
}

// goThrough runs all checks and returns how many failed.
func goThrough(ctx context.Context, list []check, c Conn, say func(check string, err error, detail string)) int {
	failed := 0
	for _, ch := range list {
		detail, err := ch.run(ctx, c)
		if err != nil {
			failed++
		}
		say(ch.name, err, detail)
	}
	return failed
}

// printer writes one JSON line per check.
func printer(w io.Writer) func(string, error, string) {
	var mu sync.Mutex
	enc := json.NewEncoder(w)
	return func(check string, err error, detail string) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			detail = err.Error()
		}
		_ = enc.Encode(map[string]any{"check": check, "ok": err == nil, "detail": detail})
	}
}

func same[T any](err error, got, want T) error {
	if err == nil && !reflect.DeepEqual(got, want) {
		err = fmt.Errorf("got %+v, want %+v", got, want)
	}
	return err
}

// sameResult compares structured content as JSON. Revisions before 2025-06-18
// have none; there the text alone counts.
func sameResult(c Conn, err error, r Result, want string) error {
	switch {
	case err != nil:
		return err
	case r.IsError:
		return fmt.Errorf("isError: %s", r.Text)
	case r.Structured == "" && c.Revision() < "2025-06-18":
		return nil
	}
	var g, w any
	if err := json.Unmarshal([]byte(r.Structured), &g); err != nil {
		return fmt.Errorf("structured content %q: %w", r.Structured, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return err
	}
	return same(nil, g, w)
}

// refused wants an error of the protocol: invalid params or resource not found.
func refused(c Conn, err error) (string, error) {
	if err == nil {
		return "", errors.New("was answered")
	}
	code := c.Code(err)
	if code != 0 && code != -32602 && code != -32002 {
		return "", fmt.Errorf("code %d: %w", code, err)
	}
	return err.Error(), nil
}

// Signature writes a prompt as "name(argument, optional?)".
func Signature(name string, arguments []string, required map[string]bool) string {
	for i, a := range arguments {
		if !required[a] {
			arguments[i] = a + "?"
		}
	}
	return name + "(" + strings.Join(arguments, ", ") + ")"
}
