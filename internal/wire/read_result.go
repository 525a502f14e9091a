package wire

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// invalid is an error that matches mcp.ErrInvalidResponse.
func invalid(method, format string, args ...any) error {
	return fmt.Errorf("read the result of %s: %w: %s", method, mcp.ErrInvalidResponse, fmt.Sprintf(format, args...))
}

// readModern decides by resultType what a result is (2026-07-28,
// "ResultType", M-RT-005 to M-RT-010).
func readModern(method string, raw []byte, into any) (*mcp.InputRequiredResult, error) {
	kind := lookup(raw, "resultType")
	if kind == nil {
		// A server of an earlier revision; it means complete (UP-12).
		return nil, readResult(method, raw, into)
	}
	name, ok := String(kind)
	if !ok {
		return nil, invalid(method, "resultType is %s", typeOf(kind))
	}
	switch mcp.ResultType(name) {
	case mcp.ResultComplete:
		return nil, readResult(method, raw, into)
	case mcp.ResultInputRequired:
		return readInputRequired(method, raw)
	default:
		return nil, invalid(method, "resultType is %q, which is neither complete nor input_required", clip(name))
	}
}

func readInputRequired(method string, raw []byte) (*mcp.InputRequiredResult, error) {
	if !retried(method) {
		return nil, invalid(method, "it asks for input, which only %s, %s and %s may", mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet)
	}
	var r mcp.InputRequiredResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, invalid(method, "%s", fault(err, "result"))
	}
	if r.InputRequests == nil && r.RequestState == nil {
		return nil, invalid(method, "it asks for input, but has neither inputRequests nor requestState")
	}
	return &r, nil
}

// readResult reads a complete result of either era. A failure leaves the zero
// value in into.
func readResult(method string, raw []byte, into any) error {
	if jsonx.KindOf(raw) != jsonx.Object {
		return invalid(method, "it is %s; a result is an object", typeOf(raw))
	}
	if whole, ok := into.(*stdjson.RawMessage); ok {
		*whole = append((*whole)[:0:0], raw...)
		return nil
	}
	if call, ok := into.(*mcp.CallToolResult); ok && quickCallTool(raw, call) {
		normalize(into)
		return nil
	}
	for _, name := range requiredResult(into) {
		if lookup(raw, name) == nil {
			return invalid(method, "it has no %q", name)
		}
	}
	if _, hint := parts(into); hint != nil {
		raw = tolerable(raw)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		reflect.ValueOf(into).Elem().SetZero()
		return invalid(method, "%s", fault(err, "result"))
	}
	normalize(into)
	return nil
}

// requiredResult are the members without which a result is not of its type.
// null is read as an empty list, as some servers write it; the content of a
// tool's result may be left out, as it may in the peers' readers.
func requiredResult(into any) []string {
	switch into.(type) {
	case *mcp.InitializeResult:
		return []string{"protocolVersion", "capabilities", "serverInfo"}
	case *mcp.DiscoverResult:
		return []string{"supportedVersions", "capabilities"}
	case *mcp.ListToolsResult:
		return []string{"tools"}
	case *mcp.ListResourcesResult:
		return []string{"resources"}
	case *mcp.ListResourceTemplatesResult:
		return []string{"resourceTemplates"}
	case *mcp.ListPromptsResult:
		return []string{"prompts"}
	case *mcp.ReadResourceResult:
		return []string{"contents"}
	case *mcp.GetPromptResult:
		return []string{"messages"}
	case *mcp.CompleteResult:
		return []string{"completion"}
	case *mcp.ListRootsResult:
		return []string{"roots"}
	case *mcp.ElicitResult:
		return []string{"action"}
	case *mcp.CreateMessageResult:
		return []string{"role", "content", "model"}
	}
	return nil
}

// tolerable is raw without cache hints that say nothing: a time that is no
// integer of at least 0, a scope that is no word (M-CACHE-009, M-CACHE-017).
func tolerable(raw []byte) []byte {
	if ttl := lookup(raw, "ttlMs"); ttl != nil {
		digits, ok := "", false
		if jsonx.KindOf(ttl) == jsonx.Number {
			digits, ok = jsonx.Integer(ttl)
		}
		switch {
		case !ok || digits[0] == '-' || len(digits) > len("9007199254740991"):
			raw = jsonx.DeleteMember(raw, "ttlMs")
		case digits != string(ttl):
			raw = jsonx.SetMember(raw, "ttlMs", []byte(digits))
		}
	}
	if scope := lookup(raw, "cacheScope"); scope != nil && jsonx.KindOf(scope) != jsonx.String {
		raw = jsonx.DeleteMember(raw, "cacheScope")
	}
	return raw
}
