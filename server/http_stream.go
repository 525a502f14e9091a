package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

// errAnswered is why a notification came too late.
var errAnswered = errors.New("the reply is out")

// answer is what one POST is answered with: one JSON body, or an event stream
// once there is something to send ahead of the reply. Which one is decided as
// late as possible, since a status cannot be taken back (T-10).
//
// It is the sink of the exchange, and safe for concurrent use until finish.
type answer struct {
	w   http.ResponseWriter
	ctx context.Context //nolint:containedctx // the request's: it says when the peer is gone
	cfg *HTTPConfig
	log *slog.Logger
	// json and events are the media types that the client takes.
	json, events bool
	// typ is the type of events. Those of the older revisions name one, for clients
	// that overlook others (SSE-10).
	typ string

	mu     sync.Mutex
	stream *sse.Stream // nil until it is needed
	unfit  error       // why there can be no stream
	done   bool
	last   time.Time // of what was sent on the stream
	timer  *time.Timer
	ticks  sync.WaitGroup // calls of tick that are due or run
}

// begin starts the clock of a call that may take long: a client that hears
// nothing is told that it is alive (CON-17).
func (a *answer) begin() {
	if !a.events {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ticks.Add(1)
	a.timer = time.AfterFunc(a.cfg.KeepAlive, a.tick)
}

// tick sends a comment when nothing else was sent for a while, and comes again.
func (a *answer) tick() {
	defer a.ticks.Done()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done || a.open() != nil {
		return
	}
	wait := a.cfg.KeepAlive - time.Since(a.last)
	if wait <= 0 {
		if a.stream.Comment("keep-alive") != nil {
			return // the peer is gone; whoever sends next finds out
		}
		a.last, wait = time.Now(), a.cfg.KeepAlive
	}
	a.ticks.Add(1)
	a.timer.Reset(wait)
}

// send sends a message ahead of the reply, and makes the answer an event stream if it is none.
func (a *answer) send(_ context.Context, notification []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return errAnswered
	}
	if err := a.open(); err != nil {
		return err
	}
	a.last = time.Now()
	return a.stream.Send(sse.Event{Type: a.typ, Data: notification})
}

// open makes the answer an event stream. A writer that cannot flush would keep
// events until the reply, so there is no stream then; somebody should know
// (HTTP-05).
func (a *answer) open() error {
	if a.stream != nil || a.unfit != nil {
		return a.unfit
	}
	stream, err := sse.Open(a.ctx, a.w, a.cfg.WriteTimeout)
	if err != nil {
		a.log.Error("notifications are dropped: a middleware around the server hides how to flush", "error", err)
		a.unfit = err
		return err
	}
	a.stream = stream
	return nil
}

// finish sends the reply, and ends the answer: nothing of it runs any more.
func (a *answer) finish(r reply) {
	a.mu.Lock()
	if !a.done {
		a.done = true
		a.write(r)
	}
	if a.stream != nil {
		a.stream.Close()
	}
	a.mu.Unlock()
	if a.timer != nil {
		if a.timer.Stop() {
			a.ticks.Done()
		}
		a.ticks.Wait()
	}
}

func (a *answer) write(r reply) {
	switch {
	case a.stream != nil:
		if r.body != nil {
			// A peer that is gone is not told, and that is all there is to it.
			_ = a.stream.Send(sse.Event{Type: a.typ, Data: r.body})
		}
	case r.body == nil:
		a.nothing()
	case !a.json && r.status == http.StatusOK && a.open() == nil:
		_ = a.stream.Send(sse.Event{Type: a.typ, Data: r.body})
	default:
		writeJSON(a.w, r, a.cfg.WriteTimeout)
	}
}

// nothing ends the answer to a request that was cancelled: an event stream
// without events, or nothing at all for a peer that is gone or takes no stream.
func (a *answer) nothing() {
	switch {
	case a.ctx.Err() != nil:
	case a.events && a.open() == nil:
		a.w.WriteHeader(http.StatusOK)
	default:
		a.w.WriteHeader(http.StatusAccepted)
	}
}

// abandon is finish for a goroutine that ends without returning to net/http,
// which then sends nothing any more, and closes the connection.
func (a *answer) abandon(r reply) {
	a.mu.Lock()
	a.w.Header().Set("Connection", "close") // too late on a stream, where it is seen anyway
	a.mu.Unlock()
	a.finish(r)
	_ = http.NewResponseController(a.w).Flush() // whoever cannot flush has no buffer
}

// accepted answers a message that has no reply (L-HTTP-13, M-HTTP-016).
func (a *answer) accepted() { a.w.WriteHeader(http.StatusAccepted) }

var contentJSON = []string{httpx.JSON}

// buffered is how much net/http holds back until the handler returns.
const buffered = 4 << 10

// writeJSON writes a whole reply. A large one has a bounded time to leave; the
// server takes the deadline back before it uses the connection again.
func writeJSON(w http.ResponseWriter, r reply, timeout time.Duration) {
	h := w.Header()
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.Itoa(len(r.body))}
	if r.retryAfter != "" {
		h["Retry-After"] = []string{r.retryAfter}
	}
	if len(r.body) > buffered {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout)) // best effort: not all writers can
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) // a peer that is gone is not told
}

// refuse answers a request whose message was not looked at. The server reads
// what the client still sends of a small body, to use the connection again, and
// that takes no longer than reading it would have.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.s.cfg.HTTP.BodyTimeout)) // best effort: not all writers can
	}
	writeJSON(w, unread(err), 0)
}

// unread is the reply to a request whose message was not read.
func unread(err error) reply {
	status := http.StatusBadRequest
	if refused, ok := errors.AsType[*httpx.RefusedError](err); ok {
		status = refused.Status
	}
	return failure(jsonrpc.ID{}, &mcp.Error{Code: mcp.CodeInvalidRequest, Message: err.Error()}, status)
}
