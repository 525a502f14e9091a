package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// Bounds of what is read from responses that are no answer.
const (
	maxRefusal  = 64 << 10 // bytes of a body that may be a JSON-RPC error
	maxDetail   = 160      // characters of it in an error
	maxSession  = 4 << 10  // bytes of a session id
	maxLingers  = 4 << 10  // bytes read behind an answer to keep the connection
	lingerFor   = 100 * time.Millisecond
	maxAnswered = 8 // requests of the server that are answered at once, beside those that wait for a handler
)

// httpExchange is one request and the response to its POST.
type httpExchange struct {
	l   *httpLink
	p   *peer
	o   *outgoing
	id  jsonrpc.ID
	r   *response
	ctx context.Context //nolint:containedctx // an exchange lives as long as its context

	// session is the id that the response came with or belongs to.
	session string
	// pace is where the stream of the response is.
	pace pace
	// odd is the last thing on a stream that could not be used, for the error of
	// a stream that ends without an answer.
	odd error
}

// read reads the answer, whatever form it has. It always ends the exchange.
func (x *httpExchange) read() (*answer, error) {
	r := x.r
	var a *answer
	err := x.sessionOf()
	if err != nil {
		r.release()
		return nil, err
	}
	switch contentType := r.Header.Get("Content-Type"); {
	case r.StatusCode < 200 || r.StatusCode >= 300:
		defer r.release()
		a, err = x.l.refused(r, x.id, x.p.session != "")
	case httpx.IsEventStream(contentType):
		a, err = x.stream()
	case httpx.IsJSON(contentType) || contentType == "":
		defer r.release()
		a, err = x.body()
	default:
		defer r.release()
		err = fmt.Errorf("%w: HTTP %d with a body of type %q, which is neither %s nor %s: %s",
			mcp.ErrInvalidResponse, r.StatusCode, clip(contentType), httpx.JSON, httpx.EventStream, quoted(readSome(r.Body)))
	}
	if err != nil {
		return nil, err
	}
	if x.o.opening {
		a.session = x.session
	}
	return a, nil
}

// sessionOf takes the session id that came with the answer to initialize. On
// anything else, and from a server without sessions, the header means nothing.
func (x *httpExchange) sessionOf() error {
	x.session = x.p.session
	if !x.o.opening || x.p.manners.describes || x.r.StatusCode < 200 || x.r.StatusCode >= 300 {
		return nil
	}
	id := x.r.Header.Get(headerSession)
	if len(id) > maxSession || !plain(id) {
		return fmt.Errorf("%w: the session id has characters other than visible ASCII, or more than %d of them", mcp.ErrInvalidResponse, maxSession)
	}
	x.session = id
	return nil
}

// body reads one JSON body.
func (x *httpExchange) body() (*answer, error) {
	limit := x.l.c.cfg.Limits.Message
	b, err := httpx.ReadAll(x.r.Body, x.r.ContentLength, int64(limit))
	switch {
	case errors.Is(err, httpx.ErrTooLarge):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	// The answer's bytes live on in the result, so the buffer is not given back.
	text := b.Bytes()
	if len(text) == 0 {
		return nil, fmt.Errorf("%w: HTTP %s without an answer", mcp.ErrInvalidResponse, statusText(x.r.StatusCode))
	}
	if a, err := x.message(text); a != nil || err != nil {
		return a, err
	}
	return nil, fmt.Errorf("%w: %w", mcp.ErrInvalidResponse, x.odd)
}

func tooLarge(limit int) error {
	return fmt.Errorf("%w: the answer has more than %d bytes (Config.Limits.Message)", mcp.ErrTooLarge, limit)
}

// refused reads a response whose status is no success. A JSON-RPC error in it
// is the answer, whatever the status (T-11); an error without an id, or with
// one that is not ours, too, since a POST has but one request. In a session,
// 404 means that it is gone, unless it says that this very request has an
// unknown method (T-57, SES-02).
func (l *httpLink) refused(r *response, id jsonrpc.ID, session bool) (*answer, error) {
	text := readSome(r.Body)
	m, fault := jsonrpc.Parse(text, l.c.cfg.Limits.Depth)
	spoken := fault == nil && m.Kind == jsonrpc.Response && m.Error != nil
	detail := oneLine(string(text))
	if spoken {
		detail = oneLine(m.Error.Message)
	}
	switch status := r.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		e := &AuthError{Status: status, Challenge: r.Header.Values("Www-Authenticate"), Detail: detail}
		if status == http.StatusProxyAuthRequired {
			e.Challenge = r.Header.Values("Proxy-Authenticate")
		}
		if spoken {
			e.fault = answerOf(m, status).fault
		}
		return nil, e
	case session && status == http.StatusNotFound && !(spoken && m.ID == id && m.Error.Code == int64(mcp.CodeMethodNotFound)):
		return nil, &sessionGone{err: &StatusError{Status: status, Detail: detail}}
	case spoken:
		return answerOf(m, status), nil
	default:
		return nil, &StatusError{Status: status, RetryAfter: retryAfter(r.Header), Detail: detail}
	}
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110, 10.2.3).
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at).Round(time.Second), 0)
	}
	return 0
}

// readSome reads the beginning of a body.
func readSome(body io.Reader) []byte {
	text, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	if err != nil && len(text) == 0 {
		return nil
	}
	return text
}

// oneLine makes a text fit for an error: printable, on one line, short.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s[:min(len(s), 4*maxDetail)])
	return clip(strings.Join(strings.Fields(s), " "))
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxDetail {
		return string(r[:maxDetail]) + "…"
	}
	return s
}

func quoted(text []byte) string { return strconv.Quote(oneLine(string(text))) }
