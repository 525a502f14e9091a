package server

import (
	"context"
	"fmt"
	"reflect"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// promptSpec is what a prompt is besides its name and its options.
type promptSpec struct {
	arguments  []mcp.PromptArgument
	completers completers
	// run calls the handler with encoded arguments, nil for none. Without an error
	// the result is not nil.
	run func(ctx context.Context, args []byte) (*mcp.GetPromptResult, error)
}

// Prompt declares a prompt. In is a struct whose fields are the arguments:
// strings, or what can be written as one, since that is what the protocol
// carries. A struct without fields takes none. Arguments that do not fit are
// refused with -32602, all faults at once.
//
// Out is a string (one message of the user), an [mcp.Content] (the same), an
// [mcp.PromptMessage], a slice of these, or [*mcp.GetPromptResult].
//
// Arguments with an enum complete themselves; [Complete] says how others do. fn
// runs concurrently with itself. The text of an error it returns is not sent,
// unless it is one of [Refuse]'s; see the package comment.
func Prompt[In, Out any](s *Service, name string, fn func(ctx context.Context, in In) (Out, error), opts ...Option) {
	d := &declaration{kind: KindPrompt, name: name, about: settingsOf(onPrompt, opts)}
	if fn == nil {
		d.fault("the handler is nil")
	}
	in, err := schema.For[In](schema.Object())
	if err != nil {
		d.fault("arguments: %w", err)
	}
	show, err := messagesOf(reflect.TypeFor[Out]())
	if err != nil {
		d.fault("result: %w", err)
	}
	spec := &promptSpec{run: func(ctx context.Context, args []byte) (*mcp.GetPromptResult, error) {
		var call struct {
			in  In
			out Out
		}
		if err := in.DecodeChecked(args, &call.in); err != nil {
			return nil, mcp.Errorf(mcp.CodeInvalidParams, "invalid arguments: %v", err)
		}
		var err error
		if call.out, err = fn(ctx, call.in); err != nil {
			return nil, err
		}
		return show(&call.out)
	}}
	if in != nil {
		spec.describe(d, in)
	}
	d.prompt = spec
	s.declare(d)
}

// describe lists the arguments of a prompt and finds out how they complete.
func (p *promptSpec) describe(d *declaration, in *schema.Plan) {
	properties, err := propertiesOf(in.JSON())
	if err != nil {
		d.fault("arguments: %w", err)
		return
	}
	for _, a := range properties {
		if !a.scalar {
			d.fault("arguments: %q cannot be written as a string, which is all that clients send to a prompt", a.name)
		}
		p.arguments = append(p.arguments, mcp.PromptArgument{Name: a.name, Title: a.title, Description: a.doc, Required: a.required})
	}
	p.completers = newCompleters(d, properties)
}

// messagesOf chooses how what a prompt's handler returned, given as a pointer,
// becomes messages.
func messagesOf(t reflect.Type) (func(out any) (*mcp.GetPromptResult, error), error) {
	switch {
	case t == reflect.TypeFor[string]():
		return taking(func(text string) (*mcp.GetPromptResult, error) { return conversation(mcp.UserText(text)) }), nil
	case t == reflect.TypeFor[mcp.PromptMessage]():
		return taking(func(m mcp.PromptMessage) (*mcp.GetPromptResult, error) { return conversation(m) }), nil
	case t == reflect.TypeFor[[]mcp.PromptMessage]():
		return taking(func(said []mcp.PromptMessage) (*mcp.GetPromptResult, error) { return conversation(said...) }), nil
	case t == reflect.TypeFor[*mcp.GetPromptResult]():
		return taking(func(r *mcp.GetPromptResult) (*mcp.GetPromptResult, error) {
			if r == nil {
				return nil, &faulty{"internal error", errNoResult}
			}
			return r, checkMessages(r.Messages)
		}), nil
	case t.Implements(contentType) || t.Kind() == reflect.Slice && t.Elem().Implements(contentType):
		show := renderBlock
		if t.Kind() == reflect.Slice {
			show = renderBlocks
		}
		return func(out any) (*mcp.GetPromptResult, error) {
			r, err := show(out)
			if err != nil {
				return nil, err
			}
			var said []mcp.PromptMessage
			for _, c := range r.Content {
				said = append(said, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
			}
			return conversation(said...)
		}, nil
	}
	return nil, fmt.Errorf("a prompt cannot return %s; return string, mcp.Content, mcp.PromptMessage, a slice of those, or *mcp.GetPromptResult", t)
}

func conversation(said ...mcp.PromptMessage) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: said}, checkMessages(said)
}

// checkMessages finds messages that could not be written, where the handler can
// be blamed.
func checkMessages(said []mcp.PromptMessage) error {
	for i, m := range said {
		switch {
		case m.Role != mcp.RoleUser && m.Role != mcp.RoleAssistant:
			return &faulty{"internal error", fmt.Errorf("message %d of the prompt has the role %q", i, m.Role)}
		case m.Content == nil || reflect.ValueOf(m.Content).IsNil():
			return &faulty{"internal error", fmt.Errorf("message %d of the prompt has no content", i)}
		}
	}
	return nil
}

// promptValue makes the description that clients see.
func (d *declaration) promptValue(full string) mcp.Prompt {
	return mcp.Prompt{
		Name: full, Title: d.about.title, Description: d.about.doc, Arguments: d.prompt.arguments,
		Icons: d.about.icons, Meta: d.about.meta,
	}
}

// getPrompt answers prompts/get.
func (s *Server) getPrompt(ctx context.Context, x *exchange) (any, error) {
	e := x.catalog.prompts[x.call.name]
	if !e.admits(ctx) {
		return nil, x.call.unknown()
	}
	x.call.service = e.Service
	if err := e.needs(x); err != nil {
		return nil, err
	}
	if err := x.resume(ctx); err != nil {
		return nil, err
	}
	args := x.params.Arguments
	if jsonx.KindOf(args) == jsonx.Null {
		args = nil
	}
	r, err := e.prompt.run(ctx, args)
	if err != nil {
		return nil, err
	}
	if r.Description == "" && e.about.doc != "" {
		described := *r // the handler may keep its result
		described.Description = e.about.doc
		r = &described
	}
	return r, nil
}

// aimPrompt reads the name of the prompt, and checks that the arguments are
// strings (M-PRM-006).
func aimPrompt(x *exchange) *mcp.Error {
	if err := aimName(x, "prompt"); err != nil {
		return err
	}
	args := x.params.Arguments
	switch k := jsonx.KindOf(args); k {
	case jsonx.Invalid, jsonx.Null:
		return nil
	case jsonx.Object:
	default:
		return mcp.Errorf(mcp.CodeInvalidParams, "params.arguments must be an object; got %s", describe(k))
	}
	for name, value := range jsonx.Members(args) {
		if k := jsonx.KindOf(value); k != jsonx.String {
			return mcp.Errorf(mcp.CodeInvalidParams, "params.arguments: %q must be a string; got %s", clip(string(name)), describe(k))
		}
	}
	return nil
}
