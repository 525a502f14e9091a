package httpx

import (
	"errors"
	"net/http"
	"testing"
)

// M-HDR-012, M-HDR-014, M-HDR-015, T-17, MOD-06.
func TestSingle(t *testing.T) {
	for _, c := range []struct {
		name    string
		values  []string
		want    string
		present bool
		err     string
	}{
		{"absent", nil, "", false, ""},
		{"empty is present", []string{""}, "", true, ""},
		{"blanks and tabs around it", []string{"  \t foo \t"}, "foo", true, ""},
		{"other white space stays", []string{"\u00a0foo"}, "\u00a0foo", true, ""},
		{"a list is one value", []string{"tools/list, tools/call"}, "tools/list, tools/call", true, ""},
		{"twice", []string{"a", "b"}, "", true, "repeated header: Mcp-Name stands there 2 times; send it once"},
		{"twice the same", []string{"a", "a"}, "", true, "repeated header: Mcp-Name stands there 2 times; send it once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for _, v := range c.values {
				h.Add("mcp-NAME", v)
			}
			got, present, err := Single(h, "MCP-name")
			if got != c.want || present != c.present {
				t.Errorf("got %q, %t; want %q, %t", got, present, c.want, c.present)
			}
			if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("error is %v, want %q", err, c.err)
			}
			if err != nil && !errors.Is(err, ErrRepeated) {
				t.Errorf("%v does not match ErrRepeated", err)
			}
		})
	}
}

// MOD-09: what may become part of a header's name.
func TestIsToken(t *testing.T) {
	for s, want := range map[string]bool{
		"Region": true, "!#$%&'*+-.^_`|~09": true,
		"": false, "a b": false, "a:b": false, "R\r\nX-Evil: 1": false, "caf\u00e9": false, "a\x00": false, "a/b": false, "(a)": false,
	} {
		if got := IsToken(s); got != want {
			t.Errorf("IsToken(%q) = %t", s, got)
		}
	}
}
