package jsonrpc

import (
	"fmt"
	"strconv"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// Kind says what a message is.
type Kind byte

// The kinds of messages. The zero Kind is none.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message. Its slices share memory with the text it was
// read from.
type Message struct {
	// Kind says which of the other fields count.
	Kind Kind
	// ID is the id of a request or response; zero for a notification, and for an
	// error response to something whose id could not be read.
	ID ID
	// Method is the method of a request or notification.
	Method string
	// Params is the parameters of a request or notification, or nil. It is any
	// JSON value: what is no object is the method's to refuse, as invalid params.
	Params []byte
	// Result is the result of a response, nil when it has an error.
	Result []byte
	// Error is the error of a response, or nil.
	Error *Error
}

// Error is the error object of a response.
type Error struct {
	// Code says what went wrong.
	Code int64
	// Message says it in a sentence.
	Message string
	// Data is any further JSON, or nil.
	Data []byte
}

// Codes of JSON-RPC for messages that cannot be dispatched.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
)

// Fault says why a text is no message, in the terms of the error response to it.
type Fault struct {
	// Code is CodeParse or CodeInvalidRequest.
	Code int
	// Message says what is wrong.
	Message string
	// ID is the message's id when it could be read.
	ID ID
	// Response says that the text was meant as a response: nobody waits for an
	// error about it.
	Response bool
}

// Error is the fault's message.
func (f *Fault) Error() string { return f.Message }

// IsBatch reports whether b begins like a batch, an array.
func IsBatch(b []byte) bool { return jsonx.KindOf(b) == jsonx.Array }

// Parse reads one message from b, strictly: one JSON object, nested at most
// maxDepth deep (0 means the default), member names unique and in the right
// case, and the members that its kind demands. Unknown members are ignored.
func Parse(b []byte, maxDepth int) (Message, *Fault) {
	if err := jsonx.Check(b, maxDepth); err != nil {
		return Message{}, &Fault{Code: CodeParse, Message: err.Error()}
	}
	return parseChecked(b)
}

// envelope is the members of a message, as they came.
type envelope struct {
	version, id, method, params, result, err []byte
	folded                                   string
}

func scan(b []byte) envelope {
	var e envelope
	s := jsonx.NewScanner(b)
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return e
		}
		v := s.Skip()
		switch string(name) {
		case "jsonrpc":
			e.version = v
		case "id":
			e.id = v
		case "method":
			e.method = v
		case "params":
			e.params = v
		case "result":
			e.result = v
		case "error":
			e.err = v
		default:
			if known := foldedName(name); known != "" {
				e.folded = fmt.Sprintf("member %q differs from %q only in case", name, known)
			}
		}
	}
}

// foldedName finds the envelope member that name equals when case is ignored.
func foldedName(name []byte) string {
	var lower [8]byte
	if len(name) > len(lower) {
		return ""
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "jsonrpc":
		return "jsonrpc"
	case "id":
		return "id"
	case "method":
		return "method"
	case "params":
		return "params"
	case "result":
		return "result"
	case "error":
		return "error"
	}
	return ""
}

// parseChecked reads a message from text that has been checked.
func parseChecked(b []byte) (Message, *Fault) {
	if k := jsonx.KindOf(b); k != jsonx.Object {
		return Message{}, &Fault{Code: CodeInvalidRequest, Message: "message is " + article(k) + "; send one JSON-RPC object"}
	}
	e := scan(b)
	fault := Fault{Code: CodeInvalidRequest, Response: e.method == nil && (e.result != nil || e.err != nil)}
	var id ID
	if e.id != nil {
		var err error
		if id, err = ParseID(e.id); err != nil && !(fault.Response && e.err != nil && jsonx.KindOf(e.id) == jsonx.Null) {
			fault.Message = err.Error()
			return Message{}, &fault
		}
	}
	fault.ID = id
	switch {
	case e.folded != "":
		fault.Message = e.folded
	case string(e.version) != `"2.0"`:
		fault.Message = `"jsonrpc" is ` + present(e.version) + `; it must be "2.0"`
	case e.method != nil && (e.result != nil || e.err != nil):
		fault.Message = "message has a method and a result or error; it can be a request or a response, not both"
	case e.method != nil:
		return parseCall(e, id, &fault)
	case fault.Response:
		return parseResponse(e, id, &fault)
	default:
		fault.Message = `message has neither "method" nor "result" nor "error"`
	}
	return Message{}, &fault
}

func present(raw []byte) string {
	if raw == nil {
		return "missing"
	}
	return shorten(raw)
}

func parseCall(e envelope, id ID, fault *Fault) (Message, *Fault) {
	if jsonx.KindOf(e.method) != jsonx.String || len(e.method) == 2 {
		fault.Message = `"method" is ` + shorten(e.method) + "; it must be a non-empty string"
		return Message{}, fault
	}
	s := jsonx.NewScanner(e.method)
	m := Message{Kind: Notification, ID: id, Method: methodName(&s), Params: e.params}
	if e.id != nil {
		m.Kind = Request
	}
	return m, nil
}

// methodName reads a method; the common ones cost no allocation.
func methodName(s *jsonx.Scanner) string {
	b, _ := s.StringBytes()
	switch string(b) {
	case "tools/call":
		return "tools/call"
	case "tools/list":
		return "tools/list"
	case "resources/read":
		return "resources/read"
	case "server/discover":
		return "server/discover"
	case "notifications/progress":
		return "notifications/progress"
	case "ping":
		return "ping"
	}
	return string(b)
}

func parseResponse(e envelope, id ID, fault *Fault) (Message, *Fault) {
	switch {
	case e.result != nil && e.err != nil:
		fault.Message = "response has both a result and an error"
		return Message{}, fault
	case e.result != nil && id.IsZero():
		fault.Message = "response has a result but no id"
		return Message{}, fault
	case e.result != nil && jsonx.KindOf(e.result) != jsonx.Object:
		fault.Message = `"result" is ` + article(jsonx.KindOf(e.result)) + "; it must be an object"
		return Message{}, fault
	case e.result != nil:
		return Message{Kind: Response, ID: id, Result: e.result}, nil
	}
	rpcErr, reason := parseError(e.err)
	if reason != "" {
		fault.Message = reason
		return Message{}, fault
	}
	return Message{Kind: Response, ID: id, Error: rpcErr}, nil
}

// parseError reads an error object. A plain string, which some peers send in
// its place, is read as its message (RPC-10): the request failed all the same,
// and its caller must be told why.
func parseError(raw []byte) (*Error, string) {
	switch jsonx.KindOf(raw) {
	case jsonx.String:
		s := jsonx.NewScanner(raw)
		return &Error{Code: -32603, Message: s.String(), Data: raw}, ""
	case jsonx.Object:
	default:
		return nil, `"error" is ` + article(jsonx.KindOf(raw)) + "; it must be an object"
	}
	out := &Error{}
	var code, message []byte
	for name, v := range jsonx.Members(raw) {
		switch string(name) {
		case "code":
			code = v
		case "message":
			message = v
		case "data":
			out.Data = v
		}
	}
	lit, ok := "", false
	if jsonx.KindOf(code) == jsonx.Number {
		lit, ok = jsonx.Integer(code)
	}
	n, err := strconv.ParseInt(lit, 10, 64)
	if !ok || err != nil {
		return nil, `"error.code" is ` + present(code) + "; it must be an integer"
	}
	out.Code = n
	if jsonx.KindOf(message) != jsonx.String {
		return nil, `"error.message" is ` + present(message) + "; it must be a string"
	}
	s := jsonx.NewScanner(message)
	out.Message = s.String()
	return out, ""
}
