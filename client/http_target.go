package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
)

// HTTPOption is something said about a server that is reached over HTTP.
type HTTPOption func(*httpTarget)

// httpTarget is a server at a URL.
type httpTarget struct {
	memory

	url    string
	name   string // url without credentials and query
	header http.Header
	host   string // replaces the URL's, when not empty
	bearer func(context.Context) (string, error)
	client *http.Client
	// ignored are configured headers that the protocol owns.
	ignored []string
	errs    []error
}

// HTTP is a server at a URL with http or https that speaks Streamable HTTP.
// Redirects are followed within the origin alone. Faults of the URL and of the
// options are reported by [Connect].
func HTTP(address string, opts ...HTTPOption) Target {
	t := &httpTarget{url: address, name: "the server", header: http.Header{}}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		t.errs = append(t.errs, fmt.Errorf("client.HTTP: %w", withoutURL(err)))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		t.errs = append(t.errs, fmt.Errorf("client.HTTP: %q is no URL of a server; it looks like https://host/mcp", u.Redacted()))
	default:
		shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
		t.name = shown.String()
	}
	for _, opt := range opts {
		opt(t)
	}
	return t
}

// Bearer sends token with every request (RFC 6750).
func Bearer(token string) HTTPOption {
	return BearerFunc(func(context.Context) (string, error) { return token, nil })
}

// BearerFunc sends what token returns with every request. It is called for each
// one, possibly concurrently, with the context of the request; it should keep
// the token it has. An error ends the request. With an empty token and no error
// the request goes without.
func BearerFunc(token func(context.Context) (string, error)) HTTPOption {
	return func(t *httpTarget) { t.bearer = token }
}

// Header sends a header with every request. Headers that the protocol gives a
// meaning (Accept, Content-Type, Mcp-*, MCP-Protocol-Version and the like) keep
// the protocol's value; trying to set one is logged.
func Header(name, value string) HTTPOption {
	return func(t *httpTarget) {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpx.IsToken(name):
			t.errs = append(t.errs, fmt.Errorf("client.Header: %q is no name of a header", name))
		case strings.ContainsAny(value, "\r\n\x00"):
			t.errs = append(t.errs, fmt.Errorf("client.Header: the value of %s has line ends in it", canonical))
		case canonical == "Host":
			t.host = value
		case reserved(canonical):
			t.ignored = append(t.ignored, canonical)
		default:
			t.header.Set(canonical, value)
		}
	}
}

// reserved reports whether the protocol, or HTTP itself, owns a header (HTTP-12).
func reserved(canonical string) bool {
	switch canonical {
	case "Accept", "Content-Type", "Content-Length", "Transfer-Encoding", "Connection", "Last-Event-Id":
		return true
	}
	return strings.HasPrefix(canonical, "Mcp-")
}

// HTTPClient sends requests through hc: its Transport and Jar are used. Its
// redirect policy is replaced, and its Timeout, which would cut streams, is not
// used; timeouts are those of [Config]. The caller keeps hc.
func HTTPClient(hc *http.Client) HTTPOption {
	return func(t *httpTarget) { t.client = hc }
}

// String is the URL without credentials and query.
func (t *httpTarget) String() string { return t.name }

func (t *httpTarget) open(_ context.Context, c *Client) (link, error) {
	if err := errors.Join(t.errs...); err != nil {
		return nil, err
	}
	for _, name := range t.ignored {
		c.log.Warn("configured header is ignored: the protocol sets it", "server", t.name, "header", name)
	}
	base := t.header.Clone()
	if base.Get("User-Agent") == "" && httpx.IsToken(c.cfg.Info.Name) && httpx.IsToken(c.cfg.Info.Version) {
		base.Set("User-Agent", c.cfg.Info.Name+"/"+c.cfg.Info.Version)
	}
	base.Set("Content-Type", httpx.JSON)
	base.Set("Accept", httpx.JSON+", "+httpx.EventStream)
	l := &httpLink{c: c, target: t, base: base, answering: make(chan struct{}, c.cfg.Limits.Questions+maxAnswered)}
	l.life, l.end = context.WithCancel(context.Background())
	l.client, l.owned = t.httpClient()
	return l, nil
}

// httpClient is the client to send through. owned is its transport when nobody
// else has it.
func (t *httpTarget) httpClient() (hc *http.Client, owned *http.Transport) {
	if t.client != nil {
		own := *t.client
		own.CheckRedirect, own.Timeout = httpx.Redirect, 0
		return &own, nil
	}
	owned = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}
	return &http.Client{Transport: owned, CheckRedirect: httpx.Redirect}, owned
}

// withoutURL is err without the URL in it, which may hold credentials.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
