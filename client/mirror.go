package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// toolbox is what the newest definitions of a server's tools say about calling
// them: what is mirrored in headers, and what results look like (M-XMH-020).
type toolbox struct {
	limit int

	mu    sync.RWMutex
	tools map[string]*definition
}

// definition is what is kept of a tool's definition. It is immutable, but that
// its output schema is compiled once, when it is first needed.
type definition struct {
	input, output json.RawMessage
	headers       []schema.Header
	// broken says why the tool cannot be called over HTTP, nil when it can.
	broken error

	compile   sync.Once
	validator *schema.Validator
	invalid   error
}

// learn takes the definitions of one page. fresh reports for each tool whether
// its definition is new or has changed.
func (b *toolbox) learn(tools []mcp.Tool) (defs []*definition, fresh []bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tools == nil {
		b.tools = make(map[string]*definition, len(tools))
	}
	for _, t := range tools {
		d := b.tools[t.Name]
		same := d != nil && bytes.Equal(d.input, t.InputSchema) && bytes.Equal(d.output, t.OutputSchema)
		if !same {
			d = define(t)
			if len(b.tools) < b.limit || b.tools[t.Name] != nil {
				b.tools[t.Name] = d
			}
		}
		defs, fresh = append(defs, d), append(fresh, !same)
	}
	return defs, fresh
}

// retain forgets the tools that a complete list no longer has.
func (b *toolbox) retain(names map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.tools {
		if !names[name] {
			delete(b.tools, name)
		}
	}
}

func (b *toolbox) lookup(name string) *definition {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.tools[name]
}

func define(t mcp.Tool) *definition {
	d := &definition{input: slices.Clone(t.InputSchema), output: slices.Clone(t.OutputSchema)}
	root, _ := jsonx.Lookup(objectOr(t.InputSchema), "type")
	if kind, ok := wire.String(root); !ok || kind != "object" {
		d.broken = errors.New(`the root of its input schema is not of type "object"`) // T-63
		return d
	}
	d.headers, d.broken = schema.HeadersOf(t.InputSchema)
	return d
}

// objectOr is raw if it is an object, and an empty one otherwise.
func objectOr(raw []byte) []byte {
	if jsonx.KindOf(raw) == jsonx.Object {
		return raw
	}
	return []byte("{}")
}

// sort takes the tools of a page and leaves out those that cannot be called:
// over HTTP a bad annotation, or a root that is no object, spoils a tool
// (M-XMH-012, T-65). The reason is logged when the definition is new.
func (c *Client) sort(p *peer, tools []mcp.Tool) []mcp.Tool {
	defs, fresh := c.tools.learn(tools)
	if !p.manners.describes || p.link.kind() != overHTTP {
		return tools
	}
	kept := tools[:0]
	for i, t := range tools {
		if err := defs[i].broken; err != nil {
			if fresh[i] {
				c.log.Warn("tool is left out: its definition is invalid", "server", c.target.String(), "tool", t.Name, "error", err)
			}
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// relist reads the list of tools anew, after the server found that our headers
// do not fit its definition (M-XMH-023).
func (c *Client) relist(ctx context.Context) error {
	for _, err := range c.Tools(ctx) {
		if err != nil {
			return fmt.Errorf("read the definition again: %w", err)
		}
	}
	return nil
}

// mirror makes the headers that repeat a call's arguments. A tool that was
// never listed has none (M-XMH-021).
func (b *toolbox) mirror(tool string, params []byte) (http.Header, error) {
	d := b.lookup(tool)
	switch {
	case d == nil:
		return nil, nil
	case d.broken != nil:
		return nil, fmt.Errorf("%w: the tool's definition cannot be used over HTTP: %w", mcp.ErrInvalidResponse, d.broken)
	case len(d.headers) == 0:
		return nil, nil
	}
	args := wire.Scan(params).Arguments
	h := make(http.Header, len(d.headers))
	var errs []error
	for _, mark := range d.headers {
		value, there, err := mirrored(valueAt(args, mark.Path))
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("argument %q %w", strings.Join(mark.Path, "."), err))
		case there:
			h.Set(headerParam+mark.Name, value)
		}
	}
	return h, errors.Join(errs...)
}

// valueAt is the value at exactly that path of the arguments, nil when there is
// none (M-XMH-011).
func valueAt(args []byte, path []string) []byte {
	for _, name := range path {
		if jsonx.KindOf(args) != jsonx.Object {
			return nil
		}
		args, _ = jsonx.Lookup(args, name)
	}
	return args
}

// mirrored is a value as a header (M-ENC-002). null and what is absent have
// none (M-XMH-017). A value of another type than the schema says is the
// server's to refuse, if only it can be written.
func mirrored(value []byte) (header string, there bool, err error) {
	switch jsonx.KindOf(value) {
	case jsonx.Invalid, jsonx.Null:
		return "", false, nil
	case jsonx.String:
		s, _ := wire.String(value)
		return httpx.EncodeHeader(s), true, nil
	case jsonx.Bool:
		return string(value), true, nil
	case jsonx.Number:
		digits, whole := jsonx.Integer(value)
		switch {
		case !whole:
			return string(value), true, nil
		case !jsonx.SafeInteger(value):
			return "", false, fmt.Errorf("is %s; the tool mirrors it in a header, where integers stay within 2^53-1", clip(digits))
		default:
			return digits, true, nil
		}
	default:
		return "", false, fmt.Errorf("is an %s; the tool mirrors it in a header and takes a string, an integer or a boolean", jsonx.KindOf(value))
	}
}
