package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTag(t *testing.T) {
	for _, c := range []struct {
		name, tag string
		want      []setting
	}{
		{"empty", "", nil},
		{"bare keys", "optional,unique", []setting{{"optional", nil}, {"unique", nil}}},
		{"values", "default=10,min=1,max=50", []setting{{"default", []string{"10"}}, {"min", []string{"1"}}, {"max", []string{"50"}}}},
		{"white space", " min= 1 , max=2, enum= a | b", []setting{{"min", []string{"1"}}, {"max", []string{"2"}}, {"enum", []string{"a", "b"}}}},
		{"white space in quotes", "default=' a '", []setting{{"default", []string{" a "}}}},
		{"empty value", "default=", []setting{{"default", []string{""}}}},
		{"enum", "enum=a|b||c", []setting{{"enum", []string{"a", "b", "", "c"}}}},
		{"bar outside enum", "default=a|b", []setting{{"default", []string{"a|b"}}}},
		{"comma in quotes", "default='a,b',optional", []setting{{"default", []string{"a,b"}}, {"optional", nil}}},
		{"quote in quotes", "default='it''s'", []setting{{"default", []string{"it's"}}}},
		{"quote inside plain", "default=it's", []setting{{"default", []string{"it's"}}}},
		{"escaped comma", `default=a\,b`, []setting{{"default", []string{"a,b"}}}},
		{"pattern keeps backslashes", `pattern=^\d{1\,3}\|\.$`, []setting{{"pattern", []string{`^\d{1,3}\|\.$`}}}},
		{"quoted pattern", `pattern='^\d{1,3}$'`, []setting{{"pattern", []string{`^\d{1,3}$`}}}},
		{"enum quoted and escaped", `enum='a,b|c'|d\|e|f\,g`, []setting{{"enum", []string{"a,b|c", "d|e", "f,g"}}}},
		{"JSON default", `default='{"a":[1,2]}'`, []setting{{"default", []string{`{"a":[1,2]}`}}}},
		{"equals in value", "default=a=b", []setting{{"default", []string{"a=b"}}}},
		{"trailing backslash", `default=a\`, []setting{{"default", []string{`a\`}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseTag(c.tag)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(setting{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseTagFaults(t *testing.T) {
	for _, c := range []struct{ name, tag, want string }{
		{"unknown key", "minimum=3", `unknown key "minimum"`},
		{"unknown key with a neighbour", "optionl", `unknown key "optionl"; did you mean "optional"?`},
		{"empty key", "min=1,,max=2", `empty key in ",max=2"`},
		{"no key", "=3", `empty key in "=3"`},
		{"value missing", "min", `key "min" needs a value, as in min=VALUE`},
		{"value too much", "optional=true", `key "optional" takes no value`},
		{"twice", "min=1,min=2", `key "min" is given twice`},
		{"open quote", "default='a,b", `key "default": no closing quote in "'a,b"`},
		{"text after quote", "default='a'b", `key "default": text after the closing quote of "'a'b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseTag(c.tag)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// FuzzTag: no tag crashes the parser, and what it accepts survives being
// written in quotes and read again.
func FuzzTag(f *testing.F) {
	for _, s := range []string{
		"", "optional", "default=10,min=1,max=50", "enum=a|'b,c'|d\\|e", `pattern='^\d{1,3}$'`, `default=a\,b`, "default='it''s'",
		"unique,minitems=1", "header=Region", "title=", "x", "=", ",", "'", "min='", "enum=|", "\x00", "default=\\",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		got, err := parseTag(tag)
		if err != nil {
			return
		}
		var parts []string
		for _, s := range got {
			part := s.key
			if s.values != nil {
				quoted := make([]string, len(s.values))
				for i, v := range s.values {
					quoted[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
				}
				part += "=" + strings.Join(quoted, "|")
			}
			parts = append(parts, part)
		}
		again, err := parseTag(strings.Join(parts, ","))
		if err != nil {
			t.Fatalf("%q was read as %v, and cannot be read again: %v", tag, got, err)
		}
		if d := cmp.Diff(got, again, cmp.AllowUnexported(setting{})); d != "" {
			t.Fatal(d)
		}
	})
}
