package wire

import (
	"encoding/json"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// TestAppendChanged: notifications of changes are written as all others are,
// with the id of their subscription as it was sent (M-SUB-008, T-25, DN-01).
func TestAppendChanged(t *testing.T) {
	for _, tt := range []struct {
		name, method, uri, subscription string
		want                            string
	}{
		{"a list", mcp.NotifyToolsListChanged, "", "7", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`},
		{"the id 0", mcp.NotifyPromptsListChanged, "", "0", `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":0}}}`},
		{"an id beyond 2^53", mcp.NotifyResourcesListChanged, "", "9007199254740993", `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9007199254740993}}}`},
		{"a resource, an id that is a string", mcp.NotifyResourcesUpdated, "note://1", `"7"`, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://1","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}`},
		{"a list, legacy", mcp.NotifyToolsListChanged, "", "", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		{"a resource, legacy", mcp.NotifyResourcesUpdated, "note://é\"", "", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://é\""}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			era, meta := For(mcp.NewestLegacy), mcp.Meta(nil)
			var subscription []byte
			if tt.subscription != "" {
				era, subscription = For(mcp.Newest), []byte(tt.subscription)
				meta = mcp.Meta{mcp.MetaSubscriptionID: json.RawMessage(subscription)}
			}
			got := AppendChanged([]byte("before"), tt.method, tt.uri, subscription)
			if err := jsonx.Check(got[len("before"):], 0); err != nil {
				t.Errorf("no JSON: %v", err)
			}
			if string(got) != "before"+tt.want {
				t.Errorf("got  %s\nwant before%s", got, tt.want)
			}
			want, ok, err := era.AppendNotification(nil, tt.method, changedParams(tt.uri, meta))
			if err != nil || !ok || canonicalText(t, want) != canonicalText(t, got[len("before"):]) {
				t.Errorf("got  %s\nwant %s (%v)", got, want, err)
			}
		})
	}
}

func changedParams(uri string, meta mcp.Meta) any {
	switch {
	case uri != "":
		return &mcp.UpdatedParams{URI: uri, Meta: meta}
	case meta != nil:
		return struct {
			Meta mcp.Meta `json:"_meta"`
		}{meta}
	default:
		return nil
	}
}

// BenchmarkChanged is a notification to one of many listeners.
func BenchmarkChanged(b *testing.B) {
	id := []byte("7")
	b.Run("appended", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			AppendChanged(nil, mcp.NotifyResourcesUpdated, "note://1", id)
		}
	})
	b.Run("as all others", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := &mcp.UpdatedParams{URI: "note://1", Meta: mcp.Meta{mcp.MetaSubscriptionID: id}}
			if _, _, err := For(mcp.Newest).AppendNotification(nil, mcp.NotifyResourcesUpdated, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
