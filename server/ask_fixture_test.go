package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// everything is what a client declares that can be asked for anything.
const everything = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`

// askable are the revisions, all of which can be asked for something.
var askable = mcp.Profiles()

// asker is a client: it answers a request of the server's with a result, or, when
// the text begins with "error ", with an error: "error -1 no". An empty answer is
// none, which only exists where answers travel with the next request.
type asker func(method string, params json.RawMessage) string

// accepts answers every form with content.
func accepts(content string) asker {
	return func(string, json.RawMessage) string { return `{"action":"accept","content":` + content + `}` }
}

func answers(text string) asker { return func(string, json.RawMessage) string { return text } }

// dialogue is a call and the client it belongs to.
type dialogue struct {
	profile      mcp.Profile
	method       string
	params       string // an object without the members of a retry
	capabilities string
	principal    string
	client       asker

	// rounds are the requests that were made for the call; asked is what the client
	// was asked, in each round by its keys.
	rounds int
	asked  []string
}

// calling is a call of tool t by a client that can do everything.
func calling(p mcp.Profile, client asker) *dialogue {
	return &dialogue{profile: p, method: mcp.MethodToolsCall, params: `{"name":"t"}`, capabilities: everything, client: client}
}

// manyRounds is more than any test needs.
const manyRounds = 12

// run plays the call to its end, in the way of its revision.
func (d *dialogue) run(t testing.TB, srv *Server) response {
	t.Helper()
	x := requestIn(d.profile, d.method, d.params)
	if !x.era.Resumes(d.method) {
		x.caller.capabilities, x.caller.principal = []byte(d.capabilities), d.principal
		x.peer = &scripted{client: func(method string, params json.RawMessage) string {
			d.asked = append(d.asked, method)
			return d.client(method, params)
		}}
		d.rounds++
		return ask(t, srv, x)
	}
	var sent retry
	for range manyRounds {
		r := d.round(t, srv, sent)
		in := required(t, r)
		if in == nil {
			return r
		}
		sent = d.reply(in)
	}
	t.Fatalf("%s %s asks for ever: %q", d.method, d.params, d.asked)
	return response{}
}

// retry is what a request has that is one. A nil member is absent.
type retry struct {
	responses json.RawMessage
	state     json.RawMessage
}

// round makes one request of the call.
func (d *dialogue) round(t testing.TB, srv *Server, sent retry) response {
	t.Helper()
	d.rounds++
	params := []byte(d.params)
	if sent.responses != nil {
		params = jsonx.SetMember(params, "inputResponses", sent.responses)
	}
	if sent.state != nil {
		params = jsonx.SetMember(params, "requestState", sent.state)
	}
	x := requestIn(d.profile, d.method, string(params))
	x.caller.capabilities, x.caller.principal = []byte(d.capabilities), d.principal
	return ask(t, srv, x)
}

// reply answers what a round asks.
func (d *dialogue) reply(in *mcp.InputRequiredResult) retry {
	sent := retry{state: stateOf(in)}
	responses := []byte("{}")
	for _, key := range slices.Sorted(maps.Keys(in.InputRequests)) {
		q := in.InputRequests[key]
		d.asked = append(d.asked, key)
		if answer := d.client(q.Method, q.Params); answer != "" {
			responses = jsonx.SetMember(responses, key, []byte(answer))
		}
	}
	if in.InputRequests != nil {
		sent.responses = responses
	}
	return sent
}

func stateOf(in *mcp.InputRequiredResult) json.RawMessage {
	if in.RequestState == nil {
		return nil
	}
	return json.RawMessage(quoted(*in.RequestState))
}

// required is the result that asks for input, nil if r is another one.
func required(t testing.TB, r response) *mcp.InputRequiredResult {
	t.Helper()
	if kind, _ := jsonx.Lookup(r.Result, "resultType"); string(kind) != `"input_required"` {
		return nil
	}
	var in mcp.InputRequiredResult
	if err := json.Unmarshal(r.Result, &in); err != nil {
		t.Fatalf("%s: %v", r.Result, err)
	}
	if in.RequestState == nil || in.InputRequests != nil && len(in.InputRequests) == 0 {
		t.Fatalf("an empty result asks for input: %s", r.Result)
	}
	return &in
}

// first makes the first round of the call, and fails if it asks nothing.
func (d *dialogue) first(t testing.TB, srv *Server) *mcp.InputRequiredResult {
	t.Helper()
	r := d.round(t, srv, retry{})
	in := required(t, r)
	if in == nil {
		t.Fatalf("the call asks nothing: %s %+v", r.Result, r.Error)
	}
	return in
}

// scripted is a requester with a client behind it.
type scripted struct {
	client asker

	mu sync.Mutex
}

func (s *scripted) request(ctx context.Context, method string, params []byte) (jsonrpc.Message, error) {
	if ctx.Err() != nil {
		return jsonrpc.Message{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.client(method, params)
	m := jsonrpc.Message{Kind: jsonrpc.Response}
	if rest, ok := strings.CutPrefix(answer, "error "); ok {
		m.Error = new(jsonrpc.Error)
		if _, err := fmt.Sscan(rest, &m.Error.Code); err != nil {
			return m, err
		}
		_, m.Error.Message, _ = strings.Cut(rest, " ")
		return m, nil
	}
	m.Result = []byte(answer)
	return m, nil
}

// asksTool is a server whose tool, resource and prompt run fn.
func asksTool(t testing.TB, cfg Config, fn func(ctx context.Context) (string, error)) *Server {
	t.Helper()
	s := NewService("")
	run := func(ctx context.Context, _ nothing) (string, error) { return fn(ctx) }
	Tool(s, "t", run)
	Resource(s, "x://r", run)
	Prompt(s, "p", run)
	return configured(t, cfg, s)
}

// wantOutcome compares the outline of a tool's reply.
func wantOutcome(t *testing.T, r response, want string) {
	t.Helper()
	if got := outline(t, r); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// requesterFunc is a requester that fails.
type requesterFunc func() error

func (f requesterFunc) request(context.Context, string, []byte) (jsonrpc.Message, error) {
	return jsonrpc.Message{}, f()
}

// concurrent is a requester whose client answers several questions at once.
type concurrent func(method string) string

func (c concurrent) request(_ context.Context, method string, _ []byte) (jsonrpc.Message, error) {
	return jsonrpc.Message{Kind: jsonrpc.Response, Result: []byte(c(method))}, nil
}

// waiting is a requester whose client never answers.
type waiting struct{ asked func() }

func (w waiting) request(ctx context.Context, _ string, _ []byte) (jsonrpc.Message, error) {
	w.asked()
	<-ctx.Done()
	return jsonrpc.Message{}, ctx.Err()
}
