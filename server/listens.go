package server

import (
	"errors"
	"sync"

	"github.com/diglot-mcp/diglot/mcp"
)

// listens counts the listens that are open. It is safe for concurrent use.
type listens struct {
	most, each int
	// over is closed when all of them are to end.
	over chan struct{}
	end  sync.Once

	mu       sync.Mutex
	open     int
	byClient map[any]int
}

func newListens(cfg ListenConfig) *listens {
	return &listens{most: cfg.Max, each: cfg.PerClient, over: make(chan struct{}), byClient: make(map[any]int)}
}

// Reasons not to let a listen in.
var (
	errListensFull = errors.New("too many listens are open on this server; try again later")
	errListensEach = errors.New("this client has as many listens open as it may; end one of them, or ask for more in one")
)

// busy is what a client is told whose listen was not let in.
func busy(err error) *mcp.Error { return mcp.Errorf(mcp.CodeInternal, "subscriptions/listen: %v", err) }

// enter lets a listen in, which must leave. client tells one from others, and is
// nil for one that nobody knows.
func (l *listens) enter(client any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case client != nil && l.byClient[client] >= l.each:
		return errListensEach
	case l.open >= l.most:
		return errListensFull
	}
	l.open++
	if client != nil {
		l.byClient[client]++
	}
	return nil
}

// leave ends what enter began.
func (l *listens) leave(client any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if client == nil {
		return
	}
	if l.byClient[client]--; l.byClient[client] == 0 {
		delete(l.byClient, client)
	}
}

// finish has every listen end, with its result.
func (l *listens) finish() { l.end.Do(func() { close(l.over) }) }

// len is how many there are.
func (l *listens) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}
