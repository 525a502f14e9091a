package server

import (
	"math"
	"time"
)

// burst is how many seconds' worth of messages may go at once.
const burst = 4

// A throttle lets so many messages through in a second, on average, and burst
// times as many at once. The zero value is full.
type throttle struct {
	// spent is how much of the burst is used, in messages, at the time at.
	spent float64
	at    time.Time
}

// wait is how long the next message has to wait. Zero lets it through.
func (t *throttle) wait(now time.Time, perSecond int) time.Duration {
	rate := float64(perSecond)
	t.spent = max(0, t.spent-now.Sub(t.at).Seconds()*rate)
	t.at = now
	if over := t.spent + 1 - burst*rate; over > 0 {
		return time.Duration(math.Ceil(over / rate * float64(time.Second)))
	}
	t.spent++
	return 0
}

// pass lets through a message that has waited.
func (t *throttle) pass() { t.spent++ }
