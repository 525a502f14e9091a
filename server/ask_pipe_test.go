package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// pipeMessage is a message that a client of a pipe gets.
type pipeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

func (h *host) next() pipeMessage {
	h.t.Helper()
	var m pipeMessage
	if text := h.receive(); json.Unmarshal([]byte(text), &m) != nil {
		h.t.Fatalf("received %q", text)
	}
	return m
}

// initializeAble opens a session of a client that can be asked for everything.
func (h *host) initializeAble(p mcp.Profile) {
	h.t.Helper()
	line := strings.Replace(initializeBody(p.Version()), `"capabilities":{}`, `"capabilities":`+everything, 1)
	if got := h.ask(line); !strings.Contains(got, `"protocolVersion"`) {
		h.t.Fatalf("initialize: %s", got)
	}
}

// TestAskOverPipe: a handler asks for one thing after the other while the client,
// before it answers, needs the server itself, which serves one request at a time
// (CON-01).
func TestAskOverPipe(t *testing.T) {
	s := NewService("")
	Tool(s, "chat", func(ctx context.Context, _ nothing) (string, error) {
		who, err := Elicit[nameForm](ctx, "who", "Who?")
		if err != nil {
			return "", err
		}
		roots, err := Roots(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(who.Name, " at ", roots[0].URI), nil
	})
	Tool(s, "quick", says("quick"))
	h := connect(t, configured(t, Config{Session: SessionConfig{MaxInFlight: 1}}, s))
	h.initializeAble(mcp.Legacy20251125)
	h.send(legacyCall(`"chat"`, "chat", "{}"))
	for _, want := range []struct{ method, answer string }{{mcp.MethodElicit, isAda}, {mcp.MethodRootsList, someRoot}} {
		asked := h.next()
		if asked.Method != want.method || asked.ID == nil {
			t.Fatalf("asked %+v", asked)
		}
		if got := h.ask(legacyCall("7", "quick", "{}")); !strings.Contains(got, "quick") {
			t.Errorf("meanwhile: %s", got)
		}
		h.ping()
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, want.answer))
	}
	if got := h.next(); string(got.ID) != `"chat"` || !strings.Contains(string(got.Result), "Ada at file:///w") {
		t.Errorf("got %+v", got)
	}
}

// TestAskOverPipeCancelled: a call that is given up takes its question with it,
// and has no reply (CAN-01, CON-05).
func TestAskOverPipeCancelled(t *testing.T) {
	s := NewService("")
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) { return conversant(ctx) })
	h := connect(t, serverOf(t, s))
	h.initializeAble(mcp.Legacy20251125)
	h.send(legacyCall("5", "t", "{}"))
	asked := h.next()
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	gone := h.next()
	if id, _ := jsonx.Lookup(gone.Params, "requestId"); gone.Method != mcp.NotifyCancelled || string(id) != string(asked.ID) {
		t.Errorf("got %+v", gone)
	}
	h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, isAda)) // too late: nobody waits
	h.ping()
}

// TestAskInBothErasOnOnePipe: each request is asked in its own way, by what it
// declares itself (MOD-12, CON-02, ERA-14).
func TestAskInBothErasOnOnePipe(t *testing.T) {
	s := NewService("")
	Tool(s, "t", func(ctx context.Context, _ nothing) (string, error) { return conversant(ctx) })
	h := connect(t, serverOf(t, s))
	h.initializeAble(mcp.Legacy20251125)
	able := strings.Replace(modernLine("1", mcp.MethodToolsCall, `"name":"t"`), `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":`+everything, 1)
	h.send(able)
	if got := h.next(); !strings.Contains(string(got.Result), `"input_required"`) {
		t.Errorf("able: %+v", got)
	}
	h.send(modernLine("2", mcp.MethodToolsCall, `"name":"t"`))
	if got := h.next(); got.Error == nil || got.Error.Code != -32021 {
		t.Errorf("unable: %+v", got)
	}
	h.send(legacyCall("3", "t", "{}"))
	asked := h.next()
	if asked.Method != mcp.MethodElicit {
		t.Fatalf("in the session: %+v", asked)
	}
	h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`, asked.ID))
	if got := h.next(); string(got.ID) != "3" || !strings.Contains(string(got.Result), `"isError":true`) {
		t.Errorf("in the session: %+v", got)
	}
}
