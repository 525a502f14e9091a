package wire

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendHead opens a result object with the members every result may have:
// resultType and the server's identity in the modern era, and _meta in both.
// The caller goes on with appendName, which knows whether a comma is due.
func appendHead(p mcp.Profile, dst []byte, r *mcp.Result, stamp *Stamp) ([]byte, error) {
	dst = append(dst, '{')
	if p.Legacy() {
		return appendMeta(dst, legacyMeta(r.Meta), "", nil)
	}
	kind := r.ResultType
	if kind == "" || kind == mcp.ResultComplete {
		dst = append(dst, `"resultType":"complete"`...)
	} else {
		dst = append(dst, `"resultType":`...)
		dst = jsonx.AppendString(dst, string(kind))
	}
	var info []byte
	if stamp != nil {
		info = stamp.ServerInfo
	}
	return appendMeta(dst, r.Meta, mcp.MetaServerInfo, info)
}

// appendMeta appends the member _meta, if it has any member. added is put
// under key unless meta has that key.
func appendMeta(dst []byte, meta mcp.Meta, key string, added []byte) ([]byte, error) {
	if _, ok := meta[key]; ok {
		added = nil
	}
	if len(meta) == 0 && added == nil {
		return dst, nil
	}
	dst = append(appendName(dst, "_meta"), '{')
	if added != nil {
		dst = append(appendName(dst, key), added...)
	}
	if len(meta) == 0 {
		return append(dst, '}'), nil
	}
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		var err error
		if dst, err = appendRaw(appendName(dst, k), meta[k]); err != nil {
			return dst, fmt.Errorf("write _meta[%q]: %w", k, err)
		}
	}
	return append(dst, '}'), nil
}

// legacyMeta leaves out the keys only the modern era has on results and
// notifications (DN-01).
func legacyMeta(meta mcp.Meta) mcp.Meta {
	_, info := meta[mcp.MetaServerInfo]
	_, subscription := meta[mcp.MetaSubscriptionID]
	if !info && !subscription {
		return meta
	}
	meta = maps.Clone(meta)
	delete(meta, mcp.MetaServerInfo)
	delete(meta, mcp.MetaSubscriptionID)
	if len(meta) == 0 {
		return nil
	}
	return meta
}

// appendHint appends the two members of a cacheable result (M-CACHE-001). A
// hint that has no time of its own takes the stamp's; a scope that is not said
// to be public is private.
func appendHint(p mcp.Profile, dst []byte, hint mcp.CacheHint, stamp *Stamp) []byte {
	if p.Legacy() {
		return dst
	}
	if hint.TTLMs == nil && stamp != nil {
		scope := hint.CacheScope
		hint = stamp.Hint
		if scope != "" {
			hint.CacheScope = scope
		}
	}
	ttl := int64(0)
	if hint.TTLMs != nil {
		ttl = max(*hint.TTLMs, 0)
	}
	scope := mcp.CachePrivate
	if hint.Public() {
		scope = mcp.CachePublic
	}
	dst = strconv.AppendInt(appendName(dst, "ttlMs"), ttl, 10)
	return jsonx.AppendString(appendName(dst, "cacheScope"), string(scope))
}

// appendName appends a member's name, after a comma unless it is the first.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(jsonx.AppendString(dst, name), ':')
	return dst
}

// appendMembers appends the members of an encoded object to an open one.
func appendMembers(dst, object []byte) []byte {
	inner := object[1 : len(object)-1]
	if len(inner) == 0 {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(dst, inner...)
}
