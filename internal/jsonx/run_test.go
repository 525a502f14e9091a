package jsonx

import "testing"

// TestRuns: every pair of bytes, within a word and across its border, stops a
// walk exactly where one byte at a time would.
func TestRuns(t *testing.T) {
	walks := []struct {
		name  string
		fill  byte
		stops func(c byte) bool
		walk  func(b []byte, i int) int
		text  func(s string, i int) int // nil: bytes only
	}{
		{"plainRun", 'x', func(c byte) bool { return c < 0x20 || c >= 0x80 || c == '"' || c == '\\' }, plainRun[[]byte], plainRun[string]},
		{"checkedRun", 'x', func(c byte) bool { return c == '"' || c == '\\' }, checkedRun, nil},
		{"checkedRun in other scripts", 0xa2, func(c byte) bool { return c == '"' || c == '\\' }, checkedRun, nil},
		{"highRun", 0xa2, func(c byte) bool { return c < 0x80 }, highRun[[]byte], highRun[string]},
	}
	for _, w := range walks {
		t.Run(w.name, func(t *testing.T) {
			const size = 19 // two words and a rest
			b := make([]byte, size)
			for _, at := range []int{0, 6, 7, 15, 17} { // at an end, within, across
				for pair := range 1 << 16 {
					for i := range b {
						b[i] = w.fill
					}
					b[at], b[at+1] = byte(pair), byte(pair>>8)
					want := 0
					for want < size && !w.stops(b[want]) {
						want++
					}
					if got := w.walk(b, 0); got != want {
						t.Fatalf("%x: stops at %d, want %d", b, got, want)
					}
					if pair%97 == 0 && w.text != nil && w.text(string(b), 0) != want {
						t.Fatalf("%x as a string: want %d", b, want)
					}
				}
			}
			for i := range size + 1 { // from anywhere
				for j := range b {
					b[j] = w.fill
				}
				if got := w.walk(b, i); got != size {
					t.Errorf("from %d: stops at %d", i, got)
				}
			}
		})
	}
}
