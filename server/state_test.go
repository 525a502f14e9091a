package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

type stateArgs struct {
	N int    `json:"n,omitempty"`
	S string `json:"s,omitempty"`
}

// stateful is a server whose tools, prompt and resource ask who it is.
func stateful(t testing.TB, cfg Config) *Server {
	t.Helper()
	s := NewService("")
	tool := func(ctx context.Context, _ stateArgs) (string, error) {
		who, err := Elicit[nameForm](ctx, "who", "Who?")
		return who.Name, err
	}
	Tool(s, "t", tool)
	Tool(s, "u", tool)
	run := func(ctx context.Context, _ nothing) (string, error) { return tool(ctx, stateArgs{}) }
	Prompt(s, "t", run)
	Resource(s, "x://t", run)
	return configured(t, cfg, s)
}

var (
	oldKey = bytes.Repeat([]byte("o"), 32)
	newKey = bytes.Repeat([]byte("n"), 32)
)

func keyed(keys ...[]byte) Config { return Config{State: StateConfig{Keys: keys}} }

// TestStateBinding: a state is good for the request it was given to, of the
// caller it was given to, and for nothing else (MRT-05, M-MRTR-010 to M-MRTR-016,
// M-MRTR-037, M-ELI-032).
func TestStateBinding(t *testing.T) {
	const args = `{"name":"t","arguments":{"n":1,"s":"é"}}`
	text := func(s string) json.RawMessage { return json.RawMessage(quoted(s)) }
	state := func(given string) json.RawMessage { return text(given) }
	tests := []struct {
		name   string
		before func(*dialogue)
		// change makes of the state that was given the one that comes back.
		change func(given string) json.RawMessage
		after  func(*dialogue)
		server Config
		ok     bool
	}{
		{name: "untouched", change: state, ok: true},
		{name: "another replica with the same key", change: state, server: keyed(newKey), ok: true},
		{name: "sealed before the rotation", change: state, server: keyed(oldKey, newKey), ok: true},
		{name: "sealed with a dropped key", change: state, server: keyed(oldKey)},
		{name: "a server of another name with the same key", change: state, server: Config{Info: mcp.Implementation{Name: "other", Version: "1"}, State: StateConfig{Keys: [][]byte{newKey}}}},
		{name: "arguments written anew (T-39)", change: state, after: func(d *dialogue) { d.params = `{"arguments":{"s":"\u00e9" , "n":1.0},"name":"t"}` }, ok: true},
		{name: "another _meta", change: state, after: func(d *dialogue) {
			d.params = `{"name":"t","arguments":{"n":1,"s":"é"},"_meta":{"traceparent":"x"}}`
		}, ok: true},
		{name: "other arguments", change: state, after: func(d *dialogue) { d.params = `{"name":"t","arguments":{"n":2,"s":"é"}}` }},
		{name: "arguments missing", change: state, after: func(d *dialogue) { d.params = `{"name":"t"}` }},
		{name: "no arguments in three spellings (VAL-01)", before: func(d *dialogue) { d.params = `{"name":"t"}` }, change: state, after: func(d *dialogue) { d.params = `{"name":"t","arguments":null}` }, ok: true},
		{name: "no arguments and an empty object", before: func(d *dialogue) { d.params = `{"name":"t"}` }, change: state, after: func(d *dialogue) { d.params = `{"name":"t","arguments":{}}` }, ok: true},
		{name: "another tool", change: state, after: func(d *dialogue) { d.params = strings.Replace(args, `"t"`, `"u"`, 1) }},
		{name: "a prompt's for a tool", before: func(d *dialogue) { d.method, d.params = mcp.MethodPromptsGet, `{"name":"t"}` }, change: state, after: func(d *dialogue) { d.method, d.params = mcp.MethodToolsCall, `{"name":"t"}` }},
		{name: "a tool's for a resource", before: func(d *dialogue) { d.params = `{"name":"t"}` }, change: state, after: func(d *dialogue) { d.method, d.params = mcp.MethodResourcesRead, `{"uri":"x://t"}` }},
		{name: "another user's", before: func(d *dialogue) { d.principal = "ada" }, change: state, after: func(d *dialogue) { d.principal = "bob" }},
		{name: "a user's, of nobody", before: func(d *dialogue) { d.principal = "ada" }, change: state, after: func(d *dialogue) { d.principal = "" }},
		{name: "the same user's", before: func(d *dialogue) { d.principal = "ada" }, change: state, after: func(d *dialogue) { d.principal = "ada" }, ok: true},
		{name: "changed", change: func(given string) json.RawMessage { return text(given[:40] + "A" + given[41:]) }},
		{name: "something added", change: func(given string) json.RawMessage { return text(given + "-TAMPERED") }},
		{name: "cut short", change: func(given string) json.RawMessage { return text(given[:len(given)-8]) }},
		{name: "empty", change: func(string) json.RawMessage { return text("") }},
		{name: "10 MB", change: func(string) json.RawMessage { return text(strings.Repeat("A", 10<<20)) }},
		{name: "somebody's own", change: func(string) json.RawMessage { return text(`{"known":{"who":{"value":{"action":"accept"}}}}`) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := calling(mcp.Newest, nil)
			d.params = args
			if tt.before != nil {
				tt.before(d)
			}
			in := d.first(t, stateful(t, keyed(newKey)))
			if tt.after != nil {
				tt.after(d)
			}
			var log strings.Builder
			cfg := tt.server
			if cfg.State.Keys == nil {
				cfg = keyed(newKey)
			}
			cfg.Logger = testLogger(&log)
			sent := retry{state: tt.change(*in.RequestState), responses: json.RawMessage(`{"who":` + isAda + `}`)}
			r := d.round(t, stateful(t, cfg), sent)
			if tt.ok {
				if got := outline(t, r); !strings.Contains(got, "Ada") && !strings.Contains(string(r.Result), "Ada") {
					t.Errorf("got %q", got)
				}
				return
			}
			// Nothing tells which check failed, and the log has no state.
			wantOutcome(t, r, "-32602 params.requestState is not accepted; start anew, without requestState and inputResponses ")
			if r.status != 200 || !strings.Contains(log.String(), "requestState refused") || !strings.Contains(log.String(), "reason=") {
				t.Errorf("status %d, log %q", r.status, log.String())
			}
			if sent := strings.Trim(string(sent.state), `"`); len(sent) > 12 && strings.Contains(log.String(), sent[:12]) {
				t.Errorf("the log has the state: %s", log.String())
			}
		})
	}
	for _, wrong := range []string{`null`, `7`, `{}`} {
		d := calling(mcp.Newest, nil)
		wantOutcome(t, d.round(t, stateful(t, Config{}), retry{state: json.RawMessage(wrong)}), "-32602 params.requestState must be a string ")
	}
}

// TestRefusedStateRunsNothing: what a handler does before it asks is not done for
// a state that is refused, also when the handler does not ask.
func TestRefusedStateRunsNothing(t *testing.T) {
	s := NewService("")
	Tool(s, "t", func(context.Context, nothing) (string, error) { t.Error("it ran"); return "", nil })
	wantOutcome(t, calling(mcp.Newest, nil).round(t, serverOf(t, s), retry{state: json.RawMessage(`"forged"`)}), "-32602 "+errStateRefused.Message+" ")
	t.Run("whatever an interceptor makes of the error", func(t *testing.T) {
		srv := configured(t, Config{Interceptors: []Interceptor{func(ctx context.Context, c *Call, next Next) (any, error) {
			if _, err := next(ctx, c); err == nil {
				t.Error("no error")
			}
			return textResult("all is well"), nil
		}}}, s)
		wantOutcome(t, calling(mcp.Newest, nil).round(t, srv, retry{state: json.RawMessage(`"forged"`)}), "-32602 "+errStateRefused.Message+" ")
	})
	t.Run("after the target and its needs (15.1, 23 after 20 and 22)", func(t *testing.T) {
		s := NewService("")
		Tool(s, "t", says(""), Needs(mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{}}))
		srv := serverOf(t, s)
		d := calling(mcp.Newest, nil)
		d.capabilities = `{}`
		if r := d.round(t, srv, retry{state: json.RawMessage(`"forged"`)}); r.Error == nil || r.Error.Code != int(mcp.CodeMissingCapability) {
			t.Errorf("got %+v", r.Error)
		}
		d.params = `{"name":"none"}`
		if r := d.round(t, srv, retry{state: json.RawMessage(`"forged"`)}); r.Error == nil || !strings.Contains(r.Error.Message, "unknown tool") {
			t.Errorf("got %+v", r.Error)
		}
	})
}

// TestStateExpires (M-MRTR-015).
func TestStateExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := stateful(t, Config{})
		d := calling(mcp.Newest, accepts(`{"name":"Ada"}`))
		sent := d.reply(d.first(t, srv))
		time.Sleep(10*time.Minute - time.Millisecond) // the clock of the bubble
		wantOutcome(t, d.round(t, srv, sent), "Ada")
		wantOutcome(t, d.round(t, srv, sent), "Ada") // not single use unless it is said
		time.Sleep(time.Millisecond)
		wantOutcome(t, d.round(t, srv, sent), "-32602 "+errStateRefused.Message+" ")
	})
}

// TestSingleUse (M-MRTR-017, MRT-05).
func TestSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewMemoryStates(0)
		cfg := StateConfig{Keys: [][]byte{newKey}, SingleUse: true, Store: store}
		one, other := stateful(t, Config{State: cfg}), stateful(t, Config{State: cfg})
		d := calling(mcp.Newest, accepts(`{"name":"Ada"}`))
		sent := d.reply(d.first(t, one))
		bad := retry{state: sent.state, responses: json.RawMessage(`null`)}
		wantOutcome(t, d.round(t, one, bad), "-32602 params.inputResponses must be an object; got a null ") // uses nothing up
		var wins, losses int
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				mine := *d // rounds are counted
				got := outline(t, mine.round(t, []*Server{one, other}[i%2], sent))
				mu.Lock()
				defer mu.Unlock()
				switch got {
				case "Ada":
					wins++
				case "-32602 " + errStateRefused.Message + " ":
					losses++
				default:
					t.Errorf("got %q", got)
				}
			})
		}
		all.Wait()
		if wins != 1 || losses != 9 {
			t.Errorf("%d retries went through, %d were refused", wins, losses)
		}
		time.Sleep(10 * time.Minute)
		wantOutcome(t, d.round(t, one, sent), "-32602 "+errStateRefused.Message+" ") // forgotten, and expired
		if first, err := store.Claim(t.Context(), "next", time.Minute); !first || err != nil || len(store.byID) != 1 {
			t.Errorf("%d claims are kept, %v", len(store.byID), err)
		}
	})
}

// failingStore is a store that fails in one way.
type failingStore struct {
	*MemoryStates
	save, load, claim error
}

func (f failingStore) Save(ctx context.Context, id string, state []byte, ttl time.Duration) error {
	if f.save != nil {
		return f.save
	}
	return f.MemoryStates.Save(ctx, id, state, ttl)
}

func (f failingStore) Load(ctx context.Context, id string) ([]byte, error) {
	if f.load != nil {
		return nil, f.load
	}
	return f.MemoryStates.Load(ctx, id)
}

func (f failingStore) Claim(ctx context.Context, id string, ttl time.Duration) (bool, error) {
	if f.claim != nil {
		return false, f.claim
	}
	return f.MemoryStates.Claim(ctx, id, ttl)
}

// TestLargeState: what does not fit into a request stays here, sealed.
func TestLargeState(t *testing.T) {
	secret := strings.Repeat("secret ", 20_000)
	large := func(t *testing.T, cfg StateConfig, log *strings.Builder) *Server {
		return asksTool(t, Config{State: cfg, Logger: testLogger(log)}, func(ctx context.Context) (string, error) {
			kept, err := Once(ctx, "kept", func(context.Context) (string, error) { return secret, nil })
			if err != nil {
				return "", err
			}
			_, err = Elicit[nameForm](ctx, "who", "Who?")
			return fmt.Sprint(len(kept)), err
		})
	}
	t.Run("without a store", func(t *testing.T) {
		var log strings.Builder
		wantOutcome(t, calling(mcp.Newest, nil).run(t, large(t, StateConfig{}, &log)), "-32603 internal error ")
		if !strings.Contains(log.String(), "and State.MaxSize is 65536; keep less, or set State.Store") {
			t.Errorf("log: %s", log.String())
		}
	})
	t.Run("with a larger bound", func(t *testing.T) {
		var log strings.Builder
		wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, large(t, StateConfig{MaxSize: 1 << 20}, &log)), "140000")
	})
	t.Run("with a store", func(t *testing.T) {
		var log strings.Builder
		store := NewMemoryStates(0)
		srv := large(t, StateConfig{Store: store}, &log)
		d := calling(mcp.Newest, answers(isAda))
		in := d.first(t, srv)
		if n := len(*in.RequestState); n > 200 {
			t.Errorf("the state that travels has %d bytes", n)
		}
		for _, k := range store.byID {
			if bytes.Contains(k.state, []byte("secret")) {
				t.Error("the store can read the state")
			}
			kept := k.state
			k.state = append(bytes.Clone(kept[:100]), kept[101:]...)
			wantOutcome(t, d.round(t, srv, d.reply(in)), "-32602 "+errStateRefused.Message+" ")
			k.state = kept
		}
		wantOutcome(t, d.round(t, srv, d.reply(in)), "140000")
		clear(store.byID)
		wantOutcome(t, d.round(t, srv, d.reply(in)), "-32602 "+errStateRefused.Message+" ")
	})
	t.Run("kept in a store that is not there any more", func(t *testing.T) {
		var log strings.Builder
		d := calling(mcp.Newest, answers(isAda))
		in := d.first(t, large(t, StateConfig{Keys: [][]byte{newKey}, Store: NewMemoryStates(0)}, &log))
		wantOutcome(t, d.round(t, large(t, StateConfig{Keys: [][]byte{newKey}}, &log), d.reply(in)), "-32602 "+errStateRefused.Message+" ")
	})
	broken := errors.New("disk full")
	for name, store := range map[string]failingStore{
		"save": {save: broken}, "load": {load: broken}, "claim": {claim: broken},
	} {
		t.Run("a store that cannot "+name, func(t *testing.T) {
			var log strings.Builder
			store.MemoryStates = NewMemoryStates(0)
			srv := large(t, StateConfig{Store: store, SingleUse: true}, &log)
			wantOutcome(t, calling(mcp.Newest, answers(isAda)).run(t, srv), "-32603 internal error ")
			if !strings.Contains(log.String(), "disk full") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// TestStateConfig: what is wrong is found when the server is made.
func TestStateConfig(t *testing.T) {
	_, err := New(Config{Info: testInfo, State: StateConfig{Keys: [][]byte{{1, 2}}, TTL: -1, MaxSize: -1, SingleUse: true}})
	want := []string{
		"server config: State.Keys: key 0: it has 2 bytes; use at least 32 random ones",
		"server config: State.SingleUse needs a State.Store that remembers what was used; NewMemoryStates makes one for a single process",
		`server config: State.TTL is "-1ns"; use 0 for the default, or a positive value`,
		`server config: State.MaxSize is "-1"; use 0 for the default, or a positive value`,
	}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := (StateConfig{}).withDefaults(); c.TTL != 10*time.Minute || c.MaxSize != 64<<10 {
		t.Errorf("defaults: %+v", c)
	}
}

// TestMemoryStates: bounded, forgetful in time and not before.
func TestMemoryStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		m := NewMemoryStates(3 * (keptOverhead + 10))
		state := []byte("state")
		if err := m.Save(ctx, "a", state, time.Minute); err != nil {
			t.Fatal(err)
		}
		state[0] = 'S'
		if got, err := m.Load(ctx, "a"); err != nil || string(got) != "state" {
			t.Errorf("load: %q, %v", got, err)
		}
		if _, err := m.Load(ctx, "b"); !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("load of what is not there: %v", err)
		}
		if first, err := m.Claim(ctx, "a", time.Hour); err != nil || !first {
			t.Errorf("claim beside a state of the same name: %t, %v", first, err)
		}
		if first, err := m.Claim(ctx, "a", time.Hour); err != nil || first {
			t.Errorf("claim again: %t, %v", first, err)
		}
		if err := m.Save(ctx, "a", []byte("other"), time.Minute); err != nil {
			t.Errorf("save again: %v", err)
		}
		if first, err := m.Claim(ctx, "b", time.Hour); err != nil || !first {
			t.Errorf("claim: %t, %v", first, err)
		}
		if first, err := m.Claim(ctx, "c", time.Hour); !errors.Is(err, mcp.ErrTooLarge) || first {
			t.Errorf("claim in a full store: %t, %v", first, err)
		}
		time.Sleep(time.Minute) // the clock of the bubble
		if _, err := m.Load(ctx, "a"); !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("load of what expired: %v", err)
		}
		if first, err := m.Claim(ctx, "c", time.Hour); err != nil || !first {
			t.Errorf("claim where something expired: %t, %v", first, err)
		}
		if first, _ := m.Claim(ctx, "a", time.Hour); first {
			t.Error("a claim was forgotten too early")
		}
		time.Sleep(time.Hour)
		if first, _ := m.Claim(ctx, "a", time.Hour); !first || len(m.byID) != 1 || m.size != keptOverhead+2 {
			t.Errorf("after an hour: %t, %d kept, %d bytes", first, len(m.byID), m.size)
		}
	})
}

// FuzzRetry: whatever a retry brings, the reply is one, and a state that was not
// given out leads to nothing.
func FuzzRetry(f *testing.F) {
	srv := asksTool(f, keyed(newKey), threefold)
	d := calling(mcp.Newest, nil)
	genuine := *d.first(f, srv).RequestState
	for _, responses := range []string{`{}`, `null`, `{"who":` + isAda + `,"said":` + aMessage + `,"client_roots":` + someRoot + `}`, `{"who":{"action":"accept","content":{"name":[]}}}`, `[1]`} {
		f.Add(responses, "", true)
		f.Add(responses, genuine[:80], false)
	}
	f.Fuzz(func(t *testing.T, responses, state string, given bool) {
		if given {
			state = genuine
		}
		if jsonx.Check([]byte(responses), 100) != nil {
			return
		}
		d := calling(mcp.Newest, nil)
		r := d.round(t, srv, retry{responses: json.RawMessage(responses), state: json.RawMessage(quoted(state))})
		if r.Error == nil && !given {
			t.Errorf("the state %q led to %s", state, r.Result)
		}
	})
}
