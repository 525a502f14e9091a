package server

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names makes the name clients see from the name of a service, which may be
// empty, and the name an entry was declared with. It is called for tools and
// prompts, once for each, when a service is added.
//
// Without one, tools are service_tool and prompts are service.prompt, and an
// empty service name adds nothing; the names of tools must then be 1 to 64
// letters, digits, "_" and "-", which every model API accepts. With one, they
// must be what the protocol allows: 1 to 128 letters, digits, "_", "-" and "."
// (revision 2026-07-28, "Tool Names").
type Names func(kind Kind, service, name string) string

const (
	protocolNameMax = 128
	modelNameMax    = 64
)

// defaultNames is the policy of a nil Names.
func defaultNames(kind Kind, service, name string) string {
	switch {
	case service == "":
		return name
	case kind == KindPrompt:
		return service + "." + name
	default:
		return service + "_" + name
	}
}

// checkName says what is wrong with the full name of a tool or prompt, or
// returns an empty string. Names that a policy of the application chose only
// have to satisfy the protocol.
func checkName(kind Kind, full string, chosen bool) string {
	if full == "" {
		return "the name is empty"
	}
	if kind == KindPrompt {
		return checkPromptName(full)
	}
	limit, extra, listed, reader := modelNameMax, "_-", `"_" and "-"`, "model APIs accept"
	if chosen {
		limit, extra, listed, reader = protocolNameMax, "_-.", `"_", "-" and "."`, "the protocol allows"
	}
	if i := strings.IndexFunc(full, func(r rune) bool { return !nameRune(r, extra) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(full[i:])
		return fmt.Sprintf("the name %q has %q; %s letters, digits, %s; %s", full, r, reader, listed, nameFix(chosen))
	}
	if len(full) > limit {
		return fmt.Sprintf("the name %q has %d characters; %s at most %d; %s", full, len(full), reader, limit, nameFix(chosen))
	}
	return ""
}

func nameFix(chosen bool) string {
	if chosen {
		return "change the policy in Config.Names"
	}
	return "rename it, or set Config.Names"
}

// checkPromptName is lenient, as the protocol is silent: what a person can see
// and type in one line.
func checkPromptName(full string) string {
	if !utf8.ValidString(full) || strings.ContainsFunc(full, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fmt.Sprintf("the name %q has characters that cannot be seen", full)
	}
	if len(full) > protocolNameMax {
		return fmt.Sprintf("the name %q has %d bytes; use at most %d", full, len(full), protocolNameMax)
	}
	return ""
}

// checkServiceName says what is wrong with a service's name, or returns an
// empty string. The empty name is a name.
func checkServiceName(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return !nameRune(r, "_-.") }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the service's name has %q; use letters, digits, \"_\", \"-\" and \".\"", r)
	}
	if len(name) > modelNameMax {
		return fmt.Sprintf("the service's name has %d characters; use at most %d", len(name), modelNameMax)
	}
	return ""
}

func nameRune(r rune, extra string) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(extra, r)
}
