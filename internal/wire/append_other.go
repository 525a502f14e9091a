package wire

import (
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// appendOther appends the results that are rare: the members every result has
// by hand, all others by the JSON library.
func appendOther(p mcp.Profile, dst []byte, result any, stamp *Stamp) ([]byte, error) {
	var (
		head mcp.Result
		hint *mcp.CacheHint
		body any
	)
	switch r := result.(type) {
	case *mcp.EmptyResult:
		v := *r
		head, v.Result = split(v.Result)
		body = v
	case *mcp.DiscoverResult:
		v := *r
		head, v.Result = split(v.Result)
		hint = &mcp.CacheHint{TTLMs: v.TTLMs, CacheScope: v.CacheScope}
		v.CacheHint = mcp.CacheHint{}
		v.Capabilities = serverCapabilitiesFor(p, v.Capabilities)
		body = v
	case *mcp.InitializeResult:
		v := *r
		head, v.Result = split(v.Result)
		v.Capabilities = serverCapabilitiesFor(p, v.Capabilities)
		v.ServerInfo = implementationFor(p, v.ServerInfo)
		if v.ProtocolVersion == "" {
			v.ProtocolVersion = p.Version()
		}
		body = v
	case *mcp.CompleteResult:
		v := *r
		head, v.Result = split(v.Result)
		v.Completion = completionOf(v.Completion)
		body = v
	case *mcp.InputRequiredResult:
		return appendInputRequired(p, dst, *r, stamp)
	default:
		return dst, fmt.Errorf("write result: %T is no result", result)
	}
	if err := typed(p, &head); err != nil {
		return dst, err
	}
	return appendBody(p, dst, &head, hint, body, stamp)
}

func appendInputRequired(p mcp.Profile, dst []byte, r mcp.InputRequiredResult, stamp *Stamp) ([]byte, error) {
	if r.InputRequests == nil && r.RequestState == nil {
		return dst, errors.New("write result: it asks for input, but has neither requests nor state")
	}
	var head mcp.Result
	head, r.Result = split(r.Result)
	head.ResultType = mcp.ResultInputRequired
	return appendBody(p, dst, &head, nil, r, stamp)
}

func appendBody(p mcp.Profile, dst []byte, head *mcp.Result, hint *mcp.CacheHint, body any, stamp *Stamp) ([]byte, error) {
	encoded, err := jsonx.Marshal(body)
	if err != nil {
		return dst, fmt.Errorf("write %T: %w", body, err)
	}
	if dst, err = appendHead(p, dst, head, stamp); err != nil {
		return dst, err
	}
	if hint != nil {
		dst = appendHint(p, dst, *hint, stamp)
	}
	return append(appendMembers(dst, encoded), '}'), nil
}

// split takes what the head writes out of a result.
func split(r mcp.Result) (head, rest mcp.Result) {
	return mcp.Result{ResultType: r.ResultType, Meta: r.Meta}, mcp.Result{Extra: r.Extra}
}

// completionOf keeps to the number of values a completion may carry.
func completionOf(c mcp.Completion) mcp.Completion {
	if len(c.Values) <= mcp.MaxCompletions {
		return c
	}
	if c.Total == nil {
		total := int64(len(c.Values))
		c.Total = &total
	}
	c.Values, c.HasMore = c.Values[:mcp.MaxCompletions], true
	return c
}

// appendAnswer appends what a client answers a server. Such an answer has no
// resultType in either era: the modern one embeds it in the next request.
func appendAnswer(p mcp.Profile, dst []byte, answer any) ([]byte, error) {
	var err error
	switch r := answer.(type) {
	case *mcp.ElicitResult:
		answer, err = elicitedFor(p, *r)
	case *mcp.CreateMessageResult:
		answer, err = createdMessageFor(p, *r)
	case *mcp.ListRootsResult:
		answer = rootsFor(p, *r)
	}
	if err != nil {
		return dst, err
	}
	return jsonx.Append(dst, answer)
}
