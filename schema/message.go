package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what is said about one bad value.
const (
	// maxFaults is how many faults one Decode, DecodeChecked or Validate reports.
	maxFaults = 25
	// maxShown is how many characters of a value a fault shows.
	maxShown = 80
	// maxChoices is how many allowed values or names a fault lists.
	maxChoices = 20
)

// moreFaults ends a list of faults that is not complete.
const moreFaults = "there may be more; correct these first"

// Fault is one thing that is wrong with a value, in words that let a model (or
// a person) correct it.
type Fault struct {
	// Path leads to the place, as in filter.tags[2]; names that are no plain
	// words are quoted, as in headers["x-id"]. Empty for the value as a whole.
	Path string
	// Message says what was expected, as in "must be at most 50".
	Message string
	// Value is the offending value as JSON, at most 80 characters of it, or
	// empty. Values of members whose names speak of secrets are not shown.
	Value string
	// Suggest is a remedy, as in `did you mean "limit"?`, or empty.
	Suggest string
}

// Error is the fault as one line: path, message, value, suggestion.
func (f Fault) Error() string {
	var b strings.Builder
	if f.Path != "" {
		b.WriteString(f.Path)
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Value != "" {
		b.WriteString("; got ")
		b.WriteString(f.Value)
	}
	if f.Suggest != "" {
		b.WriteString("; ")
		b.WriteString(f.Suggest)
	}
	return b.String()
}

// Faults is everything that is wrong with one value, in the order of the text.
// It is the error of [Plan.Decode], [Plan.DecodeChecked], [Plan.Append] and
// [Validator.Validate] for a value that does not fit; use errors.As to reach
// it. At most 25 faults are kept; the last one then says that there may be more.
type Faults []Fault

// Error is the faults as one block: a single line for one fault, else a count
// and one line each.
func (f Faults) Error() string {
	if len(f) == 1 {
		return f[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems:", len(f))
	for _, fault := range f {
		b.WriteString("\n- ")
		b.WriteString(fault.Error())
	}
	return b.String()
}

// prefix puts a step in front of the paths of the faults from index start on.
// It runs only where something is wrong: paths cost nothing on the way in.
func (f Faults) prefix(start int, step string) {
	for i := start; i < len(f); i++ {
		switch p := f[i].Path; {
		case p == "":
			f[i].Path = step
		case strings.HasPrefix(p, "["):
			f[i].Path = step + p
		default:
			f[i].Path = step + "." + p
		}
	}
}

// nameStep is a member's step of a path: the name, quoted unless a plain word.
func nameStep(name string) string {
	for i, r := range name {
		plain := r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && ('0' <= r && r <= '9' || r == '-')
		if !plain {
			return "[" + quote(name) + "]"
		}
	}
	if name == "" || len(name) > maxShown {
		return "[" + quote(name) + "]"
	}
	return name
}

func indexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }

// shown renders raw JSON for a fault: cut to maxShown characters, on one line.
// Of an object or array that seems to hold a secret it shows nothing.
func shown(raw []byte) string {
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && secret(string(raw[:min(len(raw), 4*maxShown)])) {
		return ""
	}
	s := string(raw[:min(len(raw), 4*maxShown+utf8.UTFMax)])
	if utf8.RuneCountInString(s) > maxShown {
		n := 0
		for i := range s {
			if n++; n == maxShown-2 {
				s = s[:i] + "..."
				break
			}
		}
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
}

// quote renders a string for a message: as a JSON-like literal, cut to
// maxShown characters.
func quote(s string) string {
	if utf8.RuneCountInString(s) <= maxShown-2 {
		return strconv.Quote(s)
	}
	n := 0
	for i := range s {
		if n++; n == maxShown-4 {
			return strconv.Quote(s[:i] + "...")
		}
	}
	return strconv.Quote(s)
}

// list renders choices: "a", "b" and 12 more.
func list(choices []string) string {
	var b strings.Builder
	for i, c := range choices {
		if i == maxChoices {
			fmt.Fprintf(&b, " and %d more", len(choices)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c)
	}
	return b.String()
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return out
}

// secretWords mark members whose values no fault shows.
var secretWords = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "credential", "privatekey", "authorization"}

func secret(name string) bool {
	f := fold(name)
	for _, w := range secretWords {
		if strings.Contains(f, w) {
			return true
		}
	}
	return false
}
