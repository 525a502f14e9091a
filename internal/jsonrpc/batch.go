package jsonrpc

import (
	"fmt"

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
// (BATCH-01, BATCH-10). An empty array, or one of more than maxLen members, is
// one fault.
func ParseBatch(b []byte, maxDepth, maxLen int) ([]Item, *Fault) {
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
