package mcp

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tagged writes a block's type member before its own members.
type tagged[T any] struct {
	Type string `json:"type"`
	Body *T     `json:",embed"`
}

func encodeTagged[T any](kind string, body *T) ([]byte, error) {
	return encode(tagged[T]{Type: kind, Body: body})
}

// The plain types have the fields of their public twins without the methods,
// which would call themselves.
type (
	plainText       TextContent
	plainImage      ImageContent
	plainAudio      AudioContent
	plainEmbedded   EmbeddedResource
	plainToolUse    ToolUseContent
	plainToolResult ToolResultContent
)

// MarshalJSON writes the block with its type.
func (c *TextContent) MarshalJSON() ([]byte, error) { return encodeTagged("text", (*plainText)(c)) }

// MarshalJSON writes the block with its type.
func (c *ImageContent) MarshalJSON() ([]byte, error) { return encodeTagged("image", (*plainImage)(c)) }

// MarshalJSON writes the block with its type.
func (c *AudioContent) MarshalJSON() ([]byte, error) { return encodeTagged("audio", (*plainAudio)(c)) }

// MarshalJSON writes the block with its type.
func (c *ResourceLink) MarshalJSON() ([]byte, error) {
	return encodeTagged("resource_link", (*plainResource)(&c.Resource))
}

// MarshalJSON writes the block with its type.
func (c *EmbeddedResource) MarshalJSON() ([]byte, error) {
	return encodeTagged("resource", (*plainEmbedded)(c))
}

// MarshalJSON writes the block with its type.
func (c *ToolUseContent) MarshalJSON() ([]byte, error) {
	body := *c
	if body.Input == nil {
		body.Input = []byte("{}")
	}
	return encodeTagged("tool_use", (*plainToolUse)(&body))
}

// MarshalJSON writes the block with its type.
func (c *ToolResultContent) MarshalJSON() ([]byte, error) {
	return encodeTagged("tool_result", (*plainToolResult)(c))
}

// MarshalJSON writes the block's bytes as they came.
func (c *UnknownContent) MarshalJSON() ([]byte, error) {
	if len(c.Raw) == 0 {
		return nil, errors.New("write content: an unknown block has no bytes")
	}
	return c.Raw, nil
}

// ParseContent reads one content block: a JSON object with a string member
// "type". A type that is not known gives an [*UnknownContent].
func ParseContent(b []byte) (Content, error) {
	c, err := parseContent(b, codec)
	if err != nil {
		return nil, fmt.Errorf("read content: %w", err)
	}
	return c, nil
}

// blockHead is what tells blocks apart.
type blockHead struct {
	Type *string        `json:"type"`
	Rest jsontext.Value `json:",embed"`
}

var (
	errNoObject = errors.New("a content block is a JSON object")
	errNoType   = errors.New(`the block has no "type"`)
)

func readHead(b []byte, opts json.Options) (blockHead, error) {
	var head blockHead
	if jsontext.Value(b).Kind() != '{' {
		return head, errNoObject
	}
	if err := json.Unmarshal(b, &head, opts); err != nil {
		return head, err
	}
	if head.Type == nil {
		return head, errNoType
	}
	if head.Rest == nil {
		head.Rest = jsontext.Value("{}")
	}
	return head, nil
}

// parseContent takes the options it is called with, so that the codec, which
// names it, need not be named here. Its errors are the library's own, which
// knows how to put the place of a block in front of the place in the block.
func parseContent(b []byte, opts json.Options) (Content, error) {
	head, err := readHead(b, opts)
	if err != nil {
		return nil, err
	}
	return parseTyped(*head.Type, head.Rest, b, opts)
}

func parseTyped(kind string, rest, whole []byte, opts json.Options) (Content, error) {
	var (
		c    Content
		err  error
		text plainText
		img  plainImage
		aud  plainAudio
		link plainResource
		emb  plainEmbedded
		use  plainToolUse
		res  plainToolResult
	)
	switch kind {
	case "text":
		err, c = json.Unmarshal(rest, &text, opts), (*TextContent)(&text)
	case "image":
		err, c = json.Unmarshal(rest, &img, opts), (*ImageContent)(&img)
	case "audio":
		err, c = json.Unmarshal(rest, &aud, opts), (*AudioContent)(&aud)
	case "resource_link":
		err = json.Unmarshal(rest, &link, opts)
		c = &ResourceLink{Resource(link)}
	case "resource":
		err, c = json.Unmarshal(rest, &emb, opts), (*EmbeddedResource)(&emb)
	case "tool_use":
		err, c = json.Unmarshal(rest, &use, opts), (*ToolUseContent)(&use)
	case "tool_result":
		err, c = json.Unmarshal(rest, &res, opts), (*ToolResultContent)(&res)
	default:
		return &UnknownContent{Type: kind, Raw: append([]byte(nil), whole...)}, nil
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// decodeContent teaches the codec to read the Content interface.
func decodeContent(dec *jsontext.Decoder, c *Content) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	v, err := parseContent(raw, dec.Options())
	if err != nil {
		if inside, ok := errors.AsType[*json.SemanticError](err); ok {
			inside.JSONPointer = dec.StackPointer() + inside.JSONPointer
		}
		return err
	}
	*c = v
	return nil
}

// readBlock reads a block whose type is known beforehand.
func readBlock[T any](b []byte, dst *T) error {
	c, err := parseContent(b, codec)
	if err != nil {
		return err
	}
	v, ok := any(c).(*T)
	if !ok {
		return fmt.Errorf("the block's type is %q", c.ContentType())
	}
	*dst = *v
	return nil
}

// UnmarshalJSON reads a block of type "text".
func (c *TextContent) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "image".
func (c *ImageContent) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "audio".
func (c *AudioContent) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "resource_link".
func (c *ResourceLink) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "resource".
func (c *EmbeddedResource) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "tool_use".
func (c *ToolUseContent) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON reads a block of type "tool_result".
func (c *ToolResultContent) UnmarshalJSON(b []byte) error { return readBlock(b, c) }

// UnmarshalJSON keeps the block's bytes, whatever its type.
func (c *UnknownContent) UnmarshalJSON(b []byte) error {
	head, err := readHead(b, codec)
	if err != nil {
		return err
	}
	*c = UnknownContent{Type: *head.Type, Raw: append([]byte(nil), b...)}
	return nil
}
