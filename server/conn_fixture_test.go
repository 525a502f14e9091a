package server

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/transport"
)

// input is where a client writes lines, output where it reads them: two ends
// that can be closed one by one, as those of a process can.
type input struct {
	t    testing.TB
	pipe *io.PipeWriter
}

type output struct {
	t      testing.TB
	pipe   *io.PipeReader
	in     *bufio.Reader
	served chan error
}

// lines serves srv on two pipes.
func lines(t testing.TB, srv *Server, opts transport.Options) (*input, *output) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	out := &output{t: t, pipe: fromServer, in: bufio.NewReader(fromServer), served: make(chan error, 2)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out.served <- srv.Serve(context.Background(), transport.Lines(fromClient, toClient, opts))
	}()
	t.Cleanup(func() {
		_ = toServer.Close()   // both are
		_ = fromServer.Close() // idempotent
		<-ended
	})
	return &input{t: t, pipe: toServer}, out
}

func (i *input) send(lines ...string) {
	i.t.Helper()
	i.raw(strings.Join(lines, "\n") + "\n")
}

func (i *input) raw(text string) {
	i.t.Helper()
	if _, err := io.WriteString(i.pipe, text); err != nil {
		i.t.Fatal(err)
	}
}

func (i *input) close() {
	i.t.Helper()
	if err := i.pipe.Close(); err != nil {
		i.t.Fatal(err)
	}
}

func (o *output) next() string {
	o.t.Helper()
	line, err := o.in.ReadString('\n')
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}
