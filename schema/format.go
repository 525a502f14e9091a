package schema

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// formats are the string formats a plan asserts, as JSON Schema 2020-12
// section 7.3 defines them. A check returns what is wrong, or nil.
var formats = map[string]func(string) error{
	"date-time":     checkDateTime,
	"date":          checkDate,
	"time":          checkTime,
	"duration":      checkDuration,
	"email":         checkEmail,
	"hostname":      checkHostname,
	"ipv4":          checkIPv4,
	"ipv6":          checkIPv6,
	"uri":           checkURI,
	"uri-reference": checkURIReference,
	"uuid":          checkUUID,
	"regex":         checkRegex,
}

func formatNames() []string {
	names := make([]string, 0, len(formats))
	for n := range formats {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

var errFormat = errors.New("not of this format")

// checkDateTime is RFC 3339 section 5.6 date-time.
func checkDateTime(s string) error {
	_, err := parseDateTime(s)
	return err
}

// parseDateTime reads an RFC 3339 date-time. The letters may be lower case, and
// a leap second counts as the second after it, for Go's clock has none.
func parseDateTime(s string) (time.Time, error) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' && s[10] != 't' {
		return time.Time{}, errFormat
	}
	if err := checkTime(s[11:]); err != nil {
		return time.Time{}, err
	}
	u := strings.ToUpper(s)
	leap := u[17:19] == "60"
	if leap {
		u = u[:17] + "59" + u[19:]
	}
	t, err := time.Parse(time.RFC3339Nano, u)
	if err != nil {
		return time.Time{}, errFormat
	}
	if leap {
		t = t.Add(time.Second)
	}
	return t, nil
}

func checkDate(s string) error {
	if _, err := time.Parse(time.DateOnly, s); err != nil || len(s) != len(time.DateOnly) {
		return errFormat
	}
	return nil
}

// checkTime is RFC 3339 full-time: time, optional fraction, and offset. A leap
// second is one only at 23:59:60 UTC.
func checkTime(s string) error {
	h, m, sec, ok := clock(s)
	if !ok {
		return errFormat
	}
	rest := s[8:]
	if strings.HasPrefix(rest, ".") {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		if n == 1 {
			return errFormat
		}
		rest = rest[n:]
	}
	offset, ok := zone(rest)
	if !ok || h > 23 || m > 59 || sec > 60 {
		return errFormat
	}
	if sec == 60 && ((h*60+m-offset)%1440+1440)%1440 != 23*60+59 {
		return errFormat
	}
	return nil
}

// clock reads hh:mm:ss.
func clock(s string) (h, m, sec int, ok bool) {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, 0, 0, false
	}
	h, ok1 := twoDigits(s[0:2])
	m, ok2 := twoDigits(s[3:5])
	sec, ok3 := twoDigits(s[6:8])
	return h, m, sec, ok1 && ok2 && ok3
}

// zone reads Z or +hh:mm, in minutes.
func zone(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	h, ok1 := twoDigits(s[1:3])
	m, ok2 := twoDigits(s[4:6])
	if !ok1 || !ok2 || h > 23 || m > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -(h*60 + m), true
	}
	return h*60 + m, true
}

func twoDigits(s string) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

var durationForm = regexp.MustCompile(`^P(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?(T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)$`)

// checkDuration is RFC 3339 appendix A: an ISO 8601 duration.
func checkDuration(s string) error {
	if s == "P" || !durationForm.MatchString(s) {
		return errFormat
	}
	return nil
}

var emailLocal = regexp.MustCompile("^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|\"(?:[^\"\\\\\\x00-\\x1f\\x7f]|\\\\[\\x20-\\x7e])*\")$")

// checkEmail is an RFC 5321 mailbox: local part, domain or address literal.
func checkEmail(s string) error {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || len(s) > 254 || at > 64 || !isASCII(s) || !emailLocal.MatchString(s[:at]) {
		return errFormat
	}
	domain := s[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		if v6, is6 := strings.CutPrefix(literal, "IPv6:"); ok && is6 {
			return checkIPv6(v6)
		}
		if !ok {
			return errFormat
		}
		return checkIPv4(literal)
	}
	return checkHostname(domain)
}

// checkHostname is RFC 1123 section 2.1: labels of letters, digits, hyphens.
func checkHostname(s string) error {
	if s == "" || len(s) > 253 {
		return errFormat
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return errFormat
		}
		for i := range len(label) {
			c := label[i]
			if !isDigit(c) && !isLetter(c) && c != '-' {
				return errFormat
			}
		}
	}
	return nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func checkIPv4(s string) error {
	if a, err := netip.ParseAddr(s); err != nil || !a.Is4() {
		return errFormat
	}
	return nil
}

func checkIPv6(s string) error {
	if a, err := netip.ParseAddr(s); err != nil || !a.Is6() || a.Zone() != "" {
		return errFormat
	}
	return nil
}

// checkURI is RFC 3986 with a scheme.
func checkURI(s string) error {
	u, err := parseURI(s)
	if err != nil || !u.IsAbs() {
		return errors.New("not an absolute URI with a scheme, as in https://example.com/a")
	}
	return nil
}

func checkURIReference(s string) error {
	_, err := parseURI(s)
	return err
}

// parseURI is url.Parse without its leniency towards characters that RFC 3986
// section 2 does not allow unescaped.
func parseURI(s string) (*url.URL, error) {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return nil, fmt.Errorf("character %q must be percent-encoded", s[i:i+1])
		}
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return nil, errors.New("% must be followed by two hexadecimal digits")
		}
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errFormat
	}
	return u, nil
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// checkUUID is RFC 9562 section 4: hyphenated hexadecimal of either case.
func checkUUID(s string) error {
	if len(s) != 36 {
		return errFormat
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return errFormat
			}
		} else if !isHex(s[i]) {
			return errFormat
		}
	}
	return nil
}

// checkRegex accepts what this package can run; see [Compile] on patterns.
func checkRegex(s string) error {
	_, err := compilePattern(s)
	return err
}

// formatExamples show a model what is meant.
var formatExamples = map[string]string{
	"date-time": "2026-07-28T09:30:00Z",
	"date":      "2026-07-28",
	"time":      "09:30:00Z",
	"duration":  "P1DT12H",
	"email":     "name@example.com",
	"hostname":  "www.example.com",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"uri":       "https://example.com/path",
	"uuid":      "123e4567-e89b-12d3-a456-426614174000",
}

// formatWords is what a value of the format is called in a fault.
func formatWords(format string) string {
	if ex := formatExamples[format]; ex != "" {
		return "of format " + format + ", as in " + ex
	}
	return "of format " + format
}

// because is the reason a format check gave, unless it only repeats the rule.
func because(err error) string {
	if errors.Is(err, errFormat) {
		return ""
	}
	return err.Error()
}
