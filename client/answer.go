package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// Asker is who asks a question, and about what. A person who is asked has to be
// told (M-ELI-020, ELI-18).
type Asker struct {
	// Target is the address, command or connection of the server.
	Target string
	// Server is what the server says about itself. Nothing in it is proven.
	Server Server
	// Request is the method of the request that the question belongs to, empty
	// where nothing says which it is, as on a pipe in legacy revisions.
	Request string
	// Tool is the tool that was called, where Request is tools/call.
	Tool string
	// Again: the user has agreed to open this very URL during this request, and
	// the server still waits. It should not be opened once more unless the user
	// says so.
	Again bool
}

type askerKey struct{}

// AskedBy is who asks what a handler of [Config] was called for. It is the zero
// Asker in any other context.
func AskedBy(ctx context.Context) Asker {
	a, _ := ctx.Value(askerKey{}).(Asker)
	return a
}

// question is something a server wants to know.
type question struct {
	method string
	params []byte
	asker  Asker
	// url is what the user is to open, if it is that.
	url string
	// answer has the question answered, by a handler, and returns a pointer to the
	// result. It is set by understand.
	answer func(context.Context) (any, error)
}

// understand prepares a question to be answered, without bothering anybody. The
// error holds the *mcp.Error that says what is wrong with the question, and
// matches mcp.ErrCannotAsk when it was not to be asked, and else
// mcp.ErrInvalidResponse.
func (c *Client) understand(q *question, can *mcp.ClientCapabilities) error {
	switch q.method {
	case mcp.MethodElicit:
		return c.understandElicit(q, can.Elicitation)
	case mcp.MethodCreateMessage:
		return c.understandSample(q, can.Sampling)
	case mcp.MethodRootsList:
		if can.Roots == nil || c.cfg.Roots == nil {
			return unasked(mcp.CodeMethodNotFound, q.method)
		}
		q.answer = c.listRoots
		return nil
	}
	return unasked(mcp.CodeMethodNotFound, q.method)
}

func unasked(code mcp.Code, what string) error {
	return fmt.Errorf("%w: %w", mcp.ErrCannotAsk, mcp.Errorf(code, "this client answers no %q", clip(what)))
}

func misasked(method string, err error) error {
	return fmt.Errorf("%w: %w", mcp.ErrInvalidResponse, mcp.Errorf(mcp.CodeInvalidParams, "params of %s: %v", method, err))
}

// decode reads the parameters of a question.
func (q *question) decode(into any) error {
	if err := jsonx.Unmarshal(objectOr(q.params), into); err != nil {
		return misasked(q.method, err)
	}
	return nil
}

func (c *Client) understandElicit(q *question, can *mcp.ElicitationCapability) error {
	if can == nil {
		return unasked(mcp.CodeMethodNotFound, q.method)
	}
	var params mcp.ElicitParams
	if err := q.decode(&params); err != nil {
		return err
	}
	var f *form
	handler := c.cfg.Elicit
	switch params.Mode {
	case "", mcp.ModeForm:
		if !can.CanForm() || handler == nil {
			return unasked(mcp.CodeInvalidParams, "form")
		}
		var err error
		if f, err = parseForm(params.RequestedSchema); err != nil {
			return misasked(q.method, err)
		}
	case mcp.ModeURL:
		handler = c.cfg.ElicitURL
		if !can.CanURL() || handler == nil {
			return unasked(mcp.CodeInvalidParams, "url") // ELI-13
		}
		if err := openable(params.URL); err != nil {
			return misasked(q.method, err)
		}
		q.url = params.URL
	default:
		return unasked(mcp.CodeInvalidParams, params.Mode)
	}
	q.answer = func(ctx context.Context) (any, error) {
		r, err := handler(ctx, params)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, mcp.ErrDeclined):
			r = &mcp.ElicitResult{Action: mcp.ActionDecline}
		case err != nil:
			c.log.Warn("question to the user is cancelled", "server", c.target.String(), "error", err)
			r = &mcp.ElicitResult{Action: mcp.ActionCancel}
		}
		return elicited(f, r)
	}
	return nil
}

// listRoots answers roots/list (ROOT-03, M-ROOT-003).
func (c *Client) listRoots(ctx context.Context) (any, error) {
	roots, err := c.cfg.Roots(ctx)
	if err != nil {
		return nil, err
	}
	return rooted(&mcp.ListRootsResult{Roots: roots})
}

func rooted(r *mcp.ListRootsResult) (*mcp.ListRootsResult, error) {
	out := *r
	out.Roots = append([]mcp.Root{}, r.Roots...) // an empty list, and not null
	for i, root := range out.Roots {
		if !strings.HasPrefix(root.URI, "file://") {
			return nil, fmt.Errorf("root %d has the URI %q; a root's begins with file://", i, clip(root.URI))
		}
	}
	return &out, nil
}

// consult has a question answered on a goroutine of its own, which the client
// counts, so that whoever waits is free as soon as ctx or the client ends.
func (c *Client) consult(ctx context.Context, q *question) (any, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, askerKey{}, q.asker))
	defer cancel(nil)
	defer context.AfterFunc(c.closing, func() { cancel(context.Cause(c.closing)) })()
	type outcome struct {
		answer any
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer c.leave()
		var o outcome
		defer func() { done <- o }()
		defer func() {
			if r := recover(); r != nil {
				c.log.Error("handler panicked", "server", c.target.String(), "question", q.method, "panic", r, "stack", string(debug.Stack()))
				o = outcome{err: fmt.Errorf("handler of %s panicked: %v", q.method, r)}
			}
		}()
		o.answer, o.err = q.answer(ctx)
	}()
	select {
	case o := <-done:
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return o.answer, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// reply answers one request of a legacy server and returns the response. It
// blocks while a handler does, until ctx ends. p is nil before there is a
// session; only ping is answered then, as it is at any time (PING-01). of is the
// request of ours that it belongs to, nil where nothing tells. m.Params must
// stay.
func (c *Client) reply(ctx context.Context, p *peer, of *outgoing, m jsonrpc.Message) []byte {
	if m.Method == mcp.MethodPing {
		return jsonrpc.AppendResult(nil, m.ID, []byte("{}"))
	}
	raw, err := c.result(ctx, p, of, m)
	if err == nil {
		return jsonrpc.AppendResult(nil, m.ID, raw)
	}
	var fault *mcp.Error
	switch {
	case errors.Is(err, mcp.ErrDeclined):
		fault = mcp.Errorf(mcp.CodeRejected, "rejected by the user") // SAMP-07
	case !errors.As(err, &fault):
		// What went wrong here is not for the server to read.
		fault = mcp.Errorf(mcp.CodeInternal, "this client failed to answer %q", clip(m.Method))
	}
	c.log.Warn("question of the server is not answered", "server", c.target.String(), "question", m.Method, "error", err)
	return jsonrpc.AppendError(nil, m.ID, int64(fault.Code), fault.Message, fault.Data)
}

func (c *Client) result(ctx context.Context, p *peer, of *outgoing, m jsonrpc.Message) ([]byte, error) {
	if p == nil {
		return nil, unasked(mcp.CodeMethodNotFound, m.Method)
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	default:
		return nil, mcp.Errorf(mcp.CodeInternal, "%d questions wait for an answer already", cap(c.asking))
	}
	q := &question{method: m.Method, params: m.Params, asker: c.asker(p, of)}
	if err := c.understand(q, &c.declared[p.era.Profile()].can); err != nil {
		return nil, err
	}
	defer c.hold(of)()
	answer, err := c.consult(ctx, q)
	if err != nil {
		return nil, err
	}
	return p.era.AppendResult(nil, answer, nil)
}

func (c *Client) asker(p *peer, of *outgoing) Asker {
	a := Asker{Target: c.target.String(), Server: p.known()}
	if of != nil {
		a.Request, a.Tool = of.method, of.tool
	}
	return a
}

// hold stops the limits of the request that waits for an answer, or of all
// where nothing tells which it is, until the function it returns is called.
func (c *Client) hold(of *outgoing) (release func()) {
	var held []*clock
	if of != nil && of.clock != nil {
		held = append(held, of.clock)
	} else {
		c.update(func(s *state) {
			for k := range s.clocks {
				held = append(held, k)
			}
		})
	}
	for _, k := range held {
		k.hold()
	}
	return func() {
		for _, k := range held {
			k.release()
		}
	}
}
