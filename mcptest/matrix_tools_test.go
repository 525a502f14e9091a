package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
)

// everywhere runs a test of the kitchen on the whole matrix.
func everywhere(t *testing.T, test func(t *testing.T, cell mcptest.Cell, c *client.Client)) {
	t.Helper()
	mcptest.Eras(t, kitchen, client.Config{}, test)
}

// TestTypedTool: defaults, coercion, exact integers, structured output with its
// text twin, nil slices as [] (JSON-03, JSON-04, M-TOOL-021).
func TestTypedTool(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		out, err := client.Call[sum](t.Context(), c, "k_add", map[string]any{"a": "9007199254740992"})
		if err != nil || out.Sum != 9007199254740993 {
			t.Errorf("%+v, %v", out, err)
		}
		res, err := c.Call(t.Context(), "k_add", json.RawMessage(`{"a":2,"b":3}`))
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"sum":5,"parts":[]}`
		if res.Text() != want {
			t.Errorf("text %s, want %s", res.Text(), want)
		}
		structured := want
		if cell.Spoken <= mcp.Legacy20250326 {
			structured = "" // DN-04: the revision has none
		}
		if string(res.StructuredContent) != structured {
			t.Errorf("structured %s, want %s", res.StructuredContent, structured)
		}
	})
}

// TestToolFaults: wrong arguments are a result that names every fault, in every
// revision (M-TOOL-025, TOOL-16, TOOL-17, T-55).
func TestToolFaults(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		res, err := c.Call(t.Context(), "k_add", json.RawMessage(`{"b":-1,"aa":2}`))
		if err != nil {
			t.Fatal(err)
		}
		if !res.IsError {
			t.Error("no error")
		}
		for _, part := range []string{"a:", "b:", `"aa"`, "-1"} {
			if !strings.Contains(res.Text(), part) {
				t.Errorf("%q is not said:\n%s", part, res.Text())
			}
		}
	})
}

// TestToolErrors: three levels of failure (T-09), and what each era makes of
// them.
func TestToolErrors(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		for tool, want := range map[string]string{"k_fail": errKitchen.Error(), "k_refuse": "no x today"} {
			_, err := client.Call[string](t.Context(), c, tool, nil)
			var failed *mcp.ToolError
			if !errors.As(err, &failed) || failed.Text != want {
				t.Errorf("%s: %v, want %q", tool, err, want)
			}
		}
		for tool, want := range map[string]mcp.Code{"k_protocol": 4711, "k_panic": mcp.CodeInternal, "k_none": mcp.CodeInvalidParams, "hidden_secret": mcp.CodeInvalidParams} {
			_, err := c.Call(t.Context(), tool, nil)
			var e *mcp.Error
			if !errors.As(err, &e) || e.Code != want {
				t.Errorf("%s: %v, want code %d", tool, err, want)
				continue
			}
			if strings.Contains(err.Error(), "flambé") {
				t.Errorf("%s: what panicked is told: %v", tool, err)
			}
			if tool == "k_protocol" && string(e.Data) != `{"n":9007199254740993}` {
				t.Errorf("%s: data %s", tool, e.Data)
			}
		}
	})
}

// TestMissingCapability: a tool that needs what the client lacks is refused as
// the era can say it (M-META-008, DN-13).
func TestMissingCapability(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		res, err := c.Call(t.Context(), "k_ask", nil)
		if cell.Spoken.Modern() {
			var e *mcp.Error
			if !errors.As(err, &e) || e.Code != mcp.CodeMissingCapability || !strings.Contains(string(e.Data), `"elicitation"`) {
				t.Errorf("%v", err)
			}
			return
		}
		if err != nil || !res.IsError || !strings.Contains(res.Text(), "elicitation") {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// TestBlocks: every type of content, as far as the revision has it; unknown
// blocks pass unchanged where nothing forbids it (JSON-07, DN-06, DN-07).
func TestBlocks(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		res, err := c.Call(t.Context(), "k_blocks", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range res.Content {
			got = append(got, b.ContentType())
		}
		want := []string{"text", "image", "audio", "resource_link", "resource", "hologram"}
		if cell.Spoken <= mcp.Legacy20250326 {
			want[3] = "text"
		}
		if cell.Spoken == mcp.Legacy20241105 {
			want[2] = "resource"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		unknown, ok := res.Content[5].(*mcp.UnknownContent)
		if !ok || !strings.Contains(string(unknown.Raw), "9007199254740993") {
			t.Errorf("the unknown block is %+v", res.Content[5])
		}
		for i, part := range map[int]string{2: "audio/wav", 3: "note://1"} {
			if b, err := json.Marshal(res.Content[i]); err != nil || !strings.Contains(string(b), part) {
				t.Errorf("block %d lost %q: %s %v", i, part, b, err)
			}
		}
	})
}

// TestArrayResult: structured content that is no object reaches revisions that
// cannot carry it as text (DN-09, DN-10), and the schema goes with it.
func TestArrayResult(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		out, err := client.Call[[]string](t.Context(), c, "k_list", nil)
		if err != nil || cmp.Diff([]string{"a", "b"}, out) != "" {
			t.Errorf("%v, %v", out, err)
		}
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name == "k_list" && (tool.OutputSchema != nil) != cell.Spoken.Modern() {
				t.Errorf("output schema %s", tool.OutputSchema)
			}
		}
	})
}

// TestRawTool: hand-written schemas keep every keyword, arguments every digit
// (M-JS-013, JSON-03, JSON-09).
func TestRawTool(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		const args = `{"v":{"big":123456789012345678901234567890,"text":"[1,2]","nothing":null,"e":1.50}}`
		res, err := c.Call(t.Context(), "k_raw", json.RawMessage(args))
		if err != nil || res.Text() != args {
			t.Errorf("%+v, %v; want %s", res, err, args)
		}
		res, err = c.Call(t.Context(), "k_raw", nil)
		if err != nil || !res.IsError || !strings.Contains(res.Text(), "v") {
			t.Errorf("a missing argument: %+v, %v", res, err)
		}
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name == "k_raw" && !strings.Contains(string(tool.InputSchema), `"$comment":"kept","x-own":{"a":[1]}`) {
				t.Errorf("schema %s", tool.InputSchema)
			}
		}
	})
}

// TestMirroredArguments: the client mirrors what the tool marks, and the server
// agrees, whatever the value (M-XMH-002, M-XMH-016, M-ENC-003).
func TestMirroredArguments(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		for range c.Tools(t.Context()) { // listing teaches the client what to mirror
		}
		for _, in := range []regional{{"eu-1", 3}, {"Hello, 世界", -7}, {" padded ", 0}, {"", 1}, {"=?base64?x?=", 2}, {"a\tb\nc", 4}} {
			got, err := client.Call[string](t.Context(), c, "k_regional", in)
			if want := fmt.Sprintf("%s/%d", in.Region, in.Count); err != nil || got != want {
				t.Errorf("%+v: %q, %v", in, got, err)
			}
		}
	})
}

// TestCaller: a handler knows who calls, whichever era said it.
func TestCaller(t *testing.T) {
	everywhere(t, func(t *testing.T, cell mcptest.Cell, c *client.Client) {
		got, err := client.Call[string](t.Context(), c, "k_whoami", nil)
		if want := "mcptest " + cell.Spoken.Version() + " tools/call k_whoami"; err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	})
}

// TestCancel: a caller that gives up gets its context's error at once, and the
// connection goes on (M-CAN-013, CON-05).
func TestCancel(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := c.Call(ctx, "k_wait", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("context: %v", err)
		}
		if _, err := c.Call(t.Context(), "k_wait", nil, client.Timeout(20*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("timeout: %v", err)
		}
		if _, err := c.Call(t.Context(), "k_add", pair{A: 1}); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// TestConcurrentCalls: answers go to those who asked (SES-08).
func TestConcurrentCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		var wg sync.WaitGroup
		for i := range int64(40) {
			wg.Go(func() {
				out, err := client.Call[sum](t.Context(), c, "k_add", pair{A: i, B: i})
				if err != nil || out.Sum != 2*i {
					t.Errorf("%d: %+v, %v", i, out, err)
				}
			})
		}
		wg.Wait()
	})
}
