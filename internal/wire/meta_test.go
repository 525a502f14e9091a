package wire

import (
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

const (
	keyVersion = `"io.modelcontextprotocol/protocolVersion"`
	keyCaps    = `"io.modelcontextprotocol/clientCapabilities"`
	keyInfo    = `"io.modelcontextprotocol/clientInfo"`
	keyLevel   = `"io.modelcontextprotocol/logLevel"`
)

// TestDeclaredVersion: a missing version is no mismatch, and the message names
// the key (M-META-001, M-META-005, MOD-11).
func TestDeclaredVersion(t *testing.T) {
	for _, c := range []struct{ name, params, version, fault string }{
		{"the newest", `{"_meta":{` + keyVersion + `:"2026-07-28"}}`, "2026-07-28", ""},
		{"an unknown one is not judged here", `{"_meta":{` + keyVersion + `:"2030-01-01"}}`, "2030-01-01", ""},
		{"an escaped key and value", `{"_meta":{"io.modelcontextprotocol\/protocolVersi\u006fn":"2026\u002d07-28"}}`, "2026-07-28", ""},
		{"after foreign keys", `{"name":"t","_meta":{"com.example/x":{` + keyVersion + `:1},` + keyVersion + `:"2026-07-28"}}`, "2026-07-28", ""},
		{"no params", ``, "", "params._meta is missing"},
		{"null params", `null`, "", "params._meta is missing"},
		{"params that are a list", `[]`, "", "params is an array"},
		{"params that are a string", `"x"`, "", "params is a string"},
		{"no _meta", `{}`, "", "params._meta is missing"},
		{"null _meta", `{"_meta":null}`, "", "params._meta is missing"},
		{"a _meta that is a list", `{"_meta":[]}`, "", "params._meta is an array"},
		{"a _meta that is a string", `{"_meta":"x"}`, "", "params._meta is a string"},
		{"an empty _meta", `{"_meta":{}}`, "", `params._meta has no "io.modelcontextprotocol/protocolVersion"`},
		{"the version at the top", `{"` + `protocolVersion":"2026-07-28","_meta":{}}`, "", "has no"},
		{"the key in another case", `{"_meta":{"io.modelcontextprotocol/protocolversion":"2026-07-28"}}`, "", "has no"},
		{"a number", `{"_meta":{` + keyVersion + `:5}}`, "", "is a number; it is a string"},
		{"null", `{"_meta":{` + keyVersion + `:null}}`, "", "is null; it is a string"},
		{"an empty string", `{"_meta":{` + keyVersion + `:""}}`, "", "is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Scan([]byte(c.params))
			version, err := p.DeclaredVersion()
			checkFault(t, err, c.fault)
			if version != c.version {
				t.Errorf("the version is %q, want %q", version, c.version)
			}
		})
	}
}

func checkFault(t *testing.T, err *mcp.Error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted; want an error that says %q", want)
	case want != "" && (err.Code != mcp.CodeInvalidParams || !strings.Contains(err.Message, want)):
		t.Errorf("the error is %v; want -32602 that says %q", err, want)
	}
}

// TestCheck: what a request says about itself (M-META-002, M-META-005,
// M-META-006, MOD-11, table 15.1 step 15), per era.
func TestCheck(t *testing.T) {
	meta := func(members ...string) string {
		return `{"_meta":{` + strings.Join(append([]string{keyVersion + `:"2026-07-28"`}, members...), ",") + `}}`
	}
	caps := keyCaps + `:{}`
	for _, c := range []struct{ name, params, modern, legacy string }{
		{"least", meta(caps), "", ""},
		{"no capabilities", meta(), "has no " + keyCaps, ""},
		{"capabilities that are null", meta(keyCaps + `:null`), "is null; it is an object", ""},
		{"capabilities that are a list", meta(keyCaps + `:[]`), "is an array; it is an object", ""},
		{"full", meta(caps, keyInfo+`:{"name":"c","version":"1","x":[]}`, keyLevel+`:"debug"`, `"progressToken":"t"`, `"com.example/x":null`), "", ""},
		{"an identity that is a string", meta(caps, keyInfo+`:"c"`), "is a string; it is an object", ""},
		{"an identity that is null", meta(caps, keyInfo+`:null`), "is null; it is an object", ""},
		{"an empty identity", meta(caps, keyInfo+`:{}`), ".name is absent; it is a string", ""},
		{"an identity without version", meta(caps, keyInfo+`:{"name":"c"}`), ".version is absent; it is a string", ""},
		{"a name that is a number", meta(caps, keyInfo+`:{"name":1,"version":"1"}`), ".name is a number; it is a string", ""},
		{"an unknown level", meta(caps, keyLevel+`:"loud"`), `is "loud", which is no log level`, ""},
		{"a level that is a number", meta(caps, keyLevel+`:7`), "is a number; it is a string", ""},
		{"token 0", meta(caps, `"progressToken":0`), "", ""},
		{"token beyond 2^53", meta(caps, `"progressToken":9007199254740993`), "", ""},
		{"an empty token", meta(caps, `"progressToken":""`), "", ""},
		{"a token that is null", meta(caps, `"progressToken":null`), "progressToken is null", "progressToken is null"},
		{"a token with a fraction", meta(caps, `"progressToken":1.5`), "progressToken is 1.5", "progressToken is 1.5"},
		{"a token that is an object", meta(caps, `"progressToken":{}`), "progressToken is {}", "progressToken is {}"},
		{"no params", ``, "has no " + keyCaps, ""},
		{"params that are a list", `[]`, "params is an array", "params is an array"},
		{"a _meta that is a list", `{"_meta":[1]}`, "params._meta is an array", "params._meta is an array"},
		{"a null _meta", `{"_meta":null}`, "has no " + keyCaps, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Scan([]byte(c.params))
			checkFault(t, For(mcp.Modern20260728).Check(&p), c.modern)
			for _, rev := range mcp.Profiles()[1:] {
				checkFault(t, For(rev).Check(&p), c.legacy)
			}
		})
	}
}

// TestMessagesAreShort: what a stranger sends is not repeated at length.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 10_000)
	p := Scan([]byte(`{"_meta":{` + keyCaps + `:{},` + keyLevel + `:"` + long + `"}}`))
	err := For(mcp.Newest).Check(&p)
	if err == nil || len(err.Message) > 400 || !strings.Contains(err.Message, "ä…") {
		t.Errorf("the error is %v", err)
	}
}
