// Package transport is for people who bring their own pipe: a [Conn] carries
// whole messages in both directions, and a server or client can be run on it.
//
// [Lines] frames messages by newlines over any reader and writer, as the
// protocol does on standard input and output; [Pipe] is a connected pair in
// memory.
package transport

import "context"

// Conn carries JSON-RPC messages between two peers, one whole message at a
// time, in order, without loss until it is closed.
//
// Read is called by one goroutine at a time; Write and Close may be called by
// any, at any time.
type Conn interface {
	// Read blocks for the next message and returns its bytes, without framing,
	// for the caller to keep. It returns io.EOF when the peer has finished, and
	// an error wrapping ErrTooLarge for a message beyond the limit, after which
	// it can be called again; any other error is the end. A Read that is given up
	// because ctx is done returns ctx's error and loses no message.
	Read(ctx context.Context) ([]byte, error)
	// Write sends one message. It does not keep msg. Messages of concurrent calls
	// do not interleave. Nil means that the message goes out, after all that
	// were accepted before it; the peer need not have it yet. ctx's error means
	// that it does not go out. A Write that has to wait, because the peer does
	// not read, waits no longer than ctx.
	Write(ctx context.Context, msg []byte) error
	// Close ends the connection in both directions and unblocks Read and Write,
	// which fail from then on. Messages for which Write has returned, and was not
	// given up, are not lost by it. Calls after the first return nil.
	Close() error
}
