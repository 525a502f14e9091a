package httpx

import (
	"net/http"
	"strings"
	"testing"
)

// HTTP-02, T-12.
func TestMedia(t *testing.T) {
	for _, c := range []struct {
		contentType, want string
		json, sse         bool
	}{
		{"application/json", "application/json", true, false},
		{"application/json; charset=utf-8", "application/json", true, false},
		{"application/json;charset=UTF-8", "application/json", true, false},
		{"Application/JSON", "application/json", true, false},
		{"application/json;", "application/json", true, false},
		{" application/json ; x=\"a;b\"", "application/json", true, false},
		{"text/event-stream; charset=utf-8", "text/event-stream", false, true},
		{"TEXT/EVENT-STREAM", "text/event-stream", false, true},
		{"text/plain; a=application/json", "text/plain", false, false},
		{"application/json-patch+json", "application/json-patch+json", false, false},
		{"application/jsonl", "application/jsonl", false, false},
		{"", "", false, false},
		{"application/json, text/plain", "", false, false},
		{"application/json text/plain", "", false, false},
		{"json", "", false, false},
		{"/json", "", false, false},
		{"application/", "", false, false},
		{"application//json", "", false, false},
		{";application/json", "", false, false},
		{"\u00a0application/json", "", false, false},
	} {
		t.Run(c.contentType, func(t *testing.T) {
			typ, ok := Media(c.contentType)
			if typ != c.want || ok != (c.want != "") {
				t.Errorf("Media = %q, %t; want %q", typ, ok, c.want)
			}
			if IsJSON(c.contentType) != c.json || IsEventStream(c.contentType) != c.sse {
				t.Errorf("IsJSON %t, IsEventStream %t", IsJSON(c.contentType), IsEventStream(c.contentType))
			}
		})
	}
}

// HTTP-01, T-12, M-HTTP-012.
func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		name      string
		lines     []string
		json, sse bool
	}{
		{"none", nil, true, true},
		{"empty", []string{""}, true, true},
		{"empty elements", []string{" , ,", ","}, true, true},
		{"as the specification has it", []string{"application/json, text/event-stream"}, true, true},
		{"anything", []string{"*/*"}, true, true},
		{"a lone star", []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}, true, true},
		{"subtypes", []string{"application/*, text/*"}, true, true},
		{"parameters", []string{"application/json;q=0.9, text/event-stream; charset=utf-8"}, true, true},
		{"two lines", []string{"application/json", "text/event-stream"}, true, true},
		{"case", []string{"APPLICATION/Json, TEXT/Event-Stream"}, true, true},
		{"no blanks", []string{"application/json,text/event-stream"}, true, true},
		{"JSON only", []string{"application/json"}, true, false},
		{"SSE only", []string{"text/event-stream"}, false, true},
		{"neither", []string{"text/html"}, false, false},
		{"JSON excluded", []string{"application/json;q=0, text/event-stream"}, false, true},
		{"JSON excluded, anything else", []string{"*/*, application/json;q=0"}, false, true},
		{"everything excluded", []string{"*/*;q=0"}, false, false},
		{"specific beats general", []string{"*/*;q=0, application/json"}, true, false},
		{"subtype range beats all", []string{"*/*;q=0, text/*;q=0.1"}, false, true},
		{"subtype range excluded", []string{"text/*; Q=0.000, */*"}, true, false},
		{"small weight", []string{"application/json;q=0.001"}, true, false},
		{"weight that is none", []string{"application/json;q=abc, text/event-stream;q="}, true, true},
		{"the same type twice", []string{"application/json;q=0", "application/json;v=2"}, true, false},
		{"quoted comma", []string{`text/html;a=", application/json", text/event-stream`}, false, true},
		{"quoted semicolon", []string{`application/json;a="x;q=0"`}, true, false},
		{"escaped quote", []string{`application/json;a="\";q=0, text/event-stream"`}, true, false},
		{"unfinished quote", []string{`application/json;a="`}, true, false},
		{"look-alikes", []string{"application/json-patch+json, text/event-streams, application/j*"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for _, l := range c.lines {
				h.Add("accept", l)
			}
			if j, s := Accepts(h); j != c.json || s != c.sse {
				t.Errorf("Accepts(%q) = json %t, sse %t; want %t, %t", c.lines, j, s, c.json, c.sse)
			}
		})
	}
}

func FuzzAccepts(f *testing.F) {
	f.Add("application/json;q=0.9, text/event-stream; charset=\"utf-8\"")
	f.Add("*;q=0,*/*;q=.0")
	f.Fuzz(func(t *testing.T, line string) {
		h := http.Header{"Accept": {line}}
		j, s := Accepts(h)
		// What excludes nothing and allows both still allows both.
		if !strings.ContainsAny(line, "qQ\"") {
			h["Accept"] = append(h["Accept"], JSON+", "+EventStream)
			if j, s := Accepts(h); !j || !s {
				t.Errorf("%q takes away what the second line gives", line)
			}
		}
		// The order of lines does not matter.
		h["Accept"] = []string{line, "text/*;q=0.5"}
		j1, s1 := Accepts(h)
		h["Accept"] = []string{"text/*;q=0.5", line}
		if j2, s2 := Accepts(h); j1 != j2 || s1 != s2 {
			t.Errorf("%q: order of lines matters", line)
		}
		typ, ok := Media(line)
		if ok && (typ != strings.ToLower(typ) || !strings.Contains(typ, "/")) {
			t.Errorf("Media(%q) = %q", line, typ)
		}
		_, _ = j, s
	})
}

func BenchmarkAccepts(b *testing.B) {
	for name, line := range map[string]string{"usual": acceptBoth, "odd": "text/event-stream;q=0.5, application/*;q=0.1"} {
		h := http.Header{"Accept": {line}}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if j, s := Accepts(h); !j || !s {
					b.Fatal("refused")
				}
			}
		})
	}
}
