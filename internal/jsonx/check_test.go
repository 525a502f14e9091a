package jsonx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const sampleCall = `{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"add","arguments":{"text":"hello world","count":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"probe","version":"0.1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// FuzzCheck: Check and an independent strict reader accept the same texts.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{sampleCall, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `[1,2,]`, `01`, `1.`, `-`, `1e5`, ` null `, `truefalse`, `{"a":{"a":1}}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := Check(b, 1000)
		dec := jsontext.NewDecoder(bytes.NewReader(b))
		_, oracle := dec.ReadValue()
		if oracle == nil {
			if _, rest := dec.ReadToken(); rest == nil || rest.Error() != "EOF" {
				oracle = rest
				if rest == nil {
					oracle = bytes.ErrTooLarge
				}
			}
		}
		if (err == nil) != (oracle == nil) {
			t.Fatalf("%q: Check says %v, the oracle %v", b, err, oracle)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{"call": sampleCall, "MiB": `"` + strings.Repeat("x", 1<<20) + `"`} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(text)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Check(raw, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
