package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// completer is how one argument completes.
type completer struct {
	argument string
	fn       func(ctx context.Context, value string, filled map[string]string) ([]string, error)
}

// completers are the arguments of an entry, each with its completer; nil for
// those about which nothing is known.
type completers map[string]func(ctx context.Context, value string, filled map[string]string) ([]string, error)

// Complete suggests values for one argument of a prompt, or one variable of a
// resource template, while a user types. fn gets what was typed so far, which is
// whatever a client sends, and the arguments that are filled in already; it
// returns suggestions, best first. More than 100 are cut off, and the client is
// told how many there are. fn runs concurrently with itself.
func Complete(argument string, fn func(ctx context.Context, value string, filled map[string]string) ([]string, error)) Option {
	return option{"Complete", onTemplate | onPrompt, func(s *settings) {
		if fn == nil {
			s.fault("the completion of %q is nil", argument)
			return
		}
		if slices.ContainsFunc(s.completers, func(c completer) bool { return c.argument == argument }) {
			s.fault("the completion of %q is given twice", argument)
			return
		}
		s.completers = append(s.completers, completer{argument, fn})
	}}
}

// newCompleters pairs an entry's arguments with what its options say and with
// the choices of its types. A completion of something that is no argument is a
// fault.
func newCompleters(d *declaration, properties []property) completers {
	all := make(completers, len(properties))
	for _, p := range properties {
		all[p.name] = nil
		if p.choices != nil {
			all[p.name] = fromChoices(p.choices)
		}
	}
	for _, c := range d.about.completers {
		if _, ok := all[c.argument]; !ok {
			d.fault("completion of %q: there is no such argument; there is %s", c.argument, listed(properties))
			continue
		}
		all[c.argument] = c.fn
	}
	return all
}

func listed(properties []property) string {
	if len(properties) == 0 {
		return "none at all"
	}
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = fmt.Sprintf("%q", p.name)
	}
	return strings.Join(names, ", ")
}

// fromChoices completes from a fixed set: what begins with the text comes before
// what only contains it, whatever the case.
func fromChoices(choices []string) func(context.Context, string, map[string]string) ([]string, error) {
	return func(_ context.Context, value string, _ map[string]string) ([]string, error) {
		typed := strings.ToLower(value)
		var begin, contain []string
		for _, c := range choices {
			switch i := strings.Index(strings.ToLower(c), typed); {
			case i == 0:
				begin = append(begin, c)
			case i > 0:
				contain = append(contain, c)
			}
		}
		return append(begin, contain...), nil
	}
}

// completers are those of the entry, nil for kinds that have none.
func (d *declaration) completers() completers {
	switch {
	case d.prompt != nil:
		return d.prompt.completers
	case d.resource != nil:
		return d.resource.completers
	default:
		return nil
	}
}

// completes reports whether the entry can complete anything.
func (d *declaration) completes() bool {
	for _, fn := range d.completers() {
		if fn != nil {
			return true
		}
	}
	return false
}

// complete answers completion/complete.
func (s *Server) complete(ctx context.Context, x *exchange) (any, error) {
	var p mcp.CompleteParams
	if err := wire.DecodeParams(&x.params, &p); err != nil {
		return nil, err
	}
	e := x.completed(&p.Ref)
	if !e.admits(ctx) {
		return nil, x.call.unknown()
	}
	x.call.service = e.Service
	fn, known := e.completers()[p.Argument.Name]
	if !known {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "%s %q has no argument %q", x.call.kind, clip(x.call.name), clip(p.Argument.Name))
	}
	if err := e.needs(x); err != nil {
		return nil, err
	}
	var values []string
	if fn != nil {
		var filled map[string]string
		if p.Context != nil {
			filled = p.Context.Arguments
		}
		var err error
		if values, err = fn(ctx, p.Argument.Value, filled); err != nil {
			return nil, err
		}
	}
	return suggestions(values), nil
}

// completed finds what a reference means and makes it the exchange's target. A
// resource is named by a template, by a URI of its family, or by its own URI.
func (x *exchange) completed(ref *mcp.Reference) *entry {
	c := x.catalog
	if ref.Type == mcp.RefPrompt {
		x.call.name, x.call.kind = ref.Name, "prompt"
		return c.prompts[ref.Name]
	}
	x.call.name, x.call.kind = ref.URI, kindOfResource
	if e := c.families[ref.URI]; e != nil {
		return e
	}
	e, _ := c.find(ref.URI)
	return e
}

// suggestions is the result for values: at most as many as the protocol allows
// (M-COMP-003).
func suggestions(values []string) *mcp.CompleteResult {
	total := int64(len(values))
	r := &mcp.CompleteResult{Completion: mcp.Completion{Values: values, Total: &total}}
	if len(values) > mcp.MaxCompletions {
		r.Completion.Values, r.Completion.HasMore = values[:mcp.MaxCompletions], true
	}
	if values == nil {
		r.Completion.Values = []string{}
	}
	return r
}
