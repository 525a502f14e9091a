package client

import (
	"context"
	"net/http"

	"github.com/diglot-mcp/diglot/transport"
)

// Target is a server and how to reach it: what [HTTP], [Command] and [Dial]
// return. A target remembers what negotiation found out, so connecting to the
// same target again needs no probe. It may be used by any number of clients at
// the same time.
type Target interface {
	// String names the server in errors and logs, without credentials.
	String() string
	target()
}

type dialTarget struct {
	dial func(context.Context) (transport.Conn, error)
}

// Dial is a server at the other end of a connection that dial opens. dial is
// called by Connect, and again when the server hangs up on the probe; the
// client closes what it returns.
func Dial(dial func(context.Context) (transport.Conn, error)) Target {
	return &dialTarget{dial: dial}
}

// String is "connection".
func (*dialTarget) String() string { return "connection" }

func (*dialTarget) target() {}

// HTTPOption is something said about a server on HTTP.
type HTTPOption func(*httpTarget)

type httpTarget struct{ url string }

// Bearer sends token with every request.
func Bearer(token string) HTTPOption { return func(*httpTarget) {} }

// BearerFunc asks token before every request.
func BearerFunc(token func(context.Context) (string, error)) HTTPOption { return func(*httpTarget) {} }

// Header adds a header to every request.
func Header(name, value string) HTTPOption { return func(*httpTarget) {} }

// HTTPClient sends requests through hc.
func HTTPClient(hc *http.Client) HTTPOption { return func(*httpTarget) {} }

// HTTP is a server at a URL that speaks Streamable HTTP.
func HTTP(url string, opts ...HTTPOption) Target { return &httpTarget{url: url} }

func (*httpTarget) target() {}

// String is the URL.
func (t *httpTarget) String() string { return t.url }
