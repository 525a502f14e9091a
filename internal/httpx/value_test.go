package httpx

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

// The table of Value Encoding (M-ENC-001 to M-ENC-006), T-16 and MOD-04.
var encodings = []struct{ name, value, header string }{
	{"plain", "us-west1", "us-west1"},
	{"inner blank", "us west 1", "us west 1"},
	{"empty", "", ""},
	{"integer", "-7", "-7"},
	{"boolean", "true", "true"},
	{"all of ASCII that is safe", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~"},
	{"beyond ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
	{"blanks at both ends", " padded ", "=?base64?IHBhZGRlZCA=?="},
	{"blank at the end", "us-west1 ", "=?base64?dXMtd2VzdDEg?="},
	{"only a blank", " ", "=?base64?IA==?="},
	{"line end", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
	{"tab at the start", "\tindented", "=?base64?CWluZGVudGVk?="},
	{"inner tab", "a\tb", "=?base64?YQli?="},
	{"DEL", "a\x7f", "=?base64?YX8=?="},
	{"NUL", "\x00", "=?base64?AA==?="},
	{"header injection", "a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="},
	{"looks encoded", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
	{"looks encoded, marks overlap", "=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},
	{"looks encoded, nothing inside", "=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="},
	{"upper-case mark", "=?BASE64?x?=", "=?BASE64?x?="},
	{"opening mark alone", "=?base64?", "=?base64?"},
	{"closing mark alone", "SGVsbG8=?=", "SGVsbG8=?="},
	{"long", strings.Repeat("x", 200<<10), strings.Repeat("x", 200<<10)},
}

func TestEncodeHeader(t *testing.T) {
	for _, c := range encodings {
		t.Run(c.name, func(t *testing.T) {
			if got := EncodeHeader(c.value); got != c.header {
				t.Errorf("EncodeHeader(%q) = %q, want %q", c.value, got, c.header)
			}
			if got, err := DecodeHeader(c.header); err != nil || got != c.value {
				t.Errorf("DecodeHeader(%q) = %q, %v; want %q", c.header, got, err, c.value)
			}
		})
	}
}

// M-ENC-006, M-ENC-009, M-VAL-005, M-XMH-025, T-16.
func TestDecodeHeader(t *testing.T) {
	for _, c := range []struct{ name, header, want, fault string }{
		{"overlapping marks are a literal", "=?base64?=", "=?base64?=", ""},
		{"nothing between the marks", "=?base64??=", "", ""},
		{"no opening mark", "SGVsbG8=", "SGVsbG8=", ""},
		{"no closing mark", "=?base64?SGVsbG8=", "=?base64?SGVsbG8=", ""},
		{"mixed-case mark", "=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?=", ""},
		{"inner tab is a legal literal", "a\tb", "a\tb", ""},
		{"missing padding", "=?base64?SGVsbG8?=", "", "illegal base64 data at input byte 4"},
		{"too much padding", "=?base64?SGVsbG8==?=", "", "illegal base64 data at input byte 8"},
		{"URL alphabet", "=?base64?-_-_?=", "", "illegal base64 data at input byte 0"},
		{"junk in the unused bits", "=?base64?SGVsbG9=?=", "", "illegal base64 data at input byte 7"},
		{"blank inside", "=?base64?SGVs bG8=?=", "", "illegal base64 data at input byte 4"},
		{"not UTF-8", "=?base64?/w==?=", "", "the base64 does not hold UTF-8"},
		{"surrogate", "=?base64?7aCA?=", "", "the base64 does not hold UTF-8"},
		{"raw UTF-8", "caf\u00e9", "", "byte 0xc3 at offset 3"},
		{"line end in base64", "=?base64?SGVs\nbG8=?=", "", "byte 0x0a at offset 13"},
		{"NUL", "a\x00", "", "byte 0x00 at offset 1"},
		{"DEL", "\x7f", "", "byte 0x7f at offset 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodeHeader(c.header)
			if c.fault == "" {
				if err != nil || got != c.want {
					t.Errorf("got %q, %v; want %q", got, err, c.want)
				}
				return
			}
			if !errors.Is(err, ErrHeaderValue) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("got %q, %v; want an error with %q", got, err, c.fault)
			}
		})
	}
}

// A string that is no UTF-8 is not repaired on the way.
func TestInvalidUTF8IsNotRepaired(t *testing.T) {
	v := EncodeHeader("a\xff")
	if got, err := DecodeHeader(v); !errors.Is(err, ErrHeaderValue) {
		t.Errorf("DecodeHeader(%q) = %q, %v; want an error", v, got, err)
	}
}

func FuzzHeader(f *testing.F) {
	for _, c := range encodings {
		if len(c.value) < 1000 {
			f.Add(c.value)
			f.Add(c.header)
		}
	}
	f.Add("=?base64?SGVsbG8?=")
	f.Fuzz(func(t *testing.T, s string) {
		v := EncodeHeader(s)
		if strings.Trim(v, " \t") != v {
			t.Fatalf("%q has blanks around it", v)
		}
		for i := range len(v) {
			if v[i] < ' ' || v[i] > '~' {
				t.Fatalf("%q is not header-safe", v)
			}
		}
		switch got, err := DecodeHeader(v); {
		case !utf8.ValidString(s):
			if err == nil {
				t.Fatalf("%q passed as %q", s, got)
			}
		case err != nil || got != s:
			t.Fatalf("%q became %q, %v by way of %q", s, got, err, v)
		}
		// Whatever a peer sends, what it decodes to encodes and decodes to itself.
		if got, err := DecodeHeader(s); err == nil {
			if again, err := DecodeHeader(EncodeHeader(got)); err != nil || again != got {
				t.Fatalf("%q decoded to %q, which came back as %q, %v", s, got, again, err)
			}
		}
	})
}

// Encoded values cross a real HTTP connection unchanged, the empty one too.
func TestHeaderOverHTTP(t *testing.T) {
	seen := make(chan http.Header, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
	defer srv.Close()
	client := srv.Client()
	defer client.CloseIdleConnections()
	for _, c := range encodings {
		if len(c.value) > 1000 {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Mcp-Name", EncodeHeader(c.value))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		resp.Body.Close()
		v, present, err := Single(<-seen, "Mcp-Name")
		if err != nil || !present {
			t.Fatalf("%s: present %t, %v", c.name, present, err)
		}
		if got, err := DecodeHeader(v); err != nil || got != c.value {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.value)
		}
	}
}

func BenchmarkDecodeHeader(b *testing.B) {
	for name, v := range map[string]string{"plain": "get_weather", "encoded": "=?base64?SGVsbG8sIOS4lueVjA==?="} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeHeader(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
