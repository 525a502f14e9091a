package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCheckReplay: a server under test finds handlers that cannot run again.
func TestCheckReplay(t *testing.T) {
	n := 0
	who := func(ctx context.Context, key, message string) error {
		_, err := Elicit[nameForm](ctx, key, message)
		return err
	}
	tests := []struct {
		name string
		fn   func(ctx context.Context) error
		want string // empty: it is fine
	}{
		{"the same each time", func(ctx context.Context) error { return who(ctx, "who", "Who?") }, ""},
		{"asks nothing", func(context.Context) error { return nil }, ""},
		{"several in turn", func(ctx context.Context) error {
			if err := who(ctx, "a", "A?"); err != nil {
				return err
			}
			return who(ctx, "b", "B?")
		}, ""},
		{"random, and kept", func(ctx context.Context) error {
			n, err := Once(ctx, "n", func(context.Context) (int, error) { n++; return n, nil })
			if err != nil {
				return err
			}
			return who(ctx, "who", fmt.Sprint("Who is ", n, "?"))
		}, ""},
		{"put off", func(ctx context.Context) error {
			if n++; n > 2 {
				return nil
			}
			return Later(0)
		}, ""},
		{"another message", func(ctx context.Context) error { n++; return who(ctx, "who", fmt.Sprint("Who is ", n, "?")) }, `replay of tool "t": it asks something else for "who" when it runs again`},
		{"another key", func(ctx context.Context) error { n++; return who(ctx, fmt.Sprint("who", n), "Who?") }, `replay of tool "t": it does not ask for "who1" when it runs again`},
		{"one more", func(ctx context.Context) error {
			if n++; n > 1 {
				_ = who(ctx, "b", "B?")
			}
			return who(ctx, "a", "A?")
		}, `replay of tool "t": it asks for "b" only when it runs again`},
		{"nothing the second time", func(ctx context.Context) error {
			if n++; n > 1 {
				return nil
			}
			return who(ctx, "a", "A?")
		}, `replay of tool "t": it asks nothing when it runs again`},
		{"another state of its own", func(ctx context.Context) error { n++; return &InputRequired{State: fmt.Sprint(n)} }, `replay of tool "t": its own state is another one when it runs again`},
		{"put off one time", func(ctx context.Context) error {
			if n++; n > 1 {
				return who(ctx, "a", "A?")
			}
			_ = who(ctx, "a", "A?")
			return Later(0)
		}, `replay of tool "t": it is put off only one time of two`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n = 0
			var log strings.Builder
			srv := asksTool(t, Config{Logger: testLogger(&log), State: StateConfig{CheckReplay: true}}, func(ctx context.Context) (string, error) { return "done", tt.fn(ctx) })
			d := calling(mcp.Newest, answers(isAda))
			r := d.run(t, srv)
			if tt.want == "" {
				wantOutcome(t, r, "done")
				return
			}
			wantOutcome(t, r, "-32603 "+tt.want+" ")
			if !strings.Contains(log.String(), "handler cannot be replayed") || !strings.Contains(log.String(), "name=t") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}
