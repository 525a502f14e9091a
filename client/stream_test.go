package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

const okResult = `{"content":[{"type":"text","text":"ok"}]}`

// TestStream: the forms a stream may have, up to the answer (SSE-01 to SSE-05,
// SSE-13, T-43, M-HTTP-024, M-HTTP-029, M-HTTP-031, L-HTTP-35).
func TestStream(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":ID,"result":` + okResult + `}`
	for _, tc := range []struct{ name, text string }{
		{"SSE-01 data in several lines", "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata:  \"id\":ID,\ndata:  \"result\":" + okResult + "}\n\n"},
		{"SSE-02 no event field, no space", "data:" + answer + "\n\n"},
		{"SSE-02 empty event field", "event:\ndata: " + answer + "\n\n"},
		{"SSE-03 comments", ": ping\n\n:\r\n:data: {\"not\":\"data\"}\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\n: in the middle\ndata: \"result\":" + okResult + "}\n\n"},
		{"SSE-04 priming event", "id: s1-0\ndata: \n\nid: s1-1\ndata: " + answer + "\n\n"},
		{"SSE-04 id alone, data alone, retry alone", "id: x\n\ndata\n\nretry: 500\n\ndata: " + answer + "\n\n"},
		{"SSE-05 events of other types", "event: ping\ndata: 2026-01-01T00:00:00Z\n\nevent: heartbeat\ndata: {}\n\nevent: MESSAGE\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\nevent: message\ndata: " + answer + "\n\n"},
		{"CR line ends and a byte order mark", "\ufeffdata: " + answer + "\r\r"},
		{"garbage before the answer", "data: {oops\n\ndata: 7\n\ndata: " + answer + "\n\n"},
		{"another answer before ours", "data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{}}\n\ndata: " + answer + "\n\n"},
		{"a notification before the answer", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"booting\"}}\n\ndata: " + answer + "\n\n"},
		{"more behind the answer", "data: " + answer + "\n\ndata: {oops\n\n"},
	} {
		for era, on := range map[string]map[string][]act{
			"modern": modern(map[string][]act{"tools/call": {stream(tc.text)}}),
			"legacy": legacy("2025-11-25", "", map[string][]act{"tools/call": {stream(tc.text)}}),
		} {
			t.Run(tc.name+"/"+era, func(t *testing.T) {
				s := newScript(t, on)
				c := connected(t, HTTP(s.URL), config())
				r, err := c.Call(t.Context(), "x", nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Text() != "ok" {
					t.Errorf("text is %q", r.Text())
				}
			})
		}
	}
}

// TestStreamFloods: a server does not decide how much the log holds. What it does
// again and again is warned of once.
func TestStreamFloods(t *testing.T) {
	const answer = "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + okResult + "}\n\n"
	for _, tc := range []struct{ name, event, warning string }{
		{"garbage", "data: {oops\n\n", "no message"},
		{"answers to nobody", "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n\n", "an answer to request"},
		{"requests", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n", "a request"},
		{"progress that cannot be read", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":{}}}\n\n", "progress that cannot be read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, modern(map[string][]act{"tools/call": {stream(strings.Repeat(tc.event, 1000) + answer)}}))
			var l log
			cfg := config()
			cfg.Logger = l.logger()
			c := connected(t, HTTP(s.URL), cfg)
			for range 2 {
				if _, err := c.Call(t.Context(), "x", nil, OnProgress(func(mcp.ProgressParams) {})); err != nil {
					t.Fatal(err)
				}
			}
			if text := l.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, tc.warning) {
				t.Errorf("log has %d lines, want one about %q:\n%.500s", strings.Count(text, "\n"), tc.warning, text)
			}
		})
	}
}

// TestStreamOpen: the answer ends the call, though the server keeps the stream
// open (HTTP-20), over HTTP/1.1 and HTTP/2.
func TestStreamOpen(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("h2=%v", h2), func(t *testing.T) {
			var ended sync.WaitGroup
			hold := func(w http.ResponseWriter, s seen) {
				ended.Add(1)
				defer ended.Done()
				stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":"+okResult+"}\n\n")(w, s)
				<-s.done // until the client hangs up
			}
			s := newScript(t, modern(map[string][]act{"tools/call": {hold}}))
			opts := []HTTPOption{}
			if h2 {
				opts = append(opts, HTTPClient(s.overTLS()))
			}
			c := connected(t, HTTP(s.URL, opts...), config())
			var calls sync.WaitGroup
			for range 20 {
				calls.Go(func() {
					if _, err := c.Call(t.Context(), "x", nil); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			ended.Wait()
		})
	}
}

// TestStreamRequests: a request of the server on a stream of ours (PING-01,
// SES-09, CON-01, M-HTTP-015, M-HTTP-023).
func TestStreamRequests(t *testing.T) {
	text := "data: {\"jsonrpc\":\"2.0\",\"id\":\"s-1\",\"method\":\"ping\"}\n\n" +
		"data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":1}}\n\n" +
		"data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + okResult + "}\n\n"
	t.Run("legacy: answered in POSTs of their own", func(t *testing.T) {
		s := newScript(t, legacy("2025-11-25", "S", map[string][]act{"tools/call": {stream(text)}}))
		c := connected(t, HTTP(s.URL), config())
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		c.peer().link.(*httpLink).background.Wait()
		got := map[string]string{}
		s.mu.Lock()
		for _, r := range s.requests {
			if r.Method == "" && r.HTTP == http.MethodPost {
				got[r.id()] = string(r.Body) + " " + r.Header.Get(headerSession) + " " + r.Header.Get(headerVersion)
			}
		}
		s.mu.Unlock()
		want := map[string]string{
			`"s-1"`: `{"jsonrpc":"2.0","id":"s-1","result":{}} S 2025-11-25`,
			`7`:     `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"this client answers no \"sampling/createMessage\""}} S 2025-11-25`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
	t.Run("modern: a fault, never answered", func(t *testing.T) {
		var text2 log
		cfg := config()
		cfg.Logger = text2.logger()
		s := newScript(t, modern(map[string][]act{"tools/call": {stream(text)}}))
		c := connected(t, HTTP(s.URL), cfg)
		if _, err := c.Call(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"server/discover", "tools/call"}, s.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if !strings.Contains(text2.String(), "ping") {
			t.Errorf("log says nothing: %q", text2.String())
		}
	})
}

// TestBatches: arrays are taken in 2025-03-26 (BATCH-01, BATCH-07, BATCH-11).
func TestBatches(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":ID,"result":` + okResult + `}`
	batch := `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},` + answer + `,{"oops":1}]`
	for name, do := range map[string]act{
		"on a stream": stream("data: " + batch + "\n\n"),
		"as a body": func(w http.ResponseWriter, s seen) {
			plainly(200, "application/json", strings.ReplaceAll(batch, "ID", s.id()))(w, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var logs int
			s := newScript(t, legacy("2025-03-26", "", map[string][]act{"tools/call": {do}}))
			c := connected(t, HTTP(s.URL), config())
			r, err := c.Call(t.Context(), "x", nil, OnLog(func(mcp.LogParams) { logs++ }))
			if err != nil || r.Text() != "ok" || logs != 1 {
				t.Errorf("result %v, error %v, %d log messages", r, err, logs)
			}
		})
	}
}

// TestNotifications: what belongs to a call is seen by it, in order and before
// it returns; the token decides, with its type (CON-09, CON-11).
func TestNotifications(t *testing.T) {
	progress := func(token, n string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + n + `,"total":3,"message":"step"}}`
	}
	do := func(w http.ResponseWriter, s seen) {
		token := s.param(t, "_meta", "progressToken")
		var text strings.Builder
		for _, m := range []string{
			progress(token, "1"), progress(`"`+token+`"`, "50"), progress("0", "60"), progress(`null`, "70"),
			`{"jsonrpc":"2.0","method":"notifications/progress"}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"low"}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"l","data":{"a":1}}}`,
			progress(token, "2.5"), `{"jsonrpc":"2.0","method":"notifications/vendor"}`, progress(token, "3"),
		} {
			fmt.Fprintf(&text, "data: %s\n\n", m)
		}
		stream(text.String()+"data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":"+okResult+"}\n\n")(w, s)
	}
	s := newScript(t, modern(map[string][]act{"tools/call": {do}}))
	cfg := config()
	var all []string
	cfg.Notify = func(method string, params json.RawMessage) {
		all = append(all, method)
		if method == "notifications/vendor" {
			panic("a callback's fault")
		}
	}
	c := connected(t, HTTP(s.URL), cfg)
	var steps []float64
	var logs []string
	_, err := c.Call(t.Context(), "x", nil,
		OnProgress(func(p mcp.ProgressParams) { steps = append(steps, p.Progress) }),
		OnLog(func(p mcp.LogParams) { logs = append(logs, string(p.Level)+" "+p.Logger+" "+string(p.Data)) }),
		LogLevel(mcp.LevelWarning))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 2.5, 3}, steps); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`error l {"a":1}`}, logs); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if len(all) != 10 {
		t.Errorf("Config.Notify saw %d notifications: %q", len(all), all)
	}
	if level := s.got("tools/call", 0).param(t, "_meta", mcp.MetaLogLevel); level != `"warning"` {
		t.Errorf("asked for the level %s", level)
	}
}
