package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/transport"
)

// host is a client at the other end of a pipe.
type host struct {
	t testing.TB
	transport.Conn
	served chan error
}

// connect serves srv on a pipe until the test ends.
func connect(t testing.TB, srv *Server) *host {
	t.Helper()
	near, far := transport.Pipe()
	h := &host{t: t, Conn: near, served: make(chan error, 1)}
	go func() { h.served <- srv.Serve(context.Background(), far) }()
	t.Cleanup(func() {
		_ = near.Close() // idempotent
		if err := h.end(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

// end waits for Serve to return.
func (h *host) end() error {
	h.t.Helper()
	err := within(h.t, h.served, "end of Serve")
	h.served <- err // for the cleanup
	return err
}

func (h *host) send(lines ...string) {
	h.t.Helper()
	for _, line := range lines {
		if err := h.Write(h.t.Context(), []byte(line)); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *host) receive() string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	msg, err := h.Read(ctx)
	if err != nil {
		h.t.Fatalf("read: %v", err)
	}
	return string(msg)
}

// ask sends one message and returns the next one that comes.
func (h *host) ask(line string) string {
	h.t.Helper()
	h.send(line)
	return h.receive()
}

func (h *host) initialize(p mcp.Profile) {
	h.t.Helper()
	if got := h.ask(initializeBody(p.Version())); !strings.Contains(got, `"protocolVersion":"`+p.Version()+`"`) {
		h.t.Fatalf("initialize: %s", got)
	}
}

func modernLine(id, method, members string) string { return modernBody(id, method, members, "") }

func stallLine(id string) string { return modernLine(id, mcp.MethodToolsCall, `"name":"stall"`) }

const pong = `{"jsonrpc":"2.0","id":9,"result":{}}`

// ping makes sure that everything sent before was taken, in a session.
func (h *host) ping() {
	h.t.Helper()
	if got := h.ask(legacyBody("9", "ping", "{}")); got != pong {
		h.t.Errorf("ping answered %s", got)
	}
}

// ERA-14, INIT-20, MOD-11: what a request is answered with on a pipe, by what
// was sent before it.
func TestPipeDispatch(t *testing.T) {
	const inited = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	initialize := initializeBody("2025-11-25")
	for _, tt := range []struct {
		name    string
		profile mcp.Profile
		before  []string // each is answered, and with no error, unless it is a notification
		line    string
		code    mcp.Code // 0: a result
		says    string
	}{
		{name: "modern discovery", line: modernLine("1", mcp.MethodDiscover, ""), says: "supportedVersions"},
		{name: "modern call", line: modernLine("1", mcp.MethodToolsCall, `"name":"quick"`), says: "quick"},
		{name: "modern call after initialize", before: []string{initialize}, line: modernLine("1", mcp.MethodToolsCall, `"name":"quick"`), says: `"resultType":"complete"`},
		{name: "initialize after discovery", before: []string{modernLine("1", mcp.MethodDiscover, ""), modernLine("2", mcp.MethodDiscover, "")}, line: initialize, says: `"protocolVersion":"2025-11-25"`},
		{name: "initialize with modern marks (T-49)", line: modernLine("1", mcp.MethodInitialize, `"protocolVersion":"2025-11-25"`), code: mcp.CodeMethodNotFound},
		{name: "initialize with a modern version (ERA-16)", line: initializeBody("2026-07-28"), says: `"protocolVersion":"2025-11-25"`},
		{name: "second initialize (INIT-20)", before: []string{initialize}, line: initialize, code: mcp.CodeInvalidRequest, says: "initialized already"},
		{name: "initialize that failed is none", before: nil, line: legacyBody("1", mcp.MethodInitialize, "{}"), code: mcp.CodeInvalidParams},
		{name: "ping before initialize (PING-01)", line: legacyBody("1", "ping", "{}"), says: `"result":{}`},
		{name: "modern ping", line: modernLine("1", "ping", ""), code: mcp.CodeMethodNotFound},
		{name: "request before initialize (INIT-20)", line: legacyBody("1", mcp.MethodToolsList, "{}"), code: codeNotInitialized, says: "initialize"},
		{name: "level before initialize", line: legacyBody("1", mcp.MethodSetLevel, `{"level":"info"}`), code: codeNotInitialized},
		{name: "request right after initialize (SES-15)", before: []string{initialize}, line: legacyBody("1", mcp.MethodToolsCall, `{"name":"quick"}`), says: "quick"},
		{name: "request after initialized", before: []string{initialize, inited, inited}, line: legacyBody("1", mcp.MethodToolsCall, `{"name":"quick"}`), says: "quick"},
		{name: "discovery without _meta (MOD-11)", line: legacyBody("1", mcp.MethodDiscover, "{}"), code: mcp.CodeInvalidParams, says: mcp.MetaProtocolVersion},
		{name: "capabilities without version (MOD-11)", line: legacyBody("1", mcp.MethodToolsList, `{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`), code: mcp.CodeInvalidParams, says: mcp.MetaProtocolVersion},
		{name: "version without capabilities (MOD-11)", line: legacyBody("1", mcp.MethodToolsList, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), code: mcp.CodeInvalidParams, says: mcp.MetaClientCapabilities},
		{name: "version a number (MOD-11)", line: legacyBody("1", mcp.MethodToolsList, `{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}`), code: mcp.CodeInvalidParams},
		{name: "version unknown (M-VER-002)", line: legacyBody("1", mcp.MethodDiscover, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"v9"}}`), code: mcp.CodeUnsupportedVersion, says: "2026-07-28"},
		{name: "modern form, older version (T-05)", before: []string{initialize}, line: legacyBody("1", mcp.MethodToolsList, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}`), code: mcp.CodeUnsupportedVersion},
		{name: "discovery in a session (UP-01)", before: []string{initialize}, line: legacyBody("1", mcp.MethodDiscover, "{}"), code: mcp.CodeMethodNotFound},
		{name: "unknown method before initialize", line: legacyBody("1", "no/such", "{}"), code: mcp.CodeMethodNotFound},
		{name: "unknown method (RPC-09)", before: []string{initialize}, line: legacyBody("1", "no/such", "{}"), code: mcp.CodeMethodNotFound},
		{name: "params an array (RPC-07)", before: []string{initialize}, line: legacyBody("1", mcp.MethodToolsList, "[]"), code: mcp.CodeInvalidParams},

		{name: "initialize, modern alone (ERA-15)", profile: mcp.Modern20260728, line: initialize, code: mcp.CodeUnsupportedVersion, says: "2026-07-28"},
		{name: "request, modern alone", profile: mcp.Modern20260728, line: legacyBody("1", mcp.MethodToolsList, "{}"), code: mcp.CodeInvalidParams},
		{name: "ping, modern alone", profile: mcp.Modern20260728, line: legacyBody("1", "ping", "{}"), code: mcp.CodeInvalidParams},
		{name: "discovery, legacy alone", profile: mcp.Legacy20250618, line: modernLine("1", mcp.MethodDiscover, ""), code: mcp.CodeMethodNotFound},
		{name: "request, legacy alone", profile: mcp.Legacy20250618, line: modernLine("1", mcp.MethodToolsList, ""), code: codeNotInitialized},
		{name: "another version, legacy alone", profile: mcp.Legacy20250618, line: initialize, says: `"protocolVersion":"2025-06-18"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			svc := NewService("")
			Tool(svc, "quick", says("quick"))
			h := connect(t, configured(t, Config{Profile: tt.profile}, svc))
			for _, line := range tt.before {
				if !strings.Contains(line, `"id"`) {
					h.send(line)
				} else if got := h.ask(line); code(t, got) != 0 {
					t.Fatalf("before: %s", got)
				}
			}
			got := h.ask(tt.line)
			if code(t, got) != int(tt.code) || !strings.Contains(got, tt.says) {
				t.Errorf("got %s; want code %d and %q", got, tt.code, tt.says)
			}
		})
	}
}

// STD-05, RPC-05, JSON-01, M-ERR-001: what is no message is answered once, and
// the connection goes on.
func TestPipeBadInput(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"truncated", `{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"read JSON: unexpected end at byte 24"}}`},
		{"trailing (STD-05)", legacyBody("1", "ping", "{}") + "xyz", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"read JSON: data after the value at byte 52"}}`},
		{"duplicate names", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"read JSON: duplicate name \"id\" at byte 24"}}`},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"read JSON: nested too deep (more than 128) at byte 180"}}`},
		{"another case", `{"jsonrpc":"2.0","id":1,"METHOD":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"member \"METHOD\" differs from \"method\" only in case"}}`},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"id is null; use a string or an integer"}}`},
		{"id a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"id 1.5 is no integer; use a string or an integer"}}`},
		{"wrong JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"\"jsonrpc\" is \"1.0\"; it must be \"2.0\""}}`},
		{"a number", `3`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"message is a number; send one JSON-RPC object"}}`},
		{"a batch (BATCH-12, M-MSG-010)", `[` + legacyBody("1", "ping", "{}") + `]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"message is an array; send one JSON-RPC object"}}`},
		{"a response nobody waits for", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"a broken response", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, ""},
		{"unknown notification (RPC-12)", `{"jsonrpc":"2.0","method":"$/progress","params":[1,2]}`, ""},
		{"bad cancellation (M-CAN-011)", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`, ""},
		{"request without id (RPC-05)", `{"jsonrpc":"2.0","method":"tools/list"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := connect(t, serverOf(t))
			h.send(tt.line)
			if tt.want != "" {
				if diff := cmp.Diff(tt.want, h.receive()); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			}
			h.ping()
		})
	}
}

// STD-01: a line beyond the limit fails alone, and its client is told the limit.
func TestPipeLongLine(t *testing.T) {
	in, out := lines(t, configured(t, Config{}), transport.Options{MaxMessage: 1000})
	in.send(strings.Repeat("x", 2000), legacyBody("9", "ping", "{}"))
	for _, want := range []string{"1000 bytes", pong} {
		if got := out.next(); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// M-STDIO-015, CON-05, CON-16: a cancelled request is never answered; whatever
// runs does not hold up pings and other calls.
func TestPipeCancel(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			svc := newStalls()
			h := connect(t, serverOf(t, svc.Service))
			h.initialize(mcp.Legacy20251125)
			line := stallLine
			if era == "legacy" {
				line = func(id string) string { return legacyCall(id, "stall", "{}") }
			}
			for _, id := range []string{`7`, `"7"`, `0`} {
				h.send(line(id))
				within(t, svc.began, "call")
			}
			for _, wrong := range []string{`{"requestId":8}`, `{"requestId":null}`, `{}`, `7`} {
				h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + wrong + `}`)
			}
			h.ping()
			for _, id := range []string{`7`, `7`, `0`} {
				h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"user"}}`)
			}
			for range 2 {
				if err := within(t, svc.ended, "cancellation"); err == nil {
					t.Error("a call was not cancelled")
				}
			}
			h.ping()
			close(svc.release)
			if got := h.receive(); !strings.Contains(got, `"id":"7"`) || !strings.Contains(got, "released") {
				t.Errorf("the other call: %s", got)
			}
			h.ping()
		})
	}
}

// BATCH-01, BATCH-08, BATCH-09, RPC-14: batches on a pipe, in their revision.
func TestPipeBatch(t *testing.T) {
	svc := NewService("")
	Tool(svc, "quick", says("quick"))
	h := connect(t, serverOf(t, svc))
	h.initialize(mcp.Legacy20250326)
	got := h.ask(`[` + legacyBody("1", "ping", "{}") + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"foo":1},` + legacyCall(`"2"`, "quick", "{}") + `]`)
	if !strings.HasPrefix(got, "[") || strings.Count(got, `"jsonrpc"`) != 3 || !strings.Contains(got, `"id":1,"result":{}`) || !strings.Contains(got, "-32600") || !strings.Contains(got, "quick") {
		t.Errorf("batch answered %s", got)
	}
	h.send(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`)
	if got := h.ask(`[` + initializeBody("2025-03-26") + `]`); !strings.Contains(got, "-32600") {
		t.Errorf("initialize in a batch answered %s", got)
	}
	if got := h.ask(`[]`); !strings.HasPrefix(got, "{") || !strings.Contains(got, "-32600") {
		t.Errorf("empty batch answered %s", got)
	}
}

// CON-11: progress and log messages stand before the reply, in order.
func TestPipeNotifications(t *testing.T) {
	svc := NewService("")
	Tool(svc, "steps", func(ctx context.Context, _ nothing) (string, error) {
		for i := range 100 {
			Progress(ctx, float64(i+1), 0, "")
		}
		Log(ctx).Error("bad")
		return "done", nil
	})
	h := connect(t, serverOf(t, svc))
	h.initialize(mcp.Legacy20251125)
	h.send(legacyBody("1", mcp.MethodToolsCall, `{"name":"steps","_meta":{"progressToken":"a"}}`))
	for i := range 100 {
		if got, want := h.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":%d}}`, i+1); got != want {
			t.Fatalf("message %d is %s, want %s", i, got, want)
		}
	}
	if got := h.receive(); !strings.Contains(got, "notifications/message") {
		t.Errorf("then %s", got)
	}
	if got := h.receive(); !strings.Contains(got, `"id":1`) {
		t.Errorf("at last %s", got)
	}
}

// CON-16, STD-13: more calls than may run wait their turn; pings do not.
func TestPipeConcurrency(t *testing.T) {
	svc := newStalls()
	h := connect(t, configured(t, Config{Session: SessionConfig{MaxInFlight: 2}}, svc.Service))
	for i := range 20 {
		h.send(stallLine(fmt.Sprint(i)))
	}
	within(t, svc.began, "first call")
	within(t, svc.began, "second call")
	h.ping()
	select {
	case <-svc.began:
		t.Error("a third call runs")
	default:
	}
	close(svc.release)
	seen := map[string]bool{}
	for range 20 {
		seen[h.receive()] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d different replies, want 20", len(seen))
	}
}
