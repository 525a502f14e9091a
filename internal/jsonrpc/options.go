package jsonrpc

import (
	"context"
	"time"
)

// Transport carries messages. It is what package transport's Conn is; an error
// with a method Skipped() bool that reports true means that one message is lost,
// and the connection lives.
type Transport interface {
	// Read returns the next whole message.
	Read(ctx context.Context) ([]byte, error)
	// Write sends one; it is safe for concurrent use. ctx's error means that the
	// message does not go out.
	Write(ctx context.Context, msg []byte) error
	// Close unblocks Read and Write.
	Close() error
}

// Defaults of Options.
const (
	// DefaultConcurrency is how many incoming requests run at once.
	DefaultConcurrency = 64
	// DefaultBatch is how many messages a batch may have.
	DefaultBatch = 100
)

// queued is how many requests are taken for each that may run.
const queued = 16

// Options say how a Conn treats what comes in. All functions are optional, must
// not panic, must not call Close, and, but for Handle, must be quick: the reader
// waits for them.
type Options struct {
	// Handle runs an incoming request on a goroutine of its own. It must see to
	// it that the request is answered; what it leaves unanswered when it returns
	// never is. ctx ends with the request's cancellation or the connection, and
	// Close waits for Handle. Nil refuses every request with -32601.
	Handle func(ctx context.Context, req *Incoming)
	// Urgent takes a request before Handle does: on the reader, in order with all
	// other messages, and whatever runs already. It reports whether it has dealt
	// with the request; then what it left unanswered never is. Nil takes none.
	Urgent func(ctx context.Context, req *Incoming) bool
	// Notify takes an incoming notification, in order with all other messages: it
	// has returned before a response that came later reaches its call.
	Notify func(m Message)
	// Malformed takes a text that is no message. When fault is nil, err says why
	// it could not be read at all. Whether to answer is up to the function, which
	// may use Conn.Write. A call that the text was meant to answer fails when it
	// has returned.
	Malformed func(text []byte, fault *Fault, err error)
	// Stray takes a response to what was never asked, or was answered already. One
	// to a call that was given up is expected, and dropped.
	Stray func(m Message)
	// Batches reports whether arrays are taken now (BATCH-01, BATCH-12). Nil is
	// never.
	Batches func() bool
	// MaxDepth bounds the nesting of messages; 0 is the default.
	MaxDepth int
	// Concurrency bounds the incoming requests that run at once. Sixteen times as
	// many are taken and wait, so that a cancellation behind them is still read;
	// beyond that the reader waits. 0 means DefaultConcurrency.
	Concurrency int
	// MaxBatch bounds the members of a batch; 0 means DefaultBatch.
	MaxBatch int
	// Grace is how long requests that run, or wait to, may still be answered after
	// the peer has sent its last message. 0 cancels them at once.
	Grace time.Duration
}

func (o Options) withDefaults() Options {
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.MaxBatch <= 0 {
		o.MaxBatch = DefaultBatch
	}
	return o
}
