package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestOnce: a side effect between questions happens once, however often the
// handler runs (T-39).
func TestOnce(t *testing.T) {
	type draft struct {
		ID   int       `json:"id"`
		Made time.Time `json:"made"`
		note string
	}
	made := time.Date(2026, 7, 28, 1, 2, 3, 4, time.UTC)
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		t.Run(p.Version(), func(t *testing.T) {
			runs, effects := 0, 0
			srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
				runs++
				d, err := Once(ctx, "draft", func(context.Context) (draft, error) {
					effects++
					return draft{ID: effects, Made: made, note: "lost"}, nil
				})
				if err != nil {
					return "", err
				}
				if d.note != "" || !d.Made.Equal(made) {
					t.Errorf("run %d sees %+v, which is not what is kept", runs, d)
				}
				// A question with a random part is the same one each time.
				n, err := Once(ctx, "random", func(context.Context) (int, error) { return rand.IntN(1 << 30), nil })
				if err != nil {
					return "", err
				}
				if _, err := Elicit[nameForm](ctx, "who", fmt.Sprintf("Who made %d?", n)); err != nil {
					return "", err
				}
				if _, err := Elicit[sureForm](ctx, "sure", "Sure?"); err != nil {
					return "", err
				}
				return fmt.Sprint("draft ", d.ID), nil
			})
			wantOutcome(t, calling(p, inTurn(isAda, isSure)).run(t, srv), "draft 1")
			if effects != 1 || p == mcp.Newest && runs != 3 {
				t.Errorf("%d effects in %d runs", effects, runs)
			}
		})
	}
	t.Run("an error is not kept", func(t *testing.T) {
		tries := 0
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			_, failed := Once(ctx, "k", func(context.Context) (int, error) {
				if tries++; tries == 1 {
					return 0, errors.New("not yet")
				}
				return tries, nil
			})
			if _, err := Elicit[nameForm](ctx, "who", "Who?"); err != nil {
				return "", err
			}
			return fmt.Sprint(tries, " ", failed), nil
		})
		wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, srv), "2 <nil>")
	})
	t.Run("outside a call", func(t *testing.T) {
		if got, err := Once(t.Context(), "k", func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	})
	t.Run("in a request that cannot ask", func(t *testing.T) {
		s := NewService("")
		Tool(s, "t", says(""), Visible(func(ctx context.Context, _ Entry) bool {
			shown, err := Once(ctx, "k", func(context.Context) (bool, error) { return true, nil })
			return shown && err == nil
		}))
		var out mcp.ListToolsResult
		if result(t, serverOf(t, s), request(mcp.MethodToolsList, ``), &out); len(out.Tools) != 1 {
			t.Errorf("%d tools", len(out.Tools))
		}
	})
	t.Run("many at once", func(t *testing.T) {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			var all sync.WaitGroup
			for i := range 50 {
				all.Go(func() {
					got, err := Once(ctx, fmt.Sprint("k", i), func(context.Context) (int, error) { return i, nil })
					if err != nil || got != i {
						t.Errorf("%d, %v", got, err)
					}
				})
			}
			all.Wait()
			_, err := Elicit[nameForm](ctx, "who", "Who?")
			return "done", err
		})
		wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, srv), "done")
	})
}

// TestOnceFaults: what a handler can do wrong with Once.
func TestOnceFaults(t *testing.T) {
	one := func(context.Context) (int, error) { return 1, nil }
	for name, tt := range map[string]struct {
		fn   func(ctx context.Context) error
		want string
	}{
		"no key": {func(ctx context.Context) error { _, err := Once(ctx, "", one); return err }, "the key is empty"},
		"what has no form in JSON": {func(ctx context.Context) error {
			_, err := Once(ctx, "k", func(context.Context) (chan int, error) { return nil, nil })
			return err
		}, `once "k": write JSON`},
		"what cannot be read back": {func(ctx context.Context) error {
			_, err := Once(ctx, "k", func(context.Context) (writeOnly, error) { return 1, nil })
			return err
		}, `once "k": what was kept does not fit`},
		"a key of another type": {func(ctx context.Context) error {
			_, err := Once(ctx, "k", one)
			if err == nil {
				_, err = Once(ctx, "k", func(context.Context) (string, error) { return "", nil })
			}
			return err
		}, `once "k": what was kept does not fit string`},
		"a key that is in use": {func(ctx context.Context) error {
			_, err := Once(ctx, "k", func(ctx context.Context) (int, error) { return Once(ctx, "k", one) })
			return err
		}, `the key "k" is used twice at once`},
		"a key that is another's": {func(ctx context.Context) error {
			if _, err := Once(ctx, "k", one); err != nil {
				return err
			}
			_, err := Elicit[nameForm](ctx, "k", "Who?")
			return err
		}, `wants elicitation/create instead of once under the key "k"`},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			srv := asksTool(t, Config{Logger: testLogger(&log)}, func(ctx context.Context) (string, error) { return "", tt.fn(ctx) })
			wantOutcome(t, calling(mcp.Newest, nil).run(t, srv), "-32603 internal error ")
			if !strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), tt.want) {
				t.Errorf("log %s does not say %q", log.String(), tt.want)
			}
		})
	}
}

// writeOnly is written in a form that it does not read.
type writeOnly int

func (writeOnly) MarshalText() ([]byte, error) { return []byte("x"), nil }

func (*writeOnly) UnmarshalText([]byte) error { return errors.New("no way back") }
