package httpx

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5

// RedirectError says why a redirect was not followed.
type RedirectError struct {
	// From and To are origins, without paths, queries or credentials.
	From, To string
	// Reason is what is wrong with following.
	Reason string
}

// Error names both origins and the reason.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirect from %q to %q not followed: %s", e.From, e.To, e.Reason)
}

// Redirect is the policy for [http.Client.CheckRedirect]. A redirect is
// followed, five times at most, to the same scheme, host and port and with the
// same method: credentials, session ids and messages never leave the origin
// they were meant for, and a POST never becomes a GET (RFC 9110, 15.4). The
// error is a [*RedirectError].
func Redirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	from, to := Origin(first.URL), Origin(req.URL)
	refuse := func(reason string) error { return &RedirectError{From: from, To: to, Reason: reason} }
	switch {
	case from != to:
		return refuse("it is another origin; connect to that address if it is trusted")
	case req.Method != first.Method:
		return refuse(fmt.Sprintf("it turns %s into %s; the server should answer 307 or 308", first.Method, req.Method))
	case len(via) > maxRedirects:
		return refuse(fmt.Sprintf("more than %d redirects", maxRedirects))
	default:
		return nil
	}
}

// Origin is scheme, host and port of u in the one spelling that can be
// compared: lower case, without the scheme's default port.
func Origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == defaultPort(scheme) {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return scheme + "://" + host
}
