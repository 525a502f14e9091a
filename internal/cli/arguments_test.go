package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBuildArguments: a word becomes what the tool's schema says it is.
func TestBuildArguments(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{
		"n":{"type":"integer"},"f":{"type":"number"},"ok":{"type":"boolean"},"s":{"type":"string"},
		"list":{"type":"array"},"maybe":{"type":["integer","null"]},"any":{}}}`)
	for _, c := range []struct{ name, words, want string }{
		{"no words", "", `{}`},
		{"a string", "s=5", `{"s":"5"}`},
		{"an integer", "n=5", `{"n":5}`},
		{"an integer beyond 2^53 keeps its digits (JSON-03)", "n=9007199254740993", `{"n":9007199254740993}`},
		{"not an integer: the server shall say so", "n=five", `{"n":"five"}`},
		{"a number", "f=2.50", `{"f":2.50}`},
		{"a boolean", "ok=true", `{"ok":true}`},
		{"an array", "list=[1,2]", `{"list":[1,2]}`},
		{"one of two types", "maybe=null", `{"maybe":null}`},
		{"no type: JSON when it is JSON", "any=3", `{"any":3}`},
		{"no type: else a string", "any=three", `{"any":"three"}`},
		{"an argument the schema does not know", "other=1", `{"other":"1"}`},
		{"JSON by request", `s:={"a":1}`, `{"s":{"a":1}}`},
		{"an empty value", "s=", `{"s":""}`},
		{"an equals sign in the value", "s=a=b", `{"s":"a=b"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var words []string
			if c.words != "" {
				words = []string{c.words}
			}
			got, err := buildArguments(words, schema)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("arguments %s, want %s", got, c.want)
			}
		})
	}
}

// TestBuildArgumentsRefuses: faults of the command line name the word.
func TestBuildArgumentsRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		want  string
	}{
		{"no equals sign", []string{"n"}, `"n" is no argument`},
		{"no name", []string{"=5"}, `"=5" is no argument`},
		{"broken JSON", []string{"n:={"}, `"{" is no JSON`},
		{"a duplicate name in JSON", []string{`n:={"a":1,"a":2}`}, "is no JSON"},
		{"given twice", []string{"n=1", "n=2"}, `"n" is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := buildArguments(c.words, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
			if exitCode(err) != exitUsage {
				t.Errorf("exit code %d, want %d", exitCode(err), exitUsage)
			}
		})
	}
}

// TestPrintable: what a server sends does not drive the terminal.
func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31mb\x07\tc\nd\u009b"); strings.ContainsAny(got, "\x1b\x07\u009b") || !strings.Contains(got, "\tc\nd") {
		t.Errorf("printable gave %q", got)
	}
}
