package schema

import (
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format    string
		good, bad []string
	}{
		{"date-time", []string{
			"2026-07-28T09:30:00Z", "2026-07-28T09:30:00.123456789+02:00", "2026-07-28t09:30:00z", "1998-12-31T23:59:60Z",
			"1998-12-31T15:59:60.123-08:00", "2024-02-29T00:00:00Z",
		}, []string{
			"", "2026-07-28", "2026-07-28 09:30:00Z", "2026-07-28T09:30:00", "2026-07-28T24:00:00Z", "2026-02-30T00:00:00Z",
			"1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "2026-07-28T09:30:00+24:00", "2026-07-28T09:30:00.Z", "2026-7-28T09:30:00Z",
			"2026-07-28T09:30Z", "2026-07-28T09:30:00+0200", "2026-07-2৪T09:30:00Z", "2023-02-29T00:00:00Z", "2026-07-28T09:60:00Z",
		}},
		{"date", []string{"2026-07-28", "2024-02-29"}, []string{"", "2026-7-28", "2023-02-29", "2026-07-28T00:00:00Z", "28.07.2026"}},
		{"time", []string{"09:30:00Z", "09:30:00.5-02:00", "23:59:60Z", "01:29:60+01:30"}, []string{"", "09:30:00", "9:30:00Z", "24:00:00Z", "09:30:61Z", "01:00:60Z", "09:30:00+1:00", "ab:cd:efZ"}},
		{"duration", []string{"P1DT12H", "P4Y", "PT0S", "P1M", "PT1M", "P2W", "P1Y2M3DT4H5M6S"}, []string{"", "P", "PT", "P1YT", "P1D2H", "1D", "P1Y1W", "PT1D", "P2S", "P1", "1m30s"}},
		{"email", []string{"a@b", "joe.bloggs@example.com", "te~st@example.com", `"joe bloggs"@example.com`, "joe@[127.0.0.1]", "joe@[IPv6:::1]"}, []string{
			"", "a", "@b", "a@", ".a@b.c", "a.@b.c", "a..b@c.d", "a b@c.d", "a@-b.c", "joe@[127.0.0.300]", "joe@[x", "a@b@c d", "ä@b.c",
		}},
		{"hostname", []string{"a", "www.example.com", "xn--4gbwdl.xn--wgbh1c", "1host", strings.Repeat("a", 63)}, []string{
			"", "-a", "a-", "a..b", ".a", "a_b", "a.", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "aa", "ä.de",
		}},
		{"ipv4", []string{"192.0.2.1", "0.0.0.0"}, []string{"", "192.0.2", "256.0.0.1", "192.0.2.01", "::1", "192.0.2.1/24", "1"}},
		{"ipv6", []string{"::1", "2001:db8::1", "::ffff:192.0.2.1"}, []string{"", "192.0.2.1", "12345::", "::1%eth0", "1::2::3", "::1/64"}},
		{"uri", []string{"https://example.com/a?b=c#d", "mailto:a@b.c", "urn:isbn:1", "http://[::1]/", "tel:+1-816"}, []string{
			"", "//example.com/a", "/a", "a b:c", "http://a b/", "http://example.com/%zz", "\\\\host", "http://a{b}", "://x", "http://x/ä",
		}},
		{"uri-reference", []string{"", "/a", "a", "#b", "//example.com", "https://example.com/%20"}, []string{"a b", "\\\\x", "a<b", "%", "http://[::1"}},
		{"uuid", []string{"2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, []string{
			"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08-aa98-11ea-b4aa73b441d16380-",
		}},
		{"regex", []string{"", "^a+$", `\d{2}`, `[^]`}, []string{"(", "a{2,1}", "(?=a)", `\1`}},
	} {
		for _, s := range c.good {
			if err := formats[c.format](s); err != nil {
				t.Errorf("%s: %q is refused: %v", c.format, s, err)
			}
		}
		for _, s := range c.bad {
			if err := formats[c.format](s); err == nil {
				t.Errorf("%s: %q is accepted", c.format, s)
			}
		}
	}
}

func TestFormatNamesAreCovered(t *testing.T) {
	if got := list(formatNames()); got != "date, date-time, duration, email, hostname, ipv4, ipv6, regex, time, uri, uri-reference, uuid" {
		t.Error(got)
	}
}

// TestPattern: patterns mean what ECMA-262 says, as far as RE2 can.
func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		good, bad []string
	}{
		{`a`, []string{"xax"}, []string{"b"}},
		{`^a$`, []string{"a"}, []string{"a\n", "ba"}},
		{`^\u00e9\u{1F600}$`, []string{"é😀"}, []string{"e"}},
		{`^\cJ$`, []string{"\n"}, []string{"J"}},
		{`^\s$`, []string{" ", "\u00a0", "\ufeff", "\v"}, []string{"\u200b"}},
		{`^\S$`, []string{"\u200b"}, []string{"\u3000"}},
		{`^[\s,]+$`, []string{"\u00a0, "}, []string{"a"}},
		{`^[^]$`, []string{"\n", "a"}, []string{"", "ab"}},
		{`^a[]$`, nil, []string{"a", "a]"}},
		{`^[[:alpha]$`, []string{"[", ":", "p"}, []string{"b"}},
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{`^\/\-\0$`, []string{"/-\x00"}, nil},
		{`^\p{Letter}\p{L}$`, []string{"aé"}, []string{"1a"}},
		{`^(?<year>\d{4})$`, []string{"2026"}, []string{"२०२६"}},
		{`^\\u0041$`, []string{`\u0041`}, []string{"A"}},
		{`^[\]]$`, []string{"]"}, nil},
	} {
		re, err := compilePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, s := range c.good {
			if !re.MatchString(s) {
				t.Errorf("%s does not match %q", c.pattern, s)
			}
		}
		for _, s := range c.bad {
			if re.MatchString(s) {
				t.Errorf("%s matches %q", c.pattern, s)
			}
		}
	}
	for pattern, want := range map[string]string{
		`^(?!a)b`:                 `pattern "^(?!a)b" cannot be used: (?!: Go's regular expressions (RE2) have no look-around and no back-references`,
		`(a)\1`:                   `pattern "(a)\\1" cannot be used: \1: Go's regular expressions (RE2) have no look-around and no back-references`,
		`(`:                       "pattern \"(\" is wrong: error parsing regexp: missing closing ): `(`",
		strings.Repeat("a", 5000): `pattern of 5000 bytes; the limit is 4096`,
	} {
		if _, err := compilePattern(pattern); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	names := []string{"continue", "limit", "query", "max_results", "q", "filePath"}
	for _, c := range []struct{ name, want string }{
		{"cursor", "continue"}, {"limt", "limit"}, {"ilmit", "limit"}, {"Query", "query"}, {"maxResults", "max_results"},
		{"max-results", "max_results"}, {"file_path", "filePath"}, {"filename", "filePath"}, {"top_k", "limit"}, {"search", "query"},
		{"zzz", ""}, {"", ""}, {"x", ""}, {strings.Repeat("limit", 20), ""},
	} {
		if got := closest(c.name, names); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
