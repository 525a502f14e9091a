package jsonx

import (
	stdjson "encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestUnmarshal: names count exactly, duplicates and invalid UTF-8 are refused
// (JSON-01), integers are exact or refused (JSON-03), and an error says where.
func TestUnmarshal(t *testing.T) {
	type inner struct {
		Small uint8           `json:"small"`
		List  []int           `json:"list"`
		Flags map[string]bool `json:"flags"`
		Time  time.Time       `json:"time"`
	}
	type doc struct {
		Name  string  `json:"name"`
		Big   int64   `json:"big"`
		Ratio float64 `json:"ratio"`
		X     inner   `json:"x"`
		All   []inner `json:"all"`
		Any   any     `json:"any"`
	}
	for _, c := range []struct{ name, text, want string }{
		{"a member", `{"name":"a","other":1}`, ``},
		{"an integer beyond 2^53", `{"big":9007199254740993}`, ``},
		{"another kind", `{"x":{"list":5}}`, `read JSON: at "/x/list": a JSON number does not fit a Go []int`},
		{"another kind in a list", `{"x":{"list":[1,"b"]}}`, `read JSON: at "/x/list/1": a JSON string does not fit a Go int`},
		{"another kind in a map", `{"all":[{},{"flags":{"k":{}}}]}`, `read JSON: at "/all/1/flags/k": a JSON object does not fit a Go bool`},
		{"another kind at the top", `[]`, `read JSON: at the top: a JSON array does not fit a Go jsonx.doc`},
		{"out of range", `{"x":{"small":300}}`, `read JSON: at "/x/small": 300 is out of range for a Go uint8`},
		{"out of any range", `{"ratio":1E400}`, `read JSON: at "/ratio": 1E400 is out of range for a Go float64`},
		{"a fraction", `{"big":1.5}`, `read JSON: at "/big": 1.5 does not fit a Go int64`},
		{"a sign", `{"x":{"small":-1}}`, `read JSON: at "/x/small": -1 does not fit a Go uint8`},
		{"what a type says", `{"x":{"time":"soon"}}`, `read JSON: at "/x/time": parsing time "soon" as`},
		{"a duplicate", `{"name":"a","name":"b"}`, `read JSON: at "/name", byte 12: duplicate object member name`},
		{"a duplicate below any", `{"any":{"a":1,"a":2}}`, `read JSON: at "/any/a", byte 14: duplicate object member name`},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", `read JSON: at "/name", byte 9: invalid UTF-8`},
		{"data after the value", `{} x`, `read JSON: at byte 3: invalid character 'x' after top-level value`},
		{"nothing", ``, `read JSON: at byte 0: unexpected EOF`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v doc
			err := Unmarshal([]byte(c.text), &v)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	var v doc
	if err := Unmarshal([]byte(`{"Name":"x","BIG":1}`), &v); err != nil || v.Name != "" || v.Big != 0 {
		t.Errorf("another case was taken for the name: %v %+v", err, v)
	}
	if err := Unmarshal([]byte(`{"big":9007199254740993}`), &v); err != nil || v.Big != 9007199254740993 {
		t.Errorf("an integer lost digits: %v %d", err, v.Big)
	}
}

var errOutOfInk = errors.New("out of ink")

type dry struct{}

func (dry) MarshalJSON() ([]byte, error) { return nil, errOutOfInk }

// TestMarshal: empty lists, order, escapes and numbers (JSON-04, JSON-06); an
// error says where.
func TestMarshal(t *testing.T) {
	type list struct {
		Items []string       `json:"items"`
		Map   map[string]int `json:"map"`
	}
	for _, c := range []struct {
		name  string
		value any
		want  string
		fault string
	}{
		{"nil lists and maps", list{}, `{"items":[],"map":{}}`, ""},
		{"a map in order", map[string]any{"b": 1, "a": "<&>\u2028"}, `{"a":"<&>` + "\u2028" + `","b":1}`, ""},
		{"raw text as it is", stdjson.RawMessage(`{"x":"\u003c","n":1E400,"z":1.0}`), `{"x":"\u003c","n":1E400,"z":1.0}`, ""},
		{"a number", map[string]stdjson.Number{"n": "9007199254740993", "o": ""}, `{"n":9007199254740993,"o":0}`, ""},
		{"a number that is none", map[string]stdjson.Number{"n": "x"}, "", `write JSON: at "/n": a Go json.Number: json.Number "x" is no number`},
		{"a duration", map[string]any{"d": 90 * time.Second, "p": new(time.Minute)}, `{"d":"1m30s","p":"1m0s"}`, ""},
		{"a URL", []any{url.URL{Scheme: "https", Host: "x", RawQuery: "a=b"}, &url.URL{Path: "/y"}, (*url.URL)(nil)}, `["https://x?a=b","/y",null]`, ""},
		{"a channel", map[string]any{"c": make(chan int)}, "", `write JSON: at "/c": a Go chan int has no JSON form`},
		{"a type's own error", []any{1, dry{}}, "", `write JSON: at "/1": a Go jsonx.dry: out of ink`},
		{"raw text that is no JSON", map[string]any{"r": stdjson.RawMessage(`{`)}, "", `write JSON: at "/r"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Marshal(c.value)
			if string(got) != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.HasPrefix(err.Error(), c.fault) {
				t.Errorf("Marshal: %s, %v; want %s, %s", got, err, c.want, c.fault)
			}
			got, err = Append([]byte("x"), c.value)
			if string(got) != "x"+c.want || (err == nil) != (c.fault == "") {
				t.Errorf("Append: %s, %v; want x%s, %s", got, err, c.want, c.fault)
			}
		})
	}
	if _, err := Marshal(dry{}); !errors.Is(err, errOutOfInk) {
		t.Errorf("the type's own error is lost: %v", err)
	}
}

// TestTexts: what Marshal writes as text is read back from it.
func TestTexts(t *testing.T) {
	type doc struct {
		Wait time.Duration            `json:"wait"`
		More map[string]time.Duration `json:"more"`
		Page url.URL                  `json:"page"`
		Next *url.URL                 `json:"next"`
	}
	for _, c := range []struct{ name, text, want string }{
		{"both", `{"wait":"1m30s","more":{"a":"-2h0m0s"},"page":"https://x/y","next":"/z?q"}`, ``},
		{"empty", `{"wait":"0s","more":{},"page":"","next":null}`, ``},
		{"no duration", `{"more":{"a":"soon"}}`, `read JSON: at "/more/a": a Go *time.Duration: time: invalid duration "soon"`},
		{"a number", `{"wait":5}`, `read JSON: at "/wait": a Go *time.Duration: 5 is not a duration, as in 1m30s`},
		{"no URL", `{"page":":"}`, `read JSON: at "/page": a Go *url.URL: parse ":"`},
		{"a list", `{"next":[]}`, `read JSON: at "/next": a Go *url.URL: [] is not a URL`},
		{"half a text", `{"next":"`, `read JSON: at "/next"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v doc
			err := Unmarshal([]byte(c.text), &v, Texts)
			if c.want != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if back, err := Marshal(v); err != nil || string(back) != c.text {
				t.Errorf("%s came back as %s, %v", c.text, back, err)
			}
		})
	}
	v := doc{Wait: 1, Page: url.URL{Path: "x"}}
	if err := Unmarshal([]byte(`{"wait":null,"page":null}`), &v, Texts); err != nil || v.Wait != 0 || v.Page != (url.URL{}) {
		t.Errorf("null gave %+v, %v", v, err)
	}
}
