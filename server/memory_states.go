package server

import (
	"bytes"
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// MemoryStates is a [StateStore] for a single process: what it keeps ends with
// it, and other replicas do not see it. It is bounded, and has no goroutine; what
// expired goes at the next use. Make one with [NewMemoryStates].
type MemoryStates struct {
	max int64

	mu   sync.Mutex
	byID map[string]*keptState
	// due holds the same, the one that expires next in front.
	due  stateHeap
	size int64
}

type keptState struct {
	id      string
	state   []byte
	expires time.Time
	place   int // in the heap
}

// keptOverhead is about what an entry costs beside its bytes.
const keptOverhead = 200

func (k *keptState) size() int64 { return int64(len(k.id)+len(k.state)) + keptOverhead }

// NewMemoryStates makes a store of at most so many bytes; 0 means 64 MiB. When it
// is full of what has not expired it fails rather than forget, since what is
// forgotten could be used again.
func NewMemoryStates(bytes int64) *MemoryStates {
	const standard = 64 << 20
	if bytes <= 0 {
		bytes = standard
	}
	return &MemoryStates{max: bytes, byID: make(map[string]*keptState)}
}

var _ StateStore = (*MemoryStates)(nil)

// Save keeps a copy of state. The error wraps [mcp.ErrTooLarge] when there is no
// room.
func (m *MemoryStates) Save(_ context.Context, id string, state []byte, ttl time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keep("s"+id, bytes.Clone(state), ttl)
}

// Load returns what Save kept.
func (m *MemoryStates) Load(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.find("s" + id); k != nil {
		return bytes.Clone(k.state), nil
	}
	return nil, fmt.Errorf("state %q: %w", clip(id), mcp.ErrNotFound)
}

// Claim takes id. The error wraps [mcp.ErrTooLarge] when there is no room.
func (m *MemoryStates) Claim(_ context.Context, id string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find("c"+id) != nil {
		return false, nil
	}
	err := m.keep("c"+id, nil, ttl)
	return err == nil, err
}

func (m *MemoryStates) find(id string) *keptState {
	m.sweep()
	return m.byID[id]
}

func (m *MemoryStates) keep(id string, state []byte, ttl time.Duration) error {
	m.sweep()
	if k := m.byID[id]; k != nil {
		m.drop(k)
	}
	k := &keptState{id: id, state: state, expires: time.Now().Add(ttl)}
	if m.size+k.size() > m.max {
		return fmt.Errorf("keep a state of %d bytes: %w: %d of %d bytes are taken", len(state), mcp.ErrTooLarge, m.size, m.max)
	}
	m.byID[id] = k
	heap.Push(&m.due, k)
	m.size += k.size()
	return nil
}

// sweep drops what expired.
func (m *MemoryStates) sweep() {
	now := time.Now()
	for len(m.due) > 0 && !now.Before(m.due[0].expires) {
		m.drop(m.due[0])
	}
}

func (m *MemoryStates) drop(k *keptState) {
	heap.Remove(&m.due, k.place)
	delete(m.byID, k.id)
	m.size -= k.size()
}

// stateHeap orders by expiry; see [heap.Interface].
type stateHeap []*keptState

func (h stateHeap) Len() int           { return len(h) }
func (h stateHeap) Less(i, j int) bool { return h[i].expires.Before(h[j].expires) }

func (h stateHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *stateHeap) Push(x any) {
	k, _ := x.(*keptState) // by heap.Push above
	k.place = len(*h)
	*h = append(*h, k)
}

func (h *stateHeap) Pop() any {
	last := len(*h) - 1
	k := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return k
}
