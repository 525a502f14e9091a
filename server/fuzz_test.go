package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// FuzzServe: whatever parameters a client sends, in any revision, it gets one
// well-formed reply, and nothing of ours panics.
func FuzzServe(f *testing.F) {
	s := goldenService()
	Tool(s, "mirrored", func(context.Context, mirroredIn) (string, error) { return "", nil })
	Resource(s, "db://t{?limit,offset}{/rest*}", func(_ context.Context, in struct {
		Limit  int      `json:"limit" mcp:"optional"`
		Offset string   `json:"offset" mcp:"optional"`
		Rest   []string `json:"rest" mcp:"optional"`
	}) ([]string, error) {
		return in.Rest, nil
	})
	var log panicLog
	srv, err := New(Config{Info: testInfo, Logger: slog.New(slog.NewTextHandler(&log, nil)), PageSize: 2}, s)
	if err != nil {
		f.Fatal(err)
	}
	methods := []string{
		mcp.MethodToolsCall, mcp.MethodToolsList, mcp.MethodResourcesRead, mcp.MethodResourcesList, mcp.MethodResourceTemplatesList,
		mcp.MethodPromptsGet, mcp.MethodPromptsList, mcp.MethodComplete, mcp.MethodDiscover,
	}
	for i, params := range []string{
		`{"name":"g_object","arguments":{}}`, `{"cursor":"RRueUmdfbnVsbA"}`, `{"uri":"note://1"}`, `{"cursor":null}`, `null`,
		`{"name":"g.greet","arguments":{"name":"a","n":"1"}}`, `[]`,
		`{"ref":{"type":"ref/prompt","name":"g.greet"},"argument":{"name":"tone","value":"f"},"context":{"arguments":{}}}`, ``,
	} {
		f.Add(uint8(i), uint8(i), params, "eu")
	}
	f.Add(uint8(0), uint8(0), `{"name":"g_mirrored","arguments":{"region":"eu","db":{"zone":1}}}`, "eu")
	f.Add(uint8(2), uint8(0), `{"uri":"db://t?limit=1&offset=%41/a/b"}`, "")
	f.Fuzz(func(t *testing.T, m, p uint8, params, region string) {
		if params != "" && jsonx.Check([]byte(params), 0) != nil {
			return // no adapter lets it through
		}
		profiles := mcp.Profiles()
		x := requestIn(profiles[int(p)%len(profiles)], methods[int(m)%len(methods)], params)
		x.header, x.mirrored = header("Mcp-Param-Region", region), true
		r := parsed(t, srv.serve(t.Context(), x))
		if string(r.ID) != "1" {
			t.Errorf("id is %s", r.ID)
		}
		if log.panics > 0 {
			t.Fatalf("panicked: %s", log.last)
		}
	})
}

// panicLog counts panics in a log.
type panicLog struct {
	panics int
	last   string
}

func (l *panicLog) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "panicked") {
		l.panics, l.last = l.panics+1, string(b)
	}
	return len(b), nil
}
