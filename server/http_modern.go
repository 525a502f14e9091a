package server

import (
	"net/http"

	"github.com/diglot-mcp/diglot/internal/httpx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// modern answers a request that describes itself (decision table 15.1, from step
// 10 on). What is checked here compares the caller's own bytes with each other;
// the core goes on with step 17.
func (p *post) modern() {
	if err := p.admitModern(); err != nil {
		p.refuse(p.x.id, http.StatusBadRequest, err)
		return
	}
	if p.x.method == mcp.MethodListen {
		p.listening()
		return
	}
	p.x.mirrored = true
	if err := p.compareName(); err != nil {
		// A method that is not offered is refused as such, by the core (step 17).
		p.x.catalog = p.e.s.catalog.Load()
		if _, missing := p.e.s.method(&p.x); missing == nil {
			p.refuse(p.x.id, http.StatusBadRequest, err)
			return
		}
	}
	p.reply.begin()
	p.reply.finish(p.e.s.serve(p.r.Context(), &p.x))
}

// admitModern makes steps 10 to 16. Whatever fails there is a bad request.
func (p *post) admitModern() *mcp.Error {
	x, s := &p.x, p.e.s
	if !p.e.legacy && x.method == mcp.MethodInitialize && x.params.Version == nil && !p.headerIsModern() {
		return p.initializeRefused()
	}
	sent, present, err := httpx.Single(x.header, headerVersion)
	switch {
	case err != nil:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: %v", err)
	case !present:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: MCP-Protocol-Version is missing; it repeats params._meta[%q]", mcp.MetaProtocolVersion)
	}
	version, missing := x.params.DeclaredVersion()
	if missing != nil {
		if x.params.Version == nil && sent != "" {
			if unsupported := s.supports(sent); unsupported != nil {
				return unsupported // which says more than that a field is missing
			}
		}
		return missing
	}
	if sent != version {
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: MCP-Protocol-Version is %s, and params._meta[%q] is %s", quoted(clip(sent)), mcp.MetaProtocolVersion, quoted(clip(version)))
	}
	if err := s.admitModern(x, version); err != nil {
		return err
	}
	return compareMethod(x)
}

// initializeRefused tells a client of an older revision what is spoken here, in
// the text that such clients show (ERA-15, M-ERA-007).
func (p *post) initializeRefused() *mcp.Error {
	offered, _ := wire.String(lookup(p.x.params.Raw, "protocolVersion"))
	err := p.e.s.unsupported(mcp.CodeHeaderMismatch, offered)
	err.Message = "header mismatch: initialize without the headers of this revision: " + err.Message
	return err
}

func compareMethod(x *exchange) *mcp.Error {
	sent, present, err := httpx.Single(x.header, headerMethod)
	switch {
	case err != nil:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: %v", err)
	case !present:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: Mcp-Method is missing; it repeats the method %s", quoted(clip(x.method)))
	case sent != x.method:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: Mcp-Method is %s, and the method is %s", quoted(clip(sent)), quoted(clip(x.method)))
	}
	return nil
}

// compareName compares Mcp-Name with the name or URI in the body (step 18). A
// member that is not there, or no string, is for the core to refuse.
func (p *post) compareName() *mcp.Error {
	var member string
	var raw []byte
	switch p.x.method {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet:
		member, raw = "params.name", p.x.params.Name
	case mcp.MethodResourcesRead:
		member, raw = "params.uri", p.x.params.URI
	default:
		return nil // the header says nothing about other methods
	}
	body, ok := wire.String(raw)
	if !ok {
		return nil
	}
	sent, present, err := httpx.Single(p.x.header, headerName)
	switch {
	case err != nil:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: %v", err)
	case !present:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: Mcp-Name is missing; it repeats %s", member)
	}
	name, err := httpx.DecodeHeader(sent)
	switch {
	case err != nil:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: Mcp-Name: %v", err)
	case name != body:
		return mcp.Errorf(mcp.CodeHeaderMismatch, "header mismatch: Mcp-Name is %s, and %s is %s", quoted(clip(name)), member, quoted(clip(body)))
	}
	return nil
}
