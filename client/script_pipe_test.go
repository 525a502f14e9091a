package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/transport"
)

// piped is the server's end of a pipe in memory, and what it was sent.
type piped struct {
	t    testing.TB
	conn transport.Conn
	mu   sync.Mutex
	got  []seen
	done chan struct{}
}

// line is what a scripted server writes for a message: texts, one message each.
type line func(s seen) []string

// errHangUp makes a scripted server on a pipe close it.
var errHangUp = []string{"hang up"}

// onPipe is a target that is a scripted server in memory. Each dial starts the
// next of starts; the last stays.
func onPipe(t testing.TB, starts ...map[string]line) (Target, func() []*piped) {
	t.Helper()
	var mu sync.Mutex
	var all []*piped
	target := Dial(func(context.Context) (transport.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		near, far := transport.Pipe()
		p := &piped{t: t, conn: far, done: make(chan struct{})}
		on := starts[min(len(all), len(starts)-1)]
		all = append(all, p)
		go p.serve(on)
		return near, nil
	})
	t.Cleanup(func() {
		for _, p := range all {
			_ = p.conn.Close()
			<-p.done
		}
	})
	return target, func() []*piped {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func (p *piped) serve(on map[string]line) {
	defer close(p.done)
	for {
		text, err := p.conn.Read(context.Background())
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				p.t.Errorf("server reads: %v", err)
			}
			return
		}
		m, fault := jsonrpc.Parse(text, 0)
		if fault != nil {
			p.t.Errorf("client sent %q: %v", text, fault)
		}
		s := seen{Body: bytes.Clone(text), Message: m}
		p.mu.Lock()
		p.got = append(p.got, s)
		p.mu.Unlock()
		do := on[m.Method]
		if do == nil {
			do = on[""]
		}
		if do == nil {
			continue
		}
		for _, out := range do(s) {
			if out == errHangUp[0] {
				_ = p.conn.Close()
				return
			}
			p.write(out)
		}
	}
}

func (p *piped) write(text string) {
	if err := p.conn.Write(context.Background(), []byte(text)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		p.t.Errorf("server writes: %v", err)
	}
}

// nth is the nth message (from 0) of a method.
func (p *piped) nth(method string, n int) seen {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.got {
		if s.Method != method {
			continue
		}
		if n == 0 {
			return s
		}
		n--
	}
	p.t.Fatalf("no message %s was sent", method)
	return seen{}
}

// say answers with a result on a pipe, refuse with an error.
func say(raw string) line {
	return func(s seen) []string {
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, s.id(), raw)}
	}
}

func refuse(code int, message string, data ...string) line {
	return func(s seen) []string {
		more := ""
		if len(data) > 0 {
			more = `,"data":` + data[0]
		}
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q%s}}`, s.id(), code, message, more)}
	}
}

// texts writes what is given, with "ID" for the request's id.
func texts(all ...string) line {
	return func(s seen) []string {
		var out []string
		for _, text := range all {
			out = append(out, strings.ReplaceAll(text, "ID", s.id()))
		}
		return out
	}
}

func hangUp(seen) []string { return errHangUp }

// greets answers initialize on a pipe.
func greets(version string) line {
	return say(`{"protocolVersion":"` + version + `","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"old","version":"1"}}`)
}

// sent lists the methods this server was sent.
func (p *piped) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, s := range p.got {
		if s.Kind == jsonrpc.Response {
			all = append(all, "response "+s.id())
			continue
		}
		all = append(all, s.Method)
	}
	return all
}
