package wire

import (
	"bytes"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// Scan finds the members of a request's params an engine needs, in one pass and
// without allocating. params is nil or a JSON value that has passed the strict
// check of the message it came with; of anything but an object only Raw is set.
func Scan(params []byte) Params {
	p := Params{Raw: params}
	s := jsonx.NewScanner(params)
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return p
		}
		if string(name) == "_meta" && s.Kind() == jsonx.Object {
			start := s.Offset()
			p.scanMeta(&s)
			end := s.Offset()
			p.Meta = params[start:end:end]
			continue
		}
		value := s.Skip()
		switch string(name) {
		case "_meta":
			p.Meta = value
		case "name":
			p.Name = value
		case "uri":
			p.URI = value
		case "arguments":
			p.Arguments = value
		case "cursor":
			p.Cursor = value
		case "taskId":
			p.TaskID = value
		case "inputResponses":
			p.InputResponses = value
		case "requestState":
			p.RequestState = value
		case "ref":
			p.Ref = value
		case "notifications":
			p.Notifications = value
		default:
			if p.Twin == nil && unusual(name) {
				p.Twin = twin(name)
			}
		}
	}
}

// scanned are the members of params that are found by Scan.
var scanned = [...]string{"_meta", "name", "uri", "arguments", "cursor", "taskId", "inputResponses", "requestState", "ref", "notifications"}

// unusual reports whether a name might equal a known one when case is ignored,
// without being it: all others are told by a look at their bytes.
func unusual(name []byte) bool {
	for _, c := range name {
		if c >= 'A' && c <= 'Z' || c >= 0x80 {
			return true
		}
	}
	return bytes.Equal(name, []byte("taskid")) || bytes.Equal(name, []byte("requeststate")) || bytes.Equal(name, []byte("inputresponses"))
}

// twin is name if it equals a known one only when case is ignored: two readers
// would understand it differently (JSON-01).
func twin(name []byte) []byte {
	for _, known := range scanned {
		if strings.EqualFold(string(name), known) {
			return name
		}
	}
	return nil
}

// scanMeta goes through the object s stands before, and leaves s behind it.
func (p *Params) scanMeta(s *jsonx.Scanner) {
	s.EnterObject()
	for {
		name, ok := s.NextName()
		if !ok {
			return
		}
		value := s.Skip()
		switch string(name) {
		case mcp.MetaProtocolVersion:
			p.Version = value
		case mcp.MetaClientInfo:
			p.ClientInfo = value
		case mcp.MetaClientCapabilities:
			p.Capabilities = value
		case mcp.MetaLogLevel:
			p.LogLevel = value
		case mcp.MetaProgressToken:
			p.ProgressToken = value
		}
	}
}

// String is the text of an encoded JSON string. It is false when raw is absent
// or no string.
func String(raw []byte) (string, bool) {
	if jsonx.KindOf(raw) != jsonx.String {
		return "", false
	}
	s := jsonx.NewScanner(raw)
	return s.String(), true
}

// lookup is a member's value, nil when it is absent.
func lookup(object []byte, name string) []byte {
	value, _ := jsonx.Lookup(object, name)
	return value
}
