package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendBlocks appends a list of blocks as p can express them.
func appendBlocks(p mcp.Profile, dst []byte, list []mcp.Content) ([]byte, error) {
	dst = append(dst, '[')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendBlock(dst, contentFor(p, c, i)); err != nil {
			return dst, fmt.Errorf("write content[%d]: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

var errNoBlock = errors.New("the block is nil")

// appendBlock appends one block. What nearly every block is, is written by
// hand; annotations, _meta and unknown members go through the JSON library.
func appendBlock(dst []byte, c mcp.Content) ([]byte, error) {
	if missing(c) {
		return dst, errNoBlock
	}
	switch c := c.(type) {
	case *mcp.TextContent:
		if c.Annotations == nil && c.Meta == nil && c.Extra == nil {
			dst = append(dst, `{"type":"text","text":`...)
			return append(jsonx.AppendString(dst, c.Text), '}'), nil
		}
	case *mcp.ImageContent:
		if c.Annotations == nil && c.Meta == nil && c.Extra == nil {
			return appendMedia(dst, "image", c.Data, c.MIMEType), nil
		}
	case *mcp.AudioContent:
		if c.Annotations == nil && c.Meta == nil && c.Extra == nil {
			return appendMedia(dst, "audio", c.Data, c.MIMEType), nil
		}
	case *mcp.EmbeddedResource:
		if c.Annotations == nil && c.Meta == nil && c.Extra == nil {
			dst, err := appendContents(append(dst, `{"type":"resource","resource":`...), &c.Resource)
			return append(dst, '}'), err
		}
	case *mcp.UnknownContent:
		return appendRaw(dst, c.Raw)
	}
	return jsonx.Append(dst, c)
}

// missing reports whether there is no block, or a nil pointer to one.
func missing(c mcp.Content) bool {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c == nil
	case *mcp.ImageContent:
		return c == nil
	case *mcp.AudioContent:
		return c == nil
	case *mcp.ResourceLink:
		return c == nil
	case *mcp.EmbeddedResource:
		return c == nil
	case *mcp.ToolUseContent:
		return c == nil
	case *mcp.ToolResultContent:
		return c == nil
	case *mcp.UnknownContent:
		return c == nil
	}
	return c == nil
}

func appendMedia(dst []byte, kind string, data []byte, mimeType string) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","data":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","mimeType":`...)
	return append(jsonx.AppendString(dst, mimeType), '}')
}

// appendContents appends what reading a resource gave.
func appendContents(dst []byte, c *mcp.ResourceContents) ([]byte, error) {
	if c.Meta != nil || c.Extra != nil {
		return jsonx.Append(dst, c)
	}
	dst = append(dst, `{"uri":`...)
	dst = jsonx.AppendString(dst, c.URI)
	if c.MIMEType != "" {
		dst = append(dst, `,"mimeType":`...)
		dst = jsonx.AppendString(dst, c.MIMEType)
	}
	if c.Blob == nil {
		dst = append(dst, `,"text":`...)
		return append(jsonx.AppendString(dst, c.Text), '}'), nil
	}
	dst = append(dst, `,"blob":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, c.Blob)
	return append(dst, `"}`...), nil
}

// appendRaw appends JSON that comes from a handler as it is, but on one line:
// a line break ends a frame on some transports.
func appendRaw(dst, raw []byte) ([]byte, error) {
	if err := jsonx.Check(raw, 0); err != nil {
		return dst, fmt.Errorf("raw JSON: %w", err)
	}
	if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0 {
		return jsonx.AppendCompact(dst, raw), nil
	}
	return append(dst, raw...), nil
}
