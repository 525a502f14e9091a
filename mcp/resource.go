package mcp

import (
	"encoding/json"
	"errors"
)

// Resource describes something a client can read (schema type Resource).
type Resource struct {
	// URI names the resource; required.
	URI string `json:"uri"`
	// Name identifies it for programs; required.
	Name string `json:"name"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description says what it holds.
	Description string `json:"description,omitzero"`
	// MIMEType is its media type, when known.
	MIMEType string `json:"mimeType,omitzero"`
	// Size is the raw size in bytes, nil when unknown.
	Size *int64 `json:"size,omitzero"`
	// Icons are pictures of it.
	Icons []Icon `json:"icons,omitempty"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the resource's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ResourceTemplate describes a family of resources (schema type
// ResourceTemplate).
type ResourceTemplate struct {
	// URITemplate is an RFC 6570 template; required.
	URITemplate string `json:"uriTemplate"`
	// Name identifies it for programs; required.
	Name string `json:"name"`
	// Title is the name shown to people.
	Title string `json:"title,omitzero"`
	// Description says what the resources are.
	Description string `json:"description,omitzero"`
	// MIMEType is set only if every resource of the family has it.
	MIMEType string `json:"mimeType,omitzero"`
	// Icons are pictures of it.
	Icons []Icon `json:"icons,omitempty"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the template's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ResourceContents is what reading a resource gives: text, or a blob (schema
// types TextResourceContents and BlobResourceContents). A non-nil Blob, even an
// empty one, makes it a blob; otherwise Text is written, even an empty one.
type ResourceContents struct {
	// URI is the resource, or a part of it; required.
	URI string
	// MIMEType is the media type, when known.
	MIMEType string
	// Text is the contents when they are text.
	Text string
	// Blob is the contents when they are not text; base64 on the wire.
	Blob []byte
	// Meta is the contents' _meta.
	Meta Meta
	// Extra holds members unknown here.
	Extra Extra
}

type (
	plainResource Resource
	plainTemplate ResourceTemplate
	wireContents  struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType,omitzero"`
		Text     *string `json:"text,omitzero"`
		Blob     *[]byte `json:"blob,omitzero"`
		Meta     Meta    `json:"_meta,omitzero"`
		Extra    Extra   `json:",embed"`
	}
)

// MarshalJSON writes the resource.
func (r Resource) MarshalJSON() ([]byte, error) { return encode(plainResource(r)) }

// UnmarshalJSON reads a resource.
func (r *Resource) UnmarshalJSON(b []byte) error { return decode(b, (*plainResource)(r)) }

// MarshalJSON writes the template.
func (r ResourceTemplate) MarshalJSON() ([]byte, error) { return encode(plainTemplate(r)) }

// UnmarshalJSON reads a template.
func (r *ResourceTemplate) UnmarshalJSON(b []byte) error { return decode(b, (*plainTemplate)(r)) }

// MarshalJSON writes the contents, text or blob.
func (c ResourceContents) MarshalJSON() ([]byte, error) {
	w := wireContents{URI: c.URI, MIMEType: c.MIMEType, Meta: c.Meta, Extra: c.Extra}
	if c.Blob != nil {
		w.Blob = &c.Blob
	} else {
		w.Text = &c.Text
	}
	return encode(w)
}

// UnmarshalJSON reads contents; one of text and blob is required.
func (c *ResourceContents) UnmarshalJSON(b []byte) error {
	var w wireContents
	if err := decode(b, &w); err != nil {
		return err
	}
	out := ResourceContents{URI: w.URI, MIMEType: w.MIMEType, Meta: w.Meta, Extra: w.Extra}
	switch {
	case w.Text != nil && w.Blob != nil:
		return errors.New("read resource contents: both text and blob are present")
	case w.Text != nil:
		out.Text = *w.Text
	case w.Blob != nil:
		out.Blob = *w.Blob
		if out.Blob == nil {
			out.Blob = []byte{}
		}
	default:
		return errors.New("read resource contents: neither text nor blob is present")
	}
	*c = out
	return nil
}

// ReadResourceParams are the parameters of resources/read.
type ReadResourceParams struct {
	// URI is the resource to read.
	URI string `json:"uri"`
	Retry
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ReadResourceResult is the result of resources/read.
type ReadResourceResult struct {
	Result
	CacheHint
	// Contents is what was read: never empty for a resource that exists.
	Contents []ResourceContents `json:"contents"`
}

// SubscribeParams are the parameters of resources/subscribe and
// resources/unsubscribe (legacy revisions).
type SubscribeParams struct {
	// URI is the resource to watch.
	URI string `json:"uri"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

var _ json.Marshaler = Resource{}
