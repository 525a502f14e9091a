package sse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve runs handle behind a real server and returns a client for it.
func serve(t *testing.T, http2 bool, handle http.HandlerFunc) (url string, client *http.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(handle)
	if http2 {
		srv.EnableHTTP2 = true
		srv.StartTLS()
	} else {
		srv.Start()
	}
	client = srv.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		srv.Close()
	})
	return srv.URL, client
}

func open(t *testing.T, w http.ResponseWriter, r *http.Request, timeout time.Duration) *Stream {
	t.Helper()
	s, err := Open(r.Context(), w, timeout)
	if err != nil {
		t.Errorf("Open: %v", err)
		return nil
	}
	return s
}

// wrapped hides everything but Unwrap, as logging middleware does.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// HTTP-05, M-HTTP-027: headers and each event reach the peer at once, also
// through wrapped writers, on both versions of HTTP.
func TestStreamFlushes(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			url, client := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
				s := open(t, wrapped{wrapped{w}}, r, 0)
				defer s.Close()
				if err := s.Comment("ok"); err != nil {
					t.Error(err)
				}
				for i := range 3 {
					<-next
					if err := s.Send(Event{Type: Message, Data: fmt.Appendf(nil, "%d", i)}); err != nil {
						t.Error(err)
					}
				}
			})
			resp, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if want := "HTTP/1.1"; !http2 && resp.Proto != want || http2 && resp.ProtoMajor != 2 {
				t.Errorf("protocol is %s", resp.Proto)
			}
			for h, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"} {
				if got := resp.Header.Get(h); got != want {
					t.Errorf("%s is %q, want %q", h, got, want)
				}
			}
			r := NewReader(resp.Body, 0)
			for i := range 3 {
				next <- struct{}{} // the event before has been read, so it was not held back
				e, err := r.Next()
				if err != nil || string(e.Data) != fmt.Sprint(i) {
					t.Fatalf("event %d: %q, %v", i, e.Data, err)
				}
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("end: %v", err)
			}
		})
	}
}

// The deadline of one event does not end a stream that is quiet for longer, nor
// does the server's own.
func TestQuietStreamLives(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			url, client := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
				s := open(t, w, r, 50*time.Millisecond)
				defer s.Close()
				for range 2 {
					if err := s.Send(Event{Data: []byte("x")}); err != nil {
						t.Error(err)
					}
					select {
					case <-time.After(150 * time.Millisecond):
					case <-r.Context().Done():
						t.Error("the stream was reset")
					}
				}
			})
			resp, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got, err := readAll(NewReader(resp.Body, 0)); len(got) != 2 || !errors.Is(err, io.EOF) {
				t.Errorf("%d events, %v", len(got), err)
			}
		})
	}
}

// SUB-06: a peer that is gone, or that does not read, is found out in time.
func TestPeerGone(t *testing.T) {
	t.Run("disconnected", func(t *testing.T) {
		failed := make(chan error, 1)
		url, client := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
			s := open(t, w, r, 0)
			defer s.Close()
			if err := s.Comment("ok"); err != nil {
				t.Error(err)
			}
			<-r.Context().Done()
			failed <- s.Send(Event{Data: []byte("x")})
		})
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Send: %v, want the request's end", err)
		}
	})
	t.Run("not reading", func(t *testing.T) {
		failed := make(chan error, 1)
		url, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
			s := open(t, w, r, 50*time.Millisecond)
			defer s.Close()
			for {
				if err := s.Send(Event{Data: make([]byte, 1<<20)}); err != nil {
					failed <- err
					break
				}
			}
			if err := s.Send(Event{Data: []byte("x")}); err == nil {
				t.Error("Send succeeds after it has failed")
			}
		})
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; err == nil {
			t.Error("no error")
		}
	})
}

// Events of several goroutines are never interleaved, and none is written after Close.
func TestStreamTogether(t *testing.T) {
	const writers, each = 8, 50
	url, client := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		s := open(t, w, r, 0)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for j := range each {
					if err := s.Send(Event{Data: fmt.Appendf(nil, "%d %d\n%s", i, j, strings.Repeat("x", 100*j))}); err != nil {
						t.Error(err)
					}
					if err := s.Comment("still here"); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		late := make(chan error)
		s.Close()
		s.Close()
		go func() { late <- s.Send(Event{Data: []byte("late")}) }()
		if err := <-late; !errors.Is(err, ErrClosed) {
			t.Errorf("Send after Close: %v", err)
		}
		if err := s.Comment("late"); !errors.Is(err, ErrClosed) {
			t.Errorf("Comment after Close: %v", err)
		}
	})
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := readAll(NewReader(resp.Body, 0))
	if !errors.Is(err, io.EOF) || len(got) != writers*each {
		t.Fatalf("%d events, %v", len(got), err)
	}
	next := make([]int, writers)
	for _, e := range got {
		var i, j int
		var x string
		fmt.Sscanf(string(e.Data), "%d %d\n%s", &i, &j, &x)
		if j != next[i] || len(x) != 100*j {
			t.Errorf("event %d of writer %d comes with %d bytes when %d was due", j, i, len(x), next[i])
		}
		next[i]++
	}
}

// HTTP-05: a writer that would hold events back is refused, untouched.
func TestOpenNeedsFlush(t *testing.T) {
	w := bare{http.Header{}}
	if _, err := Open(t.Context(), w, 0); !errors.Is(err, ErrCannotFlush) {
		t.Errorf("Open: %v, want ErrCannotFlush", err)
	}
	if len(w.header) != 0 {
		t.Errorf("headers were set: %v", w.header)
	}
}

type bare struct{ header http.Header }

func (w bare) Header() http.Header       { return w.header }
func (bare) Write(b []byte) (int, error) { return len(b), nil }
func (bare) WriteHeader(int)             {}

// A bad event is refused and the stream goes on. A writer in memory, which knows
// no deadlines, will do.
func TestBadEventDoesNotEndStream(t *testing.T) {
	w := httptest.NewRecorder()
	s, err := Open(t.Context(), w, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if w.Flushed {
		t.Error("Open sent something")
	}
	if err := s.Send(Event{Type: "a\nb"}); !errors.Is(err, ErrEvent) {
		t.Errorf("Send: %v, want ErrEvent", err)
	}
	if err := s.Send(Event{Data: []byte("x")}); err != nil {
		t.Error(err)
	}
	if got := w.Body.String(); got != "data: x\n\n" || !w.Flushed {
		t.Errorf("sent %q, flushed %t", got, w.Flushed)
	}
}

// The connection serves the next request when the stream has ended.
func TestConnectionIsReused(t *testing.T) {
	url, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		s := open(t, w, r, 50*time.Millisecond)
		if err := s.Send(Event{Data: []byte("x")}); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i := range 2 {
		if i > 0 {
			<-time.After(100 * time.Millisecond) // longer than the stream's deadline
		}
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "data: x\n\n" {
			t.Errorf("response %d: %q, %v", i, b, err)
		}
		resp.Body.Close()
	}
}

func BenchmarkStream(b *testing.B) {
	s, err := Open(b.Context(), nowhere{bare{http.Header{}}}, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	e := Event{Type: Message, Data: []byte(strings.Repeat("x", 500))}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(e); err != nil {
			b.Fatal(err)
		}
	}
}

type nowhere struct{ bare }

func (nowhere) Flush() {}
