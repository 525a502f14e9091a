package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestFailure: conditions match their sentinel, old codes become new ones, and
// what the peer said stays (M-ERR-008, M-ERR-012, legacy 21.6).
func TestFailure(t *testing.T) {
	every := mcp.Profiles()
	legacy := every[1:]
	modern := every[:1]
	for _, c := range []struct {
		name, method string
		revs         []mcp.Profile
		in           mcp.Error
		code         mcp.Code
		is           error
	}{
		{"the old code of a missing resource", mcp.MethodResourcesRead, every, mcp.Error{Code: -32002, Message: "m"}, mcp.CodeInvalidParams, mcp.ErrNotFound},
		{"the new code", mcp.MethodResourcesRead, every, mcp.Error{Code: -32602, Message: "m", Data: json.RawMessage(`{"uri":"a://b"}`)}, mcp.CodeInvalidParams, mcp.ErrNotFound},
		{"the new code for another reason", mcp.MethodResourcesRead, every, mcp.Error{Code: -32602, Message: "m"}, mcp.CodeInvalidParams, nil},
		{"a URI that is no string", mcp.MethodResourcesRead, every, mcp.Error{Code: -32602, Message: "m", Data: json.RawMessage(`{"uri":1}`)}, mcp.CodeInvalidParams, nil},
		{"the old code elsewhere means nothing", mcp.MethodToolsCall, every, mcp.Error{Code: -32002, Message: "m"}, -32002, nil},
		{"a URI elsewhere means nothing", mcp.MethodToolsCall, every, mcp.Error{Code: -32602, Message: "m", Data: json.RawMessage(`{"uri":"a"}`)}, mcp.CodeInvalidParams, nil},
		{"subscribing to a missing resource", mcp.MethodResourcesSubscribe, legacy, mcp.Error{Code: -32002, Message: "m"}, mcp.CodeInvalidParams, mcp.ErrNotFound},
		{"a draft's unsupported version", mcp.MethodDiscover, modern, mcp.Error{Code: -32004, Message: "m", Data: json.RawMessage(`{"supported":["x"]}`)}, mcp.CodeUnsupportedVersion, nil},
		{"-32004 without a list is opaque", mcp.MethodDiscover, modern, mcp.Error{Code: -32004, Message: "m"}, -32004, nil},
		{"-32004 of a legacy server is opaque", mcp.MethodToolsCall, legacy, mcp.Error{Code: -32004, Message: "m", Data: json.RawMessage(`{"supported":["x"]}`)}, -32004, nil},
		{"a refused sampling", mcp.MethodCreateMessage, legacy, mcp.Error{Code: -1, Message: "m"}, -1, mcp.ErrDeclined},
		{"-1 elsewhere is an application's", mcp.MethodToolsCall, every, mcp.Error{Code: -1, Message: "m"}, -1, nil},
		{"a URL to open", mcp.MethodToolsCall, legacy, mcp.Error{Code: -32042, Message: "m", Data: json.RawMessage(`{"elicitations":[]}`)}, -32042, nil},
		{"data that is no object", mcp.MethodResourcesRead, every, mcp.Error{Code: -32602, Message: "m", Data: json.RawMessage(`"uri"`)}, mcp.CodeInvalidParams, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range c.revs {
				err := For(p).Failure(c.method, &c.in)
				var e *mcp.Error
				if !errors.As(err, &e) || e.Code != c.code || e.Message != "m" || string(e.Data) != string(c.in.Data) {
					t.Errorf("%v: %v (%+v), want code %d", p, err, e, c.code)
				}
				for _, sentinel := range []error{mcp.ErrNotFound, mcp.ErrDeclined, mcp.ErrInvalidResponse, mcp.ErrCannotAsk} {
					if got, want := errors.Is(err, sentinel), errors.Is(c.is, sentinel); got != want {
						t.Errorf("%v: errors.Is(%v, %v) is %v", p, err, sentinel, got)
					}
				}
				if !strings.Contains(err.Error(), "m: ") {
					t.Errorf("%v: the text is %q", p, err)
				}
			}
		})
	}
}

// TestRefusalIsReadBack: what a server of a revision refuses with, a client of
// that revision understands (DN-12 and its mirror).
func TestRefusalIsReadBack(t *testing.T) {
	missing := &mcp.Error{Code: mcp.CodeInvalidParams, Message: "no such resource", Data: json.RawMessage(`{"uri":"a://b"}`)}
	for _, p := range mcp.Profiles() {
		_, sent := For(p).Refusal(mcp.MethodResourcesRead, missing)
		if err := For(p).Failure(mcp.MethodResourcesRead, sent); !errors.Is(err, mcp.ErrNotFound) || !errors.Is(err, &mcp.Error{Code: mcp.CodeInvalidParams}) {
			t.Errorf("%v: sent as %v, read as %v", p, sent, err)
		}
	}
	if missing.Code != mcp.CodeInvalidParams {
		t.Error("the refusal changed the error it was given")
	}
}

// TestErrorDataIsSound: data of a handler cannot spoil the message (T-43).
func TestErrorDataIsSound(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1.50}`: `{"a":1.50}`, "{\n \"a\": 1.50\n}": `{"a":1.50}`, `{"a":`: ``, `{}{}`: ``, ` `: ``,
	} {
		for _, p := range mcp.Profiles() {
			given := &mcp.Error{Code: 7, Message: "m", Data: json.RawMessage(in)}
			_, err := For(p).Refusal(mcp.MethodToolsCall, given)
			if string(err.Data) != want || err.Code != 7 || err.Message != "m" || string(given.Data) != in {
				t.Errorf("%v: data %q is sent as %q", p, in, err.Data)
			}
		}
	}
}

// TestNoReservedCodeIsSent: of -32000 to -32099 only what the revision defines
// (M-ERR-006, M-ERR-009, M-ERR-011, M-ERR-013).
func TestNoReservedCodeIsSent(t *testing.T) {
	for _, p := range mcp.Profiles() {
		for code := mcp.Code(-32099); code <= -32000; code++ {
			for _, method := range []string{mcp.MethodToolsCall, mcp.MethodToolsList} {
				result, err := For(p).Refusal(method, &mcp.Error{Code: code, Message: "m"})
				if (result == nil) == (err == nil) {
					t.Fatalf("%v: code %d on %s gives %v and %v", p, code, method, result, err)
				}
				if err != nil && err.Code == code && !sendable(p, code) {
					t.Errorf("%v: code %d is sent on %s", p, code, method)
				}
			}
		}
	}
}

func sendable(p mcp.Profile, code mcp.Code) bool {
	switch {
	case p.Modern():
		return -32022 <= code && code <= -32020
	case code == mcp.CodeURLElicitationRequired:
		return p == mcp.Legacy20251125
	default:
		return code >= -32019
	}
}

func TestStatus(t *testing.T) {
	for _, p := range mcp.Profiles() {
		if got := For(p).Status(nil); got != 200 {
			t.Errorf("%v: no error has status %d", p, got)
		}
	}
}
