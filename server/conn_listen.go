package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// listening answers a listen of the stateless revision. It stays open beside the
// requests that run, and counts for none of them.
func (p *pipe) listening(ctx context.Context, req *jsonrpc.Incoming, x *exchange) {
	all := p.s.edge.listens
	if err := all.enter(p); err != nil {
		p.reply(req, failure(req.ID, busy(err), 0))
		return
	}
	defer all.leave(p)
	req.Park()
	r := p.s.serve(ctx, x)
	p.reply(req, r)
	if r.body == nil || r.failed {
		return
	}
	// The pages ask for two kinds of end. The notification comes second, when a
	// client that has understood the first knows the id no more (T-21, M-SUB-016).
	id := json.RawMessage(x.id.Append(nil))
	end := mcp.CancelledParams{RequestID: id, Reason: "the subscription has ended", Meta: mcp.Meta{mcp.MetaSubscriptionID: id}}
	msg, _, err := x.era.AppendNotification(nil, mcp.NotifyCancelled, &end)
	if err == nil {
		<-p.ready
		err = p.conn.Write(context.WithoutCancel(ctx), msg)
	}
	if err != nil {
		p.fail(fmt.Errorf("write the end of a listen: %w", err))
	}
}
