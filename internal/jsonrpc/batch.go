package jsonrpc

import (
	"context"
	"fmt"
	"sync"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// Item is one member of a batch: a message, or the fault that stands in its
// place.
type Item struct {
	// Message is the member when Fault is nil.
	Message Message
	// Fault says why the member is no message.
	Fault *Fault
}

// ParseBatch reads an array of messages, as revision 2025-03-26 alone has them
// (BATCH-01, BATCH-10). An empty array, or one of more than maxLen members (0
// means DefaultBatch), is one fault.
func ParseBatch(b []byte, maxDepth, maxLen int) ([]Item, *Fault) {
	if maxLen <= 0 {
		maxLen = DefaultBatch
	}
	if err := jsonx.Check(b, maxDepth); err != nil {
		return nil, &Fault{Code: CodeParse, Message: err.Error()}
	}
	if !IsBatch(b) {
		return nil, &Fault{Code: CodeInvalidRequest, Message: "batch is no array"}
	}
	var items []Item
	s := jsonx.NewScanner(b)
	s.EnterArray()
	for s.More() {
		if len(items) == maxLen {
			return nil, &Fault{Code: CodeInvalidRequest, Message: fmt.Sprintf("batch has more than %d messages; split it", maxLen)}
		}
		m, fault := parseChecked(s.Skip())
		items = append(items, Item{Message: m, Fault: fault})
	}
	if len(items) == 0 {
		return nil, &Fault{Code: CodeInvalidRequest, Message: "batch is empty"}
	}
	return items, nil
}

// batch gathers the answers to the requests of one array.
type batch struct {
	conn *Conn

	mu   sync.Mutex
	left int
	out  []byte
}

func newBatch(c *Conn, items []Item) *batch {
	b := &batch{conn: c}
	for _, item := range items {
		if f := item.Fault; f != nil && !f.Response || f == nil && item.Message.Kind == Request {
			b.left++
		}
	}
	return b
}

// add takes one answer, or nil for a request that gets none, and sends the
// array when all are there.
func (b *batch) add(response []byte) error {
	b.mu.Lock()
	if response != nil {
		if len(b.out) == 0 {
			b.out = append(b.out, '[')
		} else {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, response...)
	}
	b.left--
	complete := b.left == 0 && len(b.out) > 0
	b.mu.Unlock()
	if !complete {
		return nil
	}
	return b.conn.Write(context.Background(), append(b.out, ']'))
}
