package wire

import (
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendEntry appends one catalog entry as p can express it.
func appendEntry(p mcp.Profile, dst []byte, entry any) ([]byte, error) {
	switch e := entry.(type) {
	case mcp.Tool:
		entry = toolFor(p, e)
	case *mcp.Tool:
		entry = toolFor(p, *e)
	case mcp.Resource:
		entry = resourceFor(p, e)
	case *mcp.Resource:
		entry = resourceFor(p, *e)
	case mcp.ResourceTemplate:
		entry = templateFor(p, e)
	case *mcp.ResourceTemplate:
		entry = templateFor(p, *e)
	case mcp.Prompt:
		entry = promptFor(p, e)
	case *mcp.Prompt:
		entry = promptFor(p, *e)
	default:
		return dst, fmt.Errorf("write catalog entry: %T is none", entry)
	}
	return jsonx.Append(dst, entry)
}

// appendPage joins entries that are encoded already.
func appendPage(p mcp.Profile, dst []byte, page *Page, stamp *Stamp) ([]byte, error) {
	dst, err := appendHead(p, dst, &mcp.Result{}, stamp)
	if err != nil {
		return dst, err
	}
	dst = append(appendName(appendHint(p, dst, page.Hint, stamp), page.Member), '[')
	for i, entry := range page.Entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, entry...)
	}
	return append(appendCursor(append(dst, ']'), page.NextCursor), '}'), nil
}

// appendList appends a list whose entries are values.
func appendList[T any](p mcp.Profile, dst []byte, r *mcp.Result, hint mcp.CacheHint, member string, entries []T, next *string, stamp *Stamp) ([]byte, error) {
	if err := typed(p, r); err != nil {
		return dst, err
	}
	dst, err := appendHead(p, dst, r, stamp)
	if err != nil {
		return dst, err
	}
	dst = append(appendName(appendHint(p, dst, hint, stamp), member), '[')
	for i := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendEntry(p, dst, entries[i]); err != nil {
			return dst, fmt.Errorf("write %s[%d]: %w", member, i, err)
		}
	}
	return closeResult(appendCursor(append(dst, ']'), next), r, member, "nextCursor", "ttlMs", "cacheScope")
}

// appendCursor: the empty string is a cursor, nil the end.
func appendCursor(dst []byte, next *string) []byte {
	if next == nil {
		return dst
	}
	return jsonx.AppendString(append(dst, `,"nextCursor":`...), *next)
}
