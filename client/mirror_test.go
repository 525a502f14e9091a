package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// listing answers tools/list with tools of the given input schemas, named t0,
// t1 and so on.
func listing(schemas ...string) act {
	var tools []string
	for i, s := range schemas {
		tools = append(tools, `{"name":"t`+string(rune('0'+i))+`","inputSchema":`+s+`}`)
	}
	return result(`{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `]}`)
}

func listed(t *testing.T, c *Client) []string {
	t.Helper()
	names := []string{}
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// paramHeaders are the Mcp-Param-* headers of a request.
func paramHeaders(h http.Header) map[string]string {
	got := map[string]string{}
	for name, values := range h {
		if param, ok := strings.CutPrefix(name, headerParam); ok {
			got[param] = strings.Join(values, " | ")
		}
	}
	return got
}

const marked = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"n":{"type":"integer","x-mcp-header":"Count"},
	"on":{"type":"boolean","x-mcp-header":"On"},
	"method":{"type":"string","x-mcp-header":"Method"},
	"db":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}},
	"query":{"type":"string"}}}`

// TestMirror: the values of marked arguments in headers (M-XMH-002, M-XMH-008,
// M-XMH-011, M-XMH-016, M-XMH-017, M-XMH-026, M-ENC-002 to M-ENC-006, MOD-04,
// MOD-08).
func TestMirror(t *testing.T) {
	for _, tc := range []struct {
		name, args string
		want       map[string]string
		err        string
	}{
		{"all", `{"region":"us west 1","n":42,"on":true,"method":"m","db":{"zone":"z"},"query":"q"}`, map[string]string{"Region": "us west 1", "Count": "42", "On": "true", "Method": "m", "Zone": "z"}, ""},
		{"none", `{}`, map[string]string{}, ""},
		{"null", `{"region":null,"n":null,"db":null}`, map[string]string{}, ""},
		{"nested null", `{"db":{"zone":null}}`, map[string]string{}, ""},
		{"empty string", `{"region":""}`, map[string]string{"Region": ""}, ""},
		{"not at that path", `{"zone":"x","db":"y"}`, map[string]string{}, ""},
		{"not ASCII", `{"region":"Hello, 世界"}`, map[string]string{"Region": "=?base64?SGVsbG8sIOS4lueVjA==?="}, ""},
		{"blanks around", `{"region":" padded "}`, map[string]string{"Region": "=?base64?IHBhZGRlZCA=?="}, ""},
		{"line ends", `{"region":"line1\nline2"}`, map[string]string{"Region": "=?base64?bGluZTEKbGluZTI=?="}, ""},
		{"looks encoded", `{"region":"=?base64?literal?="}`, map[string]string{"Region": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}, ""},
		{"looks encoded in capitals", `{"region":"=?BASE64?x?="}`, map[string]string{"Region": "=?BASE64?x?="}, ""},
		{"integer as a float", `{"n":1.0e2}`, map[string]string{"Count": "100"}, ""},
		{"largest integer", `{"n":-9007199254740991}`, map[string]string{"Count": "-9007199254740991"}, ""},
		{"too large an integer", `{"n":9007199254740992}`, nil, `argument "n" is 9007199254740992`},
		{"object in place of a string", `{"region":{}}`, nil, `argument "region"`},
		{"wrong type, which is the server's to refuse", `{"n":"7","on":1.5}`, map[string]string{"Count": "7", "On": "1.5"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/list": {listing(marked)}, "tools/call": {result(okResult)}}))
			c := connected(t, HTTP(s.URL), config())
			listed(t, c)
			_, err := c.Call(t.Context(), "t0", json.RawMessage(tc.args))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, paramHeaders(s.got("tools/call", 0).Header)); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLeftOut: over HTTP, tools with bad annotations are left out with a warning
// and cannot be called; on a pipe they stay (M-XMH-003 to M-XMH-014, MOD-08,
// MOD-09, T-63, T-65).
func TestLeftOut(t *testing.T) {
	property := func(p string) string { return `{"type":"object","properties":{"p":` + p + `}}` }
	bad := map[string]string{
		"empty name":         property(`{"type":"string","x-mcp-header":""}`),
		"blank in the name":  property(`{"type":"string","x-mcp-header":"a b"}`),
		"colon in the name":  property(`{"type":"string","x-mcp-header":"a:b"}`),
		"line end":           property(`{"type":"string","x-mcp-header":"R\r\nX-Evil: 1"}`),
		"not ASCII":          property(`{"type":"string","x-mcp-header":"café"}`),
		"number as a name":   property(`{"type":"string","x-mcp-header":5}`),
		"null as a name":     property(`{"type":"string","x-mcp-header":null}`),
		"two of one name":    `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"REGION"}}}`,
		"type number":        property(`{"type":"number","x-mcp-header":"P"}`),
		"type object":        property(`{"type":"object","x-mcp-header":"P"}`),
		"no type":            property(`{"x-mcp-header":"P"}`),
		"under items":        property(`{"type":"array","items":{"type":"string","x-mcp-header":"P"}}`),
		"under oneOf":        `{"type":"object","oneOf":[{"properties":{"p":{"type":"string","x-mcp-header":"P"}}}]}`,
		"in $defs":           `{"type":"object","$defs":{"d":{"type":"string","x-mcp-header":"P"}}}`,
		"root is no object":  `{"type":["object"]}`,
		"root has no type":   `{"properties":{}}`,
		"root is a boolean":  `true`,
		"root is a $ref":     `{"$ref":"#/$defs/d","$defs":{"d":{"type":"object"}}}`,
		"additionalProperty": `{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"P"}}`,
	}
	for name, schema := range bad {
		t.Run(name, func(t *testing.T) {
			var text log
			cfg := config()
			cfg.Logger = text.logger()
			s := newScript(t, modern(map[string][]act{"tools/list": {listing(marked, schema, marked)}}))
			c := connected(t, HTTP(s.URL), cfg)
			for range 2 {
				if diff := cmp.Diff([]string{"t0", "t2"}, listed(t, c)); diff != "" {
					t.Errorf("listed (-want +got):\n%s", diff)
				}
			}
			if logged := text.String(); strings.Count(logged, "level=WARN") != 1 || !strings.Contains(logged, "tool=t1") {
				t.Errorf("log is %q", logged)
			}
			if _, err := c.Call(t.Context(), "t1", nil); !errors.Is(err, mcp.ErrInvalidResponse) {
				t.Errorf("error is %v", err)
			}
			target, _ := onPipe(t, map[string]line{
				"server/discover": say(discovered_("2026-07-28")),
				"tools/list":      say(`{"tools":[{"name":"t1","inputSchema":` + schema + `}]}`),
			})
			if diff := cmp.Diff([]string{"t1"}, listed(t, connected(t, target, config()))); diff != "" {
				t.Errorf("listed on a pipe (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("odd but valid", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"tools/list": {listing(property("{\"type\":\"string\",\"x-mcp-header\":\"!#$%&'*+-.^_`|~\"}"))}, "tools/call": {result(okResult)}}))
		c := connected(t, HTTP(s.URL), config())
		listed(t, c)
		if _, err := c.Call(t.Context(), "t0", map[string]string{"p": "v"}); err != nil {
			t.Fatal(err)
		}
		if got := s.got("tools/call", 0).Header.Get("Mcp-Param-!#$%&'*+-.^_`|~"); got != "v" {
			t.Errorf("headers are %v", s.got("tools/call", 0).Header)
		}
	})
	t.Run("legacy servers are not asked for it", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "", map[string][]act{"tools/list": {listing(bad["type object"], marked)}, "tools/call": {result(okResult)}}))
		c := connected(t, HTTP(s.URL), config())
		if diff := cmp.Diff([]string{"t0", "t1"}, listed(t, c)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if _, err := c.Call(t.Context(), "t1", map[string]any{"region": "x"}); err != nil {
			t.Fatal(err)
		}
		if got := paramHeaders(s.got("tools/call", 0).Header); len(got) != 0 {
			t.Errorf("headers are %v", got)
		}
	})
}

// TestMismatch: -32020 for a call lists the tools again and sends the call once
// more, with a new id and the headers of the new definition (M-XMH-020,
// M-XMH-021, M-XMH-023).
func TestMismatch(t *testing.T) {
	unmarked := `{"type":"object"}`
	mismatch := faultAt(400, -32020, "Mcp-Param-Region is missing")
	for _, tc := range []struct {
		name  string
		lists []act
		calls []act
		first bool // list before the call
		sent  []string
		ok    bool
	}{
		{"never listed", []act{listing(marked)}, []act{mismatch, result(okResult)}, false, []string{"tools/call", "tools/list", "tools/call"}, true},
		{"definition has changed", []act{listing(unmarked), listing(marked)}, []act{mismatch, result(okResult)}, true, []string{"tools/list", "tools/call", "tools/list", "tools/call"}, true},
		{"for good", []act{listing(marked)}, []act{mismatch}, false, []string{"tools/call", "tools/list", "tools/call"}, false},
		{"the list fails", []act{plainly(500, "", "")}, []act{mismatch}, false, []string{"tools/call", "tools/list"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/list": tc.lists, "tools/call": tc.calls}))
			c := connected(t, HTTP(s.URL), config())
			if tc.first {
				listed(t, c)
			}
			_, err := c.Call(t.Context(), "t0", map[string]any{"region": "eu"})
			if diff := cmp.Diff(tc.sent, s.sent()[1:]); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if !tc.ok {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first, second := s.got("tools/call", 0), s.got("tools/call", 1)
			if first.id() == second.id() || first.Header.Get("Mcp-Param-Region") != "" || second.Header.Get("Mcp-Param-Region") != "eu" {
				t.Errorf("sent with ids %s and %s, headers %v and %v", first.id(), second.id(), first.Header, second.Header)
			}
		})
	}
	t.Run("of another method: nothing to mend", func(t *testing.T) {
		s := newScript(t, modern(map[string][]act{"resources/read": {mismatch}}))
		c := connected(t, HTTP(s.URL), config())
		if _, err := c.Read(t.Context(), "a:b"); !errors.Is(err, &mcp.Error{Code: mcp.CodeHeaderMismatch}) || len(s.sent()) != 2 {
			t.Errorf("error %v, sent %q", err, s.sent())
		}
	})
}

// TestForgotten: what a complete list no longer has is forgotten, and the number
// of definitions is bounded.
func TestForgotten(t *testing.T) {
	s := newScript(t, modern(map[string][]act{"tools/list": {listing(marked, marked), listing(marked)}}))
	c := connected(t, HTTP(s.URL), config())
	listed(t, c)
	kept := c.tools.lookup("t0")
	listed(t, c)
	if c.tools.lookup("t1") != nil {
		t.Error("t1 is still known")
	}
	if c.tools.lookup("t0") != kept {
		t.Error("the definition of t0 was read again, though it is the same")
	}
	b := toolbox{limit: 1}
	b.learn([]mcp.Tool{{Name: "a", InputSchema: json.RawMessage(marked)}, {Name: "b", InputSchema: json.RawMessage(marked)}})
	if len(b.tools) != 1 {
		t.Errorf("%d definitions are kept", len(b.tools))
	}
}

// FuzzMirrored: no value of an argument breaks out of its header.
func FuzzMirrored(f *testing.F) {
	for _, seed := range []string{`"a"`, `""`, `" x "`, `"line1\nline2"`, `"=?base64?x?="`, `1`, `1e400`, `-0.0`, `true`, `null`, `{}`, `[]`, `"\u0000"`, `"é"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		args := []byte(`{"v":` + value + `}`)
		if jsonx.Check(args, 0) != nil {
			return
		}
		header, there, err := mirrored(valueAt(args, []string{"v"}))
		if err != nil || !there {
			return
		}
		for _, r := range header {
			if r < ' ' || r > '~' {
				t.Fatalf("%q becomes %q", value, header)
			}
		}
		var s string
		if json.Unmarshal([]byte(value), &s) != nil {
			return
		}
		if back, err := httpx.DecodeHeader(header); err != nil || back != s {
			t.Errorf("%q becomes %q, which is %q, error %v", value, header, back, err)
		}
	})
}
