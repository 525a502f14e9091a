package client

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// outcome is what came of asking a server with server/discover what it speaks.
type outcome struct {
	// status is the HTTP status; 0 over a pipe, and when there was no response.
	status int
	// found is the discovery result, nil when it is of no use.
	found *mcp.DiscoverResult
	// answered: there was a result, of use or not, or a body in its place.
	answered bool
	// fault is the error of a JSON-RPC error response.
	fault *mcp.Error
	// versions are the revisions that a discovery result or -32022 names.
	versions []string
	// silent: nothing came within Config.ProbeTimeout. exited: the pipe ended.
	silent, exited bool
	// err says in words why there is no usable result.
	err error
}

// modern is the newest modern revision the server named, Auto when none is
// spoken here. legacy is the same for the other era.
func (o *outcome) modern() mcp.Profile { return o.newest(mcp.Profile.Modern) }
func (o *outcome) legacy() mcp.Profile { return o.newest(mcp.Profile.Legacy) }

func (o *outcome) newest(era func(mcp.Profile) bool) mcp.Profile {
	for _, p := range mcp.Profiles() {
		if era(p) && slices.Contains(o.versions, p.Version()) {
			return p
		}
	}
	return mcp.Auto
}

func (o *outcome) code(codes ...mcp.Code) bool {
	return o.fault != nil && slices.Contains(codes, o.fault.Code)
}

// recognised are the errors that only a modern server answers with.
func (o *outcome) recognised() bool {
	return o.code(mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion)
}

// column is a transport of the negotiation table.
type column uint8

const (
	overHTTP column = iota
	overPipe
)

// verdict is what a row of the table says, and what is done then.
type verdict uint8

const (
	impossible   verdict = iota // the row does not occur on this transport
	isModern                    // go on with the modern era
	correct                     // modern: mend the request or pick a revision, and ask again
	legacyNamed                 // initialize with the newest revision the server named
	legacyNewest                // initialize with the newest revision there is
	startOver                   // start the process once more, and initialize at once
	failed                      // give up, and say why; nothing is remembered
)

var verdictTexts = map[verdict]string{
	impossible:   "–",
	isModern:     "modern",
	correct:      "modern: mend the request or pick from `supported`, and ask again; never downgrade",
	legacyNamed:  "legacy, with the newest revision named: the server said so",
	legacyNewest: "legacy, newest revision first (2025-11-25)",
	startOver:    "start it once more, as legacy",
	failed:       "fail, typed; nothing is remembered",
}

// String is what the documentation says.
func (v verdict) String() string { return verdictTexts[v] }

// row is one line of the negotiation table.
type row struct {
	// name says what came of the probe.
	name string
	// match reports whether this row applies; the first that does decides.
	match func(o *outcome) bool
	// http and pipe are the verdicts on the two kinds of transport. lenient, when
	// not impossible, replaces failed where Config.Lenient is set.
	http, pipe, lenient verdict
}

// nothingSaid is the row of failures that say nothing about a revision.
const nothingSaid = "401, 403, 407, 408, 429, 5xx, a redirect, refused, timeout"

// table is how a client finds out what a server speaks. It is written down in
// docs/design/auto.md, which a test compares with it.
var table = []row{
	{
		name:  "usable discovery result",
		match: func(o *outcome) bool { return o.found != nil && o.modern() != mcp.Auto },
		http:  isModern, pipe: isModern,
	},
	{
		name: "discovery result or -32022 that names only legacy revisions we speak",
		match: func(o *outcome) bool {
			return (o.found != nil || o.code(mcp.CodeUnsupportedVersion)) && o.modern() == mcp.Auto && o.legacy() != mcp.Auto
		},
		http: legacyNamed, pipe: legacyNamed,
	},
	{
		name: "discovery result or -32022 that names only revisions we do not speak",
		match: func(o *outcome) bool {
			return o.found != nil || o.code(mcp.CodeUnsupportedVersion) && len(o.versions) > 0 && o.modern() == mcp.Auto
		},
		http: failed, pipe: failed,
	},
	{
		name:  "error code -32020, -32021 or -32022",
		match: (*outcome).recognised,
		http:  correct, pipe: correct,
	},
	{
		name:  "JSON-RPC error -32601 at any status: the method is mandatory on modern",
		match: func(o *outcome) bool { return o.code(mcp.CodeMethodNotFound) },
		http:  legacyNewest, pipe: legacyNewest,
	},
	{
		name:  "400, 404 or 405, and the body is no recognised modern error",
		match: func(o *outcome) bool { return slices.Contains([]int{400, 404, 405}, o.status) },
		http:  legacyNewest, pipe: impossible,
	},
	{
		name:  nothingSaid,
		match: undecided,
		http:  failed, pipe: impossible,
	},
	{
		name:  "any other 4xx, and the body is no recognised modern error",
		match: func(o *outcome) bool { return o.status >= 400 },
		http:  legacyNewest, pipe: impossible,
	},
	{
		name:  "any other JSON-RPC error (over HTTP, in a 200)",
		match: func(o *outcome) bool { return o.fault != nil },
		http:  failed, pipe: legacyNewest, lenient: legacyNewest,
	},
	{
		name:  "a result that is not a usable discovery result",
		match: func(o *outcome) bool { return o.answered },
		http:  failed, pipe: failed, lenient: legacyNewest,
	},
	{
		name:  "silence for 5 s (Config.ProbeTimeout)",
		match: func(o *outcome) bool { return o.silent },
		http:  impossible, pipe: legacyNewest,
	},
	{
		name:  "the child exits, or the pipe ends, during the probe",
		match: func(o *outcome) bool { return o.exited },
		http:  impossible, pipe: startOver,
	},
	{
		name:  "the probe could not be sent or its answer not be read",
		match: func(*outcome) bool { return true },
		http:  failed, pipe: failed,
	},
}

// undecided are the outcomes over HTTP that say nothing about a revision.
func undecided(o *outcome) bool {
	switch {
	case o.status == 0:
		return o.fault == nil && !o.answered
	default:
		return o.status >= 500 || o.status >= 300 && o.status < 400 || slices.Contains([]int{401, 403, 407, 408, 429}, o.status)
	}
}

// judge finds the row that applies and what it says.
func judge(o *outcome, on column, lenient bool) (row, verdict) {
	for _, r := range table {
		v := r.http
		if on == overPipe {
			v = r.pipe
		}
		if v == impossible || !r.match(o) {
			continue
		}
		if v == failed && lenient && r.lenient != impossible {
			v = r.lenient
		}
		return r, v
	}
	panic("negotiation table does not end with a row for everything") //nolint:forbidigo // the table is ours, and tested
}

// supportedBy are the revisions that an error of code -32022 names.
func supportedBy(e *mcp.Error) []string {
	var data mcp.UnsupportedVersion
	if jsonx.KindOf(e.Data) != jsonx.Object || json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Supported
}

// doubtful reports whether a failure of the first request speaks against a
// modern verdict that an earlier connection left.
func doubtful(on column, a *answer, failure error) bool {
	o := outcomeOf(a, failure)
	switch {
	case o.recognised():
		return o.code(mcp.CodeUnsupportedVersion) && o.modern() == mcp.Auto
	case on == overPipe:
		return o.fault != nil || o.exited
	case o.code(mcp.CodeMethodNotFound):
		return o.status != 404 // with it, a feature is missing and the era is right
	default:
		return o.status >= 400 && !undecided(o)
	}
}

// outcomeOf reads what an exchange gave, apart from a result.
func outcomeOf(a *answer, failure error) *outcome {
	o := &outcome{err: failure}
	var status *StatusError
	var auth *AuthError
	switch {
	case a != nil && a.fault != nil:
		o.status, o.fault, o.err = a.status, a.fault, a.fault
	case a != nil:
		o.status, o.answered = a.status, true
	case errors.As(failure, &auth):
		o.status = auth.Status
		errors.As(failure, &o.fault)
	case errors.As(failure, &status):
		o.status = status.Status
	case errors.Is(failure, errPipeEnded):
		o.exited = true
	case errors.Is(failure, mcp.ErrInvalidResponse), errors.Is(failure, mcp.ErrTooLarge):
		o.answered = true
	}
	if o.fault != nil && o.fault.Code == mcp.CodeUnsupportedVersion {
		o.versions = supportedBy(o.fault)
	}
	return o
}
