package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

// listening is a response that is an event stream, while it is open.
type listening struct {
	t      testing.TB
	res    *http.Response
	in     *sse.Reader
	cancel context.CancelFunc
}

// listen sends a request that must be answered with an event stream. meanwhile is
// what makes it one.
func (s *site) listen(method, body string, h http.Header, meanwhile ...func()) *listening {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	for _, f := range meanwhile {
		done.Go(f)
	}
	res, err := s.send(ctx, method, body, h)
	done.Wait()
	if err != nil {
		cancel()
		s.t.Fatal(err)
	}
	l := &listening{t: s.t, res: res, in: sse.NewReader(res.Body, 0), cancel: cancel}
	s.t.Cleanup(l.leave)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("no event stream: %d %s", res.StatusCode, s.read(res).body)
	}
	return l
}

// get opens the stream beside the requests of a session.
func (s *site) get(session string, more ...string) *listening {
	s.t.Helper()
	return s.listen(http.MethodGet, "", legacyHeader(session, more...))
}

// leave ends the connection, as a client does that vanishes.
func (l *listening) leave() {
	l.cancel()
	_ = l.res.Body.Close() // the error is that of cancel
}

// event is the next event; of one that has gone wrong nothing is left to test.
func (l *listening) event() sse.Event {
	l.t.Helper()
	e, err := l.in.Next()
	if err != nil {
		l.t.Fatalf("next event: %v", err)
	}
	e.Data = bytes.Clone(e.Data)
	return e
}

// primed is the id of the next event, which must have one and no data.
func (l *listening) primed() string {
	l.t.Helper()
	e := l.event()
	if !e.HasID || !e.Empty() {
		l.t.Fatalf("%+v is no priming event", e)
	}
	return e.ID
}

// spoken is a message of the server's.
type spoken struct {
	response

	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	event  string
}

// message is the next message. Every one is of a type that all clients hear
// (SSE-10).
func (l *listening) message() spoken {
	l.t.Helper()
	e := l.event()
	if e.Type != sse.Message {
		l.t.Fatalf("event %+v is of type %q", e, e.Type)
	}
	var m spoken
	if err := json.Unmarshal(e.Data, &m); err != nil {
		l.t.Fatalf("event %q: %v", e.Data, err)
	}
	m.event = e.ID
	return m
}

func heardOn(text string, m *spoken) error { return json.Unmarshal([]byte(text), m) }

// end fails the test unless the stream is over.
func (l *listening) end() {
	l.t.Helper()
	if e, err := l.in.Next(); !errors.Is(err, io.EOF) {
		l.t.Fatalf("got %+v, %v; want the end", e, err)
	}
}

// reply posts the response to a request of the server's.
func (s *site) reply(session string, id json.RawMessage, result string) answered {
	s.t.Helper()
	return s.do(http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result), legacyHeader(session))
}

// asks is a service whose tools ask their client, by the seam that adapters fill.
type asks struct {
	*Service
	// began gets one for each call; got each error, nil for an answer.
	began chan struct{}
	got   chan error
}

type askIn struct {
	Method string `json:"method" mcp:"default=elicitation/create"`
	Params string `json:"params" mcp:"default={}"`
}

func newAsks() *asks {
	s := &asks{Service: NewService(""), began: make(chan struct{}, 100), got: make(chan error, 100)}
	Tool(s.Service, "ask", func(ctx context.Context, in askIn) (string, error) {
		s.began <- struct{}{}
		m, err := CallFrom(ctx).x.peer.request(ctx, in.Method, []byte(in.Params))
		s.got <- err
		return heardAs(m, err)
	})
	Tool(s.Service, "quick", says("quick"))
	return s
}

// heardAs is an answer as text.
func heardAs(m jsonrpc.Message, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case m.Error != nil:
		return fmt.Sprintf("error %d %s %s", m.Error.Code, m.Error.Message, m.Error.Data), nil
	default:
		return string(m.Result), nil
	}
}

// legacyProfiles are the revisions with sessions.
func legacyProfiles() []mcp.Profile {
	var all []mcp.Profile
	for _, p := range mcp.Profiles() {
		if p.Legacy() {
			all = append(all, p)
		}
	}
	return all
}
