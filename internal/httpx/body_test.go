package httpx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadAll(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 300<<10/16)
	for _, c := range []struct {
		name        string
		in          []byte
		size, limit int64
		tooLarge    bool
	}{
		{"empty, size unknown", nil, -1, 10, false},
		{"empty, size known", nil, 0, 10, false},
		{"size known", []byte("hello"), 5, 10, false},
		{"size unknown", []byte("hello"), -1, 10, false},
		{"size of less", []byte("hello"), 2, 10, false},
		{"size of more", []byte("hello"), 9, 10, false},
		{"exactly the limit", []byte("hello"), -1, 5, false},
		{"one above the limit", []byte("hello!"), -1, 5, true},
		{"announced above the limit", []byte("hello!"), 6, 5, true},
		{"announced below, above the limit", []byte("hello!"), 1, 5, true},
		{"no limit", big, -1, 0, false},
		{"large, size known", big, int64(len(big)), int64(len(big)), false},
		{"large, size unknown", big, -1, int64(len(big)), false},
		{"large, above the limit", big, -1, int64(len(big)) - 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole": bytes.NewReader(c.in), "bytes": iotest.OneByteReader(bytes.NewReader(c.in)), "end with data": iotest.DataErrReader(bytes.NewReader(c.in)),
			} {
				b, err := ReadAll(r, c.size, c.limit)
				if c.tooLarge {
					if !errors.Is(err, ErrTooLarge) {
						t.Errorf("%s: %v, want ErrTooLarge", how, err)
					}
					continue
				}
				if err != nil || !bytes.Equal(b.Bytes(), c.in) {
					t.Errorf("%s: %d bytes, %v", how, len(b.Bytes()), err)
				}
				b.Free()
			}
		})
	}
	if b, err := ReadAll(nil, 0, 1); err != nil || len(b.Bytes()) != 0 {
		t.Errorf("nil reader: %v", err)
	}
	broken := errors.New("broken")
	if _, err := ReadAll(io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken)), -1, 10); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// SEC-03: an announced length reserves no memory by itself.
func TestAnnouncedLengthIsNotBelieved(t *testing.T) {
	b, err := ReadAll(strings.NewReader("x"), 1<<40, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	if cap(b.buf) > 2*keepBody {
		t.Errorf("buffer of %d bytes for one", cap(b.buf))
	}
}

// Buffers that come back are clean, and large ones do not.
func TestBodiesAreReused(t *testing.T) {
	for i := range 100 {
		want := strings.Repeat(string(rune('a'+i%26)), i*7)
		b, err := ReadAll(strings.NewReader(want), int64(len(want)), 0)
		if err != nil || string(b.Bytes()) != want {
			t.Fatalf("round %d: %q, %v", i, b.Bytes(), err)
		}
		b.Free()
	}
	b, err := ReadAll(bytes.NewReader(make([]byte, keepBody+1)), -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Free()
	if cap(b.buf) > keepBody {
		t.Error("a large buffer was kept")
	}
}

// SEC-03, T-12: the statuses of bodies that are refused.
func TestReadBody(t *testing.T) {
	type result struct {
		body []byte
		err  error
	}
	results := make(chan result, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := ReadBody(w, r, 100, 200*time.Millisecond)
		if err != nil {
			if refused, ok := errors.AsType[*RefusedError](err); ok {
				w.WriteHeader(refused.Status)
			}
			results <- result{err: err}
			return
		}
		results <- result{body: bytes.Clone(b.Bytes())}
		b.Free()
	}))
	defer srv.Close()
	for _, c := range []struct {
		name, request string
		status        int
		body, fault   string
	}{
		{"plain", "Content-Length: 5\r\n\r\nhello", 200, "hello", ""},
		{"none", "Content-Length: 0\r\n\r\n", 200, "", ""},
		{"identity", "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", 200, "{}", ""},
		{"chunks", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, "abcde", ""},
		{"ten gigabytes", "Content-Length: 10000000000\r\n\r\nx", 413, "", "read body: too large: more than 100 bytes"},
		{"endless chunks", "Transfer-Encoding: chunked\r\n\r\n65\r\n" + strings.Repeat("x", 101), 413, "", "read body: too large: more than 100 bytes"},
		{"compressed", "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415, "", `read body: content encoding "gzip"; send it plain`},
		{"slow", "Content-Length: 10\r\n\r\nx", 408, "", "read body: not complete within 200ms"},
		{"chunks of a megabyte", "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + strings.Repeat("x", 1<<20), 413, "", "read body: too large: more than 100 bytes"},
		{"slow and too large", "Transfer-Encoding: chunked\r\n\r\n65\r\n" + strings.Repeat("x", 101) + "\r\n", 413, "", "read body: too large: more than 100 bytes"},
		{"broken chunks", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "", "read body: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\n%s", c.request); err != nil {
				t.Fatal(err)
			}
			got := <-results
			if string(got.body) != c.body {
				t.Errorf("body is %q, want %q", got.body, c.body)
			}
			if (got.err == nil) != (c.fault == "") || got.err != nil && !strings.HasPrefix(got.err.Error(), c.fault) {
				t.Errorf("error is %v, want %q", got.err, c.fault)
			}
			var version string
			var status int
			if _, err := fmt.Fscan(conn, &version, &status); err != nil || status != c.status {
				t.Errorf("status is %d (%v), want %d", status, err, c.status)
			}
		})
	}
}

// SEC-03: an answer without the body does not wait for the body.
func TestAbandonBody(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		AbandonBody(w)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx"); err != nil {
		t.Fatal(err)
	}
	var version string
	var status int
	if _, err := fmt.Fscan(conn, &version, &status); err != nil || status != http.StatusForbidden {
		t.Errorf("status is %d, %v", status, err)
	}
	AbandonBody(nil)
}

// T-19, M-HTTP-033: once the body is read, a disconnect ends the request's context.
func TestDisconnectIsNoticed(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := ReadBody(w, r, 100, time.Minute)
		if err != nil {
			t.Error(err)
			return
		}
		b.Free()
		close(entered)
		<-r.Context().Done()
		close(ended)
	}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
		t.Fatal(err)
	}
	<-entered
	conn.Close()
	<-ended
}

// The deadline for one body is not one for the next request on the connection.
func TestReadDeadlineIsTakenBack(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := ReadBody(w, r, 100, 50*time.Millisecond)
		if err != nil {
			t.Error(err)
			return
		}
		b.Free()
		select {
		case <-time.After(100 * time.Millisecond):
		case <-r.Context().Done():
			t.Error("the context ended with the deadline")
		}
	}))
	defer srv.Close()
	client := srv.Client()
	defer client.CloseIdleConnections()
	for range 2 {
		resp, err := client.Post(srv.URL, JSON, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
}

func BenchmarkReadBody(b *testing.B) {
	for _, size := range []int{300, 10_000, 200_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			content := make([]byte, size)
			b.ReportAllocs()
			b.SetBytes(int64(size))
			r := bytes.NewReader(content)
			for b.Loop() {
				r.Reset(content)
				body, err := ReadAll(r, int64(size), 4<<20)
				if err != nil {
					b.Fatal(err)
				}
				body.Free()
			}
		})
	}
}
