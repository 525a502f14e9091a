package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

// How streams are taken up again.
const (
	firstRetry = time.Second            // before the first attempt, when the server says nothing
	longRetry  = 30 * time.Second       // what pauses grow to
	leastRetry = 100 * time.Millisecond // whatever the server says
	maxEventID = 4 << 10                // bytes of an event's id that is sent back
)

// pace is where a stream is, and when it is taken up again should it end.
type pace struct {
	last  string        // id of the last event that had one
	retry time.Duration // what the server asked for, 0 when it did not
	tries int           // attempts in a row that brought nothing new
}

// note takes what an event says about the stream. An id or data is something
// new (SSE-04, HTTP-15).
func (p *pace) note(e sse.Event) {
	if e.HasRetry {
		p.retry = max(e.Retry, leastRetry)
	}
	if e.HasID && e.ID != p.last || !e.Empty() {
		p.tries = 0
	}
	if !e.HasID {
		return
	}
	p.last = e.ID
	if len(e.ID) > maxEventID || strings.ContainsFunc(e.ID, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		// It fits no header. Going on behind an earlier one would repeat messages.
		p.last = ""
	}
}

// pause is how long to wait before the next attempt: exactly what the server
// asked for (L-HTTP-33), and else more each time.
func (p *pace) pause() time.Duration {
	if p.retry > 0 {
		return p.retry
	}
	return backoff(p.tries)
}

// backoff is a pause after n attempts that brought nothing.
func backoff(n int) time.Duration {
	d := min(firstRetry<<min(n, 10), longRetry)
	return d + rand.N(d/2) //nolint:gosec // it spreads load and guards no secret
}

// wait blocks for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// streamHeader is the header of a GET for a stream of a session that goes on
// behind the event named last, if there is one.
func (l *httpLink) streamHeader(p *peer, session, last string) http.Header {
	h := l.base.Clone()
	h.Del("Content-Type")
	h.Set("Accept", httpx.EventStream)
	if session != "" {
		h.Set(headerSession, session)
	}
	if p.manners.version != "" {
		h.Set(headerVersion, p.manners.version)
	}
	if last != "" {
		h.Set("Last-Event-ID", last)
	}
	return h
}

// notOpened says why a GET brought no stream.
type notOpened struct {
	err    error
	status int           // the HTTP status, 0 without one
	after  time.Duration // what the server asks to be left alone for
}

func (e *notOpened) Error() string { return e.err.Error() }
func (e *notOpened) Unwrap() error { return e.err }

// passing reports whether another attempt may do better.
func (e *notOpened) passing() bool {
	switch e.status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.status >= 500
}

// openStream GETs a stream. The error is a *notOpened.
func (l *httpLink) openStream(ctx context.Context, header http.Header) (*response, error) {
	r, err := l.do(ctx, http.MethodGet, header, nil)
	if err != nil {
		return nil, &notOpened{err: err}
	}
	good := r.StatusCode >= 200 && r.StatusCode < 300
	if good && httpx.IsEventStream(r.Header.Get("Content-Type")) {
		return r, nil
	}
	defer r.release()
	if good {
		return nil, &notOpened{status: r.StatusCode, err: fmt.Errorf("%w: HTTP %d with a body of type %q, which is not %s",
			mcp.ErrInvalidResponse, r.StatusCode, clip(r.Header.Get("Content-Type")), httpx.EventStream)}
	}
	a, err := l.refused(r, jsonrpc.ID{}, false)
	if err == nil {
		err = fmt.Errorf("HTTP %s: %w", statusText(r.StatusCode), a.fault)
	}
	return nil, &notOpened{status: r.StatusCode, after: retryAfter(r.Header), err: err}
}

// cutError is a stream that ended before the answer came.
type cutError struct{ err error }

func (e *cutError) Error() string { return e.err.Error() }
func (e *cutError) Unwrap() error { return e.err }

// resume takes up the stream again where it was cut (L-HTTP-34, L-HTTP-45): the
// server goes on with the request, so it is not sent again. The error is cut
// when there is no way to go on, with the reason if there is one.
func (x *httpExchange) resume(cut *cutError) error {
	limit := x.l.c.cfg.MaxReconnects
	if !x.p.manners.streams || x.pace.last == "" || limit < 0 {
		return cut // M-HTTP-032
	}
	var after time.Duration
	failed := errors.New("what came brought nothing new")
	for x.pace.tries < limit {
		if err := wait(x.ctx, max(x.pace.pause(), after)); err != nil {
			return err
		}
		x.pace.tries++
		h := x.l.streamHeader(x.p, x.session, x.pace.last)
		if x.o.opening {
			h.Del(headerVersion) // nothing is agreed
		}
		r, err := x.l.openStream(x.ctx, h)
		if err == nil {
			x.r = r
			return nil
		}
		failed = err
		var not *notOpened
		if !errors.As(err, &not) || !not.passing() {
			if not != nil && not.status == http.StatusNotFound && x.session != "" {
				// The request may have run, so it is not for a new session.
				err = fmt.Errorf("%w: %w", mcp.ErrSessionLost, err)
			}
			return fmt.Errorf("%w; it cannot be resumed: %w", cut, err)
		}
		after = not.after
	}
	return fmt.Errorf("%w; it was not resumed in %d attempts (Config.MaxReconnects): %w", cut, limit, failed)
}
