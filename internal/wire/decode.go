package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// DecodeParams reads params into into, a pointer to one of mcp's parameter
// types. Absent or null params read as {}, and so does a null in place of
// tools/call's arguments. The error is -32602 and names the member: a required
// one that is absent or null, one of the wrong type, or one whose name differs
// from a known one in case only.
func DecodeParams(p *Params, into any) *mcp.Error {
	if err := p.checkShape(); err != nil {
		return err
	}
	raw := p.Raw
	if jsonx.KindOf(raw) != jsonx.Object {
		raw = []byte("{}")
	}
	if err := requireMembers(raw, into); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &mcp.Error{Code: mcp.CodeInvalidParams, Message: fault(err, "params")}
	}
	if path, known := foldedMember(reflect.ValueOf(into), "params"); path != "" {
		return mcp.Errorf(mcp.CodeInvalidParams, "%s is no member; names are case-sensitive, and this one is spelt %q", path, known)
	}
	return checkValues(into)
}

// requiredMembers are the members a method cannot do without.
func requiredMembers(params any) []string {
	switch params.(type) {
	case *mcp.CallToolParams, *mcp.GetPromptParams:
		return []string{"name"}
	case *mcp.ReadResourceParams, *mcp.SubscribeParams, *mcp.UpdatedParams:
		return []string{"uri"}
	case *mcp.CompleteParams:
		return []string{"ref", "argument"}
	case *mcp.SetLevelParams:
		return []string{"level"}
	case *mcp.LogParams:
		return []string{"level", "data"}
	case *mcp.InitializeParams:
		return []string{"protocolVersion", "capabilities", "clientInfo"}
	case *mcp.ProgressParams:
		return []string{"progressToken", "progress"}
	case *mcp.ElicitParams:
		return []string{"message"}
	case *mcp.ListenParams, *mcp.AcknowledgedParams:
		return []string{"notifications"}
	case *mcp.CreateMessageParams:
		return []string{"messages", "maxTokens"}
	}
	return nil
}

func requireMembers(raw []byte, into any) *mcp.Error {
	for _, name := range requiredMembers(into) {
		value := lookup(raw, name)
		// log data may be any JSON, null too.
		if value == nil || jsonx.KindOf(value) == jsonx.Null && name != "data" {
			return mcp.Errorf(mcp.CodeInvalidParams, "params.%s is required and is %s", name, typeOf(value))
		}
	}
	return nil
}

// checkValues judges what the types of mcp leave open.
func checkValues(into any) *mcp.Error {
	switch v := into.(type) {
	case *mcp.CallToolParams:
		switch jsonx.KindOf(v.Arguments) {
		case jsonx.Object, jsonx.Invalid:
		case jsonx.Null:
			v.Arguments = nil
		default:
			return mcp.Errorf(mcp.CodeInvalidParams, "params.arguments is %s; it is an object", typeOf(v.Arguments))
		}
	case *mcp.SetLevelParams:
		if !v.Level.Valid() {
			return mcp.Errorf(mcp.CodeInvalidParams, "params.level is %q, which is no log level; use %s", clip(string(v.Level)), logLevels)
		}
	case *mcp.CompleteParams:
		return checkReference(v)
	}
	return nil
}

func checkReference(p *mcp.CompleteParams) *mcp.Error {
	switch {
	case p.Ref.Type != mcp.RefPrompt && p.Ref.Type != mcp.RefResource:
		return mcp.Errorf(mcp.CodeInvalidParams, "params.ref.type is %q; it is %q or %q", clip(p.Ref.Type), mcp.RefPrompt, mcp.RefResource)
	case p.Ref.Type == mcp.RefPrompt && p.Ref.Name == "":
		return mcp.Errorf(mcp.CodeInvalidParams, "params.ref.name is missing; it names the prompt")
	case p.Ref.Type == mcp.RefResource && p.Ref.URI == "":
		return mcp.Errorf(mcp.CodeInvalidParams, "params.ref.uri is missing; it names the resource template")
	case p.Argument.Name == "":
		return mcp.Errorf(mcp.CodeInvalidParams, "params.argument.name is missing; it names the argument to complete")
	}
	return nil
}

// fault says which member of root could not be read, and why.
func fault(err error, root string) string {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return fmt.Sprintf("%s cannot be read: %v", root, err)
	}
	path := dotted(root, semantic.JSONPointer)
	switch {
	case semantic.Err != nil:
		return fmt.Sprintf("%s cannot be read: %v", path, semantic.Err)
	case semantic.JSONKind != 0 && semantic.GoType != nil:
		return fmt.Sprintf("%s is %s; it is %s", path, typeOf([]byte{byte(semantic.JSONKind)}), wanted(semantic.GoType))
	default:
		return path + " cannot be read"
	}
}

func dotted(root string, p jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString(root)
	for token := range p.Tokens() {
		b.WriteByte('.')
		b.WriteString(clip(token))
	}
	return b.String()
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Pointer:
		return wanted(t.Elem())
	default:
		return "an object"
	}
}

// foldedMember looks for an unknown member anywhere in v that equals a known
// one of the same object when case is ignored. Only unknown members, which the
// decoder has collected, are compared.
func foldedMember(v reflect.Value, path string) (found, known string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return foldedMember(v.Elem(), path)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return "", ""
		}
		for i := range v.Len() {
			if found, known = foldedMember(v.Index(i), path); found != "" {
				return found, known
			}
		}
	case reflect.Struct:
		return foldedInStruct(v, path)
	}
	return "", ""
}

func foldedInStruct(v reflect.Value, path string) (found, known string) {
	t := v.Type()
	var extra []byte
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[mcp.Extra]() {
			extra = v.Field(i).Bytes()
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := path
		if name != "" {
			inner = path + "." + name
		}
		if found, known = foldedMember(v.Field(i), inner); found != "" {
			return found, known
		}
	}
	for name := range jsonx.Members(extra) {
		if known = foldedField(t, string(name)); known != "" {
			return path + "." + clip(string(name)), known
		}
	}
	return "", ""
}

// foldedField is the JSON name of t that equals name ignoring case, if any.
func foldedField(t reflect.Type, name string) string {
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "" && f.Anonymous && f.Type.Kind() == reflect.Struct {
			if k := foldedField(f.Type, name); k != "" {
				return k
			}
		}
		if tag != "" && strings.EqualFold(tag, name) {
			return tag
		}
	}
	return ""
}
