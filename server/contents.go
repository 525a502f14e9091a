package server

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// contentsOf chooses how what a resource's handler returned, given as a pointer,
// becomes contents. mime is the declared media type, or empty.
func contentsOf(t reflect.Type, mime string) (func(out any) (*mcp.ReadResourceResult, error), error) {
	m := maker{mime}
	switch {
	case t == reflect.TypeFor[string]():
		return taking(m.text), nil
	case t == reflect.TypeFor[[]byte]():
		return taking(m.blob), nil
	case t == reflect.TypeFor[mcp.ResourceContents]():
		return taking(func(c mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
			return m.several([]mcp.ResourceContents{c})
		}), nil
	case t == reflect.TypeFor[[]mcp.ResourceContents]():
		return taking(m.several), nil
	case t == reflect.TypeFor[*mcp.ReadResourceResult]():
		return taking(m.whole), nil
	case t == reflect.TypeFor[json.RawMessage]():
		return taking(func(raw json.RawMessage) (*mcp.ReadResourceResult, error) { return m.json(raw, nil) }), nil
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return taking(m.any), nil
	}
	plan, err := schema.Of(t)
	if err != nil {
		return nil, err
	}
	return func(out any) (*mcp.ReadResourceResult, error) { return m.json(plan.Append(nil, out)) }, nil
}

// maker makes contents of a declared media type.
type maker struct{ mime string }

func (m maker) text(text string) (*mcp.ReadResourceResult, error) {
	return m.one(mcp.ResourceContents{MIMEType: m.mime, Text: text})
}

func (m maker) blob(blob []byte) (*mcp.ReadResourceResult, error) {
	if blob == nil {
		blob = []byte{} // nil would be read as text
	}
	return m.one(mcp.ResourceContents{MIMEType: m.mime, Blob: blob})
}

func (m maker) json(raw []byte, err error) (*mcp.ReadResourceResult, error) {
	if err != nil {
		return nil, &faulty{"internal error", fmt.Errorf("write the resource as JSON: %w", err)}
	}
	mime := m.mime
	if mime == "" {
		mime = "application/json"
	}
	return m.one(mcp.ResourceContents{MIMEType: mime, Text: string(raw)})
}

func (m maker) one(c mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{c}}, nil
}

// several copies the contents, since the handler may keep them.
func (m maker) several(all []mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
	all = slices.Clone(all)
	for i := range all {
		if all[i].MIMEType == "" {
			all[i].MIMEType = m.mime
		}
	}
	return &mcp.ReadResourceResult{Contents: all}, nil
}

// whole copies the result, since the handler may keep it.
func (m maker) whole(r *mcp.ReadResourceResult) (*mcp.ReadResourceResult, error) {
	if r == nil {
		return nil, &faulty{"internal error", errNoResult}
	}
	own := *r
	made, err := m.several(r.Contents)
	own.Contents = made.Contents
	return &own, err
}

// any decides by the value at hand.
func (m maker) any(out any) (*mcp.ReadResourceResult, error) {
	switch v := out.(type) {
	case nil:
		return nil, &faulty{"internal error", errNoResult}
	case string:
		return m.text(v)
	case []byte:
		return m.blob(v)
	case mcp.ResourceContents:
		return m.several([]mcp.ResourceContents{v})
	case []mcp.ResourceContents:
		return m.several(v)
	case *mcp.ReadResourceResult:
		return m.whole(v)
	case json.RawMessage:
		return m.json(v, nil)
	default:
		return m.json(jsonx.Marshal(v))
	}
}

// located gives contents without a URI the one that was read. No contents at all
// are no resource (M-RES-010).
func located(r *mcp.ReadResourceResult, uri string) (*mcp.ReadResourceResult, error) {
	if len(r.Contents) == 0 {
		return nil, mcp.ErrNotFound
	}
	for i := range r.Contents {
		if r.Contents[i].URI == "" {
			r.Contents[i].URI = uri
		}
	}
	return r, nil
}
