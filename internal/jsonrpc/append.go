package jsonrpc

import (
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

const head = `{"jsonrpc":"2.0"`

// AppendRequest appends a request. params is an encoded object, or nil.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(dst, head+`,"id":`...)
	dst = id.Append(dst)
	return appendCall(dst, method, params)
}

// AppendNotification appends a notification. params is an encoded object, or nil.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, head...), method, params)
}

func appendCall(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `,"method":`...)
	dst = jsonx.AppendString(dst, method)
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// AppendResult appends a response with an encoded result.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = AppendResultHead(dst, id)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendResultHead appends a response up to its result: the caller appends the
// result and a closing brace, which saves a copy of it.
func AppendResultHead(dst []byte, id ID) []byte {
	dst = append(dst, head+`,"id":`...)
	dst = id.Append(dst)
	return append(dst, `,"result":`...)
}

// AppendError appends an error response. A zero id is left out: the schema of
// the protocol allows no null. data is encoded JSON, or nil.
func AppendError(dst []byte, id ID, code int64, message string, data []byte) []byte {
	dst = append(dst, head...)
	if !id.IsZero() {
		dst = append(dst, `,"id":`...)
		dst = id.Append(dst)
	}
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendString(dst, message)
	if data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, data...)
	}
	return append(dst, '}', '}')
}
