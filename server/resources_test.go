package server

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestResourceContents: what a handler returns decides what is read.
func TestResourceContents(t *testing.T) {
	yes := func(v any) func(context.Context, nothing) (any, error) {
		return func(context.Context, nothing) (any, error) { return v, nil }
	}
	tests := []struct {
		name    string
		declare func(s *Service)
		want    string
	}{
		{"string", func(s *Service) { Resource(s, "x://r", says("a"), MIME("text/plain")) }, `{"uri":"x://r","mimeType":"text/plain","text":"a"}`},
		{"string without a type", func(s *Service) { Resource(s, "x://r", says("")) }, `{"uri":"x://r","text":""}`},
		{"bytes (M-RES-020)", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) ([]byte, error) { return []byte{0xff, 0}, nil }, MIME("image/png"))
		}, `{"uri":"x://r","mimeType":"image/png","blob":"/wA="}`},
		{"no bytes", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) ([]byte, error) { return nil, nil })
		}, `{"uri":"x://r","blob":""}`},
		{"contents", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) (mcp.ResourceContents, error) {
				return mcp.ResourceContents{URI: "x://part", Text: "t", MIMEType: "text/x"}, nil
			}, MIME("text/plain"))
		}, `{"uri":"x://part","mimeType":"text/x","text":"t"}`},
		{"several (M-RES-007)", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{{Text: "a"}, {URI: "x://b", Blob: []byte("b")}}, nil
			})
		}, `{"uri":"x://r","text":"a"},{"uri":"x://b","blob":"Yg=="}`},
		{"whole result", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{Text: "a"}}}, nil
			})
		}, `{"uri":"x://r","text":"a"}`},
		{"struct", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) (sum, error) { return sum{1}, nil })
		}, `{"uri":"x://r","mimeType":"application/json","text":"{\"sum\":1}"}`},
		{"struct of another type", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) (sum, error) { return sum{1}, nil }, MIME("application/x+json"))
		}, `{"uri":"x://r","mimeType":"application/x+json","text":"{\"sum\":1}"}`},
		{"raw JSON", func(s *Service) {
			Resource(s, "x://r", func(context.Context, nothing) (json.RawMessage, error) { return json.RawMessage(`[1.0]`), nil })
		}, `{"uri":"x://r","mimeType":"application/json","text":"[1.0]"}`},
		{"contents that say they are JSON", func(s *Service) {
			Resource(s, "x://r", yes(mcp.ResourceContents{Text: "1", MIMEType: "application/json"}), MIME("text/plain"))
		}, `{"uri":"x://r","mimeType":"application/json","text":"1"}`},
		{"any", func(s *Service) { Resource(s, "x://r", yes([]string(nil))) }, `{"uri":"x://r","mimeType":"application/json","text":"[]"}`},
		{"any bytes", func(s *Service) { Resource(s, "x://r", yes([]byte("b"))) }, `{"uri":"x://r","blob":"Yg=="}`},
		{"any contents", func(s *Service) { Resource(s, "x://r", yes([]mcp.ResourceContents{{Text: "a"}})) }, `{"uri":"x://r","text":"a"}`},
		{"any result", func(s *Service) {
			Resource(s, "x://r", yes(&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{Text: "a"}}}))
		}, `{"uri":"x://r","text":"a"}`},
		{"any raw JSON", func(s *Service) { Resource(s, "x://r", yes(json.RawMessage(`1.0`))) }, `{"uri":"x://r","mimeType":"application/json","text":"1.0"}`},
		{"any string", func(s *Service) { Resource(s, "x://r", yes("plain")) }, `{"uri":"x://r","text":"plain"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewService("")
			tt.declare(s)
			r := ask(t, serverOf(t, s), request(mcp.MethodResourcesRead, `{"uri":"x://r"}`))
			var got struct {
				Contents json.RawMessage `json:"contents"`
			}
			if err := json.Unmarshal(r.Result, &got); err != nil || r.Error != nil {
				t.Fatalf("%v %+v", err, r.Error)
			}
			if diff := cmp.Diff("["+tt.want+"]", string(got.Contents)); diff != "" {
				t.Errorf("contents (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissingResources: no contents are no resource, and say so (M-RES-009,
// M-RES-010, DN-24, RES-06).
func TestMissingResources(t *testing.T) {
	s := NewService("")
	Resource(s, "x://empty", func(context.Context, nothing) ([]mcp.ResourceContents, error) { return nil, nil })
	Resource(s, "x://empty/result", func(context.Context, nothing) (*mcp.ReadResourceResult, error) { return &mcp.ReadResourceResult{}, nil })
	Resource(s, "x://nil", func(context.Context, nothing) (*mcp.ReadResourceResult, error) { return nil, nil })
	Resource(s, "x://nil/any", func(context.Context, nothing) (any, error) { return nil, nil })
	Resource(s, "x://broken", func(context.Context, nothing) (float64, error) { return math.NaN(), nil })
	Resource(s, "x://n/{n}", func(_ context.Context, in struct {
		N int `json:"n" mcp:"max=9"`
	}) (int, error) {
		return in.N, nil
	})
	srv := serverOf(t, s)
	missing := map[string]string{
		"x://empty": `unknown resource "x://empty"`, "x://empty/result": `unknown resource`,
		"x://none": `unknown resource "x://none"`, "x://n/a": `unknown resource "x://n/a": n: `, "x://n/10": `: n: `,
	}
	for uri, says := range missing {
		r := wantError(t, srv, request(mcp.MethodResourcesRead, `{"uri":`+quoted(uri)+`}`), mcp.CodeInvalidParams, says)
		if want := `{"uri":` + quoted(uri) + `}`; string(r.Error.Data) != want {
			t.Errorf("%s: data is %s, want %s", uri, r.Error.Data, want)
		}
	}
	wantError(t, srv, request(mcp.MethodResourcesRead, `{"uri":"x://nil"}`), mcp.CodeInternal)                                              // CON-14
	for _, bad := range []string{`{}`, `{"uri":7}`, `{"uri":""}`, `{"uri":"relative/path"}`, `{"uri":"x://a b"}`, `{"uri":"://x"}`, `[]`} { // RES-04, M-RES-018
		r := wantError(t, srv, request(mcp.MethodResourcesRead, bad), mcp.CodeInvalidParams, "params")
		if r.Error.Data != nil {
			t.Errorf("%s: a malformed URI is not a missing resource: %s", bad, r.Error.Data)
		}
	}
}

// TestURIsAreKept: a URI is read by the very bytes it is listed with (RES-04).
func TestURIsAreKept(t *testing.T) {
	uris := []string{
		"http://example.com", "HTTP://Example.com/A/../b", "memo:insights", "urn:isbn:0451450523", "file:///C:/a%20b",
		"x:", "a+b://h/%7Euser", "mailto:a@b", "screen://\u00e9",
	}
	s := NewService("")
	for _, uri := range uris {
		Resource(s, uri, says(uri))
	}
	srv := serverOf(t, s)
	var list mcp.ListResourcesResult
	result(t, srv, request(mcp.MethodResourcesList, `{}`), &list)
	if len(list.Resources) != len(uris) {
		t.Fatalf("%d resources are listed, want %d", len(list.Resources), len(uris))
	}
	for _, r := range list.Resources {
		var read mcp.ReadResourceResult
		result(t, srv, request(mcp.MethodResourcesRead, `{"uri":`+quoted(r.URI)+`}`), &read)
		if c := read.Contents[0]; c.URI != r.URI || c.Text != r.URI {
			t.Errorf("%q: read %+v", r.URI, c)
		}
	}
}

type idIn struct {
	ID string `json:"id"`
}

// TestTemplates: which template answers, and what its variables are (RES-01,
// RES-02).
func TestTemplates(t *testing.T) {
	s := NewService("")
	id := func(mark string) func(context.Context, idIn) (string, error) {
		return func(_ context.Context, in idIn) (string, error) { return mark + " " + in.ID, nil }
	}
	Resource(s, "x://a.b/{id}.json", id("json"))
	Resource(s, "x://(v1)/{id}", id("v1"))
	Resource(s, "file:///{+id}", id("any"))
	Resource(s, "file:///{id}", id("one"))
	Resource(s, "file:///fixed", says("fixed"))
	Resource(s, "db://t{?limit,offset}", func(_ context.Context, in struct {
		Limit  int `json:"limit" mcp:"default=10"`
		Offset int `json:"offset" mcp:"optional"`
	}) ([]int, error) {
		return []int{in.Limit, in.Offset}, nil
	})
	Resource(s, "tags://{/tags*}", func(_ context.Context, in struct {
		Tags []string `json:"tags" mcp:"optional"`
	}) ([]string, error) {
		return in.Tags, nil
	})
	Resource(s, "map://{a}/{b}", func(_ context.Context, in map[string]string) (map[string]string, error) { return in, nil })
	Resource(s, "point://{id}", func(_ context.Context, in *idIn) (string, error) { return in.ID, nil })
	Resource(s, "blind://{a}", func(_ context.Context, in *nothing) (bool, error) { return in != nil, nil })
	Resource(s, "look://{a}", func(ctx context.Context, _ nothing) (string, error) { return CallFrom(ctx).Name(), nil })
	srv := serverOf(t, s)
	tests := []struct{ uri, want string }{
		{"x://a.b/7.json", "json 7"},
		{"x://(v1)/7", "v1 7"},
		{"file:///a", "one a"},
		{"file:///a%2Fb", "one a/b"},
		{"file:///a/b/c.txt", "any a/b/c.txt"},
		{"file:///fixed", "fixed"},
		{"db://t", "[10,0]"},
		{"db://t?offset=2", "[10,2]"},
		{"db://t?offset=2&limit=1", "[1,2]"},
		{"tags:///a/b%20c", `["a","b c"]`},
		{"map://1/2", `{"a":"1","b":"2"}`},
		{"look://here", "look://here"},
		{"point://7", "7"},
		{"blind://7", "false"},
	}
	for _, tt := range tests {
		t.Run(tt.uri, func(t *testing.T) {
			var read mcp.ReadResourceResult
			result(t, srv, request(mcp.MethodResourcesRead, `{"uri":`+quoted(tt.uri)+`}`), &read)
			if got := read.Contents[0].Text; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, uri := range []string{"x://aXb/7.json", "x://a.b/7xjson", "x://(v1)/7/8", "db://t?other=1", "db://t?limit=x"} {
		wantError(t, srv, request(mcp.MethodResourcesRead, `{"uri":`+quoted(uri)+`}`), mcp.CodeInvalidParams, "unknown resource")
	}
}

// TestResourceLists: resources and templates are two lists (RES-08), described
// by their options.
func TestResourceLists(t *testing.T) {
	s := NewService("")
	Resource(s, "x://r", says(""), Doc("d"), Title("t"), Name("n"), MIME("text/plain"), Size(7), Audience(mcp.RoleUser), Priority(0.5), LastModified(time.Date(2026, 7, 28, 9, 0, 0, 0, time.UTC)),
		Icons(mcp.Icon{Src: "data:,x"}), Meta("k", true))
	Resource(s, "x://{id}", func(context.Context, idIn) (string, error) { return "", nil }, Doc("family"), MIME("text/markdown"))
	srv := serverOf(t, s)
	r := ask(t, srv, request(mcp.MethodResourcesList, `{}`))
	if want := `"resources":[{"uri":"x://r","name":"n","title":"t","description":"d","mimeType":"text/plain","size":7,"icons":[{"src":"data:,x"}],"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-07-28T09:00:00Z"},"_meta":{"k":true}}]}`; !strings.HasSuffix(string(r.Result), want) {
		t.Errorf("resources: %s", r.Result)
	}
	r = ask(t, srv, request(mcp.MethodResourceTemplatesList, `{}`))
	if want := `"resourceTemplates":[{"uriTemplate":"x://{id}","name":"x://{id}","description":"family","mimeType":"text/markdown"}]}`; !strings.HasSuffix(string(r.Result), want) {
		t.Errorf("templates: %s", r.Result)
	}
}

// TestReadHints: who may keep what was read, and how long (M-CACHE-001,
// M-CACHE-002, M-CACHE-026, CACHE-02).
func TestReadHints(t *testing.T) {
	minus := int64(-5)
	s := NewService("s", CacheFor(time.Minute, mcp.CachePublic))
	Resource(s, "x://service", says(""))
	Resource(s, "x://own", says(""), CacheFor(time.Hour, mcp.CachePublic))
	Resource(s, "x://handler", func(context.Context, nothing) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{CacheHint: mcp.CacheHint{TTLMs: &minus, CacheScope: "shared"}, Contents: []mcp.ResourceContents{{Text: "a"}}}, nil
	})
	plain := NewService("plain")
	Resource(plain, "x://plain", says(""))
	hidden := NewService("hidden")
	Tool(hidden, "t", says(""), Visible(func(context.Context, Entry) bool { return true }))
	tests := []struct {
		name, uri, principal string
		srv                  *Server
		want                 string
	}{
		{"default", "x://plain", "", serverOf(t, s, plain), `"ttlMs":30000,"cacheScope":"private"`},
		{"service", "x://service", "", serverOf(t, s, plain), `"ttlMs":60000,"cacheScope":"public"`},
		{"entry", "x://own", "", serverOf(t, s, plain), `"ttlMs":3600000,"cacheScope":"public"`},
		{"handler, made legal", "x://handler", "", serverOf(t, s, plain), `"ttlMs":0,"cacheScope":"private"`},
		{"a known principal", "x://own", "ada", serverOf(t, s, plain), `"ttlMs":3600000,"cacheScope":"private"`},
		{"a predicate", "x://own", "", serverOf(t, s, hidden), `"ttlMs":3600000,"cacheScope":"private"`},
		{"configured", "x://plain", "", configured(t, Config{Cache: Cache{Reads: mcp.Cache(time.Second, mcp.CachePublic)}}, plain), `"ttlMs":1000,"cacheScope":"public"`},
		{"configured, a known principal", "x://plain", "ada", configured(t, Config{Cache: Cache{Reads: mcp.Cache(time.Second, mcp.CachePublic)}}, plain), `"ttlMs":1000,"cacheScope":"private"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := request(mcp.MethodResourcesRead, `{"uri":"`+tt.uri+`"}`)
			x.caller.principal = tt.principal
			if r := ask(t, tt.srv, x); !strings.Contains(string(r.Result), tt.want) {
				t.Errorf("%s has no %s", r.Result, tt.want)
			}
		})
	}
}

// TestHandlersMayShare: a result that a handler keeps is never changed.
func TestHandlersMayShare(t *testing.T) {
	shared := &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{Text: "a"}}}
	prompt := &mcp.GetPromptResult{Messages: []mcp.PromptMessage{mcp.UserText("a")}}
	s := NewService("", CacheFor(time.Minute, mcp.CachePublic))
	Resource(s, "x://{id}", func(context.Context, idIn) (*mcp.ReadResourceResult, error) { return shared, nil }, MIME("text/plain"))
	Prompt(s, "p", func(context.Context, nothing) (*mcp.GetPromptResult, error) { return prompt, nil }, Doc("d"))
	srv := serverOf(t, s)
	for _, p := range mcp.Profiles() {
		ask(t, srv, requestIn(p, mcp.MethodResourcesRead, `{"uri":"x://1"}`))
		ask(t, srv, requestIn(p, mcp.MethodPromptsGet, `{"name":"p"}`))
	}
	if diff := cmp.Diff(&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{Text: "a"}}}, shared); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	if prompt.Description != "" {
		t.Errorf("prompt: %+v", prompt)
	}
}
