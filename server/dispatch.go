package server

import (
	"context"
	"maps"
	"net/http"
	"runtime/debug"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// methodFunc answers one method. The result is a pointer to one of mcp's result
// types, or a [*wire.Page].
type methodFunc func(ctx context.Context, x *exchange) (any, error)

// method is a row of the table of methods.
type method struct {
	run methodFunc
	// offered reports whether the server's capabilities open the method; nil for
	// methods that need none.
	offered func(*mcp.ServerCapabilities) bool
	// aim reads which entry the request is about; nil for methods that name none.
	aim func(x *exchange) *mcp.Error
	// asks: the client may be asked for input while it is served.
	asks bool
	// stays: it runs until its client or the server has had enough. How long that
	// takes is not limited, and nothing is sent on its stream but by itself.
	stays bool
	// stamp is the kind of its results.
	stamp stampKind
}

// coreMethods are the methods that need no session.
func (s *Server) coreMethods() map[string]method {
	var (
		tools       = func(c *mcp.ServerCapabilities) bool { return c.Tools != nil }
		resources   = func(c *mcp.ServerCapabilities) bool { return c.Resources != nil }
		prompts     = func(c *mcp.ServerCapabilities) bool { return c.Prompts != nil }
		completions = func(c *mcp.ServerCapabilities) bool { return c.Completions != nil }
	)
	return map[string]method{
		mcp.MethodDiscover:              {run: s.discover, stamp: stampDiscover},
		mcp.MethodToolsList:             {run: s.list(listTools), offered: tools, stamp: stampList},
		mcp.MethodToolsCall:             {run: s.callTool, offered: tools, aim: aimTool, asks: true},
		mcp.MethodResourcesList:         {run: s.list(listResources), offered: resources, stamp: stampList},
		mcp.MethodResourceTemplatesList: {run: s.list(listTemplates), offered: resources, stamp: stampList},
		mcp.MethodResourcesRead:         {run: s.readResource, offered: resources, aim: aimResource, asks: true, stamp: stampRead},
		mcp.MethodPromptsList:           {run: s.list(listPrompts), offered: prompts, stamp: stampList},
		mcp.MethodPromptsGet:            {run: s.getPrompt, offered: prompts, aim: aimPrompt, asks: true},
		mcp.MethodComplete:              {run: s.complete, offered: completions},
	}
}

// allMethods is the table requests are dispatched by.
func (s *Server) allMethods() map[string]method {
	all := s.coreMethods()
	maps.Copy(all, s.sessionMethods())
	maps.Copy(all, s.changeMethods())
	return all
}

// serve runs one exchange to its encoded reply, on the caller's goroutine. It
// checks, in this order, that the method exists and is offered, that the request
// is well-formed, that its target exists and is visible, that mirrored headers
// agree, that the client has the capabilities the target needs; then it runs the
// handler (decision table 15.1 of the modern revision, steps 17 to 26). The
// first failure is the answer.
//
// serve never panics: what a handler, interceptor or predicate throws ends as
// -32603 for this exchange alone.
func (s *Server) serve(ctx context.Context, x *exchange) (out reply) {
	x.server, x.catalog = s, s.catalog.Load()
	r := &running{Context: ctx, call: Call{x: x, ctx: ctx}}
	x.call = &r.call
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover() // nil when the goroutine is ending: runtime.Goexit
		out = s.broken(ctx, x, value)
		if value == nil && x.abandon != nil {
			x.abandon(out)
		}
	}()
	out = s.answer(r, x) //nolint:contextcheck // r is made of ctx
	returned = true
	x.catalog = nil // a context that outlives its call keeps no catalog that has been replaced
	return out
}

// answer is serve without its safety net. r is the context of the call.
func (s *Server) answer(r *running, x *exchange) reply {
	m, err := s.method(x)
	if err == nil && m.aim != nil {
		err = m.aim(x)
	}
	if err != nil {
		return s.refuse(x, err)
	}
	x.asks = m.asks
	var ctx context.Context = r
	if m.stays {
		x.call.over = true
	} else if s.cfg.Limits.Call > 0 {
		limited, cancel := context.WithTimeoutCause(r, s.cfg.Limits.Call, errCallLimit)
		defer cancel()
		ctx = limited
	}
	result, failure := s.rounds(ctx, x)
	x.call.finish()
	switch {
	case gone(ctx):
		return reply{}
	case failure != nil:
		return s.fail(ctx, x, failure)
	default:
		return s.encode(x, result, s.stamp(x, m.stamp))
	}
}

// method finds the row of the exchange's method.
func (s *Server) method(x *exchange) (method, *mcp.Error) {
	m, known := s.methods[x.method]
	switch {
	case !known || !x.era.Serves(x.method):
		return method{}, mcp.Errorf(mcp.CodeMethodNotFound, "method not found: %q", clip(x.method))
	case m.offered != nil && !m.offered(&x.catalog.capabilities):
		return method{}, mcp.Errorf(mcp.CodeMethodNotFound, "method not found: %q: the server does not offer the capability it belongs to", x.method)
	case x.params.Twin != nil:
		// Another reader of the message might take it for the member it resembles.
		return method{}, mcp.Errorf(mcp.CodeInvalidParams, "params has a member %q; names are case-sensitive", clip(string(x.params.Twin)))
	}
	return m, nil
}

// dispatch is the innermost link of the chain of interceptors.
func (s *Server) dispatch(ctx context.Context, c *Call) (any, error) {
	return s.methods[c.x.method].run(ctx, c.x)
}

// broken is the reply of an exchange whose handler did not return.
func (s *Server) broken(ctx context.Context, x *exchange, value any) reply {
	x.call.finish()
	err := s.panicked(x, value, debug.Stack())
	if gone(ctx) {
		return reply{}
	}
	return s.refuse(x, err)
}

// fail is the reply for the error of a handler or interceptor.
func (s *Server) fail(ctx context.Context, x *exchange, err error) reply {
	result, protocol := s.failure(ctx, x, err)
	switch {
	case result != nil:
		return s.encode(x, result, s.stamp(x, stampPlain))
	case protocol != nil:
		return s.refuse(x, protocol)
	default:
		return reply{}
	}
}

// refuse is the reply that says err to a client of the exchange's era.
func (s *Server) refuse(x *exchange, err *mcp.Error) reply {
	result, err := x.era.Refusal(x.method, err)
	if result != nil {
		return s.encode(x, result, &s.stamps[stampPlain][0])
	}
	return reply{body: jsonrpc.AppendError(nil, x.id, int64(err.Code), err.Message, err.Data), status: x.era.Status(err), failed: true}
}

// encode writes a result as a whole response.
func (s *Server) encode(x *exchange, result any, stamp *wire.Stamp) reply {
	if result == nil {
		return s.refuse(x, s.hide(x, "internal error", errNoResult))
	}
	body := jsonrpc.AppendResultHead(make([]byte, 0, room(result)+len(stamp.ServerInfo)), x.id)
	body, err := x.era.AppendResult(body, result, stamp)
	if err != nil {
		return s.refuse(x, s.hide(x, "the result cannot be written", err))
	}
	return reply{body: append(body, '}'), status: http.StatusOK}
}

// room guesses the size of a response, so that writing it seldom moves it.
func room(result any) int {
	const frame, block = 192, 64
	n := frame
	switch r := result.(type) {
	case *mcp.CallToolResult:
		n += len(r.StructuredContent)
		for _, c := range r.Content {
			n += block
			if t, ok := c.(*mcp.TextContent); ok {
				n += len(t.Text) + len(t.Text)/8
			}
		}
	case *mcp.ReadResourceResult:
		for i := range r.Contents {
			c := &r.Contents[i]
			n += block + len(c.URI) + len(c.Text) + len(c.Text)/8 + len(c.Blob)/3*4
		}
	case *wire.Page:
		for _, e := range r.Entries {
			n += len(e) + 1
		}
	default:
		n += frame
	}
	return n
}

// aimName reads the name of the target, and says what it would be.
func aimName(x *exchange, kind string) *mcp.Error {
	name, err := member(x, x.params.Name, "name")
	x.call.name, x.call.kind = name, kind
	return err
}

// member reads a member of params that has to be a string with something in it.
func member(x *exchange, raw []byte, name string) (string, *mcp.Error) {
	if k := jsonx.KindOf(x.params.Raw); k != jsonx.Object && k != jsonx.Invalid && k != jsonx.Null {
		return "", mcp.Errorf(mcp.CodeInvalidParams, "params must be an object; got %s", describe(k))
	}
	if raw == nil {
		return "", mcp.Errorf(mcp.CodeInvalidParams, "params.%s is missing", name)
	}
	text, ok := wire.String(raw)
	if !ok || text == "" {
		return "", mcp.Errorf(mcp.CodeInvalidParams, "params.%s is no string with a name in it", name)
	}
	return text, nil
}

// clip shortens what a stranger wrote for a message.
func clip(s string) string {
	const most = 128
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
