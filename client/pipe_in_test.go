package client

import (
	"testing"
)

// TestIDIn: what the beginning of a message says about its id.
func TestIDIn(t *testing.T) {
	for head, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{"content":[{"te`:    "7",
		`{"id":"a\u0062","result":{`:                           `"a\u0062"`,
		`{"result":{"id":3,"x":[1,{"id":4}]},"id":5,"jsonrpc"`: "5",
		`{"jsonrpc":"2.0","result":{"content":[{"type":"t`:     "",
		`{"jsonrpc":"2.0","id":nu`:                             "",
		`[{"id":1}]`:                                           "",
		`garbage`:                                              "",
		``:                                                     "",
	} {
		if got := idIn([]byte(head)).String(); got != want {
			t.Errorf("id in %q is %q, want %q", head, got, want)
		}
	}
}

// FuzzIDIn: a message that is cut anywhere is no trouble.
func FuzzIDIn(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`, `{"id":"\ud83d`, `{"id":-0.0e`, `{"":{"":[`, `{"id":1`, "\xff\xfe"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, head []byte) { idIn(head) })
}
