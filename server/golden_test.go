package server

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestGoldenExchanges: the bytes of every kind of reply, for each revision.
//
// An archive holds requests, each a file "NAME" of one line with the method and
// the parameters, followed by the replies to it: a file for each different
// reply, named by the revisions that get it. With -update the replies are
// written again.
func TestGoldenExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/exchange/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d archives (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			want, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: want.Comment}
			srv := configured(t, Config{
				Info:         mcp.Implementation{Name: "golden", Version: "1", Title: "Golden"},
				Instructions: "Be golden.", PageSize: 4,
			}, goldenService())
			for _, f := range want.Files {
				if !isReply(f.Name) {
					got.Files = append(got.Files, f)
					got.Files = append(got.Files, replies(t, srv, f)...)
				}
			}
			if text := txtar.Format(got); !bytes.Equal(text, txtar.Format(want)) {
				if *update {
					if err := os.WriteFile(file, text, 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				t.Errorf("%s is out of date; got\n%s", file, text)
			}
		})
	}
}

// isReply reports whether a file is named by revisions.
func isReply(name string) bool {
	_, ok := mcp.ProfileOf(strings.Fields(name)[0])
	return ok
}

// replies asks in every revision and groups equal replies.
func replies(t *testing.T, srv *Server, f txtar.File) []txtar.File {
	t.Helper()
	method, params, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
	var out []txtar.File
	for _, p := range mcp.Profiles() {
		r := srv.serve(t.Context(), requestIn(p, method, params))
		parsed(t, r)
		body := append(r.body, '\n')
		if last := len(out) - 1; last >= 0 && bytes.Equal(out[last].Data, body) {
			out[last].Name += " " + p.Version()
			continue
		}
		out = append(out, txtar.File{Name: p.Version(), Data: body})
	}
	return out
}

// goldenService has one of each thing whose form depends on the revision.
func goldenService() *Service {
	icon := Icons(mcp.Icon{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}})
	s := NewService("g")
	Tool(s, "object", func(context.Context, nothing) (sum, error) { return sum{3}, nil },
		Doc("an object"), Title("Object"), icon, ReadOnly(), ClosedWorld(), Meta("com.example/k", 1))
	Tool(s, "array", func(context.Context, nothing) ([]int64, error) { return []int64{9007199254740993}, nil })
	Tool(s, "null", anything(json.RawMessage("null")))
	Tool(s, "all", func(context.Context, nothing) ([]mcp.Content, error) {
		return []mcp.Content{
			&mcp.TextContent{Text: "<a&b>\u2028", Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: "2026-01-01T00:00:00Z"}},
			mcp.Image([]byte("png"), "image/png"),
			mcp.Audio([]byte("wav"), "audio/wav"),
			mcp.Link("note://1", "one"),
			mcp.Embed(mcp.ResourceContents{URI: "note://1", MIMEType: "text/plain", Text: "t"}),
			&mcp.UnknownContent{Type: "hologram", Raw: []byte(`{"type":"hologram","data":"…"}`)},
		}, nil
	})
	Tool(s, "refuse", func(context.Context, nothing) (string, error) { return "", Refuse("not today") })
	Tool(s, "needy", says(""), Needs(mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{Tools: &mcp.Settings{}}}))
	RawTool(s, mcp.Tool{Name: "raw", InputSchema: []byte(`{"type":"object","properties":{"p":true,"q":false,"r":{"type":"string","x-mcp-header":"R"}},"x-vendor":[1.0]}`)}, rawNothing)
	Resource(s, "note://1", says("one"), Doc("the first"), Title("One"), icon, MIME("text/plain"), Size(3), Priority(1), Meta("k", 1))
	Resource(s, "blob://1", func(context.Context, nothing) ([]byte, error) { return []byte{0}, nil }, CacheFor(time.Hour, mcp.CachePublic))
	Resource(s, "note://{id}", func(context.Context, idIn) (string, error) { return "", wrap(mcp.ErrNotFound) }, Title("Note"), icon)
	Prompt(s, "greet", func(_ context.Context, in greetIn) ([]mcp.PromptMessage, error) {
		return []mcp.PromptMessage{mcp.UserText("Greet " + in.Name), {Role: mcp.RoleAssistant, Content: mcp.Link("note://1", "one")}}, nil
	}, Doc("greets"), Title("Greet"), icon)
	return s
}
