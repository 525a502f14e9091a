package mcp

import "encoding/json"

// Content is one block of a tool result, prompt message or sampling message:
// [*TextContent], [*ImageContent], [*AudioContent], [*ResourceLink],
// [*EmbeddedResource], [*ToolUseContent], [*ToolResultContent], or
// [*UnknownContent] for a type this package does not know. The set is closed.
type Content interface {
	// ContentType is the block's type member, such as "text".
	ContentType() string
	json.Marshaler
	content()
}

// TextContent is text (type "text").
type TextContent struct {
	// Text is the text, possibly empty.
	Text string `json:"text"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the block's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ImageContent is a picture (type "image").
type ImageContent struct {
	// Data is the picture's bytes; base64 on the wire.
	Data []byte `json:"data"`
	// MIMEType is its media type; required.
	MIMEType string `json:"mimeType"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the block's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// AudioContent is sound (type "audio", from 2025-03-26 on).
type AudioContent struct {
	// Data is the sound's bytes; base64 on the wire.
	Data []byte `json:"data"`
	// MIMEType is its media type; required.
	MIMEType string `json:"mimeType"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the block's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ResourceLink points to a resource (type "resource_link", from 2025-06-18 on).
// The resource need not be in the server's list.
type ResourceLink struct {
	Resource
}

// EmbeddedResource carries a resource's contents (type "resource").
type EmbeddedResource struct {
	// Resource is the contents.
	Resource ResourceContents `json:"resource"`
	// Annotations are hints, or nil.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is the block's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ToolUseContent is a model's wish to call a tool, in sampling only
// (type "tool_use", from 2025-11-25 on).
type ToolUseContent struct {
	// ID names this use.
	ID string `json:"id"`
	// Name is the tool.
	Name string `json:"name"`
	// Input is the arguments, a JSON object.
	Input json.RawMessage `json:"input"`
	// Meta is the block's _meta; keep it when the message is sent again.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ToolResultContent answers a [ToolUseContent], in sampling only
// (type "tool_result", from 2025-11-25 on).
type ToolResultContent struct {
	// ToolUseID is the ID of the use it answers.
	ToolUseID string `json:"toolUseId"`
	// Content is the result's blocks.
	Content []Content `json:"content"`
	// StructuredContent is the result as JSON, nil when absent.
	StructuredContent json.RawMessage `json:"structuredContent,omitzero"`
	// IsError: the tool failed.
	IsError bool `json:"isError,omitzero"`
	// Meta is the block's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// UnknownContent is a block of a type this package does not know, as it came.
type UnknownContent struct {
	// Raw is the whole block, a JSON object.
	Raw json.RawMessage
	// Type is its type member.
	Type string
}

// Text makes a text block.
func Text(s string) *TextContent { return &TextContent{Text: s} }

// Image makes a picture block from its bytes and media type.
func Image(data []byte, mimeType string) *ImageContent {
	return &ImageContent{Data: data, MIMEType: mimeType}
}

// Audio makes a sound block from its bytes and media type.
func Audio(data []byte, mimeType string) *AudioContent {
	return &AudioContent{Data: data, MIMEType: mimeType}
}

// Link makes a block that points to a resource.
func Link(uri, name string) *ResourceLink {
	return &ResourceLink{Resource{URI: uri, Name: name}}
}

// Embed makes a block that carries a resource.
func Embed(c ResourceContents) *EmbeddedResource { return &EmbeddedResource{Resource: c} }

// ContentType is "text".
func (*TextContent) ContentType() string { return "text" }

// ContentType is "image".
func (*ImageContent) ContentType() string { return "image" }

// ContentType is "audio".
func (*AudioContent) ContentType() string { return "audio" }

// ContentType is "resource_link".
func (*ResourceLink) ContentType() string { return "resource_link" }

// ContentType is "resource".
func (*EmbeddedResource) ContentType() string { return "resource" }

// ContentType is "tool_use".
func (*ToolUseContent) ContentType() string { return "tool_use" }

// ContentType is "tool_result".
func (*ToolResultContent) ContentType() string { return "tool_result" }

// ContentType is the type the block came with.
func (c *UnknownContent) ContentType() string { return c.Type }

func (*TextContent) content()       {}
func (*ImageContent) content()      {}
func (*AudioContent) content()      {}
func (*ResourceLink) content()      {}
func (*EmbeddedResource) content()  {}
func (*ToolUseContent) content()    {}
func (*ToolResultContent) content() {}
func (*UnknownContent) content()    {}
