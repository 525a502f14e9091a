package server

import (
	"context"
	"errors"
	"time"
)

// Later returns an error that puts a call off: the handler runs again from the
// top, after at least d. It is for work that is not ready, such as a page the user
// has yet to finish with (see [ElicitURL]), and for load that another replica
// should take. A handler returns it as it is, or wrapped.
//
// In the stateless revision the call ends and the client sends it again, to
// whichever replica; one that comes too early is held until d has passed. On
// other revisions the call stays open meanwhile, for as long as the client waits.
// What was answered and kept with [Once] is kept. A d below 50 milliseconds is
// that much.
//
// Later works where [Ask] does; elsewhere its error is one of the server's.
func Later(d time.Duration) error { return &laterError{max(d, soonest)} }

// soonest keeps a handler that always puts off from running in circles (T-36).
const soonest = 50 * time.Millisecond

type laterError struct{ d time.Duration }

func (e *laterError) Error() string { return "the call was put off for " + e.d.String() }

// putOff is how long err puts a call off.
func putOff(err error) (time.Duration, bool) {
	later, ok := errors.AsType[*laterError](err)
	if !ok {
		return 0, false
	}
	return later.d, true
}

// sleep waits for d, which may be past, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
