package wire

import (
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendNotification appends a whole notification, unless p has none such.
func appendNotification(p mcp.Profile, dst []byte, method string, params any) ([]byte, bool, error) {
	if !notifies(p, method) {
		return dst, false, nil
	}
	raw, ok := rawOf(params)
	var err error
	switch {
	case !ok:
		raw, err = jsonx.Marshal(params)
	case raw != nil:
		raw, err = appendRaw(nil, raw)
	}
	if err != nil {
		return dst, false, fmt.Errorf("write %s: %w", method, err)
	}
	if !objectOrNone(raw) {
		return dst, false, fmt.Errorf("write %s: params are %s; they are an object", method, typeOf(raw))
	}
	if p.Legacy() {
		raw = legacyNotification(p, method, raw)
	}
	return jsonrpc.AppendNotification(dst, method, raw), true, nil
}

// legacyNotification drops what the revision does not know (DN-01, DN-08).
func legacyNotification(p mcp.Profile, method string, raw []byte) []byte {
	if method == mcp.NotifyProgress && p < sinceProgressMessage {
		raw = jsonx.DeleteMember(raw, "message")
	}
	meta := lookup(raw, "_meta")
	bare := jsonx.DeleteMember(meta, mcp.MetaSubscriptionID)
	switch {
	case meta == nil || len(bare) == len(meta):
	case string(jsonx.AppendCompact(nil, bare)) == "{}":
		raw = jsonx.DeleteMember(raw, "_meta")
	default:
		raw = jsonx.SetMember(raw, "_meta", bare)
	}
	if string(raw) == "{}" {
		return nil
	}
	return raw
}
