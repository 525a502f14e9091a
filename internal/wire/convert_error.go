package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// refusal is what a client of p is told instead of err (DN-12, DN-13, DN-15,
// M-ERR-006 to M-ERR-013).
func refusal(p mcp.Profile, method string, err *mcp.Error) (*mcp.CallToolResult, *mcp.Error) {
	err = sound(err)
	switch code := err.Code; {
	case code == mcp.CodeInvalidParams && p.Legacy() && readsResource(method) && namesURI(err.Data):
		return nil, recoded(err, mcp.CodeResourceNotFound)
	case code == mcp.CodeResourceNotFound && p.Modern():
		return nil, recoded(err, mcp.CodeInvalidParams)
	case code == mcp.CodeMissingCapability && p.Legacy():
		return told(method, missingText(err))
	case code == mcp.CodeURLElicitationRequired && p != sinceURLElicitation:
		return told(method, urlText(err))
	case reserved(p, code):
		return nil, recoded(err, mcp.CodeInternal)
	}
	return nil, err
}

// sound is err with data that can be sent: JSON on one line. Data that is no
// JSON would spoil the whole message and is left out.
func sound(err *mcp.Error) *mcp.Error {
	if err.Data == nil {
		return err
	}
	data, broken := appendRaw(nil, err.Data)
	switch {
	case broken != nil:
		return &mcp.Error{Code: err.Code, Message: err.Message}
	case len(data) == len(err.Data):
		return err
	default:
		return &mcp.Error{Code: err.Code, Message: err.Message, Data: data}
	}
}

// reserved reports whether code must not be sent in p for want of a meaning
// there. In the legacy era -32000 to -32019 were anybody's.
func reserved(p mcp.Profile, code mcp.Code) bool {
	switch code {
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return p.Legacy()
	case mcp.CodeURLElicitationRequired:
		return false
	default:
		if p.Legacy() {
			return -32099 <= code && code <= -32020
		}
		return -32099 <= code && code <= -32000
	}
}

// told gives the refusal the only form the revision has for it: the result of
// a tool says it to the model, every other method fails.
func told(method, text string) (*mcp.CallToolResult, *mcp.Error) {
	if method == mcp.MethodToolsCall {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(text)}, IsError: true}, nil
	}
	return nil, &mcp.Error{Code: mcp.CodeInternal, Message: text}
}

func recoded(err *mcp.Error, code mcp.Code) *mcp.Error {
	return &mcp.Error{Code: code, Message: err.Message, Data: err.Data}
}

func readsResource(method string) bool {
	switch method {
	case mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		return true
	}
	return false
}

// namesURI reports whether an error's data names a resource, the mark of one
// that was not found (legacy BR-31).
func namesURI(data json.RawMessage) bool {
	_, ok := String(lookup(data, "uri"))
	return ok
}

// missingText names the features a client would need.
func missingText(err *mcp.Error) string {
	var data mcp.MissingCapability
	if json.Unmarshal(err.Data, &data) != nil {
		return err.Message
	}
	names := capabilityNames(data.RequiredCapabilities)
	if len(names) == 0 {
		return err.Message
	}
	return fmt.Sprintf("%s; the client does not support: %s", err.Message, strings.Join(names, ", "))
}

// capabilityNames lists what is declared in c in words.
func capabilityNames(c mcp.ClientCapabilities) []string {
	var names []string
	if e := c.Elicitation; e != nil {
		if e.CanForm() {
			names = append(names, "elicitation by form")
		}
		if e.CanURL() {
			names = append(names, "elicitation by URL")
		}
	}
	switch s := c.Sampling; {
	case s != nil && s.Tools != nil:
		names = append(names, "sampling with tools")
	case s != nil:
		names = append(names, "sampling")
	}
	if c.Roots != nil {
		names = append(names, "roots")
	}
	for _, id := range slices.Sorted(maps.Keys(c.Extensions)) {
		names = append(names, "the extension "+id)
	}
	return names
}

// urlText says that the user would have to open a URL, without showing it to a
// model.
func urlText(err *mcp.Error) string {
	return err.Message + "; the user has to open a URL first, which this client cannot be asked for"
}

// failure is an error of a peer that also is one of the conditions with a
// sentinel.
type failure struct {
	answer    *mcp.Error
	condition error
}

// Error is what the peer said.
func (f *failure) Error() string { return f.answer.Error() }

// Unwrap gives the peer's error and the condition it is.
func (f *failure) Unwrap() []error { return []error{f.answer, f.condition} }

// failed reads an error a peer of p answered method with (M-ERR-008, M-ERR-012,
// legacy 21.6).
func failed(p mcp.Profile, method string, err *mcp.Error) error {
	switch {
	case err.Code == mcp.CodeResourceNotFound && readsResource(method):
		return &failure{recoded(err, mcp.CodeInvalidParams), mcp.ErrNotFound}
	case err.Code == mcp.CodeInvalidParams && readsResource(method) && namesURI(err.Data):
		return &failure{err, mcp.ErrNotFound}
	case err.Code == mcp.CodeRejected && p.Legacy() && method == mcp.MethodCreateMessage:
		return &failure{err, mcp.ErrDeclined}
	case err.Code == draftUnsupportedVersion && p.Modern() && jsonx.KindOf(lookup(err.Data, "supported")) == jsonx.Array:
		return recoded(err, mcp.CodeUnsupportedVersion)
	}
	return err
}

// draftUnsupportedVersion is the code builds before the release of 2026-07-28
// had for -32022.
const draftUnsupportedVersion mcp.Code = -32004

// status is the HTTP status err travels with (2026-07-28 "Errors", L-HTTP-23,
// DN-14).
func status(p mcp.Profile, err *mcp.Error) int {
	if err == nil {
		return 200
	}
	switch err.Code {
	case mcp.CodeParse, mcp.CodeInvalidRequest:
		return 400
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		if p.Modern() {
			return 400
		}
	case mcp.CodeMethodNotFound:
		if p.Modern() {
			return 404
		}
	default:
	}
	return 200
}
