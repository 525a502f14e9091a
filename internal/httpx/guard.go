package httpx

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// GuardConfig says which callers a [Guard] lets through beyond the safe ones.
// The zero value is right for a server on loopback and for one that no browser
// application calls.
type GuardConfig struct {
	// Hosts are further values of the Host header to answer to, as name or
	// name:port; a name alone stands for every port. When it is not empty, Host
	// is checked on every connection, not only on loopback ones.
	Hosts []string
	// Origins are the origins whose pages may call, as scheme://host or
	// scheme://host:port. They are compared whole.
	Origins []string
	// AllowAnyOrigin lets every web page in the world call this server with the
	// network position of the user who looks at it.
	AllowAnyOrigin bool
}

// Guard refuses what a web page in a user's browser could send here without the
// user's knowledge (M-HTTP-002, M-HTTP-005). A page names its origin, and a page
// that rebinds its own name to this machine also names that host:
//
//   - Origin is checked on every request that has one. Without one the caller is
//     no browser. Loopback origins of any port are allowed on loopback
//     connections; others only when they are configured.
//   - Host is checked when the connection ends at a loopback address, where the
//     only honest names are localhost, 127.0.0.0/8 and ::1. Behind a public name
//     the server cannot know its names, so nothing is checked there by default; a
//     proxy on the same machine that keeps the public Host needs it in Hosts.
//
// What a connection ends at is read from [http.LocalAddrContextKey]. Where there
// is none, as in a handler called without a server, the connection counts as not
// loopback.
type Guard struct {
	hosts     map[string]bool
	origins   map[string]bool
	anyOrigin bool
}

// NewGuard checks the configuration and builds a Guard. The error names every
// entry that is wrong.
func NewGuard(c GuardConfig) (*Guard, error) {
	g := &Guard{hosts: map[string]bool{}, origins: map[string]bool{}, anyOrigin: c.AllowAnyOrigin}
	var faults []error
	for _, h := range c.Hosts {
		name, port, ok := splitHost(h)
		if !ok {
			faults = append(faults, fmt.Errorf("allowed host %q: write it as name or name:port", h))
			continue
		}
		g.hosts[joinHost(name, port)] = true
	}
	for _, o := range c.Origins {
		norm, ok := normalOrigin(o)
		if !ok {
			faults = append(faults, fmt.Errorf("allowed origin %q: write it as scheme://host or scheme://host:port; AllowAnyOrigin allows all", o))
			continue
		}
		g.origins[norm] = true
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return g, nil
}

// Check is nil when r may be served. Otherwise it is a [*RefusedError] of
// status 403. It looks at headers alone and reads nothing.
func (g *Guard) Check(r *http.Request) error {
	local := onLoopback(r)
	if (local || len(g.hosts) > 0) && !g.allowsHost(r.Host, local) {
		return forbidden("host %s is not a name of this server; add it to the allowed hosts if it is", bounded(r.Host))
	}
	if g.anyOrigin {
		return nil
	}
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		return nil
	case 1:
		if !g.allowsOrigin(trimOWS(origins[0]), local) {
			return forbidden("origin %s is not allowed; add it to the allowed origins if it should be", bounded(origins[0]))
		}
		return nil
	default:
		return forbidden("%d Origin headers; a browser sends one", len(origins))
	}
}

// AllowsOrigin reports whether a page of that origin may call with requests
// like r. It is what answers a CORS preflight.
func (g *Guard) AllowsOrigin(r *http.Request, origin string) bool {
	return g.anyOrigin || g.allowsOrigin(origin, onLoopback(r))
}

func (g *Guard) allowsHost(host string, local bool) bool {
	name, port, ok := splitHost(host)
	if !ok {
		return false
	}
	if local && isLoopbackName(name) {
		return true
	}
	return len(g.hosts) > 0 && (g.hosts[name] || g.hosts[joinHost(name, port)])
}

func (g *Guard) allowsOrigin(origin string, local bool) bool {
	if g.origins[origin] {
		return true
	}
	norm, ok := normalOrigin(origin)
	if !ok {
		return false
	}
	if g.origins[norm] {
		return true
	}
	if !local {
		return false
	}
	scheme, host, _ := strings.Cut(norm, "://")
	name, _, ok := splitHost(host)
	return ok && (scheme == "http" || scheme == "https") && isLoopbackName(name)
}

// onLoopback reports whether the connection of r ends at a loopback address.
func onLoopback(r *http.Request) bool {
	switch addr := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return addr.IP.IsLoopback()
	case net.Addr:
		ap, err := netip.ParseAddrPort(addr.String())
		return err == nil && ap.Addr().Unmap().IsLoopback()
	default:
		return false
	}
}

// isLoopbackName takes a name as [splitHost] returns it.
func isLoopbackName(name string) bool {
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// splitHost parses the value of a Host header: a name in lower case without the
// root's dot, IPv6 without brackets, and the port or "".
func splitHost(host string) (name, port string, ok bool) {
	name = host
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return "", "", false
		}
		name, port = host[1:end], host[end+1:]
		if ip, err := netip.ParseAddr(name); err != nil || !ip.Is6() {
			return "", "", false
		}
	} else if colon := strings.IndexByte(host, ':'); colon >= 0 {
		name, port = host[:colon], host[colon:]
	}
	if port != "" {
		if port = port[1:]; port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" || host[len(host)-len(port)-1] != ':' {
			return "", "", false
		}
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "" || strings.ContainsAny(name, "/\\@?#*, \t") {
		return "", "", false
	}
	return name, port, true
}

// joinHost is a key of the set of hosts.
func joinHost(name, port string) string {
	if port == "" {
		return name
	}
	return name + " " + port
}

// normalOrigin is an origin as browsers write it (RFC 6454, 6.2): lower case,
// without the scheme's default port. "null" is no origin here: every sandboxed
// page and every local file has that one.
func normalOrigin(origin string) (string, bool) {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || strings.ContainsAny(origin, "?#*") {
		return "", false
	}
	name, port, ok := splitHost(u.Host)
	if !ok {
		return "", false
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port == "" || port == defaultPort(u.Scheme) {
		return u.Scheme + "://" + name, true
	}
	return u.Scheme + "://" + name + ":" + port, true
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	default:
		return ""
	}
}

func forbidden(format string, args ...any) error {
	return &RefusedError{Status: http.StatusForbidden, Reason: fmt.Sprintf(format, args...)}
}

// bounded quotes a header for a log: whoever sent it does not decide how long it is.
func bounded(s string) string {
	const most = 100
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
