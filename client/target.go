package client

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/diglot-mcp/diglot/transport"
)

// Target is a server and how to reach it: what [HTTP], [Command] and [Dial]
// return. A target remembers what negotiation found out, so connecting to the
// same target again needs no probe. It may be used by any number of clients at
// the same time.
type Target interface {
	// String names the server in errors and logs, without credentials.
	String() string

	// open makes a link to the server for c.
	open(ctx context.Context, c *Client) (link, error)
	remembered() Verdict
	remember(v Verdict)
}

// memory is what negotiation found out about a target. Only verdicts come in:
// failures of authorization, of the server or of the network are none.
type memory struct {
	mu sync.Mutex
	v  Verdict
}

func (m *memory) remembered() Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.v
}

func (m *memory) remember(v Verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.v = v
}

type dialTarget struct {
	memory

	dial func(context.Context) (transport.Conn, error)
}

// Dial is a server at the other end of a connection that dial opens. dial is
// called by [Connect], and again when the server hangs up on the probe; the
// client closes what it returns. Messages that the connection reads are bounded
// by the connection itself.
func Dial(dial func(context.Context) (transport.Conn, error)) Target {
	return &dialTarget{dial: dial}
}

// String is "connection".
func (*dialTarget) String() string { return "connection" }

func (t *dialTarget) open(ctx context.Context, c *Client) (link, error) {
	conn, err := t.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if conn == nil {
		return nil, errors.New("dial: the function of client.Dial returned neither a connection nor an error")
	}
	return newPipe(c, conn, nil), nil
}
