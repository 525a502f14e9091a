package server

import "time"

// An alarm calls a function once at a time, on a goroutine that lasts as long as
// the call. Whoever has it guards it by a lock, which the function takes first.
type alarm struct {
	ring  func()
	timer *time.Timer
	set   bool
}

func newAlarm(ring func()) *alarm { return &alarm{ring: ring} }

// at sets the alarm, unless it is set already: the function is called, looks
// what is due, and sets it again for what is not.
func (a *alarm) at(when time.Time) {
	if a.set {
		return
	}
	a.set = true
	wait := max(time.Until(when), 0)
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, a.ring)
	} else {
		a.timer.Reset(wait)
	}
}

// rang is for the function to call: the alarm is not set any more.
func (a *alarm) rang() { a.set = false }

// off takes the alarm back. A call that is on its way still comes.
func (a *alarm) off() {
	if a.set && a.timer.Stop() {
		a.set = false
	}
}
