package server

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

type colour string

func (colour) Values() []colour { return []colour{"red", "green"} }

type everyField struct {
	Name   string    `json:"name" doc:"what to be called" mcp:"title=Name,minlen=2,maxlen=20,pattern=^[A-Z],default=Ada"`
	Mail   string    `json:"mail" mcp:"format=email,optional"`
	Site   string    `json:"site,omitempty" mcp:"format=uri"`
	Host   string    `json:"host,omitempty" mcp:"format=hostname"`
	Born   time.Time `json:"born"`
	Age    int       `json:"age" mcp:"min=0,max=150,default=30,example=40"`
	Small  int8      `json:"small,omitempty"`
	Score  float64   `json:"score" mcp:"default=95.5"`
	Sure   bool      `json:"sure" mcp:"default=true"`
	Status string    `json:"status" mcp:"enum=active|idle,default=active"`
	Colour colour    `json:"colour"`
	Tags   []string  `json:"tags" mcp:"enum=a|b|c,minitems=1,maxitems=2,unique,default=[\"a\"]"`
	Maybe  *string   `json:"maybe"`
}

// TestForms: what a struct is as a form (M-ELI-008 to M-ELI-010, ELI-04, ELI-06).
func TestForms(t *testing.T) {
	f, err := newForm(reflect.TypeFor[everyField]())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` + strings.Join([]string{
		`"name":{"type":"string","minLength":2,"maxLength":20,"title":"Name","description":"what to be called","default":"Ada"}`,
		`"mail":{"type":"string","format":"email"}`,
		`"site":{"type":"string","format":"uri"}`,
		`"host":{"type":"string"}`,
		`"born":{"type":"string","format":"date-time"}`,
		`"age":{"type":"integer","minimum":0,"maximum":150,"default":30}`,
		`"small":{"type":"integer","minimum":-128,"maximum":127}`,
		`"score":{"type":"number","default":95.5}`,
		`"sure":{"type":"boolean","default":true}`,
		`"status":{"type":"string","enum":["active","idle"],"default":"active"}`,
		`"colour":{"type":"string","enum":["red","green"]}`,
		`"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2,"default":["a"]}`,
		`"maybe":{"type":"string"}`,
	}, ",") + `},"required":["born","colour"]}`
	if diff := cmp.Diff(want, string(f.schema)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := checkForm(f.schema); err != nil {
		t.Errorf("by hand it would be no form: %v", err)
	}
	empty, err := newForm(reflect.TypeFor[struct{}]())
	if err != nil || string(empty.schema) != `{"type":"object","properties":{}}` {
		t.Errorf("consent: %s, %v", empty.schema, err)
	}
}

// TestNoForms: types that no form can have say why, all fields at once.
func TestNoForms(t *testing.T) {
	for want, typ := range map[string]reflect.Type{
		`field "in": a form has strings, numbers, booleans and choices, and nothing within them`: reflect.TypeFor[struct {
			In struct{} `json:"in"`
		}](),
		`field "any": a form has`: reflect.TypeFor[struct {
			Any any `json:"any"`
		}](),
		`field "list": a list in a form is a choice of several; give its strings an enum`: reflect.TypeFor[struct {
			List []string `json:"list"`
		}](),
		`field "numbers": a list in a form is a choice of several`: reflect.TypeFor[struct {
			Numbers []int `json:"numbers"`
		}](),
		`field "n": a choice in a form is one of strings; use a string type`: reflect.TypeFor[struct {
			N int `json:"n" mcp:"enum=1|2"`
		}](),
		`field "b": a form has no bytes; use a string`: reflect.TypeFor[struct {
			B []byte `json:"b"`
		}](),
		`use a struct`:      reflect.TypeFor[map[string]string](),
		`must be an object`: reflect.TypeFor[string](),
	} {
		if _, err := newForm(typ); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", typ, err, want)
		}
	}
	_, err := newForm(reflect.TypeFor[struct {
		A []int `json:"a"`
		B []int `json:"b"`
	}]())
	if err == nil || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("not all at once: %v", err)
	}
}

// TestFormAnswers: defaults, coercion and what a form could not say (M-ELI-043).
func TestFormAnswers(t *testing.T) {
	var got everyField
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		var err error
		got, err = Elicit[everyField](ctx, "k", "Fill in")
		return "done", err
	})
	given := `"born":"2000-01-02T03:04:05Z","colour":"red"`
	for content, want := range map[string]string{
		`{` + given + `}`:                                 "done",
		`{` + given + `,"age":"41","more":[]}`:            "done",
		`{` + given + `,"name":"ada"}`:                    "must match",
		`{` + given + `,"host":"not a host"}`:             "must be of format hostname",
		`{` + given + `,"tags":["a","a"]}`:                "items must differ",
		`{` + given + `,"tags":["z"]}`:                    "must be one of",
		`{"born":"yesterday","colour":"red"}`:             "date-time",
		`{"colour":"red"}`:                                "born: required, but missing",
		`{"born":"2000-01-02T03:04:05Z","colour":"blue"}`: "must be one of",
	} {
		got = everyField{}
		d := calling(mcp.Newest, accepts(content))
		in := required(t, d.round(t, srv, d.reply(d.first(t, srv))))
		if in == nil {
			if want != "done" || got.Name != "Ada" || got.Age < 30 || !got.Sure || got.Score != 95.5 || got.Status != "active" || len(got.Tags) != 1 {
				t.Errorf("%s: got %+v, want %q", content, got, want)
			}
			continue
		}
		if asked := string(in.InputRequests["k"].Params); want == "done" || !strings.Contains(asked, want) {
			t.Errorf("%s: asked again %s, want %q", content, asked, want)
		}
	}
}

// TestElicitForm: a form written by hand goes out as it is, and its values come
// back as they are (ELI-06).
func TestElicitForm(t *testing.T) {
	const byHand = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"one":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},` +
		`"old":{"type":"string","enum":["x","y"],"enumNames":["X","Y"]},` +
		`"many":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}},"required":["one"]}`
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		got, err := ElicitForm(ctx, "k", "Choose", json.RawMessage(byHand))
		return string(got), err
	})
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		d := calling(p, func(_ string, params json.RawMessage) string {
			if !strings.Contains(string(params), `"requestedSchema":`+byHand) {
				t.Errorf("sent %s", params)
			}
			return `{"action":"accept","content":{"many":["a"],"one":"b", "n":12345678901234567890}}`
		})
		wantOutcome(t, d.run(t, srv), `{"many":["a"],"one":"b", "n":12345678901234567890}`)
	}
	d := calling(mcp.Newest, accepts(`{"one":"c"}`))
	if got := sketch(t, d.round(t, srv, d.reply(d.first(t, srv)))); got != "asks k" {
		t.Errorf("a value that is no choice: %q", got)
	}
}

// TestPrefill: a default of the moment.
func TestPrefill(t *testing.T) {
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		e, err := Elicit[everyField](ctx, "k", "Correct it", Prefill("name", "Grace"), Prefill("maybe", "yes"), Prefill("tags", []string{"b"}), Prefill("age", 1e1), Prefill("sure", false))
		return e.Name, err
	})
	asked := string(calling(mcp.Newest, nil).first(t, srv).InputRequests["k"].Params)
	for _, want := range []string{`"description":"what to be called","default":"Grace"}`, `"maybe":{"type":"string","default":"yes"}`, `"default":["b"]}`, `"maximum":150,"default":10}`, `"sure":{"type":"boolean","default":false}`} {
		if !strings.Contains(asked, want) {
			t.Errorf("asked %s, without %s", asked, want)
		}
	}
	for value, fits := range map[any]bool{"x": false, 1.5: false, true: false, nil: false, 7: true} {
		_, err := prefilled(json.RawMessage(`{"properties":{"n":{"type":"integer"}}}`), []FormOption{Prefill("n", value)})
		if (err == nil) != fits {
			t.Errorf("prefill an integer with %v: %v", value, err)
		}
	}
	if _, err := prefilled(json.RawMessage(`{"properties":{"n":{"type":"number"}}}`), []FormOption{Prefill("n", func() {})}); err == nil {
		t.Error("prefill with a function")
	}
}

// TestElicitURL: what is sent in each revision, and what the answers mean
// (M-ELI-014, M-ELI-016, ELI-12, ELI-14).
func TestElicitURL(t *testing.T) {
	srv := asksTool(t, Config{}, func(ctx context.Context) (string, error) {
		return "agreed", ElicitURL(ctx, "k", "Log in", "https://example.com/login?x=1")
	})
	for _, p := range []mcp.Profile{mcp.Legacy20251125, mcp.Newest} {
		for action, want := range map[string]string{"accept": "agreed", "decline": `isError the user declined to answer "k"`, "cancel": `isError the user was asked for "k" and did not decide`} {
			d := calling(p, func(_ string, params json.RawMessage) string {
				var e mcp.ElicitParams
				if err := json.Unmarshal(params, &e); err != nil || e.Mode != mcp.ModeURL || e.Message != "Log in" || e.URL != "https://example.com/login?x=1" ||
					(e.ElicitationID != "") != (p == mcp.Legacy20251125) {
					t.Errorf("%v: asked %s, %v", p, params, err)
				}
				return fmt.Sprintf(`{"action":%q}`, action)
			})
			wantOutcome(t, d.run(t, srv), want)
		}
	}
}

// TestFormsAreMadeOnce: a type is looked at the first time.
func TestFormsAreMadeOnce(t *testing.T) {
	srv := serverOf(t)
	first, err := formOf[nameForm](srv)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := formOf[nameForm](srv); err != nil || again != first {
		t.Errorf("another form: %v", err)
	}
}
