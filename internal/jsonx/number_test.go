package jsonx

import (
	"strings"
	"testing"
)

// TestInteger: literals of any size, exactly (JSON-03, T-51, M-VAL-006).
func TestInteger(t *testing.T) {
	zeros := strings.Repeat("0", 1000)
	for _, c := range []struct {
		lit, want string
		ok        bool
	}{
		{"0", "0", true}, {"-0", "0", true}, {"0.0", "0", true}, {"-0e5", "0", true}, {"42", "42", true}, {"-7", "-7", true},
		{"42.0", "42", true}, {"1e2", "100", true}, {"1E+2", "100", true}, {"4.2e1", "42", true}, {"4200e-2", "42", true}, {"-1.50e1", "-15", true},
		{"9007199254740993", "9007199254740993", true}, {"18446744073709551615", "18446744073709551615", true},
		{"123456789012345678901234567890", "123456789012345678901234567890", true},
		{"1" + zeros, "1" + zeros, true}, {"1" + zeros + ".0", "1" + zeros, true}, {"1" + zeros + "e-1000", "1", true},
		{"1.5", "", false}, {"1e-1", "", false}, {"1" + zeros + "e-1001", "", false},
		{"1e400", "1" + zeros[:400], true}, {"1e999", "", false}, {"1e999999999", "", false}, {"1e-999999999", "", false}, {"1e99999999999999999999", "", false}, {"1e18446744073709551616", "", false}, // 2^64
		{"0e999999999", "0", true}, {"0e99999999999999999999", "0", true}, {"1e0000000000000000000002", "100", true},
	} {
		if got, ok := Integer([]byte(c.lit)); got != c.want || ok != c.ok {
			t.Errorf("Integer(%.60s) = %.60q, %v; want %.60q, %v", c.lit, got, ok, c.want, c.ok)
		}
	}
}

// TestEqualNumber: by value, exactly, and never through a float64.
func TestEqualNumber(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "1", true}, {"1", "1.0", true}, {"1.50", "15e-1", true}, {"0", "-0.0", true}, {"0e7", "0", true}, {"1e2", "100", true},
		{"1", "-1", false}, {"1", "2", false}, {"1", "10", false}, {"9007199254740993", "9007199254740992", false},
		{"1e400", "1e401", false}, {"1e-400", "0", false}, {"1e400", "10e399", true},
		{"1e10000000000", "1e100000000000", false}, {"1e10000000000", "10e9999999999", true},
		{"1e99999999999999999999", "1e99999999999999999999", true}, {"1e99999999999999999999", "1e99999999999999999998", false},
		{"1e18446744073709551616", "1", false}, {"1e18446744073709551618", "100", false}, // 2^64 and more
		{"", "", false}, {"true", "true", false}, {"1", "true", false}, {"e", "e", false},
	} {
		if got := EqualNumber([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("EqualNumber(%s, %s) is %v", c.a, c.b, got)
		}
		if got := EqualNumber([]byte(c.b), []byte(c.a)); got != c.want {
			t.Errorf("EqualNumber(%s, %s) is %v", c.b, c.a, got)
		}
	}
}

// TestSafeInteger: up to 2^53-1, in either direction and spelling.
func TestSafeInteger(t *testing.T) {
	for lit, want := range map[string]bool{
		"0": true, "-1": true, "9007199254740991": true, "-9007199254740991": true, "9007199254740992": false, "-9007199254740992": false,
		"1e15": true, "1e16": false, "1.0": true, "1.5": false, "10000000000000000": false, "": false, "-": false,
	} {
		if SafeInteger([]byte(lit)) != want {
			t.Errorf("SafeInteger(%s) is not %v", lit, want)
		}
	}
}
