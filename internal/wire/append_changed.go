package wire

import (
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// AppendChanged appends the notification, whole, that something is not what it
// was: the list that method names, or, with a uri, that resource. subscription is
// the id, encoded, of the listen that it belongs to (M-SUB-008), and nil in the
// legacy era, which knows none. The notification is the one that
// [Era.AppendNotification] writes. It has a writer of its own since one change is
// written once for everybody who listens.
func AppendChanged(dst []byte, method, uri string, subscription []byte) []byte {
	dst = slices.Grow(dst, 160+len(uri)+len(subscription))
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, '"')
	if uri == "" && subscription == nil {
		return append(dst, '}')
	}
	dst = append(dst, `,"params":{`...)
	if uri != "" {
		dst = jsonx.AppendString(append(dst, `"uri":`...), uri)
	}
	if subscription != nil {
		dst = append(appendName(dst, "_meta"), `{"`+mcp.MetaSubscriptionID+`":`...)
		dst = append(append(dst, subscription...), '}')
	}
	return append(dst, "}}"...)
}
