package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestCodes: the numbers are the specification's ("Error Codes").
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code mcp.Code
		n    int
		text string
	}{
		{mcp.CodeParse, -32700, "parse error (-32700)"},
		{mcp.CodeInvalidRequest, -32600, "invalid request (-32600)"},
		{mcp.CodeMethodNotFound, -32601, "method not found (-32601)"},
		{mcp.CodeInvalidParams, -32602, "invalid params (-32602)"},
		{mcp.CodeInternal, -32603, "internal error (-32603)"},
		{mcp.CodeResourceNotFound, -32002, "resource not found (-32002)"},
		{mcp.CodeHeaderMismatch, -32020, "header mismatch (-32020)"},
		{mcp.CodeMissingCapability, -32021, "missing required client capability (-32021)"},
		{mcp.CodeUnsupportedVersion, -32022, "unsupported protocol version (-32022)"},
		{mcp.CodeURLElicitationRequired, -32042, "URL elicitation required (-32042)"},
		{mcp.CodeRejected, -1, "rejected by the user (-1)"},
		{mcp.Code(4711), 4711, "code 4711"},
	} {
		if int(c.code) != c.n || c.code.String() != c.text {
			t.Errorf("code %d is %d, %q; want %d, %q", int(c.code), int(c.code), c.code, c.n, c.text)
		}
	}
}

func TestErrorMatching(t *testing.T) {
	err := fmt.Errorf("call %q: %w", "search", mcp.Errorf(mcp.CodeInvalidParams, "no tool %q", "search"))
	if !errors.Is(err, &mcp.Error{Code: mcp.CodeInvalidParams}) {
		t.Error("an error does not match one of its code")
	}
	if errors.Is(err, &mcp.Error{Code: mcp.CodeInternal}) || errors.Is(err, mcp.ErrNotFound) {
		t.Error("an error matches what it is not")
	}
	var e *mcp.Error
	if !errors.As(err, &e) || e.Message != `no tool "search"` {
		t.Errorf("the wrapped error is %v", e)
	}
	if got, want := e.Error(), `no tool "search": invalid params (-32602)`; got != want {
		t.Errorf("its text is %q, want %q", got, want)
	}
	for _, e := range []*mcp.Error{mcp.Errorf(mcp.CodeInternal, "internal error"), mcp.Errorf(mcp.CodeInternal, "Internal error"), {Code: mcp.CodeInternal}} {
		if got, want := e.Error(), "internal error (-32603)"; got != want {
			t.Errorf("%q says %q, want %q", e.Message, got, want)
		}
	}
	if got, want := (&mcp.Error{Code: 7}).Error(), "code 7"; got != want {
		t.Errorf("without a message its text is %q, want %q", got, want)
	}
	var te *mcp.ToolError
	if wrapped := fmt.Errorf("x: %w", &mcp.ToolError{Text: "too many"}); !errors.As(wrapped, &te) || te.Error() != "too many" {
		t.Errorf("a tool error reads %v", te)
	}
}

func TestErrorJSON(t *testing.T) {
	in := mcp.Error{Code: mcp.CodeInvalidParams, Message: "m", Data: json.RawMessage(`{"uri":"a://b"}`)}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"code":-32602,"message":"m","data":{"uri":"a://b"}}`; string(b) != want {
		t.Errorf("written as %s, want %s", b, want)
	}
	var out mcp.Error
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if b, err := json.Marshal(mcp.Errorf(1, "m")); err != nil || string(b) != `{"code":1,"message":"m"}` {
		t.Errorf("without data it is %s (%v)", b, err)
	}
}
