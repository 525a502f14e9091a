package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Headers of the protocol.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
)

// courtesy bounds what is sent without anybody waiting for it: cancellations
// and answers to the server.
const courtesy = 5 * time.Second

// httpLink is a server's address: one POST for each message.
type httpLink struct {
	c      *Client
	target *httpTarget
	client *http.Client
	owned  *http.Transport // nil when the application brought its own
	base   http.Header     // what every request has
	ids    atomic.Int64

	// life ends with the link, and with it what runs in the background.
	life       context.Context //nolint:containedctx // it is the link's life, not a call's
	end        context.CancelFunc
	background sync.WaitGroup
	answering  chan struct{} // a place for each request of the server being answered
	inbox      inbox
	mu         sync.Mutex
	closed     bool // no more background work; guarded by mu

	stands atomic.Pointer[standing]
	stood  atomic.Bool // there was a standing stream once
	deaf   atomic.Bool // the server has no standing stream
}

var _ link = (*httpLink)(nil)

func (*httpLink) kind() column { return overHTTP }

func (*httpLink) settle(*peer) {}

// lost is nil: an address cannot break.
func (*httpLink) lost() error { return nil }

func (*httpLink) over() <-chan struct{} { return nil }

func (l *httpLink) hears(p *peer) bool {
	l.revive(p)
	return p.manners.streams && !l.deaf.Load()
}

// roundTrip POSTs one request and reads its answer from the response.
func (l *httpLink) roundTrip(ctx context.Context, p *peer, o *outgoing) (*answer, error) {
	id := jsonrpc.IntID(l.ids.Add(1))
	if o.listens != nil {
		o.listens.id = id
	}
	body := jsonrpc.AppendRequest(make([]byte, 0, len(o.params)+len(o.method)+64), id, o.method, o.params)
	header, err := l.requestHeader(p, o.method, o.params, o.opening)
	if err != nil {
		return nil, err
	}
	maps.Copy(header, o.mirror)
	r, err := l.post(ctx, header, body)
	if err == nil {
		x := &httpExchange{l: l, p: p, o: o, id: id, r: r, ctx: ctx}
		var a *answer
		if a, err = x.read(); err == nil {
			l.revive(p)
			return a, nil
		}
	}
	if ctx.Err() != nil {
		l.inbox.abandon(o, context.Cause(ctx))
		l.abandon(ctx, p, o, id)
		return nil, ctx.Err()
	}
	return nil, err
}

// abandon tells the server that nobody waits any more, where ending the
// exchange does not say so.
func (l *httpLink) abandon(ctx context.Context, p *peer, o *outgoing, id jsonrpc.ID) {
	if o.opening || p.manners.hangsUp {
		return
	}
	params, err := p.era.AppendParams(nil, mcp.NotifyCancelled, mcp.CancelledParams{
		RequestID: id.Append(nil), Reason: context.Cause(ctx).Error(),
	}, nil)
	if err != nil {
		return
	}
	l.behind(func(ctx context.Context) {
		if err := l.notify(ctx, p, mcp.NotifyCancelled, params); err != nil {
			l.c.log.Debug("cancellation was not delivered", "server", l.target.name, "error", err)
		}
	})
}

// behind runs do in the background, for a short time. It reports false, and
// does not, when the link is closed.
func (l *httpLink) behind(do func(ctx context.Context)) bool {
	return l.run(func() {
		ctx, cancel := context.WithTimeout(l.life, courtesy)
		defer cancel()
		do(ctx)
	})
}

// run does what behind does for something that may take until the link ends.
func (l *httpLink) run(do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.background.Go(do)
	return true
}

// notify POSTs a notification.
func (l *httpLink) notify(ctx context.Context, p *peer, method string, params []byte) error {
	header, err := l.requestHeader(p, method, params, false)
	if err != nil {
		return err
	}
	return l.send(ctx, header, jsonrpc.AppendNotification(nil, method, params))
}

// send POSTs what has no answer. Any 2xx accepts it (HTTP-13).
func (l *httpLink) send(ctx context.Context, header http.Header, body []byte) error {
	r, err := l.post(ctx, header, body)
	if err != nil {
		return err
	}
	defer r.release()
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	a, err := l.refused(r, jsonrpc.ID{}, false)
	if err == nil {
		err = a.fault
	}
	return err
}

// requestHeader is the header of a message for p: what the configuration says,
// and what the revision says about the body, always made from the body itself
// (MOD-01).
func (l *httpLink) requestHeader(p *peer, method string, params []byte, opening bool) (http.Header, error) {
	h := l.base.Clone()
	if p.session != "" {
		h.Set(headerSession, p.session) // L-HTTP-54
	}
	if p.manners.version != "" && (p.manners.describes || !opening) {
		h.Set(headerVersion, p.manners.version)
	}
	if !p.manners.describes {
		return h, nil
	}
	if !plain(method) {
		return nil, fmt.Errorf("method %q cannot be sent in a header", method)
	}
	h.Set(headerMethod, method)
	if name, ok := nameOf(method, params); ok {
		h.Set(headerName, httpx.EncodeHeader(name))
	}
	return h, nil
}

// plain reports whether s is printable ASCII, without blanks.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// nameOf is what Mcp-Name says of a message: the member of its params that
// names what it is about (M-HDR-009, M-HDR-010).
func nameOf(method string, params []byte) (string, bool) {
	switch method {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet:
		return wire.String(wire.Scan(params).Name)
	case mcp.MethodResourcesRead:
		return wire.String(wire.Scan(params).URI)
	case "tasks/get", "tasks/update", "tasks/cancel":
		return wire.String(wire.Scan(params).TaskID)
	}
	return "", false
}

// response is an HTTP response whose exchange can be ended before its body is.
type response struct {
	*http.Response

	cancel context.CancelFunc
	detach func() bool
}

// release ends the exchange. Cancelling comes first: on HTTP/2 closing a body
// may wait for the stream (HTTP-20).
func (r *response) release() {
	r.detach()
	r.cancel()
	_ = r.Body.Close() // it was read as far as it is of interest
}

// post sends one message. The exchange ends with ctx, or with release.
func (l *httpLink) post(ctx context.Context, header http.Header, body []byte) (*response, error) {
	return l.do(ctx, http.MethodPost, header, bytes.NewReader(body))
}

func (l *httpLink) do(ctx context.Context, method string, header http.Header, body io.Reader) (*response, error) {
	// The exchange can outlive ctx by the moment it takes to read a stream to its
	// end, so it hangs on ctx without descending from it.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, cancel)
	give := func(err error) (*response, error) {
		detach()
		cancel()
		return nil, err
	}
	req, err := http.NewRequestWithContext(inner, method, l.target.url, body)
	if err != nil {
		return give(fmt.Errorf("%s: %w", method, withoutURL(err)))
	}
	req.Header = header
	if l.target.host != "" {
		req.Host = l.target.host
	}
	if l.target.bearer != nil {
		token, err := l.target.bearer(ctx)
		switch {
		case err != nil:
			return give(fmt.Errorf("obtain a bearer token: %w", err))
		case !plain(token):
			return give(errors.New("bearer token has characters that no token has"))
		case token != "":
			header.Set("Authorization", "Bearer "+token)
		}
	}
	resp, err := l.client.Do(req) //nolint:bodyclose // who gets the response closes it
	if err != nil {
		return give(fmt.Errorf("%s: %w", method, withoutURL(err)))
	}
	return &response{Response: resp, cancel: cancel, detach: detach}, nil
}

// close ends p's session and waits for what runs in the background.
func (l *httpLink) close(ctx context.Context, p *peer) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	done := make(chan struct{})
	go func() {
		l.background.Wait() // each is bounded by life, which has ended, but for what the application does
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.New("Config.Notify has not returned")
	}
	if p != nil && p.session != "" {
		l.deleteSession(ctx, p)
	}
	if l.owned != nil {
		l.owned.CloseIdleConnections()
	}
	return err
}

// deleteSession ends the session (L-HTTP-53). A server may refuse, and one that
// is gone has ended it already; neither is a failure of Close.
func (l *httpLink) deleteSession(ctx context.Context, p *peer) {
	ctx, cancel := context.WithTimeout(ctx, courtesy)
	defer cancel()
	h := l.base.Clone()
	h.Del("Content-Type")
	h.Set(headerSession, p.session)
	if p.manners.version != "" {
		h.Set(headerVersion, p.manners.version)
	}
	r, err := l.do(ctx, http.MethodDelete, h, nil)
	if err != nil {
		l.c.log.Debug("session was not ended", "server", l.target.name, "error", err)
		return
	}
	r.release()
}
