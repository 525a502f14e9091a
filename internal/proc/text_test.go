package proc

import (
	"strings"
	"testing"
)

// STD-15: what a batch file would interpret is refused, not quoted.
func TestBatchArguments(t *testing.T) {
	for _, c := range []struct {
		name, path string
		args       []string
		want       string
	}{
		{"program", `C:\x\run.exe`, []string{`a&b`, `"`}, ""},
		{"plain arguments", `C:\x\npx.cmd`, []string{"-y", "some-server@1.2", `C:\a b\c`, ""}, ""},
		{"ampersand", `C:\x\npx.CMD`, []string{"ok", "e&calc"}, `start "C:\\x\\npx.CMD": argument 2 holds "&", which a batch file would interpret; start the program behind it directly`},
		{"percent", `run.bat`, []string{"%PATH%"}, `start "run.bat": argument 1 holds "%", which a batch file would interpret; start the program behind it directly`},
		{"quote", `run.bat`, []string{`c"d`}, `start "run.bat": argument 1 holds "\"", which a batch file would interpret; start the program behind it directly`},
		{"line end", `run.bat`, []string{"a\nb"}, `start "run.bat": argument 1 holds "\n", which a batch file would interpret; start the program behind it directly`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := checkBatch(c.path, c.args); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		name   string
		limit  int
		writes []string
		want   string
	}{
		{"nothing", 10, nil, ""},
		{"fits", 10, []string{"a\n", "b\n"}, "a\nb\n"},
		{"begins with a whole line", 10, []string{"first\n", "second\n", "third\n"}, "third\n"},
		{"one long line", 10, []string{strings.Repeat("x", 100)}, strings.Repeat("x", 10)},
		{"one long line at the end", 10, []string{"a\n", strings.Repeat("x", 30) + "\n"}, strings.Repeat("x", 9) + "\n"},
		{"many small writes", 6, strings.Split(strings.Repeat("ab\n", 50), ""), "ab\n"},
		{"no UTF-8", 10, []string{"a\xff\n"}, "a\uFFFD\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tl := tail{limit: c.limit}
			for _, w := range c.writes {
				tl.add([]byte(w))
			}
			if got := tl.String(); got != c.want {
				t.Errorf("tail is %q, want %q", got, c.want)
			}
			if cap(tl.buf) > 8*c.limit {
				t.Errorf("buffer of %d bytes for a tail of %d", cap(tl.buf), c.limit)
			}
		})
	}
}

func TestLines(t *testing.T) {
	var got []string
	w := lineWriter{sink: sinkFunc(func(b []byte) (int, error) { got = append(got, string(b)); return len(b), nil })}
	long := strings.Repeat("y", maxLine)
	for _, s := range []string{"a", "b\nc\n", "", "\n", long, "z\n", "end"} {
		w.write([]byte(s))
	}
	w.flush()
	w.flush()
	want := []string{"ab\n", "c\n", "\n", long, "z\n", "end\n"}
	if len(got) != len(want) {
		t.Fatalf("%d writes, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("write %d is %.20q, want %.20q", i, got[i], want[i])
		}
	}
}

type sinkFunc func([]byte) (int, error)

func (f sinkFunc) Write(b []byte) (int, error) { return f(b) }

func TestLastLines(t *testing.T) {
	for name, c := range map[string]struct{ tail, want string }{
		"empty":      {"\n\n", ""},
		"short":      {"a\nb\n", "a\nb"},
		"five lines": {"1\n2\n3\n4\n5\n6\n7\n", "3\n4\n5\n6\n7"},
		"long line":  {strings.Repeat("é", 1000), strings.Repeat("é", 512)},
		"cut inside": {strings.Repeat("é", 1000) + "x", strings.Repeat("é", 511) + "x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lastLines(c.tail); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
