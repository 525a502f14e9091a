package mcptest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Golden plays the exchanges recorded in the txtar archives that match pattern
// against a handler, and compares each answer with the recorded one. makeHandler
// is called once for each archive, so that archives do not share state.
//
// An archive holds pairs of files, "NAME.request" and "NAME.response", in the
// order they are played. A request is an HTTP/1.1 request without
// Content-Length; Host is 127.0.0.1 unless given. A response is the status, the
// headers that matter (Content-Type, Allow, and those named in the archive's
// comment in lines "header: NAME"), an empty line, and the body. Lines of the
// comment of the form "hide: NAME" replace the value of that header by "…" in
// the record, and "$NAME" in a later request stands for the value received.
//
// With the test flag -update the recorded answers are rewritten.
func Golden(t *testing.T, pattern string, makeHandler func(t testing.TB) http.Handler) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("golden exchanges %q: %d files found (%v)", pattern, len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		t.Run(name, func(t *testing.T) { playArchive(t, file, makeHandler(t)) })
	}
}

// updating is looked up when it is needed, so that this package defines no flag:
// the test package that wants to update defines -update.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func playArchive(t *testing.T, file string, h http.Handler) {
	t.Helper()
	arch, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rec := recorder{handler: h, shown: []string{"Content-Type", "Allow"}, values: map[string]string{}}
	for line := range strings.Lines(string(arch.Comment)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "header: "); ok {
			rec.shown = append(rec.shown, name)
		}
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "hide: "); ok {
			rec.hidden = append(rec.hidden, name)
		}
	}
	changed := false
	for i := 0; i+1 < len(arch.Files); i += 2 {
		name, ok := strings.CutSuffix(arch.Files[i].Name, ".request")
		if !ok || arch.Files[i+1].Name != name+".response" {
			t.Fatalf("%s: %q is not followed by its response", file, arch.Files[i].Name)
		}
		got, err := rec.play(arch.Files[i].Data)
		if err != nil {
			t.Fatalf("%s: %s: %v", file, name, err)
		}
		if want := arch.Files[i+1].Data; !bytes.Equal(got, want) {
			arch.Files[i+1].Data = got
			changed = true
			if !updating() {
				t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", file, name, got, want)
			}
		}
	}
	if changed && updating() {
		if err := os.WriteFile(file, txtar.Format(arch), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// recorder plays requests and writes down answers.
type recorder struct {
	handler       http.Handler
	shown, hidden []string
	values        map[string]string
}

func (r *recorder) play(request []byte) ([]byte, error) {
	req, err := r.parse(request)
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	res := w.Result()
	defer func() { _ = res.Body.Close() }() // a recorder's body is in memory
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d %s\n", res.StatusCode, http.StatusText(res.StatusCode))
	for _, name := range slices.Concat(r.shown, r.hidden) {
		for _, v := range res.Header.Values(name) {
			if slices.Contains(r.hidden, name) {
				r.values[name] = v
				v = "…"
			}
			fmt.Fprintf(&out, "%s: %s\n", name, v)
		}
	}
	fmt.Fprintf(&out, "\n%s", body)
	if len(body) > 0 && body[len(body)-1] != '\n' {
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// parse reads a recorded request: a request line, headers, an empty line, and
// the body without its final newline. A word like <x*100> in the body stands for
// a hundred times x.
func (r *recorder) parse(text []byte) (*http.Request, error) {
	head, body, _ := bytes.Cut(text, []byte("\n\n"))
	for name, v := range r.values {
		head = bytes.ReplaceAll(head, []byte("$"+name), []byte(v))
	}
	head = append(bytes.ReplaceAll(bytes.TrimRight(head, "\n"), []byte("\n"), []byte("\r\n")), "\r\n\r\n"...)
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		return nil, fmt.Errorf("read recorded request: %w", err)
	}
	body = expand(bytes.TrimSuffix(body, []byte("\n")))
	if req.Host == "" {
		req.Host = "127.0.0.1"
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.ContentLength = int64(len(body))
	req.RemoteAddr = "127.0.0.1:50000"
	return req, nil
}

// expand replaces each <TEXT*N> by N times TEXT.
func expand(body []byte) []byte {
	var out []byte
	for {
		start := bytes.IndexByte(body, '<')
		if start < 0 {
			return append(out, body...)
		}
		out = append(out, body[:start]...)
		body = body[start:]
		var n int
		end := bytes.IndexByte(body, '>')
		star := -1
		if end > 0 {
			star = bytes.LastIndexByte(body[:end], '*')
		}
		if star > 0 {
			if _, err := fmt.Sscanf(string(body[star+1:end]), "%d", &n); err == nil && n > 0 && n <= 1<<24 {
				out = append(out, bytes.Repeat(body[1:star], n)...)
				body = body[end+1:]
				continue
			}
		}
		out = append(out, '<')
		body = body[1:]
	}
}
