package client

import (
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// FuzzHear: whatever a server says to a subscription, it is an event that was
// asked for or nothing.
func FuzzHear(f *testing.F) {
	for _, params := range []string{
		`{"uri":"a://1","_meta":{"io.modelcontextprotocol/subscriptionId":1}}`,
		`{"uri":1}`, `{"uri":""}`, `{"_meta":[]}`, `{"_meta":{"io.modelcontextprotocol/subscriptionId":{}}}`, `[]`, `7`, `null`, `{"notifications":{"resourceSubscriptions":["a"]}}`, ``,
	} {
		for _, method := range []string{mcp.NotifyResourcesUpdated, mcp.NotifyAcknowledged, mcp.NotifyToolsListChanged} {
			f.Add(method, params)
		}
	}
	f.Fuzz(func(t *testing.T, method, params string) {
		m := jsonrpc.Message{Kind: jsonrpc.Notification, Method: method, Params: []byte(params)}
		s := &Subscription{c: &Client{}, opened: make(chan struct{}), done: make(chan struct{})}
		s.changes.more = make(chan struct{}, 1)
		s.asked = mcp.Filter{Resources: []string{"a"}}
		s.c.audience.join(s, s.asked)
		s.c.audience.hear(m)
		subscriptionOf(m)
		if e, ok := s.changes.take(); ok && (e.Change != ResourceUpdated || e.URI == "") {
			t.Errorf("%q %q is %+v", method, params, e)
		}
	})
}
