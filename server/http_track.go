package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

var (
	// errKept is why a message was not sent that its client gets when it comes
	// back.
	errKept = errors.New("the client is away")
	// errLeft is why a message was not sent whose client cannot come back.
	errLeft = errors.New("the client disconnected")
)

// storeTimeout bounds each use of an event store.
const storeTimeout = 5 * time.Second

// resumes reports whether clients of the revision come back to streams: one
// does. Older clients were told of event ids too, but fail on an event without
// data, and so cannot learn one in time (L-HTTP-36).
func resumes(era wire.Era) bool { return era.Profile() == mcp.Legacy20251125 }

// eventID is the id of an event on the wire. It says which stream it is of
// (L-HTTP-44); the first of a stream, with the number 0, has no message.
func eventID(stream, seq int64) string {
	return strconv.FormatInt(stream, 10) + "_" + strconv.FormatInt(seq, 10)
}

// parseEventID reads what eventID writes, and nothing else.
func parseEventID(id string) (stream, seq int64, ok bool) {
	first, second, _ := strings.Cut(id, "_")
	stream, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	if seq, err = strconv.ParseInt(second, 10, 64); err != nil || stream < 0 || seq < 0 || eventID(stream, seq) != id {
		return 0, 0, false
	}
	return stream, seq, true
}

// keep stores an event of a stream of the session.
func (s *session) keep(stream, seq int64, data []byte) error {
	s.update(func(st *sessionState) { st.stored = true })
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.cfg.Events.Append(ctx, EventID{Session: s.id, Stream: stream, Seq: seq}, data)
}

// kept is what followed an event on its stream, as far as it is known.
func (s *session) kept(ctx context.Context, stream, seq int64) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return s.cfg.Events.After(ctx, EventID{Session: s.id, Stream: stream, Seq: seq})
}

// track returns the stream with this number if it has not ended.
func (s *session) track(stream int64) *track {
	var t *track
	s.update(func(st *sessionState) { t = st.tracks[stream] })
	return t
}

// A track is the answer to one request whose client may go away and come back.
// It begins as the answer to the POST, becomes an event stream when there is
// something to send ahead of the reply, and has events with ids from then on. It
// lives as long as the call, with a connection or without.
//
// It is the sink and the peer of its exchange, and safe for concurrent use.
type track struct {
	sess *session
	cfg  *HTTPConfig
	log  *slog.Logger
	// ctx is the context of the call, and call the id of its request, to end it when
	// its client stays away.
	ctx  context.Context
	call string

	mu sync.Mutex
	// id is the number of the stream, 0 until it is one; seq that of its last event.
	id, seq int64
	// on is where the client listens, nil while it is away.
	on *connection
	// late ends the call when the client stays away; away is how often it left.
	late *time.Timer
	away int
	// lossy: an event could not be kept, and the log knows.
	lossy bool
	// settled: the call has ended, and only its reply is to come. done: nothing is.
	settled, done bool
}

// A connection is an HTTP response that a track is sent on.
type connection struct {
	w   http.ResponseWriter
	ctx context.Context
	// json: the client takes a reply that is no event stream.
	json bool
	// stream is nil while nothing was sent; unfit says that there can be none.
	stream *sse.Stream
	unfit  error
	last   time.Time
	// released is closed when nothing is sent any more.
	released chan struct{}
}

func newConnection(ctx context.Context, w http.ResponseWriter, takesJSON bool) *connection {
	return &connection{w: w, ctx: ctx, json: takesJSON, released: make(chan struct{})}
}

// serve keeps a connection alive until it is released or its client is gone.
func (t *track) serve(c *connection) {
	quiet := time.NewTimer(t.cfg.KeepAlive)
	defer quiet.Stop()
	for {
		select {
		case <-c.released:
			return
		case <-c.ctx.Done():
			t.mu.Lock()
			t.leave(c, 0)
			t.mu.Unlock()
			return
		case <-quiet.C:
			quiet.Reset(t.beat(c))
		}
	}
}

// beat sends a comment if nothing was sent for a while, and returns when to come
// again. A request that takes long becomes an event stream by it (CON-17).
func (t *track) beat(c *connection) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on != c || t.begin(c) != nil {
		return t.cfg.KeepAlive
	}
	if wait := t.cfg.KeepAlive - time.Since(c.last); wait > 0 {
		return wait
	}
	c.last = time.Now()
	if c.stream.Comment("keep-alive") != nil {
		t.leave(c, 0)
	}
	return t.cfg.KeepAlive
}

// begin makes the connection an event stream, and sends the id to come back
// with (L-HTTP-30).
func (t *track) begin(c *connection) error {
	if c.stream != nil || c.unfit != nil {
		return c.unfit
	}
	stream, err := sse.Open(c.ctx, c.w, t.cfg.WriteTimeout)
	if err != nil {
		t.log.Error("notifications are dropped: a middleware around the server hides how to flush", "error", err)
		c.unfit = err
		return err
	}
	c.stream = stream
	if t.id != 0 {
		return nil
	}
	t.sess.update(func(st *sessionState) {
		if st.tracks == nil {
			st.tracks = make(map[int64]*track)
		}
		st.lastTrack++
		t.id = st.lastTrack
		st.tracks[t.id] = t
	})
	c.last = time.Now()
	return stream.Send(sse.Event{ID: eventID(t.id, 0), HasID: true, Data: []byte{}})
}

// leave lets go of a connection. The call goes on, and ends when the client has
// not come back after the linger and extra.
func (t *track) leave(c *connection, extra time.Duration) {
	if t.on != c {
		return
	}
	t.release()
	t.away++
	if t.settled {
		return
	}
	away := t.away
	t.late = time.AfterFunc(t.sess.cfg.Linger+extra, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.settled && t.on == nil && t.away == away {
			t.sess.abort(t.call, errLingered)
		}
	})
}

// settle ends what may end the call early.
func (t *track) settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settled = true
	if t.late != nil {
		t.late.Stop()
	}
}

// release ends the connection that is on.
func (t *track) release() {
	c := t.on
	t.on = nil
	if c.stream != nil {
		c.stream.Close()
	}
	close(c.released)
}

// send sends a notification or a request of the server's.
func (t *track) send(_ context.Context, msg []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.done:
		return errAnswered
	case t.on == nil && t.id == 0:
		return errLeft // and nothing told it how to come back
	case t.on != nil && !t.fit():
		return t.on.unfit
	}
	return t.emit(msg)
}

// fit sees to it that the connection, if it is still there, is an event stream,
// and reports whether events can go on the track.
func (t *track) fit() bool {
	c := t.on
	if t.begin(c) != nil && c.unfit == nil {
		t.leave(c, 0)
	}
	return c.unfit == nil
}

// request asks the client on the track, wherever it is.
func (t *track) request(ctx context.Context, method string, params []byte) (jsonrpc.Message, error) {
	return t.sess.request(ctx, t.ctx, t, method, params)
}

// emit makes msg the next event, and keeps it before it is sent: what is lost
// on the way is what a client comes back for.
func (t *track) emit(msg []byte) error {
	t.seq++
	err := t.sess.keep(t.id, t.seq, msg)
	if err != nil && !t.lossy {
		t.lossy = true
		t.log.Error("events cannot be kept: a client that loses its connection will miss them", "error", err)
	}
	if t.on == nil {
		return err
	}
	t.on.last = time.Now()
	if t.on.stream.Send(sse.Event{Type: sse.Message, ID: eventID(t.id, t.seq), HasID: true, Data: msg}) != nil {
		t.leave(t.on, 0)
		return err
	}
	return nil
}

// finish sends the reply, or keeps it for a client that is away, and ends the
// track. Calls after the first do nothing.
func (t *track) finish(r reply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.settled, t.done = true, true
	t.deliver(r)
	if t.on != nil {
		t.release()
	}
	if t.id != 0 {
		t.sess.update(func(st *sessionState) {
			if delete(st.tracks, t.id); len(st.tracks) == 0 {
				st.tracks = nil
			}
		})
	}
}

func (t *track) deliver(r reply) {
	c := t.on
	switch {
	case t.id != 0 && r.body != nil:
		_ = t.emit(r.body) // whoever is gone for good is not told
	case c == nil || t.id != 0:
	case r.body == nil:
		t.nothing(c)
	case !c.json && r.status == http.StatusOK && t.begin(c) == nil:
		_ = t.emit(r.body) // as above
	case c.stream == nil:
		writeJSON(c.w, r, t.cfg.WriteTimeout)
	}
}

// nothing answers a request that was cancelled before anything was sent: an
// event stream that ends at once, without an id to come back with.
func (t *track) nothing(c *connection) {
	if c.ctx.Err() != nil {
		return
	}
	if stream, err := sse.Open(c.ctx, c.w, t.cfg.WriteTimeout); err == nil {
		stream.Close()
		c.w.WriteHeader(http.StatusOK)
		return
	}
	c.w.WriteHeader(http.StatusAccepted)
}

// detach lets go of the client, which is to come back after retry (L-HTTP-31,
// L-HTTP-32).
func (t *track) detach(retry time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.on
	if t.done || c == nil {
		return
	}
	if !t.fit() {
		return
	}
	if retry > 0 {
		// A client that does not hear it is gone, which comes to the same.
		_ = c.stream.Send(sse.Event{Retry: retry, HasRetry: true})
	}
	t.leave(c, retry)
}

// resume sends what followed the event seq on c, an event stream, which becomes
// the track's connection. It reports false, and has sent nothing, when the track
// has ended or not all of it is known.
func (t *track) resume(c *connection, seq int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || seq > t.seq {
		return false
	}
	missed, err := t.sess.kept(c.ctx, t.id, seq)
	if err != nil || int64(len(missed)) != t.seq-seq {
		return false
	}
	if t.on != nil {
		t.release()
	}
	if t.late != nil {
		t.late.Stop()
	}
	t.on, c.last = c, time.Now()
	if replay(c.stream, t.id, seq, missed) != nil {
		t.leave(c, 0)
	}
	return true
}

// replay sends what followed the event seq of a stream, and in any case the
// header of the response.
func replay(to *sse.Stream, stream, seq int64, missed [][]byte) error {
	if len(missed) == 0 {
		return to.Comment("ok")
	}
	for i, data := range missed {
		e := sse.Event{Type: sse.Message, ID: eventID(stream, seq+int64(i)+1), HasID: true, Data: data}
		if err := to.Send(e); err != nil {
			return err
		}
	}
	return nil
}
