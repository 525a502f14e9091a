package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func said(role mcp.Role, blocks ...mcp.Content) mcp.SamplingMessage {
	return mcp.SamplingMessage{Role: role, Content: blocks}
}

func use(id string) mcp.Content {
	return &mcp.ToolUseContent{ID: id, Name: "look", Input: json.RawMessage(`{}`)}
}

func used(id string) mcp.Content { return &mcp.ToolResultContent{ToolUseID: id} }

// TestSampleMessages: a conversation that a client would refuse is not sent
// (M-SAM-004, M-SAM-006 to M-SAM-008, SAMP-12, SAMP-13).
func TestSampleMessages(t *testing.T) {
	hello := said(mcp.RoleUser, mcp.Text("hello"))
	uses := said(mcp.RoleAssistant, mcp.Text("let me see"), use("1"), use("2"))
	tests := []struct {
		name     string
		messages []mcp.SamplingMessage
		want     string
	}{
		{"one message", []mcp.SamplingMessage{hello}, ""},
		{"uses and their results", []mcp.SamplingMessage{hello, uses, said(mcp.RoleUser, used("2"), used("1")), said(mcp.RoleAssistant, mcp.Text("so"))}, ""},
		{"a role that is none", []mcp.SamplingMessage{said("system", mcp.Text("x"))}, `message 0: the role "system" is neither "user" nor "assistant"`},
		{"no content", []mcp.SamplingMessage{said(mcp.RoleUser)}, "message 0: it has no content"},
		{"a block that is nil", []mcp.SamplingMessage{said(mcp.RoleUser, nil)}, "message 0: block 0 is nil"},
		{"a user that uses a tool", []mcp.SamplingMessage{said(mcp.RoleUser, use("1"))}, "message 0: block 0 uses a tool, which the assistant does"},
		{"a result of nothing", []mcp.SamplingMessage{hello, said(mcp.RoleUser, used("1"))}, `message 1: block 0 is the result of "1", which the message before does not use`},
		{"a result of the assistant's", []mcp.SamplingMessage{uses, said(mcp.RoleAssistant, used("1"))}, `message 1: block 0 is the result of "1"`},
		{"a result twice", []mcp.SamplingMessage{uses, said(mcp.RoleUser, used("1"), used("1"))}, `message 1: block 1 is the result of "1"`},
		{"one result missing", []mcp.SamplingMessage{uses, said(mcp.RoleUser, used("1"))}, "message 1: the message before uses tools, and not every use is answered here"},
		{"something else in between", []mcp.SamplingMessage{uses, hello, said(mcp.RoleUser, used("1"), used("2"))}, "message 1: the message before uses tools"},
		{"something else beside", []mcp.SamplingMessage{uses, said(mcp.RoleUser, used("1"), used("2"), mcp.Text("there"))}, "message 1: beside results of tools it has other content"},
		{"uses at the end", []mcp.SamplingMessage{hello, uses}, "the last message uses tools"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := checkSampling(&mcp.CreateMessageParams{MaxTokens: 1, Messages: tt.messages})
			if got := errorText(err); !strings.HasPrefix(got, tt.want) || tt.want == "" && err != nil {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestSample: what a client is sent in each revision, and what comes back
// (SAMP-02, SAMP-08, DN-16, DN-17, M-SAM-003, M-SAM-005).
func TestSample(t *testing.T) {
	params := mcp.CreateMessageParams{
		MaxTokens: 10, SystemPrompt: "Be brief.", IncludeContext: "thisServer",
		Messages: []mcp.SamplingMessage{said(mcp.RoleUser, mcp.Text("a"), mcp.Text("b"))},
	}
	var sent string
	var got *mcp.CreateMessageResult
	srv := asksTool(t, Config{}, func(ctx context.Context) (_ string, err error) {
		got, err = Sample(ctx, "k", params)
		return "done", err
	})
	client := func(_ string, params json.RawMessage) string {
		sent = string(params)
		return `{"role":"assistant","content":{"type":"text","text":"so"},"model":"m","stopReason":"endTurn","x":1}`
	}
	apart := `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"text","text":"b"}}],"maxTokens":10,"systemPrompt":"Be brief."}`
	together := `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],"maxTokens":10,"systemPrompt":"Be brief."}`
	for p, want := range map[mcp.Profile]string{
		mcp.Legacy20241105: apart, mcp.Legacy20250618: apart, mcp.Legacy20251125: together, mcp.Newest: together,
	} {
		t.Run(p.Version(), func(t *testing.T) {
			d := calling(p, client)
			d.capabilities = `{"sampling":{}}`
			wantOutcome(t, d.run(t, srv), "done")
			if sent != want {
				t.Errorf("sent %s, want %s", sent, want)
			}
			wantResult := &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Content: mcp.Blocks{mcp.Text("so")}, Model: "m", StopReason: mcp.StopEndTurn, Extra: mcp.Extra(`{"x":1}`)}
			if diff := cmp.Diff(wantResult, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("context, declared", func(t *testing.T) {
		if calling(mcp.Newest, client).run(t, srv); !strings.Contains(sent, `"includeContext":"thisServer"`) {
			t.Errorf("sent %s", sent)
		}
	})
	t.Run("audio, for a client that has none", func(t *testing.T) {
		srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
			_, err := Sample(ctx, "k", mcp.CreateMessageParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{said(mcp.RoleUser, mcp.Audio([]byte("x"), "audio/wav"))}})
			return "", err
		})
		if got := outline(t, calling(mcp.Legacy20241105, client).run(t, srv)); !strings.Contains(got, `cannot be asked for "k"`) || !strings.Contains(got, "audio in sampling") {
			t.Errorf("got %q", got)
		}
	})
}

// TestSampleWithTools: a loop of asking the model and doing what it wants
// (M-SAM-009, M-SAM-014, SAMP-11).
func TestSampleWithTools(t *testing.T) {
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		talk := []mcp.SamplingMessage{said(mcp.RoleUser, mcp.Text("How warm is it?"))}
		for i := range 5 {
			answer, err := Sample(ctx, "turn"+string(rune('0'+i)), mcp.CreateMessageParams{
				MaxTokens: 100, Messages: talk, ToolChoice: &mcp.ToolChoice{Mode: "auto"},
				Tools: []mcp.Tool{{Name: "thermometer", InputSchema: json.RawMessage(`{"type":"object"}`)}},
			})
			if err != nil {
				return "", err
			}
			if answer.StopReason != mcp.StopToolUse {
				return answer.Content[0].(*mcp.TextContent).Text, nil
			}
			talk = append(talk, mcp.SamplingMessage{Role: answer.Role, Content: answer.Content})
			var results mcp.Blocks
			for _, b := range answer.Content {
				if u, ok := b.(*mcp.ToolUseContent); ok {
					results = append(results, &mcp.ToolResultContent{ToolUseID: u.ID, Content: []mcp.Content{mcp.Text("21")}})
				}
			}
			talk = append(talk, mcp.SamplingMessage{Role: mcp.RoleUser, Content: results})
		}
		return "", Refuse("it goes in circles")
	})
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		d := calling(p, inTurn(
			`{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"1","name":"thermometer","input":{}}],"model":"m","stopReason":"toolUse"}`,
			`{"role":"assistant","content":{"type":"text","text":"21 degrees"},"model":"m","stopReason":"endTurn"}`))
		wantOutcome(t, d.run(t, srv), "21 degrees")
	}
}

// TestRoots (M-ROOT-002, ROOT-02).
func TestRoots(t *testing.T) {
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		roots, err := Roots(ctx)
		if err != nil {
			return "", err
		}
		return roots[0].URI + " " + roots[0].Name, nil
	})
	for _, p := range askable {
		d := calling(p, func(method string, params json.RawMessage) string {
			if method != mcp.MethodRootsList || string(params) != "{}" {
				t.Errorf("asked %s %s", method, params)
			}
			return `{"roots":[{"uri":"file:///home/ada","name":"home"}]}`
		})
		wantOutcome(t, d.run(t, srv), "file:///home/ada home")
	}
}
