package server

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

type mirroredIn struct {
	Region string `json:"region" mcp:"optional,header=Region"`
	Shard  int64  `json:"shard" mcp:"optional,header=Shard"`
	Dry    bool   `json:"dry" mcp:"optional,header=Dry-Run"`
	DB     struct {
		Zone string `json:"zone" mcp:"optional,header=Zone"`
	} `json:"db" mcp:"optional"`
}

// TestMirroredParameters: Mcp-Param-* agree with the arguments they repeat.
func TestMirroredParameters(t *testing.T) {
	s := NewService("")
	Tool(s, "t", func(context.Context, mirroredIn) (string, error) { return "ran", nil })
	srv := serverOf(t, s)
	tests := []struct {
		name, args string
		header     http.Header
		ok         bool
	}{
		{"equal", `{"region":"eu"}`, header("Mcp-Param-Region", "eu"), true},
		{"name in another case (M-HDR-012)", `{"region":"eu"}`, header("mcp-param-REGION", "eu"), true},
		{"blanks around it (M-HDR-014)", `{"region":"eu"}`, header("Mcp-Param-Region", "  eu\t"), true},
		{"value in another case (M-HDR-013)", `{"region":"eu"}`, header("Mcp-Param-Region", "EU"), false},
		{"missing (M-XMH-019, M-VAL-003)", `{"region":"eu"}`, nil, false},
		{"different (M-VAL-004)", `{"region":"eu"}`, header("Mcp-Param-Region", "us"), false},
		{"twice, even if equal (T-17, M-HDR-015)", `{"region":"eu"}`, header("Mcp-Param-Region", "eu", "Mcp-Param-Region", "eu"), false},
		{"absent and no header (M-XMH-018)", `{}`, nil, true},
		{"no arguments at all", ``, nil, true},
		{"null and no header (M-XMH-017, M-XMH-018)", `{"region":null}`, nil, true},
		{"header without an argument (T-15)", `{}`, header("Mcp-Param-Region", "eu"), false},
		{"header with a null argument (T-15)", `{"region":null}`, header("Mcp-Param-Region", ""), false},
		{"empty value is present (M-XMH-016, T-17)", `{"region":""}`, header("Mcp-Param-Region", ""), true},
		{"empty value without header", `{"region":""}`, nil, false},
		{"encoded (M-VAL-004, M-ENC-007)", `{"region":"Hello, \u4e16\u754c"}`, header("Mcp-Param-Region", "=?base64?SGVsbG8sIOS4lueVjA==?="), true},
		{"encoded though plain", `{"region":"eu"}`, header("Mcp-Param-Region", "=?base64?ZXU=?="), true},
		{"encoded and different", `{"region":"us"}`, header("Mcp-Param-Region", "=?base64?ZXU=?="), false},
		{"bad padding (M-ENC-009)", `{"region":"Hello"}`, header("Mcp-Param-Region", "=?base64?SGVsbG8?="), false},
		{"bad alphabet (M-ENC-009)", `{"region":"Hello"}`, header("Mcp-Param-Region", "=?base64?SGVs_-8=?="), false},
		{"no sentinel is literal (M-ENC-009)", `{"region":"SGVsbG8="}`, header("Mcp-Param-Region", "SGVsbG8="), true},
		{"sentinel in capitals is literal (M-ENC-006)", `{"region":"=?BASE64?ZXU=?="}`, header("Mcp-Param-Region", "=?BASE64?ZXU=?="), true},
		{"overlapping marks are literal (T-16)", `{"region":"=?base64?="}`, header("Mcp-Param-Region", "=?base64?="), true},
		{"empty sentinel is the empty string (T-16)", `{"region":""}`, header("Mcp-Param-Region", "=?base64??="), true},
		{"invalid characters (M-XMH-025, M-VAL-005)", `{"region":"é"}`, header("Mcp-Param-Region", "é"), false},
		{"escapes in the body", `{"region":"\u0065u"}`, header("Mcp-Param-Region", "eu"), true},
		{"integer", `{"shard":42}`, header("Mcp-Param-Shard", "42"), true},
		{"integer with a fraction (M-VAL-006)", `{"shard":42}`, header("Mcp-Param-Shard", "42.0"), true},
		{"integer in the body with an exponent (T-51)", `{"shard":1e2}`, header("Mcp-Param-Shard", "100"), true},
		{"integers a float cannot tell apart (T-51)", `{"shard":9007199254740993}`, header("Mcp-Param-Shard", "9007199254740992"), false},
		{"integer with zeros in front", `{"shard":42}`, header("Mcp-Param-Shard", "042"), false},
		{"integer with a plus", `{"shard":42}`, header("Mcp-Param-Shard", "+42"), false},
		{"integer and a word", `{"shard":42}`, header("Mcp-Param-Shard", "42x"), false},
		{"integer and nothing", `{"shard":42}`, header("Mcp-Param-Shard", ""), false},
		{"integer within encoded blanks", `{"shard":42}`, header("Mcp-Param-Shard", "=?base64?IDQyLjA=?="), false},
		{"boolean", `{"dry":true}`, header("Mcp-Param-Dry-Run", "true"), true},
		{"boolean in capitals", `{"dry":true}`, header("Mcp-Param-Dry-Run", "TRUE"), false},
		{"wrong type stands as it is written (T-15)", `{"shard":"42"}`, header("Mcp-Param-Shard", "42"), true},
		{"wrong type, number for a string (T-15)", `{"region":5}`, header("Mcp-Param-Region", "5"), true},
		{"nested (M-XMH-009, M-XMH-011)", `{"db":{"zone":"a"}}`, header("Mcp-Param-Zone", "a"), true},
		{"nested and missing", `{"db":{"zone":"a"}}`, nil, false},
		{"nested under null (MOD-08)", `{"db":null}`, nil, true},
		{"nested and absent (MOD-08)", `{"db":{}}`, nil, true},
		{"same name elsewhere (MOD-08)", `{"zone":"x"}`, header("Mcp-Param-Zone", "x"), false},
		{"headers that mirror nothing (M-XMH-024)", `{"region":"eu"}`, header("Mcp-Param-Region", "eu", "Mcp-Param-Other", "\x01"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			params := `{"name":"t"}`
			if tt.args != "" {
				params = `{"name":"t","arguments":` + tt.args + `}`
			}
			x := request(mcp.MethodToolsCall, params)
			x.header, x.mirrored = tt.header, true
			if tt.ok {
				if r := ask(t, srv, x); r.Error != nil {
					t.Errorf("refused: %+v", r.Error)
				}
				return
			}
			if r := wantError(t, srv, x, mcp.CodeHeaderMismatch, "header mismatch: Mcp-Param-"); r.status != http.StatusBadRequest {
				t.Errorf("status %d, want 400 (M-VAL-002)", r.status)
			}
		})
	}
	t.Run("an array is for the schema to refuse (T-15)", func(t *testing.T) {
		x := request(mcp.MethodToolsCall, `{"name":"t","arguments":{"region":["eu"]}}`)
		x.mirrored = true
		if r := ask(t, srv, x); r.Error != nil {
			t.Errorf("%+v", r.Error)
		}
	})
	t.Run("transports that mirror nothing are not asked", func(t *testing.T) {
		if r := callTool(t, srv, "t", `{"region":"eu"}`); r.Text() != "ran" {
			t.Errorf("got %q", r.Text())
		}
	})
	t.Run("a hand-written schema", func(t *testing.T) {
		s := NewService("")
		RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","null"],"x-mcp-header":"Method"}}}`)}, rawNothing) // M-XMH-026
		srv := serverOf(t, s)
		x := request(mcp.MethodToolsCall, `{"name":"r","arguments":{"a":"v"}}`)
		x.header, x.mirrored = header("Mcp-Param-Method", "w"), true
		wantError(t, srv, x, mcp.CodeHeaderMismatch, `Mcp-Param-Method differs from the argument "a"`)
	})
	t.Run("the order of checks (15.1, 20 before 21)", func(t *testing.T) {
		x := request(mcp.MethodToolsCall, `{"name":"none","arguments":{"region":"eu"}}`)
		x.mirrored = true
		wantError(t, srv, x, mcp.CodeInvalidParams, `unknown tool "none"`)
	})
}

// FuzzMirror: a header agrees with an argument only if it says the same.
func FuzzMirror(f *testing.F) {
	for _, seed := range [][2]string{{"42", "42.0"}, {"1e2", "100"}, {"-0", "0"}, {"9007199254740993", "9007199254740992"}, {"1", "x"}} {
		f.Add(seed[0], seed[1])
	}
	m := mirror{header: "Mcp-Param-N", path: []string{"n"}, integer: true}
	f.Fuzz(func(t *testing.T, body, text string) {
		args := []byte(`{"n":` + body + `}`)
		if !json.Valid(args) {
			return
		}
		err := m.compare(header("Mcp-Param-N", text), args)
		var want float64
		if err != nil || json.Unmarshal([]byte(body), &want) != nil {
			return
		}
		var got float64
		if json.Unmarshal([]byte(text), &got) == nil && got != want { // floats may be equal where numbers are not, never the reverse
			t.Errorf("%q agrees with %s", text, body)
		}
	})
}
