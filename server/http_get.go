package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/internal/sse"
	"github.com/diglot-mcp/diglot/mcp"
)

const headerLastEvent = "Last-Event-Id"

// get answers a GET: the stream for what the server says in a session beside its
// requests, or the rest of a stream that its client lost. It blocks as long as
// the stream is open, on net/http's goroutine.
func (e *endpoint) get(w http.ResponseWriter, r *http.Request) {
	p := e.newPost(w, r)
	if _, events := httpx.Accepts(r.Header); !events {
		e.refuse(w, r, refused(http.StatusNotAcceptable, "Accept does not allow text/event-stream, which is all there is to get; accept it"))
		return
	}
	sess, status, refusal := p.session()
	if refusal != nil {
		p.refuse(jsonrpc.ID{}, status, refusal)
		return
	}
	if !e.s.edge.gate.enter() {
		p.closing()
		return
	}
	e.s.edge.gate.leave() // a stream that is open holds nobody up
	last, present, err := httpx.Single(r.Header, headerLastEvent)
	if err != nil {
		p.refuse(jsonrpc.ID{}, http.StatusBadRequest, invalid("%v", err))
		return
	}
	if !present || last == "" {
		p.listen(sess, 0, false)
		return
	}
	stream, seq, ok := parseEventID(last)
	switch {
	case !ok || !resumes(sess.era):
		p.unknownEvent(last)
	case stream == 0:
		p.listen(sess, seq, true)
	default:
		p.resume(sess, stream, seq, last)
	}
}

func (p *post) unknownEvent(id string) {
	p.refuse(jsonrpc.ID{}, http.StatusBadRequest, invalid("Last-Event-ID %s is of no stream that can be resumed; send the request again, or GET without it", quoted(clip(id)))) // L-HTTP-48
}

// stream makes the response an event stream, or answers that it cannot be one.
func (p *post) stream() *sse.Stream {
	stream, err := sse.Open(p.r.Context(), p.reply.w, p.e.s.cfg.HTTP.WriteTimeout)
	if err != nil {
		p.e.s.cfg.Logger.Error("no event stream: a middleware around the server hides how to flush", "error", err)
		p.refuse(jsonrpc.ID{}, http.StatusInternalServerError, errNoStream)
		return nil
	}
	return stream
}

// listen opens the stream beside the requests. A session has one: a client that
// opens another has lost the first, whether it or the server has noticed or not,
// so that the first one ends. With resumed, it goes on behind the event seq.
// What is not kept any more is not missed: all that is said here is to look
// again.
func (p *post) listen(sess *session, seq int64, resumed bool) {
	known := int64(0)
	sess.update(func(st *sessionState) { known = st.beside })
	if seq > known {
		p.unknownEvent(eventID(0, seq))
		return
	}
	stream := p.stream()
	if stream == nil {
		return
	}
	defer stream.Close()
	b := &beside{sess: sess, stream: stream, keeps: resumes(sess.era)}
	o := newOutlet(sess, b, passing{stream})
	o.standing = standingOf(p.r.Context())
	o.keepAlive, o.comment = p.e.s.cfg.HTTP.KeepAlive, func() error { return stream.Comment("keep-alive") }
	defer sess.detach(o)
	defer p.e.s.edge.sessions.use(sess) // while the stream still keeps the session
	err := sess.attach(p.r.Context(), o)
	if errors.Is(err, errSessionEnded) {
		p.refuse(jsonrpc.ID{}, http.StatusNotFound, errUnknownSession)
		return
	}
	if err == nil {
		err = b.greet(p.r.Context(), seq, resumed)
	}
	if err == nil {
		err = o.run(p.r.Context())
	}
	if errors.Is(err, errNoPong) {
		p.e.s.cfg.Logger.Warn("event stream closed", "error", err)
	}
}

// beside is the stream beside the requests of a session, as a sink.
type beside struct {
	sess   *session
	stream *sse.Stream
	// keeps: the client may come back for what it missed.
	keeps bool
}

// greet sends the header of the response, and what the client missed or the id
// to come back with.
func (b *beside) greet(ctx context.Context, seq int64, resumed bool) error {
	if !b.keeps {
		return b.stream.Comment("ok") // HTTP-05
	}
	if resumed {
		missed, err := b.sess.kept(ctx, 0, seq)
		if err == nil && len(missed) > 0 {
			return replay(b.stream, 0, seq, missed)
		}
	}
	now := int64(0)
	b.sess.update(func(st *sessionState) { now = st.beside })
	return b.stream.Send(sse.Event{ID: eventID(0, now), HasID: true, Data: []byte{}})
}

// send sends a message. The error wraps errKept when it is in the store.
func (b *beside) send(_ context.Context, msg []byte) error {
	e := sse.Event{Type: sse.Message, Data: msg}
	if !b.keeps {
		return b.stream.Send(e)
	}
	seq := int64(0)
	b.sess.update(func(st *sessionState) {
		st.beside++
		seq = st.beside
	})
	lost := b.sess.keep(0, seq, msg)
	e.ID, e.HasID = eventID(0, seq), true
	if err := b.stream.Send(e); err != nil && lost == nil {
		return errKept
	} else if err != nil {
		return err
	}
	return nil
}

// passing is a sink for what is not kept.
type passing struct{ stream *sse.Stream }

func (p passing) send(_ context.Context, msg []byte) error {
	return p.stream.Send(sse.Event{Type: sse.Message, Data: msg})
}

// resume sends the rest of the stream of a request (L-HTTP-46): what is kept, and
// what comes if the request still runs. It never sends anything of another
// stream (L-HTTP-47).
func (p *post) resume(sess *session, number, seq int64, last string) {
	track := sess.track(number)
	if track == nil {
		p.replay(sess, number, seq, last)
		return
	}
	stream := p.stream()
	if stream == nil {
		return
	}
	c := newConnection(p.r.Context(), p.reply.w, false)
	c.stream = stream
	if track.resume(c, seq) {
		track.serve(c)
		return
	}
	stream.Close()
	p.replay(sess, number, seq, last) // it has ended meanwhile, or is not all there
}

// replay sends what is kept of a stream that has ended. There is something, or
// the client would come again and again.
func (p *post) replay(sess *session, number, seq int64, last string) {
	missed, err := sess.kept(p.r.Context(), number, seq)
	if err != nil {
		p.e.s.cfg.Logger.Error("events cannot be read", "error", err)
	}
	if len(missed) == 0 || sess.track(number) != nil {
		p.unknownEvent(last)
		return
	}
	stream := p.stream()
	if stream == nil {
		return
	}
	defer stream.Close()
	_ = replay(stream, number, seq, missed) // a client that is gone again may come again
}

var errNoStream = mcp.Errorf(mcp.CodeInternal, "event streams cannot be sent here")

// retryAfter tells a client when to come again.
const retryAfter = "1"

// closing refuses a request since the server is shutting down.
func (p *post) closing() {
	p.reply.w.Header().Set("Retry-After", retryAfter)
	p.refuse(p.x.id, http.StatusServiceUnavailable, errClosing)
}
