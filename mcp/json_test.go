package mcp_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// values has one pointer for every exported struct type of the package that
// travels as JSON of its own.
var values = []any{
	new(mcp.Annotations), new(mcp.AudioContent), new(mcp.CallToolParams), new(mcp.CallToolResult),
	new(mcp.CancelledParams), new(mcp.ClientCapabilities), new(mcp.CompleteArgument), new(mcp.CompleteContext),
	new(mcp.CompleteParams), new(mcp.CompleteResult), new(mcp.Completion), new(mcp.CreateMessageParams),
	new(mcp.CreateMessageResult), new(mcp.DiscoverResult), new(mcp.ElicitParams), new(mcp.ElicitResult),
	new(mcp.ElicitationCapability), new(mcp.EmbeddedResource), new(mcp.EmptyResult), new(mcp.Error),
	new(mcp.AcknowledgedParams), new(mcp.ListenParams),
	new(mcp.Filter), new(mcp.GetPromptParams), new(mcp.GetPromptResult), new(mcp.Icon), new(mcp.ImageContent),
	new(mcp.Implementation), new(mcp.InitializeParams), new(mcp.InitializeResult), new(mcp.InputRequest),
	new(mcp.InputRequiredResult), new(mcp.ListCapability), new(mcp.ListParams), new(mcp.ListPromptsResult),
	new(mcp.ListResourceTemplatesResult), new(mcp.ListResourcesResult), new(mcp.ListRootsResult),
	new(mcp.ListToolsResult), new(mcp.LogParams), new(mcp.MissingCapability), new(mcp.ModelHint),
	new(mcp.ModelPreferences), new(mcp.ProgressParams), new(mcp.Prompt), new(mcp.PromptArgument),
	new(mcp.PromptMessage), new(mcp.ReadResourceParams), new(mcp.ReadResourceResult), new(mcp.Reference),
	new(mcp.Resource), new(mcp.ResourceContents), new(mcp.ResourceLink), new(mcp.ResourceTemplate),
	new(mcp.ResourcesCapability), new(mcp.Root), new(mcp.RootsCapability), new(mcp.SamplingCapability),
	new(mcp.SamplingMessage), new(mcp.ServerCapabilities), new(mcp.SetLevelParams), new(mcp.Settings),
	new(mcp.SubscribeParams), new(mcp.TextContent), new(mcp.Tool), new(mcp.ToolAnnotations), new(mcp.ToolChoice),
	new(mcp.ToolResultContent), new(mcp.ToolUseContent), new(mcp.UnsupportedVersion), new(mcp.UpdatedParams),
}

// parts are struct types that are written as parts of others, or never.
var parts = map[string]string{
	"CacheHint":      "embedded in cacheable results",
	"Result":         "embedded in every result",
	"Retry":          "embedded in parameters",
	"ToolError":      "a Go error, which becomes a result",
	"UnknownContent": "read by ParseContent, see TestUnknownContent",
}

// TestEveryTypeIsCovered keeps the list of values complete.
func TestEveryTypeIsCovered(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range values {
		listed[reflect.TypeOf(v).Elem().Name()] = true
	}
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			_, isStruct := spec.Type.(*ast.StructType)
			if isStruct && spec.Name.IsExported() && !listed[spec.Name.Name] && parts[spec.Name.Name] == "" {
				t.Errorf("%s: %s is in neither list of this test", fset.Position(spec.Pos()), spec.Name.Name)
			}
			return false
		})
	}
}

// TestBothLibrariesAgree: encoding/json and its second version read and write
// every type alike, with every field set (JSON-07: unknown members too).
func TestBothLibrariesAgree(t *testing.T) {
	for _, zero := range values {
		typ := reflect.TypeOf(zero).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			full := reflect.New(typ)
			fill(full.Elem(), 4)
			first, err := json.Marshal(full.Interface())
			if err != nil {
				t.Fatalf("encoding/json: %v", err)
			}
			second, err := jsonv2.Marshal(full.Interface())
			if err != nil {
				t.Fatalf("json v2: %v", err)
			}
			if diff := cmp.Diff(canonical(t, second), canonical(t, first)); diff != "" {
				t.Errorf("the libraries write different values (-v2 +v1):\n%s", diff)
			}
			for name, read := range map[string]func([]byte, any) error{
				"encoding/json": json.Unmarshal,
				"json v2":       func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
			} {
				got := reflect.New(typ)
				if err := read(second, got.Interface()); err != nil {
					t.Fatalf("%s cannot read %s: %v", name, second, err)
				}
				if diff := cmp.Diff(full.Interface(), got.Interface()); diff != "" {
					t.Errorf("%s does not read back what was written (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestZeroValuesAgree: an empty value has no null in it, whichever library
// writes it (JSON-04).
func TestZeroValuesAgree(t *testing.T) {
	mayBeNull := map[string]string{
		"Tool":           "inputSchema has no default here; the engine writes one",
		"LogParams":      "data may be any JSON",
		"ProgressParams": "the token is required",
		"PromptMessage":  "content is required",
	}
	for _, zero := range values {
		typ := reflect.TypeOf(zero).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			first, err := json.Marshal(zero)
			if err != nil {
				t.Fatalf("encoding/json: %v", err)
			}
			second, err := jsonv2.Marshal(zero)
			if err != nil {
				t.Fatalf("json v2: %v", err)
			}
			if diff := cmp.Diff(string(second), string(first)); diff != "" {
				t.Errorf("the libraries differ (-v2 +v1):\n%s", diff)
			}
			if bytes.Contains(second, []byte("null")) && mayBeNull[typ.Name()] == "" {
				t.Errorf("the zero value is written with a null: %s", second)
			}
		})
	}
}

// TestNamesAreStrict: a name in another case is another member, and a name that
// comes twice is an error (JSON-01, T-50).
func TestNamesAreStrict(t *testing.T) {
	for _, zero := range values {
		typ := reflect.TypeOf(zero).Elem()
		name := firstName(typ)
		if name == "" {
			continue
		}
		t.Run(typ.Name(), func(t *testing.T) {
			full := reflect.New(typ)
			fill(full.Elem(), 4)
			encoded, err := jsonv2.Marshal(full.Interface())
			if err != nil {
				t.Fatal(err)
			}
			twice := append([]byte(`{"`+name+`":null,`), encoded[1:]...)
			for lib, read := range map[string]func([]byte, any) error{
				"encoding/json": json.Unmarshal,
				"json v2":       func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
			} {
				if err := read(twice, reflect.New(typ).Interface()); err == nil {
					t.Errorf("%s accepts %s", lib, twice)
				}
			}
		})
	}
}

func firstName(t reflect.Type) string {
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			return name
		}
	}
	return ""
}

// canonical is b with members in order and nothing escaped that need not be.
func canonical(t *testing.T, b []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return string(v)
}

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	extraType   = reflect.TypeFor[mcp.Extra]()
	contentType = reflect.TypeFor[mcp.Content]()
)

// fill sets every field of v to something that is not its zero value, down to
// depth levels of pointers and lists.
func fill(v reflect.Value, depth int) {
	switch {
	case v.Type() == rawType:
		v.SetBytes([]byte(`{"n":9007199254740993,"s":"<&>"}`))
		return
	case v.Type() == extraType:
		v.SetBytes([]byte(`{"com.example/unknown":{"deep":[1,2.50,null]}}`))
		return
	case v.Type() == contentType:
		v.Set(reflect.ValueOf(&mcp.TextContent{Text: "a <b> & c"}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(9007199254740993)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		fillSlice(v, depth)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem, depth-1)
		m.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), elem)
		v.Set(m)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, depth)
		}
		if c, ok := reflect.TypeAssert[*mcp.ResourceContents](v.Addr()); ok {
			c.Text = "" // one of text and blob
		}
	}
}

func fillSlice(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte{0, 1, 0xfe, 0xff})
		return
	}
	if depth == 0 {
		return
	}
	elem := reflect.New(v.Type().Elem()).Elem()
	fill(elem, depth-1)
	v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 2), elem, elem))
}
