package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestConfigFaults: all faults are said at once, before anything is sent.
func TestConfigFaults(t *testing.T) {
	s := newScript(t, nil)
	_, err := Connect(t.Context(), HTTP(s.URL), Config{
		Profile: 99, Prior: Verdict{Profile: 77}, Timeout: time.Minute, MaxTimeout: time.Second, ConnectTimeout: -1, ProbeTimeout: -1, CloseTimeout: -1,
		Limits: Limits{Message: -1, Depth: -1, Pages: -1, Entries: -1}, Output: 9,
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"Info.Name is empty", "Info.Version is empty", "Profile 99 is none", "Prior.Profile 77 is none", "MaxTimeout 1s is shorter than Timeout 1m0s",
		"ConnectTimeout is -1ns", "ProbeTimeout is -1ns", "CloseTimeout is -1ns",
		"Limits.Message is -1", "Limits.Depth is -1", "Limits.Pages is -1", "Limits.Entries is -1", "Output 9 is none",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error has no %q:\n%v", want, err)
		}
	}
	if len(s.sent()) != 0 {
		t.Errorf("sent %q", s.sent())
	}
}

func TestConfigDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	if c.Timeout != 60*time.Second || c.MaxTimeout != 10*time.Minute || c.ConnectTimeout != 30*time.Second || c.ProbeTimeout != 5*time.Second ||
		c.CloseTimeout != 10*time.Second || c.Limits != (Limits{Message: 16 << 20, Depth: 128, Pages: 1000, Entries: 100_000, Questions: 32}) || c.Logger == nil || c.Output != OutputStrict {
		t.Errorf("defaults are %+v", c)
	}
	if c := (Config{Timeout: time.Hour}).withDefaults(); c.MaxTimeout != time.Hour {
		t.Errorf("MaxTimeout is %v", c.MaxTimeout)
	}
}

// TestVerdictJSON: what is stored is what comes back (M-ERA-006).
func TestVerdictJSON(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"server/discover": {result(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"x":1},"extensions":{"a/b":{"n":18446744073709551615}}},"instructions":"i",` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1","vendor":true}}}`)}}))
	v := connected(t, HTTP(s.URL), config()).Verdict()
	stored, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"profile":"MODERN_2026_07_28","serverInfo":{"name":"n","version":"1","vendor":true},` +
		`"capabilities":{"tools":{"x":1},"extensions":{"a/b":{"n":18446744073709551615}}},"instructions":"i","found":"usable discovery result"}`
	if diff := cmp.Diff(want, string(stored)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	var back Verdict
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != want {
		t.Errorf("stored again as %s, error %v", again, err)
	}
	if back.IsZero() || !(Verdict{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

// TestIdentity: a server's name is read wherever it stands, and is never needed
// (MOD-20, T-33).
func TestIdentity(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":%s}`
	for _, tc := range []struct{ name, members, want string }{
		{"in _meta", fmt.Sprintf(meta, `{"name":"a","version":"1"}`), "a"},
		{"beside", `"serverInfo":{"name":"b","version":"1"}`, "b"},
		{"both", fmt.Sprintf(meta, `{"name":"a","version":"1"}`) + `,"serverInfo":{"name":"b","version":"1"}`, "a"},
		{"none", `"x":1`, ""},
		{"empty", fmt.Sprintf(meta, `{}`), ""},
		{"no object", fmt.Sprintf(meta, `"a"`), ""},
		{"no object beside", `"serverInfo":7`, ""},
		{"mistyped", fmt.Sprintf(meta, `{"name":7}`), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"server/discover": {result(`{"supportedVersions":["2099-01-01","2026-07-28"],"capabilities":{},` + tc.members + `}`)}}))
			if got := connected(t, HTTP(s.URL), config()).Server().Info.Name; got != tc.want {
				t.Errorf("name is %q, want %q", got, tc.want)
			}
		})
	}
}

// TestErrorTexts: errors say what was done, what was wrong, and show no secret.
func TestErrorTexts(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&AuthError{Status: 401, Challenge: []string{`Bearer realm="x"`}, Detail: "no token"}, `server refused the credentials with HTTP 401 Unauthorized, challenge "Bearer realm=\"x\"": "no token"`},
		{&AuthError{Status: 403}, `server refused the credentials with HTTP 403 Forbidden`},
		{&StatusError{Status: 429, RetryAfter: 7 * time.Second}, `server answered HTTP 429 Too Many Requests, retry after 7s`},
		{&StatusError{Status: 599, Detail: "x"}, `server answered HTTP 599: "x"`},
		{&NegotiationError{Outcome: "o", Err: errors.New("e"), Remedy: "r"}, `negotiate a revision: e (the probe: o); r`},
		{&OutputError{Tool: "t", Err: errors.New("e")}, `result does not fit the tool's output schema: e`},
		{
			&InputRequiredError{Result: &mcp.InputRequiredResult{InputRequests: map[string]mcp.InputRequest{"b": {Method: "roots/list"}, "a": {Method: "elicitation/create"}}}},
			`server asks for "a" (elicitation/create), "b" (roots/list)`,
		},
		{&InputRequiredError{Result: &mcp.InputRequiredResult{}}, `server asks to be called again with its state`},
		{&timeoutError{limit: "Config.Timeout", after: time.Second}, `no answer within 1s (Config.Timeout)`},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("text is %q, want %q", got, tc.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "x": 0, "99999999999999999999": 0, "Mon, 01 Jan 2001 00:00:00 GMT": 0} {
		if got := retryAfter(map[string][]string{"Retry-After": {value}}); got != want {
			t.Errorf("%q is %v, want %v", value, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " a\r\n\tb  c ": "a b c", "a\x00\x1b[31mb": "a[31mb", strings.Repeat("é", 500): strings.Repeat("é", 160) + "…",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestIdle: a client over HTTP that does nothing has no goroutine.
func TestIdle(t *testing.T) {
	cfg := config()
	cfg.Profile = mcp.Modern20260728
	before := runtime.NumGoroutine()
	for range 100 {
		connected(t, HTTP("http://127.0.0.1:1/mcp"), cfg)
	}
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("100 idle clients have %d goroutines", n)
	}
}
