package transport

import (
	"context"
	"io"
	"slices"
	"sync"
)

// pipeBuffer is how many messages a pipe holds in each direction before Write
// blocks.
const pipeBuffer = 64

// Pipe returns two connected ends in memory. What is written to one is read
// from the other; messages written before one end closes can still be read from
// the other.
func Pipe() (Conn, Conn) {
	ab, ba := make(chan []byte, pipeBuffer), make(chan []byte, pipeBuffer)
	a := &pipeEnd{in: ba, out: ab, closed: make(chan struct{})}
	b := &pipeEnd{in: ab, out: ba, closed: make(chan struct{})}
	a.peer, b.peer = b.closed, a.closed
	return a, b
}

type pipeEnd struct {
	in     <-chan []byte
	out    chan<- []byte
	once   sync.Once
	closed chan struct{}
	peer   <-chan struct{} // closed when the other end is
}

func (p *pipeEnd) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-p.closed:
		return nil, io.ErrClosedPipe
	default:
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, io.ErrClosedPipe
	case <-p.peer:
		// The peer may have written before it closed.
		select {
		case msg := <-p.in:
			return msg, nil
		default:
			return nil, io.EOF
		}
	}
}

func (p *pipeEnd) Write(ctx context.Context, msg []byte) error {
	select {
	case <-p.closed:
		return io.ErrClosedPipe
	case <-p.peer:
		return io.ErrClosedPipe
	default:
	}
	select {
	case p.out <- slices.Clone(msg):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return io.ErrClosedPipe
	case <-p.peer:
		return io.ErrClosedPipe
	}
}

func (p *pipeEnd) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
