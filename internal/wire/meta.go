package wire

import (
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// DeclaredVersion is the revision the request names in its _meta, not judged
// further (2026-07-28, "Per-request protocol fields"). The error is -32602: no
// _meta, a _meta that is no object, or no string with the version in it.
func (p *Params) DeclaredVersion() (string, *mcp.Error) {
	if err := p.checkShape(); err != nil {
		return "", err
	}
	switch {
	case jsonx.KindOf(p.Meta) != jsonx.Object:
		return "", mcp.Errorf(mcp.CodeInvalidParams,
			"params._meta is missing; a request of revision %s names it under %q", mcp.Newest.Version(), mcp.MetaProtocolVersion)
	case p.Version == nil:
		return "", mcp.Errorf(mcp.CodeInvalidParams,
			"params._meta has no %q; a request names its revision there", mcp.MetaProtocolVersion)
	}
	version, ok := String(p.Version)
	if !ok {
		return "", mistyped(mcp.MetaProtocolVersion, p.Version, "a string")
	}
	if version == "" {
		return "", mcp.Errorf(mcp.CodeInvalidParams,
			"params._meta[%q] is empty; it names a revision, such as %q", mcp.MetaProtocolVersion, mcp.Newest.Version())
	}
	return version, nil
}

// checkShape judges the types of params and _meta themselves.
func (p *Params) checkShape() *mcp.Error {
	if !objectOrNone(p.Raw) {
		return mcp.Errorf(mcp.CodeInvalidParams, "params is %s; it is an object in every method", typeOf(p.Raw))
	}
	if !objectOrNone(p.Meta) {
		return mcp.Errorf(mcp.CodeInvalidParams, "params._meta is %s; it is an object", typeOf(p.Meta))
	}
	return nil
}

// checkModern judges the reserved members beyond the version (M-META-002,
// M-META-005).
func (p *Params) checkModern() *mcp.Error {
	if err := p.checkShape(); err != nil {
		return err
	}
	switch jsonx.KindOf(p.Capabilities) {
	case jsonx.Object:
	case jsonx.Invalid:
		return mcp.Errorf(mcp.CodeInvalidParams,
			"params._meta has no %q; every request declares the client's capabilities, {} when it has none", mcp.MetaClientCapabilities)
	default:
		return mistyped(mcp.MetaClientCapabilities, p.Capabilities, "an object")
	}
	if err := p.checkClientInfo(); err != nil {
		return err
	}
	if p.LogLevel != nil {
		level, ok := String(p.LogLevel)
		if !ok {
			return mistyped(mcp.MetaLogLevel, p.LogLevel, "a string")
		}
		if !mcp.LogLevel(level).Valid() {
			return mcp.Errorf(mcp.CodeInvalidParams, "params._meta[%q] is %q, which is no log level; use %s", mcp.MetaLogLevel, clip(level), logLevels)
		}
	}
	return p.checkProgressToken()
}

// logLevels are the words for a message.
const logLevels = "debug, info, notice, warning, error, critical, alert or emergency"

// checkClientInfo: the identity is optional, but not malformed (M-META-006).
func (p *Params) checkClientInfo() *mcp.Error {
	if p.ClientInfo == nil {
		return nil
	}
	if jsonx.KindOf(p.ClientInfo) != jsonx.Object {
		return mistyped(mcp.MetaClientInfo, p.ClientInfo, "an object")
	}
	for _, member := range []string{"name", "version"} {
		if value := lookup(p.ClientInfo, member); jsonx.KindOf(value) != jsonx.String {
			return mcp.Errorf(mcp.CodeInvalidParams, "params._meta[%q].%s is %s; it is a string", mcp.MetaClientInfo, member, typeOf(value))
		}
	}
	return nil
}

// checkProgressToken: a string or an integer (legacy PROG, 2026-07-28
// "Progress").
func (p *Params) checkProgressToken() *mcp.Error {
	switch jsonx.KindOf(p.ProgressToken) {
	case jsonx.Invalid, jsonx.String:
		return nil
	case jsonx.Number:
		if _, ok := jsonx.Integer(p.ProgressToken); ok {
			return nil
		}
	default:
	}
	return mcp.Errorf(mcp.CodeInvalidParams, "params._meta.progressToken is %s; it is a string or an integer", clip(string(p.ProgressToken)))
}

// objectOrNone: null is as good as absent where an object may be left out.
func objectOrNone(raw []byte) bool {
	switch jsonx.KindOf(raw) {
	case jsonx.Object, jsonx.Null, jsonx.Invalid:
		return true
	default:
		return false
	}
}

func mistyped(key string, value []byte, want string) *mcp.Error {
	return mcp.Errorf(mcp.CodeInvalidParams, "params._meta[%q] is %s; it is %s", key, typeOf(value), want)
}
