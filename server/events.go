package server

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// EventStore keeps what was sent on the event streams of sessions, so that a
// client which lost its connection gets what it missed (Streamable HTTP of
// 2025-11-25, "Resumability and Redelivery"). It is used only for streams that a
// client can come back to: a reply that needs no stream never reaches it.
//
// Methods are called concurrently, for one stream one at a time, with a context
// that is bounded. When one fails, the log says so and the stream goes on without
// what could not be kept.
type EventStore interface {
	// Append keeps the data of an event. The first event of a stream has Seq 1,
	// each one after it one more. data is not changed afterwards, and may be kept
	// without a copy.
	Append(ctx context.Context, id EventID, data []byte) error
	// After returns the data of the events that follow id on its stream, in order
	// and without a gap; none when the next one is not there, or not any more. The
	// caller does not change what it gets.
	After(ctx context.Context, id EventID) ([][]byte, error)
	// Forget drops every event of a session, which has ended.
	Forget(ctx context.Context, session string) error
}

// EventID names an event of a session. No two have the same.
type EventID struct {
	// Session is the session's id. It is a secret: whoever knows it, and is the
	// same principal, can use the session.
	Session string
	// Stream counts the streams of the session. 0 is the one beside its requests.
	Stream int64
	// Seq counts the events of the stream, from 1.
	Seq int64
}

// memoryEvents is the event store in memory. Both all events and those of one
// session are bounded, in bytes; the oldest go first. It owns a timer while it
// holds events, and no goroutine.
type memoryEvents struct {
	// most bounds the bytes of all events, share those of one session, age how
	// long an event is kept.
	most, share int64
	age         time.Duration

	mu       sync.Mutex
	sessions map[string]*sessionEvents
	// all are the events in the order they came, as *storedEvent.
	all   list.List
	bytes int64
	sweep *alarm
}

// sessionEvents are the events of one session.
type sessionEvents struct {
	// own are its events in the order they came, as *storedEvent.
	own     list.List
	streams map[int64]*streamEvents
	bytes   int64
}

// streamEvents are the kept events of one stream; the last has the Seq last.
type streamEvents struct {
	data [][]byte
	last int64
}

type storedEvent struct {
	id         EventID
	size       int64
	kept       time.Time
	inAll, own *list.Element
}

// storedOverhead is about what an event takes beside its data.
const storedOverhead = 256

func newMemoryEvents(most int64, age time.Duration) *memoryEvents {
	const sharers = 8
	m := &memoryEvents{most: most, share: most / sharers, age: age, sessions: make(map[string]*sessionEvents)}
	m.sweep = newAlarm(m.expire)
	return m
}

// Append keeps an event, and lets go of the oldest when there is no room. An
// event that is larger than a session's share is not kept.
func (m *memoryEvents) Append(_ context.Context, id EventID, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := int64(len(data)) + storedOverhead
	s := m.sessions[id.Session]
	if s == nil {
		s = &sessionEvents{streams: make(map[int64]*streamEvents)}
		m.sessions[id.Session] = s
	}
	st := s.streams[id.Stream]
	if st == nil {
		st = new(streamEvents)
		s.streams[id.Stream] = st
	}
	st.data, st.last = append(st.data, data), id.Seq
	e := &storedEvent{id: id, size: size, kept: time.Now()}
	e.inAll, e.own = m.all.PushBack(e), s.own.PushBack(e)
	m.bytes += size
	s.bytes += size
	for s.bytes > m.share {
		m.drop(stored(s.own.Front()))
	}
	for m.bytes > m.most {
		m.drop(stored(m.all.Front()))
	}
	m.rearm()
	return nil
}

// After returns what follows id.
func (m *memoryEvents) After(_ context.Context, id EventID) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id.Session]
	if s == nil || s.streams[id.Stream] == nil {
		return nil, nil
	}
	st := s.streams[id.Stream]
	first := st.last - int64(len(st.data)) + 1
	if id.Seq+1 < first || id.Seq >= st.last {
		return nil, nil
	}
	return append([][]byte(nil), st.data[id.Seq+1-first:]...), nil
}

// Forget drops the events of a session.
func (m *memoryEvents) Forget(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := m.sessions[session]; s != nil && s.own.Len() > 0; {
		m.drop(stored(s.own.Front()))
	}
	m.rearm()
	return nil
}

// stored is the event that stands in a list; nothing else does.
func stored(place *list.Element) *storedEvent {
	e, _ := place.Value.(*storedEvent)
	return e
}

// drop lets go of an event, which is the oldest of its stream.
func (m *memoryEvents) drop(e *storedEvent) {
	s := m.sessions[e.id.Session]
	st := s.streams[e.id.Stream]
	st.data[0] = nil
	st.data = st.data[1:]
	if len(st.data) == 0 {
		delete(s.streams, e.id.Stream)
	}
	m.all.Remove(e.inAll)
	s.own.Remove(e.own)
	m.bytes -= e.size
	s.bytes -= e.size
	if s.own.Len() == 0 {
		delete(m.sessions, e.id.Session)
	}
}

// expire drops what is too old, and comes again for the rest.
func (m *memoryEvents) expire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for front := m.all.Front(); front != nil; front = m.all.Front() {
		e := stored(front)
		if time.Since(e.kept) < m.age {
			break
		}
		m.drop(e)
	}
	m.sweep.rang()
	m.rearm()
}

// rearm has expire come when the oldest event is due, and not at all when there
// is none.
func (m *memoryEvents) rearm() {
	front := m.all.Front()
	if front == nil {
		m.sweep.off()
		if len(m.sessions) == 0 {
			m.sessions = make(map[string]*sessionEvents) // a map keeps the room it once took
		}
		return
	}
	m.sweep.at(stored(front).kept.Add(m.age))
}
