package jsonrpc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// IsBatch reports whether b begins like a batch, an array.
func IsBatch(b []byte) bool { return jsonx.KindOf(b) == jsonx.Array }

// Parse reads one message from b, strictly: one JSON object, nested at most
// maxDepth deep (0 means the default), member names unique and in the right
// case, and the members that its kind demands. Unknown members are ignored.
//
// Of responses two habits of peers are let pass: an error that is a plain string,
// and a result and an error of which one is null (RPC-10).
func Parse(b []byte, maxDepth int) (Message, *Fault) {
	if err := jsonx.Check(b, maxDepth); err != nil {
		return Message{}, &Fault{Code: CodeParse, Message: err.Error()}
	}
	return parseChecked(b)
}

// parseChecked reads a message from text that has been checked.
func parseChecked(b []byte) (Message, *Fault) {
	if k := jsonx.KindOf(b); k != jsonx.Object {
		return Message{}, &Fault{Code: CodeInvalidRequest, Message: "message is " + article(k) + "; send one JSON-RPC object"}
	}
	e := scan(b)
	m, reason := e.message()
	if reason != "" {
		return Message{}, &Fault{Code: CodeInvalidRequest, Message: reason, ID: m.ID, Response: e.isResponse()}
	}
	return m, nil
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
			break
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
			if known := twin(name); known != "" && e.folded == "" {
				e.folded = fmt.Sprintf("member %q differs from %q only in case", name, known)
			}
		}
	}
	if e.result != nil && e.err != nil {
		if jsonx.KindOf(e.err) == jsonx.Null {
			e.err = nil
		} else if jsonx.KindOf(e.result) == jsonx.Null {
			e.result = nil
		}
	}
	return e
}

// twin finds the envelope member that name equals when case is ignored, as
// Unicode folds it: "param\u017f" is one too.
func twin(name []byte) string {
	if len(name) > 2*len("jsonrpc") {
		return ""
	}
	for _, known := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if strings.EqualFold(string(name), known) {
			return known
		}
	}
	return ""
}

func (e *envelope) isResponse() bool {
	return e.method == nil && (e.result != nil || e.err != nil)
}

// message judges the members. With a reason, the message has an id at most.
func (e *envelope) message() (m Message, reason string) {
	if e.id != nil {
		var err error
		// Whoever could not read an id may say null (T-54).
		unread := e.isResponse() && e.err != nil && jsonx.KindOf(e.id) == jsonx.Null
		if m.ID, err = ParseID(e.id); err != nil && !unread {
			return m, err.Error()
		}
	}
	switch {
	case e.folded != "":
		return m, e.folded
	case !isVersion(e.version):
		return m, `"jsonrpc" is ` + present(e.version) + `; it must be "2.0"`
	case e.isResponse():
		return e.response(m)
	case e.result != nil || e.err != nil:
		return m, "message has a method and a result or error; it can be a request or a response, not both"
	case e.method == nil:
		return m, `message has neither "method" nor "result" nor "error"`
	}
	m.Kind, m.Params = Notification, e.params
	if e.id != nil {
		m.Kind = Request
	}
	if jsonx.KindOf(e.method) != jsonx.String || len(e.method) == len(`""`) {
		return m, `"method" is ` + shorten(e.method) + "; it must be a non-empty string"
	}
	m.Method = methodName(e.method)
	return m, ""
}

// isVersion reports whether raw says 2.0, however it is spelled.
func isVersion(raw []byte) bool {
	if string(raw) == `"2.0"` {
		return true
	}
	if jsonx.KindOf(raw) != jsonx.String {
		return false
	}
	s := jsonx.NewScanner(raw)
	return s.String() == "2.0"
}

func present(raw []byte) string {
	if raw == nil {
		return "missing"
	}
	return shorten(raw)
}

// methodName reads a method; the common ones cost no allocation.
func methodName(raw []byte) string {
	s := jsonx.NewScanner(raw)
	b, _ := s.StringBytes()
	switch string(b) {
	case "tools/call":
		return "tools/call"
	case "tools/list":
		return "tools/list"
	case "resources/read":
		return "resources/read"
	case "prompts/get":
		return "prompts/get"
	case "server/discover":
		return "server/discover"
	case "notifications/progress":
		return "notifications/progress"
	case "ping":
		return "ping"
	}
	return string(b)
}

func (e *envelope) response(m Message) (Message, string) {
	m.Kind = Response
	switch {
	case e.result != nil && e.err != nil:
		return m, "response has both a result and an error"
	case e.err != nil:
		var reason string
		m.Error, reason = parseError(e.err)
		return m, reason
	case m.ID.IsZero():
		return m, "response has a result but no id"
	case jsonx.KindOf(e.result) != jsonx.Object:
		return m, `"result" is ` + article(jsonx.KindOf(e.result)) + "; it must be an object"
	}
	m.Result = e.result
	return m, ""
}

// parseError reads an error object. A plain string, which some peers send in
// its place, is read as its message (RPC-10): the request failed all the same,
// and its caller must be told why.
func parseError(raw []byte) (*Error, string) {
	switch jsonx.KindOf(raw) {
	case jsonx.String:
		s := jsonx.NewScanner(raw)
		return &Error{Code: codeInternal, Message: s.String(), Data: raw}, ""
	case jsonx.Object:
	default:
		return nil, `"error" is ` + article(jsonx.KindOf(raw)) + "; it must be an object"
	}
	var code, message, data []byte
	for name, v := range jsonx.Members(raw) {
		switch string(name) {
		case "code":
			code = v
		case "message":
			message = v
		case "data":
			data = v
		}
	}
	n, ok := integer(code)
	if !ok {
		return nil, `"error.code" is ` + present(code) + "; it must be an integer"
	}
	if jsonx.KindOf(message) != jsonx.String {
		return nil, `"error.message" is ` + present(message) + "; it must be a string"
	}
	s := jsonx.NewScanner(message)
	return &Error{Code: n, Message: s.String(), Data: data}, ""
}

func integer(raw []byte) (int64, bool) {
	if jsonx.KindOf(raw) != jsonx.Number {
		return 0, false
	}
	lit, ok := jsonx.Integer(raw)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(lit, 10, 64)
	return n, err == nil
}
