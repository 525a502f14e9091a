package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// golden is one archive: a method in one era. Its first line names the method.
// An input is CASE/KIND.json, in the newest shape, or CASE/peer.REVISIONS.json,
// as a peer wrote it. What becomes of it stands behind it, one file for all
// revisions that share it:
//
//	result.json        the server's result        result.REV.json       its bytes
//	                                              result.REV.back.json  what a client reads
//	params.json        the client's parameters    params.REV.json, params.REV.back.json
//	error.json         a server's error           error.REV.json        status, error or tool result
//	notification.json  its parameters             notification.REV.json the whole message
//	peer.REV.json      a peer's result            peer.REV.want.json    what is read
//
// A conversion that fails leaves its error, in a file that ends with .err.
type golden struct {
	method  string
	revs    []mcp.Profile
	schemas *protocolSchemas
}

func TestGolden(t *testing.T) {
	schemas := loadSchemas(t)
	for era, revs := range map[string][]mcp.Profile{
		"modern": {mcp.Modern20260728},
		"legacy": {mcp.Legacy20241105, mcp.Legacy20250326, mcp.Legacy20250618, mcp.Legacy20251125},
	} {
		files, err := filepath.Glob(filepath.Join("testdata", era, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no archives of the %s era (%v)", era, err)
		}
		for _, file := range files {
			t.Run(era+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				runArchive(t, file, golden{revs: revs, schemas: schemas})
			})
		}
	}
}

func runArchive(t *testing.T, file string, g golden) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(archive.Comment), "\n")
	g.method = strings.TrimSpace(strings.TrimPrefix(first, "method:"))
	got := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if isInput(f.Name) {
			got.Files = append(got.Files, f)
			got.Files = append(got.Files, g.outputs(t, f)...)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
		t.Errorf("%s differs (-want +got); if that is right, run the test with -update:\n%s", file, diff)
	}
}

func isInput(name string) bool {
	base := path.Base(name)
	if strings.HasPrefix(base, "peer.") {
		return !strings.HasSuffix(base, ".want.json") && !strings.HasSuffix(base, ".err")
	}
	return strings.Count(base, ".") == 1
}

// output is what becomes of an input in one revision.
type output struct{ suffix, text string }

func (g golden) outputs(t *testing.T, in txtar.File) []txtar.File {
	t.Helper()
	dir, base := path.Split(in.Name)
	kind, _, _ := strings.Cut(base, ".")
	if kind == "peer" {
		return g.peer(t, in)
	}
	byRev := make([][]output, len(g.revs))
	for i, p := range g.revs {
		t.Run(in.Name+" "+p.Version(), func(t *testing.T) {
			byRev[i] = g.convert(t, p, kind, in.Data)
		})
	}
	var files []txtar.File
	for _, suffix := range []string{".json", ".back.json", ".err"} {
		files = append(files, g.grouped(dir+kind, suffix, byRev)...)
	}
	return files
}

// grouped makes one file of equal outputs of neighbouring revisions.
func (g golden) grouped(stem, suffix string, byRev [][]output) []txtar.File {
	var files []txtar.File
	var names []string
	last := ""
	flush := func() {
		if len(names) > 0 {
			files = append(files, txtar.File{Name: stem + "." + strings.Join(names, "+") + suffix, Data: []byte(last)})
		}
		names = nil
	}
	for i, p := range g.revs {
		text, ok := "", false
		for _, o := range byRev[i] {
			if o.suffix == suffix {
				text, ok = o.text+"\n", true
			}
		}
		if len(names) > 0 && (!ok || text != last) {
			flush()
		}
		if ok {
			names, last = append(names, p.Version()), text
		}
	}
	flush()
	return files
}

func (g golden) convert(t *testing.T, p mcp.Profile, kind string, in []byte) []output {
	t.Helper()
	var out []byte
	var back any
	var err error
	switch kind {
	case "result", "input":
		out, back, err = g.result(t, p, kind, in)
	case "params":
		out, back, err = g.params(t, p, in)
	case "error":
		out = g.refusal(t, p, in)
	case "notification":
		out, err = g.notification(t, p, in)
	default:
		t.Fatalf("%q is no kind of input", kind)
	}
	if err != nil {
		return []output{{".err", err.Error()}}
	}
	if bytes.ContainsAny(out, "\r\n") {
		t.Errorf("the output has a line break: %s", out)
	}
	if err := jsonx.Check(out, 0); err != nil {
		t.Errorf("the output is no JSON: %v: %s", err, out)
	}
	outputs := []output{{".json", string(out)}}
	if back != nil {
		outputs = append(outputs, output{".back.json", string(marshal(t, back))})
	}
	return outputs
}

var goldenStamp = &Stamp{ServerInfo: []byte(`{"name":"srv","version":"1"}`), Hint: mcp.CacheHint{CacheScope: mcp.CachePublic, TTLMs: new(int64)}}

func (g golden) result(t *testing.T, p mcp.Profile, kind string, in []byte) ([]byte, any, error) {
	t.Helper()
	k := kinds[g.method]
	value, def := k.result(), k.resultDef
	if kind == "input" {
		value, def = new(mcp.InputRequiredResult), "InputRequiredResult"
	}
	unmarshal(t, in, value)
	out, err := For(p).AppendResult([]byte("before"), value, goldenStamp)
	if err != nil {
		return nil, nil, err
	}
	out = bytes.TrimPrefix(out, []byte("before"))
	if r, ok := value.(*mcp.EmptyResult); !ok || r.Extra == nil {
		g.schemas.validate(t, p.Version(), def, out)
	}
	into := k.result()
	input, err := For(p).Result(g.method, out, into)
	if err != nil {
		t.Errorf("what was written is not read: %v: %s", err, out)
	}
	if input != nil {
		return out, input, nil
	}
	return out, into, nil
}

var goldenSelf = &Self{
	Info: []byte(`{"name":"cli","version":"2"}`), Capabilities: []byte(`{"elicitation":{}}`),
	LogLevel: mcp.LevelInfo, ProgressToken: []byte("7"),
}

func (g golden) params(t *testing.T, p mcp.Profile, in []byte) ([]byte, any, error) {
	t.Helper()
	k := kinds[g.method]
	self := goldenSelf
	if answered[g.method] {
		self = nil
	}
	value := k.params()
	unmarshal(t, in, value)
	out, err := For(p).AppendParams([]byte("before"), g.method, value, self)
	if err != nil {
		return nil, nil, err
	}
	out = bytes.TrimPrefix(out, []byte("before"))
	raw, err := For(p).AppendParams(nil, g.method, json.RawMessage(in), self)
	if err != nil {
		t.Errorf("typed params are written, raw ones are not: %v", err)
	} else if g.method != mcp.MethodInitialize && canonicalText(t, raw) != canonicalText(t, out) {
		t.Errorf("raw and typed params differ:\n%s\n%s", raw, out)
	}
	request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, g.method, out)
	g.schemas.validate(t, p.Version(), k.requestDef, request)
	scanned := Scan(out)
	into := k.params()
	if err := DecodeParams(&scanned, into); err != nil {
		t.Errorf("what was written is not read: %v: %s", err, out)
	}
	if self != nil {
		if err := For(p).Check(&scanned); err != nil {
			t.Errorf("what was written is refused: %v: %s", err, out)
		}
	}
	return out, into, nil
}

func (g golden) refusal(t *testing.T, p mcp.Profile, in []byte) []byte {
	t.Helper()
	var e mcp.Error
	unmarshal(t, in, &e)
	result, err := For(p).Refusal(g.method, &e)
	if result != nil {
		if err != nil {
			t.Errorf("a refusal is both %v and %v", result, err)
		}
		out, werr := For(p).AppendResult(nil, result, goldenStamp)
		if werr != nil {
			t.Fatal(werr)
		}
		g.schemas.validate(t, p.Version(), "CallToolResult", out)
		return fmt.Appendf(nil, `{"status":200,"result":%s}`, out)
	}
	return fmt.Appendf(nil, `{"status":%d,"error":%s}`, For(p).Status(err), marshal(t, err))
}

func (g golden) notification(t *testing.T, p mcp.Profile, in []byte) ([]byte, error) {
	t.Helper()
	var params any = json.RawMessage(in)
	if typ, ok := notices[g.method]; ok {
		params = typ()
		unmarshal(t, in, params)
	} else if strings.TrimSpace(string(in)) == "null" {
		params = nil
	}
	out, ok, err := For(p).AppendNotification([]byte("before"), g.method, params)
	if err != nil {
		return nil, err
	}
	if !ok {
		if string(out) != "before" {
			t.Errorf("a notification that is not sent leaves %q", out)
		}
		return nil, errors.New("the revision has no such notification")
	}
	out = bytes.TrimPrefix(out, []byte("before"))
	if def, ok := noticeDefs[g.method]; ok {
		g.schemas.validate(t, p.Version(), def, out)
	}
	return out, nil
}

// peer reads what a peer wrote, in the revisions the file's name lists.
func (g golden) peer(t *testing.T, in txtar.File) []txtar.File {
	t.Helper()
	dir, base := path.Split(in.Name)
	revs := strings.TrimSuffix(strings.TrimPrefix(base, "peer."), ".json")
	stem := dir + "peer." + revs
	var text, suffix string
	for rev := range strings.SplitSeq(revs, "+") {
		p, ok := mcp.ProfileOf(rev)
		if !ok {
			t.Fatalf("%s: %q is no revision", in.Name, rev)
		}
		got, end := g.readPeer(t, p, bytes.TrimSpace(in.Data))
		if text != "" && text != got {
			t.Errorf("%s: the revisions read it differently: %s, %s", in.Name, text, got)
		}
		text, suffix = got, end
	}
	return []txtar.File{{Name: stem + suffix, Data: []byte(text + "\n")}}
}

func (g golden) readPeer(t *testing.T, p mcp.Profile, in []byte) (text, suffix string) {
	t.Helper()
	into := kinds[g.method].result()
	input, err := For(p).Result(g.method, in, into)
	switch {
	case err != nil:
		if !errors.Is(err, mcp.ErrInvalidResponse) {
			t.Errorf("the error does not match ErrInvalidResponse: %v", err)
		}
		if diff := cmp.Diff(kinds[g.method].result(), into); diff != "" {
			t.Errorf("a failed read leaves something behind:\n%s", diff)
		}
		return err.Error(), ".err"
	case input != nil:
		return string(marshal(t, input)), ".want.json"
	default:
		return string(marshal(t, into)), ".want.json"
	}
}

func unmarshal(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := jsonx.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := jsonx.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func canonicalText(t *testing.T, b []byte) string {
	t.Helper()
	c := canonicalize(b)
	if c == nil {
		t.Fatalf("%s is no JSON", b)
	}
	return string(c)
}
