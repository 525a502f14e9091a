package cli

import (
	"fmt"
	"sync"
	"time"
)

// spinnerDelay is how long a call may take before a person is shown that
// something is going on.
const spinnerDelay = 300 * time.Millisecond

// spinner shows text with a turning mark on standard error, when that is a
// terminal, until stop is called. stop waits until the line is gone.
func (a *app) spinner(text string) (stop func()) {
	if _, ok := terminal(a.Err); !ok || a.json {
		return func() {}
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { a.spin(oneLine(text), quit) })
	return sync.OnceFunc(func() {
		close(quit)
		done.Wait()
	})
}

func (a *app) spin(text string, quit <-chan struct{}) {
	delay := time.NewTimer(spinnerDelay)
	defer delay.Stop()
	select {
	case <-quit:
		return
	case <-delay.C:
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	marks := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	for i := 0; ; i++ {
		fmt.Fprintf(a.Err, "\r%c %s", marks[i%len(marks)], text) //nolint:errcheck // decoration
		select {
		case <-quit:
			fmt.Fprint(a.Err, "\r\x1b[K") //nolint:errcheck // decoration
			return
		case <-tick.C:
		}
	}
}
