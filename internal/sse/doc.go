// Package sse reads and writes event streams as the WHATWG HTML standard
// defines them (section 9.2, "Server-sent events"), without their reconnection:
// who owns a stream decides that.
//
// [Reader] accepts the whole grammar, however the bytes are cut. [AppendEvent]
// writes an event that every reader understands, and [Stream] writes events to
// an [net/http.ResponseWriter] as they happen.
package sse
