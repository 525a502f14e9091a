package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

type searchIn struct {
	Query string `json:"query"`
	Limit int    `json:"limit" mcp:"min=five"`
}

type badChan struct {
	C chan int `json:"c"`
}

// TestRegistrationFaults: declaring never panics and never fails; New says what
// is wrong, naming service, entry, Go type and field.
func TestRegistrationFaults(t *testing.T) {
	tests := []struct {
		name    string
		declare func(s *Service)
		want    []string
	}{
		{"bad tag", func(s *Service) {
			Tool(s, "search", func(context.Context, searchIn) (string, error) { return "", nil })
		}, []string{`service "notes": tool "search": arguments: `, "searchIn.Limit", "min=five"}},
		{"no JSON form in arguments", func(s *Service) {
			Tool(s, "c", func(context.Context, badChan) (string, error) { return "", nil })
		}, []string{`tool "c": arguments: `, "badChan.C"}},
		{"no JSON form in result", func(s *Service) {
			Tool(s, "c", func(context.Context, nothing) (badChan, error) { return badChan{}, nil })
		}, []string{`tool "c": result: `, "badChan.C"}},
		{"arguments that are no object", func(s *Service) {
			Tool(s, "n", func(context.Context, int) (string, error) { return "", nil })
		}, []string{`tool "n": arguments: `, "int", "must be an object"}},
		{"content by value", func(s *Service) {
			Tool(s, "n", func(context.Context, nothing) (mcp.TextContent, error) { return mcp.TextContent{}, nil })
		}, []string{`tool "n": result: `, "return *mcp.TextContent"}},
		{"nil tool handler", func(s *Service) { Tool[nothing, string](s, "n", nil) }, []string{`tool "n": the handler is nil`}},
		{"nil raw handler", func(s *Service) { RawTool(s, mcp.Tool{Name: "n"}, nil) }, []string{`tool "n": the handler is nil`}},
		{"nil resource handler", func(s *Service) { Resource[nothing, string](s, "x://a", nil) }, []string{`resource "x://a": the handler is nil`}},
		{"nil prompt handler", func(s *Service) { Prompt[nothing, string](s, "p", nil) }, []string{`prompt "p": the handler is nil`}},
		{"nil completion", func(s *Service) {
			Prompt(s, "p", says(""), Complete("a", nil))
		}, []string{`prompt "p": the completion of "a" is nil`}},
		{"completion twice", func(s *Service) {
			none := func(context.Context, string, map[string]string) ([]string, error) { return nil, nil }
			Prompt(s, "p", func(context.Context, greetIn) (string, error) { return "", nil }, Complete("name", none), Complete("name", none))
		}, []string{`prompt "p": the completion of "name" is given twice`}},
		{"output schema that is none", func(s *Service) { Tool(s, "t", says(""), OutputSchema(json.RawMessage(`{"type":1}`))) },
			[]string{`tool "t": result: output schema: `}},
		{"variable that is an object", func(s *Service) {
			Resource(s, "x://{id}", func(context.Context, struct {
				ID sum `json:"id"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`variables: field "id" can be filled neither from a text nor from a list`}},
		{"prompt name too long", func(s *Service) { Prompt(s, strings.Repeat("a", 200), says("")) }, []string{"has 206 bytes; use at most 128"}},
		{"completion of no argument", func(s *Service) {
			Prompt(s, "p", func(context.Context, struct {
				Name string `json:"name"`
			}) (string, error) {
				return "", nil
			}, Complete("nam", func(context.Context, string, map[string]string) ([]string, error) { return nil, nil }))
		}, []string{`prompt "p": completion of "nam": there is no such argument; there is "name"`}},
		{"prompt result", func(s *Service) {
			Prompt(s, "p", func(context.Context, nothing) (int, error) { return 0, nil })
		}, []string{`prompt "p": result: a prompt cannot return int`}},
		{"prompt argument that is no string", func(s *Service) {
			Prompt(s, "p", func(context.Context, struct {
				Tags []string `json:"tags"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`prompt "p": arguments: "tags" cannot be written as a string`}},
		{"relative URI", func(s *Service) { Resource(s, "notes/1", says("")) }, []string{`resource "notes/1": it is no absolute URI`}},
		{"broken template", func(s *Service) { Resource(s, "x://{id", says("")) }, []string{`resource template "x://{id": `, "never closed"}},
		{"variable without field", func(s *Service) {
			Resource(s, "x://{id}/{part}", func(context.Context, struct {
				ID string `json:"id"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`resource template "x://{id}/{part}": variables: "part" has no field`}},
		{"field without variable", func(s *Service) {
			Resource(s, "x://{id}", func(context.Context, struct {
				ID  string `json:"id"`
				Odd string `json:"odd"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`variables: field "odd" is none of the template's`}},
		{"field of a fixed URI", func(s *Service) {
			Resource(s, "x://a", func(context.Context, struct {
				ID string `json:"id"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`resource "x://a": variables: field "id" is never filled`}},
		{"option in the wrong place", func(s *Service) { Prompt(s, "p", says(""), ReadOnly()) },
			[]string{`prompt "p": option ReadOnly says nothing about a prompt; it is for a tool or a raw tool`}},
		{"nil option", func(s *Service) { Prompt(s, "p", says(""), nil) }, []string{`prompt "p": option 1 is nil`}},
		{"icon", func(s *Service) { Tool(s, "t", says(""), Icons(mcp.Icon{Src: "javascript:x"})) }, []string{`icon "javascript:x"`}},
		{"priority", func(s *Service) { Resource(s, "x://a", says(""), Priority(2)) }, []string{"priority 2 is not between 0 and 1"}},
		{"audience", func(s *Service) { Resource(s, "x://a", says(""), Audience("robot")) }, []string{`audience "robot"`}},
		{"media type", func(s *Service) { Resource(s, "x://a", says(""), MIME("markdown")) }, []string{`media type "markdown"`}},
		{"size", func(s *Service) { Resource(s, "x://a", says(""), Size(-1)) }, []string{"-1 bytes is negative"}},
		{"cache", func(s *Service) { Resource(s, "x://a", says(""), CacheFor(-time.Second, "shared")) }, []string{"time to live of -1s", `scope "shared"`}},
		{"meta", func(s *Service) { Tool(s, "t", says(""), Meta("k", make(chan int))) }, []string{`meta "k"`}},
		{"nil predicate", func(s *Service) { Tool(s, "t", says(""), Visible(nil)) }, []string{"predicate of Visible is nil"}},
		{"raw input schema without type (T-63)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":["object"]}`)}, rawNothing)
		}, []string{`tool "r": input schema: the root must say "type": "object"`}},
		{"raw input schema that is none (M-JS-006)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"strin"}}}`)}, rawNothing)
		}, []string{`tool "r": input schema: `}},
		{"raw schema with a remote $ref (VAL-09, M-JS-011)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"http://169.254.169.254/x"}}}`)}, rawNothing)
		}, []string{`tool "r": input schema: `, "169.254.169.254"}},
		{"unknown dialect (VAL-07, M-JS-005)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"$schema":"https://example.com/mine","type":"object"}`)}, rawNothing)
		}, []string{`tool "r": input schema: `, "https://example.com/mine"}},
		{"output schema that is a boolean (M-TOOL-008)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", OutputSchema: json.RawMessage(`true`)}, rawNothing)
		}, []string{`tool "r": output schema: it is no JSON object`}},
		{"header name (M-XMH-004, MOD-09)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`)}, rawNothing)
		}, []string{`tool "r": input schema: x-mcp-header`, `"a b"`}},
		{"header under items (M-XMH-010, MOD-08)", func(s *Service) {
			RawTool(s, mcp.Tool{Name: "r", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`)}, rawNothing)
		}, []string{`tool "r": input schema: x-mcp-header`}},
		{"typed headers that clash (M-XMH-006)", func(s *Service) {
			Tool(s, "r", func(context.Context, struct {
				A string `json:"a" mcp:"header=Region"`
				B string `json:"b" mcp:"header=REGION"`
			}) (string, error) {
				return "", nil
			})
		}, []string{`tool "r": arguments: `, "REGION"}},
		{"name with a dot (VAL-04)", func(s *Service) { Tool(s, "a.b", says("")) },
			[]string{`tool "a.b": the name "notes_a.b" has '.'; model APIs accept letters, digits, "_" and "-"; rename it, or set Config.Names`}},
		{"name too long (VAL-04)", func(s *Service) { Tool(s, strings.Repeat("a", 60), says("")) },
			[]string{"has 66 characters; model APIs accept at most 64"}},
		{"empty name", func(s *Service) { Tool(s, "", says("")) }, []string{`tool "": the name is empty`}},
		{"prompt name that cannot be seen", func(s *Service) { Prompt(s, "a\nb", says("")) }, []string{"characters that cannot be seen"}},
		{"name twice", func(s *Service) { Tool(s, "a", says("")); Tool(s, "a", says("")) },
			[]string{`tool "a": the name "notes_a" is already that of tool "a" of the same service; rename one of them`}},
		{"URI twice", func(s *Service) { Resource(s, "x://a", says("")); Resource(s, "x://a", says("")) },
			[]string{`resource "x://a": the name "x://a" is already that of resource "x://a" of the same service`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewService("notes")
			tt.declare(s)
			srv, err := New(Config{Info: testInfo}, s)
			if err == nil || srv != nil {
				t.Fatalf("New: got %v and error %v, want only an error", srv, err)
			}
			if !strings.Contains(err.Error(), `service "notes": `) {
				t.Errorf("%q does not name the service", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func rawNothing(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}

// TestFaultsInOrder: all faults of all services at once, as they were declared.
func TestFaultsInOrder(t *testing.T) {
	a := NewService("a", ReadOnly())
	Tool[nothing, string](a, "x", nil)
	Prompt[nothing, string](a, "y", nil)
	b := NewService("b c")
	Resource[nothing, string](b, "x://z", nil)
	Tool(b, "fine", says(""))
	again := NewService("a")
	_, err := New(Config{}, a, b, nil, again)
	want := []string{
		"server config: Info.Name is empty; name the server",
		"server config: Info.Version is empty; say which version of the server this is",
		`service "a": option ReadOnly says nothing about a service; it is for a tool or a raw tool`,
		`service "a": tool "x": the handler is nil`,
		`service "a": prompt "y": the handler is nil`,
		`service "b c": the service's name has ' '; use letters, digits, "_", "-" and "."`,
		`service "b c": resource "x://z": the handler is nil`,
		`service "b c": tool "fine": the name "b c_fine" has ' '; model APIs accept letters, digits, "_" and "-"; rename it, or set Config.Names`,
		"service 3 is nil",
		`service "a": there is another of that name; give one of them another name`,
	}
	if err == nil {
		t.Fatal("New: no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// TestService: what a service says of itself.
func TestService(t *testing.T) {
	s := NewService("notes", Doc("personal notes"))
	if s.Name() != "notes" || s.Doc() != "personal notes" {
		t.Errorf("got %q, %q", s.Name(), s.Doc())
	}
	if _, err := New(Config{Info: testInfo}, NewService(strings.Repeat("n", 65))); err == nil || !strings.Contains(err.Error(), "has 65 characters; use at most 64") {
		t.Errorf("long name: %v", err)
	}
}

// TestDeclareTooLate: a service does not change once a server has read it.
func TestDeclareTooLate(t *testing.T) {
	s := NewService("notes")
	serverOf(t, s)
	Tool(s, "late", says(""))
	_, err := New(Config{Info: testInfo}, s)
	if err == nil || !strings.Contains(err.Error(), `service "notes": tool "late": declared after the service was given to a server`) {
		t.Errorf("New: got %v", err)
	}
}

// TestNames: the policy for names, and that it can be replaced.
func TestNames(t *testing.T) {
	declare := func(name string) *Service {
		s := NewService(name)
		Tool(s, "search", says(""))
		Prompt(s, "sum up", says(""))
		return s
	}
	tests := []struct {
		name    string
		policy  Names
		service string
		want    []string
	}{
		{"service name as prefix", nil, "notes", []string{"notes_search", "notes.sum up"}},
		{"no prefix without a service name", nil, "", []string{"search", "sum up"}},
		{"a policy may use the protocol's alphabet", func(_ Kind, service, name string) string { return service + "." + name }, "notes", []string{"notes.search", "notes.sum up"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := configured(t, Config{Names: tt.policy}, declare(tt.service))
			var tools mcp.ListToolsResult
			result(t, srv, request(mcp.MethodToolsList, `{}`), &tools)
			var prompts mcp.ListPromptsResult
			result(t, srv, request(mcp.MethodPromptsList, `{}`), &prompts)
			if diff := cmp.Diff(tt.want, []string{tools.Tools[0].Name, prompts.Prompts[0].Name}); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a policy that panics is a fault of each entry it is asked about", func(t *testing.T) {
		_, err := New(Config{Info: testInfo, Names: func(Kind, string, string) string { panic("no idea") }}, declare("notes"))
		want := `service "notes": tool "search": Config.Names panics: no idea
service "notes": prompt "sum up": Config.Names panics: no idea`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("a policy is held to the protocol (M-TOOL-009)", func(t *testing.T) {
		_, err := New(Config{Info: testInfo, Names: func(_ Kind, s, n string) string { return s + "/" + n }}, declare("notes"))
		want := `service "notes": tool "search": the name "notes/search" has '/'; the protocol allows letters, digits, "_", "-" and "."; change the policy in Config.Names`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}
