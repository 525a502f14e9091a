package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// stream is a sink whose client reads one message after another.
type stream struct {
	messages chan string
	// gone is closed when the client has left.
	gone chan struct{}
}

func newStream() *stream { return &stream{messages: make(chan string, 100), gone: make(chan struct{})} }

func (s *stream) send(ctx context.Context, msg []byte) error {
	select {
	case <-s.gone:
		return errors.New("the client is gone")
	default:
	}
	select {
	case s.messages <- string(msg):
		return nil
	case <-s.gone:
		return errors.New("the client is gone")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listener is a client with one listen.
type listener struct {
	t testing.TB
	*stream
	id     string
	cancel context.CancelFunc
	// over gets the reply.
	over chan reply
}

// listenTo opens a listen with the filter. ends sees to it that it is over when
// the test is.
func listenTo(t testing.TB, srv *Server, id, filter string) *listener {
	t.Helper()
	return listenAs(context.Background(), t, srv, caller{}, id, filter)
}

func listenAs(ctx context.Context, t testing.TB, srv *Server, who caller, id, filter string) *listener {
	t.Helper()
	x := request(mcp.MethodListen, `{"notifications":`+filter+`}`)
	parsed, err := jsonrpc.ParseID([]byte(id))
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, stream: newStream(), id: id, over: make(chan reply, 1)}
	x.id, x.sink, x.caller = parsed, l.stream, who
	ctx, l.cancel = context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.over <- srv.serve(ctx, x)
	}()
	t.Cleanup(func() {
		l.cancel()
		<-done
	})
	return l
}

// wants reads the next message and compares it.
func (l *listener) wants(want string) {
	l.t.Helper()
	if got := within(l.t, l.messages, want); got != want {
		l.t.Errorf("got  %s\nwant %s", got, want)
	}
}

// acknowledged is what opens the listen.
func (l *listener) acknowledged(filter string) {
	l.t.Helper()
	l.wants(acknowledged(l.id, filter))
}

func acknowledged(id, filter string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}}`, id, filter)
}

// changed is the notification of a list, updated that of a resource.
func changed(id, list string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, list, id)
}

func updated(id, uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, uri, id)
}

// ended is the result that ends a listen.
func ended(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/subscriptionId":%s}}}`, id, id)
}

// ends waits for the result.
func (l *listener) ends() {
	l.t.Helper()
	if r := within(l.t, l.over, "the result"); string(r.body) != ended(l.id) || r.failed {
		l.t.Errorf("reply %s\nwant  %s", r.body, ended(l.id))
	}
}

// quiet fails when something was sent that nobody has read.
func (l *listener) quiet() {
	l.t.Helper()
	select {
	case m := <-l.messages:
		l.t.Errorf("unasked: %s", m)
	default:
	}
}

// emptied waits for the server to be rid of every listen and everything watched.
func emptied(t testing.TB, srv *Server) {
	t.Helper()
	if n, watched := srv.bus.size(); n != 0 || watched != 0 {
		t.Errorf("%d subscribers are left, who watch %d resources", n, watched)
	}
	if n := srv.watches.size(); n != 0 {
		t.Errorf("%d resources are still watched", n)
	}
	if n := srv.edge.listens.len(); n != 0 {
		t.Errorf("%d listens are left", n)
	}
	if srv.bus.all != nil && cap(srv.bus.all) > 0 && len(srv.bus.all) == 0 {
		for _, s := range srv.bus.all[:cap(srv.bus.all)] {
			if s != nil {
				t.Error("the bus refers to a subscriber that has left")
			}
		}
	}
}

// offering has something of everything, and a hidden resource.
func offering(opts ...Option) *Service {
	s := NewService("", opts...)
	Tool(s, "t", says("t"))
	Prompt(s, "p", says("p"))
	Resource(s, "note://1", says("one"))
	Resource(s, "note://2", says("two"))
	Resource(s, "dir://{+path}", func(context.Context, struct {
		Path string `json:"path"`
	}) (string, error) {
		return "", nil
	})
	Resource(s, "secret://1", says("hidden"), Visible(func(ctx context.Context, _ Entry) bool { return CallFrom(ctx).Principal() == "admin" }))
	return s
}

// more is a service that changes all three lists.
func more(name string) *Service {
	s := NewService(name)
	Tool(s, "t", says(""))
	Prompt(s, "p", says(""))
	Resource(s, "x://"+name, says(""))
	return s
}

func offer(t testing.TB, srv *Server, s *Service) {
	t.Helper()
	if err := srv.Add(s); err != nil {
		t.Fatal(err)
	}
}

// tools is a service of one tool, so that a change of it is one of the tool list.
func oneTool(name string) *Service { return numbered(name, 0, 1) }

// quoteAll makes a JSON array of strings.
func quoteAll(texts ...string) string {
	for i, s := range texts {
		texts[i] = quoted(s)
	}
	return "[" + strings.Join(texts, ",") + "]"
}
