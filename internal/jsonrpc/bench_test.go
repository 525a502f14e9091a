package jsonrpc

import (
	"context"
	"testing"

	"github.com/diglot-mcp/diglot/transport"
)

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"add","arguments":{"text":"hello world","count":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"probe","version":"0.1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, fault := Parse(text, 0); fault != nil {
			b.Fatal(fault)
		}
	}
}

// BenchmarkCall is a call and its answer between two connections in memory.
func BenchmarkCall(b *testing.B) {
	x, y := transport.Pipe()
	caller := NewConn(x, Options{})
	server := NewConn(y, Options{Handle: func(_ context.Context, req *Incoming) { _ = req.Reply([]byte(`{}`)) }})
	defer func() { _, _ = caller.Close(), server.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := caller.Call(ctx, "tools/call", []byte(`{"name":"add"}`), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCallParallel is many of them at once.
func BenchmarkCallParallel(b *testing.B) {
	x, y := transport.Pipe()
	caller := NewConn(x, Options{})
	server := NewConn(y, Options{Handle: func(_ context.Context, req *Incoming) { _ = req.Reply([]byte(`{}`)) }})
	defer func() { _, _ = caller.Close(), server.Close() }()
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for pb.Next() {
			if _, err := caller.Call(ctx, "tools/call", []byte(`{"name":"add"}`), nil); err != nil {
				b.Error(err)
			}
		}
	})
}
