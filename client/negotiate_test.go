package client

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// probed is a case of the negotiation table: what the server does, what the
// client then speaks, and which row says so.
type probed struct {
	name string
	row  string // the beginning of the row's name
	// on is a scripted HTTP server, starts are servers on a pipe.
	on     map[string][]act
	starts []map[string]line
	// lenient sets Config.Lenient.
	lenient bool
	// want is the profile, or Auto for a failure that matches err.
	want mcp.Profile
	err  error
	// sent is what the server is sent, of all starts.
	sent []string
}

const (
	rowUsable   = "usable discovery result"
	rowNamed    = "discovery result or -32022 that names only legacy"
	rowUnknown  = "discovery result or -32022 that names only revisions we do not"
	rowCode     = "error code -32020"
	rowMissing  = "JSON-RPC error -32601"
	row400      = "400, 404 or 405"
	rowNothing  = "401, 403, 407"
	row4xx      = "any other 4xx"
	rowOther    = "any other JSON-RPC error"
	rowUnusable = "a result that is not"
	rowSilence  = "silence"
	rowExit     = "the child exits"
	rowBroken   = "the probe could not be sent"
)

var (
	probeOnly  = []string{"server/discover"}
	probeTwice = []string{"server/discover", "server/discover"}
	handshake  = []string{"server/discover", "initialize", "notifications/initialized"}
)

func unsupported(versions string) string {
	return `{"supported":` + versions + `,"requested":"2026-07-28"}`
}

// httpProbes are the rows over HTTP (design: AUTO; 2026-07-28 15.2; DIS-01 to
// DIS-04).
var httpProbes = []probed{
	{
		name: "discovery result as JSON", row: rowUsable,
		on: modern(nil), want: mcp.Modern20260728, sent: probeOnly,
	},
	{
		name: "discovery result on a stream, behind a notification", row: rowUsable,
		on: modern(map[string][]act{"server/discover": {stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n" +
			": keep-alive\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + discovered_("2026-07-28") + "}\n\n")}}),
		want: mcp.Modern20260728, sent: probeOnly,
	},
	{
		name: "several revisions, one of them modern", row: rowUsable,
		on:   modern(map[string][]act{"server/discover": {discovery("2099-01-01", "2025-11-25", "2026-07-28")}}),
		want: mcp.Modern20260728, sent: probeOnly,
	},
	{
		name: "T-33 MOD-20 identity beside the versions", row: rowUsable,
		on:   modern(map[string][]act{"server/discover": {result(`{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"draft","version":"0"}}`)}}),
		want: mcp.Modern20260728, sent: probeOnly,
	},
	{
		name: "ERA-06 result names legacy revisions only", row: rowNamed,
		on:   legacy("2025-06-18", "", map[string][]act{"server/discover": {discovery("2025-06-18", "2025-03-26")}}),
		want: mcp.Legacy20250618, sent: handshake,
	},
	{
		name: "T-05 -32022 names legacy revisions only", row: rowNamed,
		on:   legacy("2025-03-26", "", map[string][]act{"server/discover": {faultAt(400, -32022, "no", unsupported(`["2025-03-26"]`))}}),
		want: mcp.Legacy20250326, sent: handshake,
	},
	{
		name: "result names unknown revisions only", row: rowUnknown,
		on:  map[string][]act{"server/discover": {discovery("2099-01-01")}},
		err: mcp.ErrEra, sent: probeOnly,
	},
	{
		name: "-32022 names unknown revisions only", row: rowUnknown,
		on:  map[string][]act{"server/discover": {faultAt(400, -32022, "no", unsupported(`["2099-01-01"]`))}},
		err: mcp.ErrEra, sent: probeOnly,
	},
	{
		name: "M-VER-003 -32022 although the revision is listed: once more", row: rowUsable,
		on:   map[string][]act{"server/discover": {faultAt(400, -32022, "no", unsupported(`["2026-07-28"]`)), discovery("2026-07-28")}},
		want: mcp.Modern20260728, sent: probeTwice,
	},
	{
		name: "T-05 -32022 again and again: each revision is tried once", row: rowCode,
		on:  map[string][]act{"server/discover": {faultAt(400, -32022, "no", unsupported(`["2026-07-28","2025-11-25"]`))}},
		err: mcp.ErrEra, sent: probeTwice,
	},
	{
		name: "-32022 that names nothing", row: rowCode,
		on:  map[string][]act{"server/discover": {faultAt(400, -32022, "no")}},
		err: &mcp.Error{Code: mcp.CodeUnsupportedVersion}, sent: probeOnly,
	},
	{
		name: "-32020 from an intermediary that loses a header once", row: rowUsable,
		on:   map[string][]act{"server/discover": {faultAt(400, -32020, "header"), discovery("2026-07-28")}},
		want: mcp.Modern20260728, sent: probeTwice,
	},
	{
		name: "ERA-03 -32020 for good is no downgrade", row: rowCode,
		on:  map[string][]act{"server/discover": {faultAt(400, -32020, "header")}},
		err: &mcp.Error{Code: mcp.CodeHeaderMismatch}, sent: probeTwice,
	},
	{
		name: "-32021 is no downgrade", row: rowCode,
		on:  map[string][]act{"server/discover": {faultAt(400, -32021, "capability")}},
		err: &mcp.Error{Code: mcp.CodeMissingCapability}, sent: probeOnly,
	},
	{
		name: "-32020 in a 200", row: rowCode,
		on:  map[string][]act{"server/discover": {fault(-32020, "header")}},
		err: &mcp.Error{Code: mcp.CodeHeaderMismatch}, sent: probeTwice,
	},
	{
		name: "-32601 in a 200", row: rowMissing,
		on: legacy("2025-11-25", "S", map[string][]act{"server/discover": {fault(-32601, "no")}}), want: mcp.Legacy20251125, sent: handshake,
	},
	{
		name: "-32601 in a 404", row: rowMissing,
		on: legacy("2025-11-25", "S", map[string][]act{"server/discover": {faultAt(404, -32601, "no")}}), want: mcp.Legacy20251125, sent: handshake,
	},
	{
		name: "-32601 in a 500", row: rowMissing,
		on: legacy("2025-11-25", "S", map[string][]act{"server/discover": {faultAt(500, -32601, "no")}}), want: mcp.Legacy20251125, sent: handshake,
	},
	{
		name: "-32601 in a 401, and initialize is let through (DIS-04)", row: rowMissing,
		on: legacy("2025-11-25", "", map[string][]act{"server/discover": {faultAt(401, -32601, "no")}}), want: mcp.Legacy20251125, sent: handshake,
	},
	{name: "400 without a body", row: row400, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(400, "", "")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "400 with text", row: row400, on: legacy("2025-11-25", "", nil), want: mcp.Legacy20251125, sent: handshake},
	{
		name: "DIS-02 400 with JSON that is no JSON-RPC", row: row400,
		on:   legacy("2025-06-18", "", map[string][]act{"server/discover": {plainly(400, "application/json", `{"error":{"code":"invalid_payload","message":"x"}}`)}}),
		want: mcp.Legacy20250618, sent: handshake,
	},
	{
		name: "DIS-02 400 with a foreign id", row: row400,
		on:   legacy("2024-11-05", "", map[string][]act{"server/discover": {plainly(400, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}`)}}),
		want: mcp.Legacy20241105, sent: handshake,
	},
	{
		name: "400 with -32000 and a null id", row: row400,
		on:   legacy("2025-11-25", "S", map[string][]act{"server/discover": {plainly(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"},"id":null}`)}}),
		want: mcp.Legacy20251125, sent: handshake,
	},
	{name: "400 with -32602", row: row400, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {faultAt(400, -32602, "params")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "404 with HTML", row: row400, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(404, "text/html", "<html>nope")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "405", row: row400, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(405, "", "")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "406", row: row4xx, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(406, "", "")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "415", row: row4xx, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(415, "", "")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "422", row: row4xx, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {plainly(422, "", "")}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "400, and initialize fails too", row: row400, on: legacy("", "", map[string][]act{"initialize": {plainly(400, "", "no")}}), err: &StatusError{Status: 400}, sent: []string{"server/discover", "initialize"}},
	{name: "SES-13 initialize answers a modern revision", row: row400, on: legacy("2026-07-28", "", nil), err: mcp.ErrEra, sent: []string{"server/discover", "initialize"}},
	{
		name: "INIT-07 initialize names what it speaks", row: row400,
		on: legacy("", "", map[string][]act{"initialize": {fault(-32602, "version", unsupported(`["2024-11-05"]`)), welcome("2024-11-05", "")}}), want: mcp.Legacy20241105,
		sent: []string{"server/discover", "initialize", "initialize", "notifications/initialized"},
	},
	{name: "T-04 another error in a 200", row: rowOther, on: map[string][]act{"server/discover": {fault(-32603, "broken")}}, err: &mcp.Error{Code: mcp.CodeInternal}, sent: probeOnly},
	{
		name: "T-04 another error in a 200, lenient", row: rowOther, lenient: true,
		on: legacy("2025-11-25", "", map[string][]act{"server/discover": {fault(-32602, "params")}}), want: mcp.Legacy20251125, sent: handshake,
	},
	{name: "empty result", row: rowUnusable, on: map[string][]act{"server/discover": {result(`{}`)}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "empty result, lenient", row: rowUnusable, lenient: true, on: legacy("2025-11-25", "", map[string][]act{"server/discover": {result(`{}`)}}), want: mcp.Legacy20251125, sent: handshake},
	{name: "result without revisions", row: rowUnusable, on: map[string][]act{"server/discover": {discovery()}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "result of an unknown type", row: rowUnusable, on: map[string][]act{"server/discover": {result(`{"resultType":"task","supportedVersions":["2026-07-28"],"capabilities":{}}`)}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "HTML in a 200", row: rowUnusable, on: map[string][]act{"server/discover": {plainly(200, "text/html", "<html>log in")}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "JSON in a 200 that is no message", row: rowUnusable, on: map[string][]act{"server/discover": {plainly(200, "application/json", `{"hello":1}`)}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "nothing in a 202", row: rowUnusable, on: map[string][]act{"server/discover": {accepted}}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "DIS-04 401", row: rowNothing, on: map[string][]act{"server/discover": {plainly(401, "", "", "WWW-Authenticate", `Bearer realm="x"`)}}, err: &AuthError{Status: 401}, sent: probeOnly},
	{name: "DIS-04 403", row: rowNothing, on: map[string][]act{"server/discover": {plainly(403, "", "")}}, err: &AuthError{Status: 403}, sent: probeOnly},
	{name: "407", row: rowNothing, on: map[string][]act{"server/discover": {plainly(407, "", "")}}, err: &AuthError{Status: 407}, sent: probeOnly},
	{name: "408", row: rowNothing, on: map[string][]act{"server/discover": {plainly(408, "", "")}}, err: &StatusError{Status: 408}, sent: probeOnly},
	{name: "DIS-04 429", row: rowNothing, on: map[string][]act{"server/discover": {plainly(429, "", "", "Retry-After", "7")}}, err: &StatusError{Status: 429}, sent: probeOnly},
	{name: "DIS-04 503", row: rowNothing, on: map[string][]act{"server/discover": {plainly(503, "text/html", "<h1>down")}}, err: &StatusError{Status: 503}, sent: probeOnly},
	{name: "500 with a JSON-RPC error", row: rowNothing, on: map[string][]act{"server/discover": {faultAt(500, -32603, "broken")}}, err: &mcp.Error{Code: mcp.CodeInternal}, sent: probeOnly},
	{name: "a redirect to another origin", row: rowNothing, on: map[string][]act{"server/discover": {plainly(307, "", "", "Location", "http://127.0.0.1:1/mcp")}}, sent: probeOnly},
	{name: "connection reset", row: rowNothing, on: map[string][]act{"server/discover": {func(http.ResponseWriter, seen) { panic(http.ErrAbortHandler) }}}, sent: probeOnly},
}

func TestNegotiateHTTP(t *testing.T) {
	for _, p := range httpProbes {
		t.Run(p.name, func(t *testing.T) {
			s := newScript(t, p.on)
			p.run(t, HTTP(s.URL))
			sent := slices.DeleteFunc(s.sent(), func(m string) bool { return m == "DELETE" })
			if diff := cmp.Diff(p.sent, sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// run connects and compares what came of it.
func (p probed) run(t *testing.T, target Target) {
	t.Helper()
	cfg := config()
	cfg.Lenient = p.lenient
	c, err := Connect(t.Context(), target, cfg)
	if p.want == mcp.Auto {
		p.failed(t, target, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	v := c.Verdict()
	if v.Profile != p.want || c.Server().Profile != p.want {
		t.Errorf("speaks %v, want %v", v.Profile, p.want)
	}
	if !strings.HasPrefix(v.Found, p.row) {
		t.Errorf("found by the row %q, want %q", v.Found, p.row)
	}
	if got := target.remembered(); got.Profile != p.want {
		t.Errorf("target remembers %v, want %v", got.Profile, p.want)
	}
	if v.Server.Name == "" {
		t.Error("the server's name was not read")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func (p probed) failed(t *testing.T, target Target, err error) {
	t.Helper()
	var failure *NegotiationError
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a *NegotiationError", err)
	}
	if !strings.HasPrefix(failure.Outcome, p.row) {
		t.Errorf("failed by the row %q, want %q", failure.Outcome, p.row)
	}
	if p.err != nil && !errors.Is(err, p.err) && !sameStatus(err, p.err) {
		t.Errorf("error is %v, want %v in it", err, p.err)
	}
	if !target.remembered().IsZero() {
		t.Error("a failure was remembered")
	}
	if text := err.Error(); p.row == rowOther && !(strings.Contains(text, "Config.Profile") && strings.Contains(text, "Lenient")) {
		t.Errorf("error %q names no remedy", text)
	}
}

func sameStatus(err, want error) bool {
	var auth, wantAuth *AuthError
	var status, wantStatus *StatusError
	switch {
	case errors.As(want, &wantAuth):
		return errors.As(err, &auth) && auth.Status == wantAuth.Status
	case errors.As(want, &wantStatus):
		return errors.As(err, &status) && status.Status == wantStatus.Status
	}
	return false
}

// TestEveryRow: each row of the table has a case on each transport it occurs on.
func TestEveryRow(t *testing.T) {
	has := func(cases []probed, r row) bool {
		for _, p := range cases {
			if strings.HasPrefix(r.name, p.row) {
				return true
			}
		}
		return false
	}
	for _, r := range table {
		// The last row is for what no scripted server can do.
		if strings.HasPrefix(r.name, rowBroken) {
			continue
		}
		if r.http != impossible && !has(httpProbes, r) {
			t.Errorf("row %q has no case over HTTP", r.name)
		}
		if r.pipe != impossible && !has(pipeProbes, r) {
			t.Errorf("row %q has no case over a pipe", r.name)
		}
	}
}

// TestLastRow: the table has an answer to everything.
func TestLastRow(t *testing.T) {
	r, v := judge(&outcome{err: errors.New("cannot encode")}, overPipe, true)
	if v != failed || !strings.HasPrefix(r.name, rowBroken) {
		t.Errorf("judged %v by %q", v, r.name)
	}
}

const autoPage = "../docs/design/auto.md"

// TestAutoPage: docs/design/auto.md shows the table as the code has it.
func TestAutoPage(t *testing.T) {
	text, err := os.ReadFile(autoPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table: client/negotiate.go -->\n", "<!-- end -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	shown, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no marks around its table", autoPage)
	}
	want := rendered()
	if diff := cmp.Diff(want, shown); diff != "" && !*update {
		t.Errorf("table differs (-code +page); run go test ./client -run TestAutoPage -update\n%s", diff)
	}
	if *update {
		if err := os.WriteFile(autoPage, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func rendered() string {
	var b strings.Builder
	b.WriteString("| # | outcome of the probe | HTTP | pipe | `Lenient` |\n|---|---|---|---|---|\n")
	for i, r := range table {
		lenient := "–"
		if r.lenient != impossible {
			lenient = r.lenient.String()
		}
		fmt.Fprintf(&b, "| %d | %s | %v | %v | %s |\n", i+1, r.name, r.http, r.pipe, lenient)
	}
	return b.String()
}
