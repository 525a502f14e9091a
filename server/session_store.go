package server

import (
	"crypto/rand"
	"sync"
	"time"
)

// sessions are the sessions of HTTP clients, by id. Sessions that nobody uses
// end when they have been idle for long enough, and the one unused for longest
// when there is no more room. It owns a timer while it holds sessions, and no
// goroutine. It is safe for concurrent use.
type sessions struct {
	max  int
	idle time.Duration

	mu   sync.Mutex
	byID map[string]*session
	// newest and oldest are the ends of a list of every session, by last use.
	newest, oldest *session
	// dropped are sessions that are to end once mu is free: what that takes is not
	// for others to wait for.
	dropped []*session
	alarm   *alarm
}

func newSessions(cfg SessionConfig) *sessions {
	t := &sessions{max: cfg.Max, idle: cfg.Idle, byID: make(map[string]*session)}
	t.alarm = newAlarm(t.expire)
	return t
}

// unlock ends the sessions that were dropped, and has expire come when the next
// one may be due.
func (t *sessions) unlock() {
	dropped := t.dropped
	t.dropped = nil
	if t.oldest != nil {
		t.alarm.at(t.oldest.used.Add(t.idle))
	} else {
		t.alarm.off()
	}
	t.mu.Unlock()
	for _, s := range dropped {
		s.end()
	}
}

// expire ends what is idle when nobody uses the store.
func (t *sessions) expire() {
	t.mu.Lock()
	defer t.unlock()
	t.alarm.rang()
	t.sweep()
}

// open gives s an id and keeps it. It fails with errSessionsFull when there is
// no room, and none can be made.
func (t *sessions) open(s *session) error {
	s.id = rand.Text() // 130 bits, letters and digits (L-HTTP-51)
	t.mu.Lock()
	defer t.unlock()
	t.sweep()
	if len(t.byID) >= t.max && !t.evict() {
		return errSessionsFull
	}
	t.byID[s.id] = s
	t.link(s)
	return nil
}

// find returns the session with this id if it is principal's, and nil if there
// is none: a stranger learns nothing about it (SES-07).
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.unlock()
	t.sweep()
	s := t.byID[id]
	if s == nil || s.principal != principal {
		return nil
	}
	t.touch(s)
	return s
}

// use notes that s was used, when it is still kept.
func (t *sessions) use(s *session) {
	t.mu.Lock()
	defer t.unlock()
	if t.byID[s.id] == s {
		t.touch(s)
	}
}

// remove ends the session with this id if it is principal's, and reports
// whether there was one.
func (t *sessions) remove(id, principal string) bool {
	t.mu.Lock()
	defer t.unlock()
	t.sweep()
	s := t.byID[id]
	if s == nil || s.principal != principal {
		return false
	}
	t.drop(s)
	return true
}

// clear ends every session.
func (t *sessions) clear() {
	t.mu.Lock()
	defer t.unlock()
	for _, s := range t.byID {
		t.drop(s)
	}
}

func (t *sessions) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

func (t *sessions) touch(s *session) {
	t.unlink(s)
	t.link(s)
}

func (t *sessions) drop(s *session) {
	delete(t.byID, s.id)
	if len(t.byID) == 0 {
		t.byID = make(map[string]*session) // a map keeps the room it once took
	}
	t.unlink(s)
	t.dropped = append(t.dropped, s)
}

// link makes s the one used last.
func (t *sessions) link(s *session) {
	s.used, s.newer, s.older = time.Now(), nil, t.newest
	if t.newest != nil {
		t.newest.newer = s
	} else {
		t.oldest = s
	}
	t.newest = s
}

func (t *sessions) unlink(s *session) {
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		t.newest = s.older
	}
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		t.oldest = s.newer
	}
}

// sweep ends sessions that were idle for too long. Each step drops a session or
// makes a busy one the newest, so that it ends.
func (t *sessions) sweep() {
	now := time.Now()
	for s := t.oldest; s != nil && now.Sub(s.used) >= t.idle; s = t.oldest {
		if calls, open := s.busy(); calls || open {
			t.touch(s)
		} else {
			t.drop(s)
		}
	}
}

// evict ends the session unused for longest, passing over those with a call in
// flight, and over those with an open stream while there are others.
func (t *sessions) evict() bool {
	var listening *session
	for s := t.oldest; s != nil; s = s.newer {
		switch calls, open := s.busy(); {
		case calls:
		case !open:
			t.drop(s)
			return true
		case listening == nil:
			listening = s
		}
	}
	if listening == nil {
		return false
	}
	t.drop(listening)
	return true
}
