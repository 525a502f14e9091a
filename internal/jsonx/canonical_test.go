package jsonx

import (
	"bytes"
	"testing"
)

// TestCanonical: equal values have one form, different ones have two (T-39).
func TestCanonical(t *testing.T) {
	tests := []struct {
		name, a, b string
		equal      bool
	}{
		{"order of members", `{"a":1,"b":[2]}`, ` { "b" : [2], "a" : 1 } `, true},
		{"order of members, deep", `[{"x":{"a":1,"b":2}}]`, `[{"x":{"b":2,"a":1}}]`, true},
		{"order of items", `[1,2]`, `[2,1]`, false},
		{"an item more", `[1]`, `[1,1]`, false},
		{"spelling of a number", `[1e2,0.50,-0]`, `[100,5e-1,0.0]`, true},
		{"a number no float can tell apart", `9007199254740993`, `9007199254740992`, false},
		{"sign", `1`, `-1`, false},
		{"huge exponents", `1e9999999999999999999`, `1e9999999999999999998`, false},
		{"escapes", `{"\u0061":"\u00e9\n"}`, `{"a":"é\u000a"}`, true},
		{"a number and its text", `1`, `"1"`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"words", `[true,false,null]`, `[true,null,false]`, false},
		{"a name that looks like more", `{"a\":1,\"b":2}`, `{"a":1,"b":2}`, false},
		{"nesting", `[[1],2]`, `[[1,2]]`, false},
		{"empty", `{}`, `[]`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := AppendCanonical(nil, []byte(tt.a)), AppendCanonical(nil, []byte(tt.b))
			if bytes.Equal(a, b) != tt.equal {
				t.Errorf("%s is %s, %s is %s", tt.a, a, tt.b, b)
			}
		})
	}
}
