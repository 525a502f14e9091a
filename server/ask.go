package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// Question is something a handler asks its client, and where the answer goes.
// It is made by [AskForm], [AskSchema], [AskURL], [AskModel] and [AskRoots], and
// put by [Ask]. Each has a key, which names it within the call: a second question
// under the same key is the same question.
type Question interface {
	prepare(s *Server) (*question, error)
}

// Ask asks several questions at once, and fills in their destinations. It
// returns nil when all are answered.
//
// The handler asks as if it waited for the answers, and need not know how they
// come. A client of a revision with sessions is sent requests, and Ask blocks
// until they are answered or ctx ends. In the stateless revision the call ends
// and is sent again with the answers: Ask returns an error that matches
// [ErrInputRequired], which the handler returns at once, and the handler runs
// again from the top; now Ask finds the answers and returns nil. So a handler
// must ask the same questions, under the same keys, when it runs again with the
// same answers; what it does before a question happens once for each round,
// unless [Once] keeps it. Config.State.CheckReplay makes tests find handlers that
// do not. A question that has changed when its answer comes fails the call
// (-32603), and the log names its key.
//
// A call that asked ends by asking whatever the handler returns with the error,
// so that an error that got lost on its way is no answer.
//
// Questions can be asked while a tool, resource or prompt is used, also by
// interceptors, and not in other requests. The error is
//
//   - a [*DeclinedError] for each question that the user declined, joined, when all
//     questions are answered; it matches [mcp.ErrDeclined]. The destinations of the
//     others are filled in.
//   - one that matches [mcp.ErrCannotAsk] when the client did not declare what a
//     question needs, or there is no way to ask it: at once, before anything is
//     asked. A handler may then do without; one that returns the error refuses the
//     call with the capabilities that are missing (-32021).
//   - one that ends the call with -32602 when an answer is none at all, and one that
//     matches [mcp.ErrInvalidResponse] on the older revisions. Values that do not fit
//     a form are asked for again.
//
// Ask may be used concurrently, with different keys.
func Ask(ctx context.Context, questions ...Question) error {
	a, err := askingFrom(ctx)
	if err != nil {
		return err
	}
	prepared := make([]*question, len(questions))
	for i, q := range questions {
		if q == nil {
			return &faulty{"internal error", fmt.Errorf("ask: question %d is nil", i)}
		}
		if prepared[i], err = q.prepare(a.x.server); err != nil {
			return &faulty{"internal error", fmt.Errorf("ask: %w", err)}
		}
	}
	return a.ask(ctx, prepared)
}

// ErrInputRequired is matched by the error that ends a run of a handler which
// asked: the client is asked once the handler has returned, and the handler runs
// again when the answers are there. Return it as it is.
var ErrInputRequired = errors.New("the client is asked once this handler returns; it runs again with the answers")

// DeclinedError says that the user did not answer a question. It matches
// [mcp.ErrDeclined]. From a tool it becomes a result with isError and this text,
// from a resource or prompt the error -1.
type DeclinedError struct {
	// Key is the question's.
	Key string
	// Action is [mcp.ActionDecline] when the user said no, and [mcp.ActionCancel]
	// when the user, or the client, went away without deciding.
	Action string
	// Reason is what the client said about it, mostly nothing.
	Reason string
}

// Error says which question was declined, and how.
func (e *DeclinedError) Error() string {
	text := fmt.Sprintf("the user declined to answer %q", e.Key)
	if e.Action == mcp.ActionCancel {
		text = fmt.Sprintf("the user was asked for %q and did not decide", e.Key)
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Is reports whether target is [mcp.ErrDeclined].
func (e *DeclinedError) Is(target error) bool { return target == mcp.ErrDeclined }

// question is a question, ready to be put.
type question struct {
	key string
	// method is what the client is asked by, params its parameters: a value of
	// mcp, or raw JSON.
	method string
	params any
	// needs is what the client has to have declared.
	needs mcp.ClientCapabilities
	// read takes an answer. The error is a *DeclinedError, wraps a *misfit, or says
	// why the answer is none.
	read func(era wire.Era, answer []byte) error
	// mark is what the question is known by.
	mark mark
	// remark is what was wrong with the last answer, for the user.
	remark string
}

// misfitError is an answer of the right kind with values that do not fit: worth
// asking again.
type misfitError struct{ err error }

func (e *misfitError) Error() string { return e.err.Error() }
func (e *misfitError) Unwrap() error { return e.err }

// prepared is a question that is ready, or why there is none.
type prepared func(s *Server) (*question, error)

func (p prepared) prepare(s *Server) (*question, error) { return p(s) }

// ready completes a question with what it is known by.
func (q *question) ready() (*question, error) {
	if err := checkKey(q.key); err != nil {
		return nil, err
	}
	if p, ok := q.params.(mcp.ElicitParams); ok && p.Message == "" {
		return nil, fmt.Errorf("the message of %q is empty; it is what the user reads", q.key)
	}
	encoded := []byte(q.method)
	if q.params != nil {
		var err error
		if encoded, err = jsonx.Append(encoded, q.params); err != nil {
			return nil, fmt.Errorf("the question %q: %w", q.key, err)
		}
	}
	q.mark.Kind, q.mark.Digest = q.method, digestOf(encoded)
	return q, nil
}

// digestOf is as much of a digest as it takes to tell questions apart.
func digestOf(b []byte) []byte {
	const enough = 16
	sum := sha256.Sum256(b)
	return sum[:enough]
}

// longestKey bounds keys, which travel in every state.
const longestKey = 128

// checkKey says why key names nothing.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is empty; it names the question within the call")
	case len(key) > longestKey:
		return fmt.Errorf("the key %q has %d bytes; the most is %d", clip(key), len(key), longestKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("the key %q is not UTF-8", key)
	}
	return nil
}

// cannotAskError is a question that the client cannot be asked.
type cannotAskError struct{ answer *mcp.Error }

func (e *cannotAskError) Error() string   { return e.answer.Message }
func (e *cannotAskError) Unwrap() []error { return []error{mcp.ErrCannotAsk, e.answer} }

// noWay is the error of a question for which there is no way to the client, or no
// words in its revision. It has no data: no capability would help.
func noWay(key string, why error) error {
	return &cannotAskError{mcp.Errorf(mcp.CodeMissingCapability, "the client cannot be asked for %q: %v", key, why)}
}

// outside is the error of asking where there is nobody to ask.
func outside(format string, args ...any) error {
	return fmt.Errorf("ask: %w: %s", mcp.ErrCannotAsk, fmt.Sprintf(format, args...))
}
