package server

import (
	"encoding/json"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// needs checks that the caller declared what the entry cannot do without, for
// this very request (M-META-007, M-META-008).
func (e *entry) needs(x *exchange) *mcp.Error {
	if len(e.about.needs) == 0 {
		return nil
	}
	have := x.call.Capabilities()
	var missing mcp.ClientCapabilities
	lacks := false
	for i := range e.about.needs {
		lacks = subtract(&missing, &e.about.needs[i], &have) || lacks
	}
	if !lacks {
		return nil
	}
	return missingCapability(fmt.Sprintf("the client lacks a capability that %s %q needs", e.Kind, e.Name), &missing)
}

// missingCapability is the error that names what a client would have to declare.
func missingCapability(message string, missing *mcp.ClientCapabilities) *mcp.Error {
	data, err := jsonx.Marshal(mcp.MissingCapability{RequiredCapabilities: *missing})
	if err != nil {
		data = nil // only what a program declared itself cannot be written; the code says enough
	}
	return &mcp.Error{Code: mcp.CodeMissingCapability, Message: message, Data: data}
}

func quoted(s string) string { return string(jsonx.AppendString(nil, s)) }

// subtract adds to missing what need has and have has not, and reports whether
// there is any.
func subtract(missing, need, have *mcp.ClientCapabilities) bool {
	lacks := false
	if need.Roots != nil && have.Roots == nil {
		missing.Roots, lacks = &mcp.RootsCapability{}, true
	}
	if need.Sampling != nil {
		lacks = subtractSampling(missing, need.Sampling, have.Sampling) || lacks
	}
	if need.Elicitation != nil {
		lacks = subtractElicitation(missing, need.Elicitation, have.Elicitation) || lacks
	}
	if need.Tasks != nil && have.Tasks == nil {
		missing.Tasks, lacks = need.Tasks, true
	}
	lacks = subtractNamed(&missing.Extensions, need.Extensions, have.Extensions) || lacks
	lacks = subtractNamed(&missing.Experimental, need.Experimental, have.Experimental) || lacks
	return lacks
}

func subtractSampling(missing *mcp.ClientCapabilities, need, have *mcp.SamplingCapability) bool {
	all := have == nil
	context := need.Context != nil && (all || have.Context == nil)
	tools := need.Tools != nil && (all || have.Tools == nil)
	if !all && !context && !tools {
		return false
	}
	if missing.Sampling == nil {
		missing.Sampling = &mcp.SamplingCapability{}
	}
	if context {
		missing.Sampling.Context = &mcp.Settings{}
	}
	if tools {
		missing.Sampling.Tools = &mcp.Settings{}
	}
	return true
}

// subtractElicitation reads a need without a mode as one for forms.
func subtractElicitation(missing *mcp.ClientCapabilities, need, have *mcp.ElicitationCapability) bool {
	form := need.CanForm() && !have.CanForm()
	url := need.CanURL() && !have.CanURL()
	if !form && !url {
		return false
	}
	if missing.Elicitation == nil {
		missing.Elicitation = &mcp.ElicitationCapability{}
	}
	if form {
		missing.Elicitation.Form = &mcp.Settings{}
	}
	if url {
		missing.Elicitation.URL = &mcp.Settings{}
	}
	return true
}

func subtractNamed(missing *map[string]json.RawMessage, need, have map[string]json.RawMessage) bool {
	lacks := false
	for id, settings := range need {
		if _, ok := have[id]; ok {
			continue
		}
		if *missing == nil {
			*missing = make(map[string]json.RawMessage)
		}
		if settings == nil {
			settings = json.RawMessage("{}")
		}
		(*missing)[id], lacks = settings, true
	}
	return lacks
}
