package wire

import (
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// callParams is what a client sends with a usual tools/call.
const callParams = `{"name":"notes_search","arguments":{"query":"budget 2026","limit":10},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"agent","version":"1.2.3"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":7}}`

var callResult = &mcp.CallToolResult{
	Content:           []mcp.Content{mcp.Text(`{"hits":[{"id":42,"title":"Budget"}],"total":1}`)},
	StructuredContent: []byte(`{"hits":[{"id":42,"title":"Budget"}],"total":1}`),
}

var benchStamp = &Stamp{ServerInfo: []byte(`{"name":"notes","version":"1.2.0"}`)}

// BenchmarkScan has a budget of 250 ns and no allocation.
func BenchmarkScan(b *testing.B) {
	raw := []byte(callParams)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if p := Scan(raw); p.Name == nil || p.Version == nil {
			b.Fatal("a member is missing")
		}
	}
}

// BenchmarkAppendResult has a budget of 300 ns and one allocation.
func BenchmarkAppendResult(b *testing.B) {
	for _, p := range mcp.Profiles() {
		b.Run(p.Version(), func(b *testing.B) {
			era := For(p)
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if buf, err = era.AppendResult(buf[:0], callResult, benchStamp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	p := Scan([]byte(callParams))
	era := For(mcp.Newest)
	b.ReportAllocs()
	for b.Loop() {
		if err := era.Check(&p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendParams(b *testing.B) {
	self := &Self{Info: []byte(`{"name":"agent","version":"1.2.3"}`), Capabilities: []byte(`{"elicitation":{}}`), ProgressToken: []byte("7")}
	raw := []byte(`{"name":"notes_search","arguments":{"query":"budget 2026","limit":10}}`)
	for _, c := range []struct {
		name   string
		params any
	}{
		{"raw", raw},
		{"typed", &mcp.CallToolParams{Name: "notes_search", Arguments: []byte(`{"query":"budget 2026","limit":10}`)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			era := For(mcp.Newest)
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if buf, err = era.AppendParams(buf[:0], mcp.MethodToolsCall, c.params, self); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResult(b *testing.B) {
	raw, err := For(mcp.Newest).AppendResult(nil, callResult, benchStamp)
	if err != nil {
		b.Fatal(err)
	}
	era := For(mcp.Newest)
	b.ReportAllocs()
	for b.Loop() {
		var r mcp.CallToolResult
		if _, err := era.Result(mcp.MethodToolsCall, raw, &r); err != nil {
			b.Fatal(err)
		}
	}
}
