package server

import (
	"context"
	"net/http"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// An exchange is one request, any number of notifications that belong to it,
// and one reply. It is all the core sees of a peer: modern HTTP, stdio and a
// legacy session are adapters that produce exchanges.
//
// An exchange belongs to one goroutine at a time; the handler may notify from
// several, and sink must allow that.
type exchange struct {
	// era reads the request and writes the reply.
	era wire.Era
	// id is the request's id, echoed literally.
	id jsonrpc.ID
	// method and params are the request; params has been scanned and its
	// self-description checked by the adapter.
	method string
	params wire.Params
	// caller says who asks. Every era fills it: from _meta, or from the session.
	caller caller
	// header is the HTTP header of the request, nil on other transports. The
	// core reads Mcp-Param-* from it when the era mirrors parameters.
	header http.Header
	// mirrored says that header repeats parts of the body and must agree with it.
	mirrored bool
	// sink carries notifications ahead of the reply; nil when the reply cannot.
	sink sink
	// peer asks the client something while the exchange runs; nil in eras in which
	// a server sends no requests. On others it is there even where nothing can be
	// asked, and fails at once.
	peer requester
	// session is the legacy session of the request, nil when there is none.
	session *session
	// passing: the session that the request opens is not kept, so that nothing is
	// told in it.
	passing bool
	// abandon delivers the reply when serve cannot return it, since the handler
	// ended the goroutine (runtime.Goexit). It runs on that goroutine, as its last
	// act. Nil means that such a reply is lost.
	abandon func(reply)

	// The rest is the core's. catalog is what the server offered when the
	// exchange began, so that every step of it sees the same; call is what
	// handlers see of the exchange; asks says that the client may be asked while
	// the method is served.
	server  *Server
	catalog *catalog
	call    *Call
	asks    bool
}

// caller is who sent a request, as far as the protocol tells.
type caller struct {
	// info and capabilities are encoded as they came; either may be nil.
	info, capabilities []byte
	// logLevel is the least severe level the caller wants, empty for none.
	logLevel mcp.LogLevel
	// progressToken is the request's token as it came, nil for no progress.
	progressToken []byte
	// principal is who the transport says the caller is, empty when unknown.
	principal string
}

// sink sends one encoded notification on the stream that will carry the reply.
// It is safe for concurrent use, blocks no longer than the transport's write
// limit, and fails once the reply is out or the peer is gone.
type sink interface {
	send(ctx context.Context, notification []byte) error
}

// requester sends a request to the client, on the stream that will carry the
// reply to the client's own, and blocks until the response has come. params is
// an encoded object or nil. The response is the caller's to keep, and may be an
// error response.
//
// The error says why there is no response. It wraps [mcp.ErrCannotAsk] when there
// is no way to ask, which is known at once; it is the cause of ctx when that
// ended, after the client was told not to mind any more; it wraps
// [context.DeadlineExceeded] when the client took too long, which is bounded. A
// requester is safe for concurrent use.
type requester interface {
	request(ctx context.Context, method string, params []byte) (jsonrpc.Message, error)
}

// reply is the outcome of an exchange: a whole JSON-RPC response.
type reply struct {
	// body is the response, without a newline. Nil means that nothing may be
	// sent any more, since the request was cancelled.
	body []byte
	// status is the HTTP status the response travels with.
	status int
	// failed says that body is an error and no result.
	failed bool
	// retryAfter is when to ask again, in seconds; empty says nothing about it. It
	// stands here since members of a batch are refused beside each other, and the
	// header of the response belongs to who writes that.
	retryAfter string
}

// retry is r with a time to ask again.
func (r reply) retry(seconds string) reply {
	r.retryAfter = seconds
	return r
}
