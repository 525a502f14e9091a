package client

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// usual are answers to initialize that a case does not care about.
var usual = map[string]line{"initialize": greets("2025-11-25")}

func pipeServer(discover line) map[string]line {
	return map[string]line{"server/discover": discover, "initialize": usual["initialize"]}
}

// pipeProbes are the rows over a pipe (2026-07-28 15.3; DIS-01, DIS-05;
// M-STDIO-023, M-STDIO-024).
var pipeProbes = []probed{
	{name: "discovery result", row: rowUsable, starts: []map[string]line{pipeServer(say(discovered_("2026-07-28")))}, want: mcp.Modern20260728, sent: probeOnly},
	{
		name: "ERA-06 result names legacy revisions only", row: rowNamed,
		starts: []map[string]line{{"server/discover": say(discovered_("2025-06-18")), "initialize": greets("2025-06-18")}}, want: mcp.Legacy20250618, sent: handshake,
	},
	{
		name: "-32022 names legacy revisions only", row: rowNamed,
		starts: []map[string]line{{"server/discover": refuse(-32022, "no", unsupported(`["2024-11-05"]`)), "initialize": greets("2024-11-05")}}, want: mcp.Legacy20241105, sent: handshake,
	},
	{name: "result names unknown revisions only", row: rowUnknown, starts: []map[string]line{pipeServer(say(discovered_("2099-01-01")))}, err: mcp.ErrEra, sent: probeOnly},
	{name: "-32020", row: rowCode, starts: []map[string]line{pipeServer(refuse(-32020, "x"))}, err: &mcp.Error{Code: mcp.CodeHeaderMismatch}, sent: probeTwice},
	{name: "-32021", row: rowCode, starts: []map[string]line{pipeServer(refuse(-32021, "x"))}, err: &mcp.Error{Code: mcp.CodeMissingCapability}, sent: probeOnly},
	{name: "-32022 for good", row: rowCode, starts: []map[string]line{pipeServer(refuse(-32022, "x", unsupported(`["2026-07-28"]`)))}, err: mcp.ErrEra, sent: probeTwice},
	{name: "DIS-01 -32601", row: rowMissing, starts: []map[string]line{pipeServer(refuse(-32601, "x"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 -32602", row: rowOther, starts: []map[string]line{pipeServer(refuse(-32602, "Invalid request parameters"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 -32600", row: rowOther, starts: []map[string]line{pipeServer(refuse(-32600, "x"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 -32000", row: rowOther, starts: []map[string]line{pipeServer(refuse(-32000, "Server not initialized"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 -32603", row: rowOther, starts: []map[string]line{pipeServer(refuse(-32603, "x"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 -32001", row: rowOther, starts: []map[string]line{pipeServer(refuse(-32001, "x"))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 error that is a string", row: rowOther, starts: []map[string]line{pipeServer(texts(`{"jsonrpc":"2.0","id":ID,"error":"boom"}`))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "empty result", row: rowUnusable, starts: []map[string]line{pipeServer(say(`{}`))}, err: mcp.ErrInvalidResponse, sent: probeOnly},
	{name: "DIS-01 empty result, lenient", row: rowUnusable, lenient: true, starts: []map[string]line{pipeServer(say(`{}`))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 null result, lenient", row: rowUnusable, lenient: true, starts: []map[string]line{pipeServer(say(`null`))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "DIS-01 error without a code, lenient", row: rowUnusable, lenient: true, starts: []map[string]line{pipeServer(texts(`{"jsonrpc":"2.0","id":ID,"error":{"message":"x"}}`))}, want: mcp.Legacy20251125, sent: handshake},
	{name: "silence", row: rowSilence, starts: []map[string]line{pipeServer(nil)}, want: mcp.Legacy20251125, sent: handshake},
	{name: "silence but for lines that are no messages", row: rowSilence, starts: []map[string]line{pipeServer(texts("starting…", "3", `"text"`))}, want: mcp.Legacy20251125, sent: handshake},
	{
		name: "late answer after silence", row: rowSilence,
		starts: []map[string]line{{"initialize": func(s seen) []string {
			return append([]string{`{"jsonrpc":"2.0","id":1,"result":` + discovered_("2026-07-28") + `}`}, greets("2025-11-25")(s)...)
		}}},
		want: mcp.Legacy20251125, sent: handshake,
	},
	{
		name: "DIS-05 hangs up on the probe", row: rowExit,
		starts: []map[string]line{{"server/discover": hangUp}, usual}, want: mcp.Legacy20251125, sent: handshake,
	},
	{
		name: "DIS-05 hangs up on everything: no loop", row: rowExit,
		starts: []map[string]line{{"": hangUp}}, err: mcp.ErrClosed, sent: []string{"server/discover", "initialize"},
	},
}

func TestNegotiatePipe(t *testing.T) {
	for _, p := range pipeProbes {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target, all := onPipe(t, p.starts...)
				p.run(t, target)
				synctest.Wait() // until the servers have read what they were sent
				var sent []string
				for _, server := range all() {
					sent = append(sent, server.sent()...)
				}
				if diff := cmp.Diff(p.sent, sent); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			})
		})
	}
}
