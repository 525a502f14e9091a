package transport_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/transport"
)

func BenchmarkLinesWrite(b *testing.B) {
	for _, size := range []int{200, 1 << 20} {
		msg := []byte(`{"pad":"` + strings.Repeat("x", size) + `"}`)
		for _, c := range []struct {
			name string
			ctx  func() (context.Context, context.CancelFunc)
		}{
			{"inline", func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }},
			{"cancellable", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, size), func(b *testing.B) {
				r, w, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				drained := make(chan struct{})
				go func() {
					defer close(drained)
					_, _ = io.Copy(io.Discard, r)
				}()
				conn := transport.Lines(io.NopCloser(strings.NewReader("")), w, transport.Options{})
				ctx, cancel := c.ctx()
				b.SetBytes(int64(len(msg)))
				b.ReportAllocs()
				for b.Loop() {
					if err := conn.Write(ctx, msg); err != nil {
						b.Fatal(err)
					}
				}
				cancel()
				_ = conn.Close()
				<-drained
				_ = r.Close()
			})
		}
	}
}
