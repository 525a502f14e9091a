package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// canned answers requests without a network, so that what is measured is the
// client's own work.
type canned struct{ stream bool }

func (t canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m, fault := jsonrpc.Parse(body, 0)
	if fault != nil {
		return nil, fault
	}
	text := `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"resultType":"complete","content":[{"type":"text","text":"hello"}],"structuredContent":{"n":1}}}`
	contentType := "application/json"
	if t.stream {
		text, contentType = "data: "+text+"\n\n", "text/event-stream"
	}
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 2, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: r,
	}, nil
}

func BenchmarkCall(b *testing.B) {
	cfg := config()
	cfg.Prior = Verdict{Profile: 5}
	args := json.RawMessage(`{"query":"hello","limit":10}`)
	for _, tc := range []struct {
		name   string
		target Target
	}{
		{"http", HTTP("http://server.test/mcp", HTTPClient(&http.Client{Transport: canned{}}))},
		{"stream", HTTP("http://server.test/mcp", HTTPClient(&http.Client{Transport: canned{stream: true}}))},
	} {
		b.Run(tc.name, func(b *testing.B) {
			c := connected(b, tc.target, cfg)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(b.Context(), "search", args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("pipe", func(b *testing.B) {
		near, far := transport.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				text, err := far.Read(context.Background())
				if err != nil {
					return
				}
				m, _ := jsonrpc.Parse(bytes.Clone(text), 0)
				if err := far.Write(context.Background(), jsonrpc.AppendResult(nil, m.ID, []byte(`{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`))); err != nil {
					return
				}
			}
		}()
		c, err := Connect(b.Context(), Dial(func(context.Context) (transport.Conn, error) { return near, nil }), cfg)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Call(b.Context(), "search", args); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if err := c.Close(); err != nil {
			b.Error(err)
		}
		<-done
	})
}
