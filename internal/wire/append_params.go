package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendParams appends the params of a request. self is nil for what a server
// asks a client, which describes nobody.
func appendParams(p mcp.Profile, dst []byte, method string, params any, self *Self) ([]byte, error) {
	if !asks(p, method) {
		err := fmt.Errorf("write %s: revision %s has no such request", method, p.Version())
		if method == mcp.MethodElicit {
			err = fmt.Errorf("%w: %w", mcp.ErrCannotAsk, err)
		}
		return dst, err
	}
	raw, err := paramsOf(p, method, params)
	if err != nil {
		return dst, fmt.Errorf("write %s: %w", method, err)
	}
	meta := []byte(nil)
	dst = append(dst, '{')
	for name, value := range jsonx.Members(raw) {
		switch {
		case string(name) == "_meta":
			meta = value
		case !keeps(p, method, string(name)):
		case string(name) == "ref" && method == mcp.MethodComplete && p < sinceTitles:
			dst = append(appendName(dst, "ref"), jsonx.DeleteMember(value, "title")...)
		default:
			dst = append(appendName(dst, string(name)), value...)
		}
	}
	return append(appendRequestMeta(p, dst, meta, self), '}'), nil
}

// keeps reports whether p has a member of a request's params (UP-01, UP-04,
// UP-06). What no revision has is a vendor's and stays.
func keeps(p mcp.Profile, method, member string) bool {
	switch member {
	case "inputResponses", "requestState":
		return p.Modern() || !retried(method)
	case "task":
		return p == onlyTasks || !tasked(method)
	case "context":
		return p >= sinceContext || method != mcp.MethodComplete
	}
	return true
}

// retried are the requests that may end with input_required.
func retried(method string) bool {
	switch method {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet:
		return true
	}
	return false
}

// tasked are the requests that could be made tasks of in 2025-11-25.
func tasked(method string) bool {
	switch method {
	case mcp.MethodToolsCall, mcp.MethodCreateMessage, mcp.MethodElicit:
		return true
	}
	return false
}

// paramsOf is params as encoded bytes on one line, converted where the type
// tells what it is; nil when there are none.
func paramsOf(p mcp.Profile, method string, params any) ([]byte, error) {
	raw, ok := rawOf(params)
	if !ok {
		value, err := paramsFor(p, params)
		if err != nil {
			return nil, err
		}
		if raw, err = jsonx.Marshal(value); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
	} else if raw != nil {
		if err := jsonx.Check(raw, 0); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
		if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0 {
			raw = jsonx.AppendCompact(nil, raw)
		}
		if value := questionFor(p, method, raw); value != nil {
			return convertedQuestion(p, raw, value)
		}
	}
	if !objectOrNone(raw) {
		return nil, fmt.Errorf("params are %s; they are an object", typeOf(raw))
	}
	return raw, nil
}

// rawOf is params when they are bytes already, or nothing.
func rawOf(params any) ([]byte, bool) {
	switch v := params.(type) {
	case nil:
		return nil, true
	case json.RawMessage:
		return v, true
	case jsontext.Value:
		return v, true
	case []byte:
		return v, true
	}
	return nil, false
}

// paramsFor converts the parameters that differ by revision in more than what
// may be left out member by member.
func paramsFor(p mcp.Profile, params any) (any, error) {
	switch v := params.(type) {
	case mcp.InitializeParams:
		v.Capabilities = clientCapabilitiesFor(p, v.Capabilities)
		v.ClientInfo = implementationFor(p, v.ClientInfo)
		return v, nil
	case *mcp.InitializeParams:
		return paramsFor(p, *v)
	case mcp.ElicitParams:
		return elicitFor(p, v)
	case *mcp.ElicitParams:
		return elicitFor(p, *v)
	case mcp.CreateMessageParams:
		return createMessageFor(p, v)
	case *mcp.CreateMessageParams:
		return createMessageFor(p, *v)
	}
	return params, nil
}

// questionFor is an empty value for the parameters of a question to a client
// that p has to convert, nil when they may pass as they came.
func questionFor(p mcp.Profile, method string, raw []byte) any {
	switch {
	case method == mcp.MethodElicit:
		return new(mcp.ElicitParams)
	case method == mcp.MethodCreateMessage && (p < sinceToolSampling || lookup(raw, "tools") != nil):
		return new(mcp.CreateMessageParams)
	}
	return nil
}

func convertedQuestion(p mcp.Profile, raw []byte, into any) ([]byte, error) {
	if err := jsonx.Unmarshal(raw, into); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	value, err := paramsFor(p, into)
	if err != nil {
		return nil, err
	}
	return jsonx.Marshal(value)
}

// appendRequestMeta appends the request's _meta: the reserved members from
// self, every other as the caller wrote it.
func appendRequestMeta(p mcp.Profile, dst, meta []byte, self *Self) []byte {
	mark := len(dst)
	dst = append(appendName(dst, "_meta"), '{')
	empty := len(dst)
	if self != nil && p.Modern() {
		dst = jsonx.AppendString(appendName(dst, mcp.MetaProtocolVersion), p.Version())
		if self.Info != nil {
			dst = append(appendName(dst, mcp.MetaClientInfo), self.Info...)
		}
		capabilities := self.Capabilities
		if capabilities == nil {
			capabilities = []byte("{}")
		}
		dst = append(appendName(dst, mcp.MetaClientCapabilities), capabilities...)
		if self.LogLevel != "" {
			dst = jsonx.AppendString(appendName(dst, mcp.MetaLogLevel), string(self.LogLevel))
		}
	}
	token := []byte(nil)
	if self != nil {
		token = self.ProgressToken
	}
	if token != nil {
		dst = append(appendName(dst, mcp.MetaProgressToken), token...)
	}
	for name, value := range jsonx.Members(meta) {
		switch string(name) {
		case mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities, mcp.MetaLogLevel:
			continue
		case mcp.MetaProgressToken:
			if token != nil {
				continue
			}
		}
		dst = append(appendName(dst, string(name)), value...)
	}
	if len(dst) == empty {
		return dst[:mark]
	}
	return append(dst, '}')
}
