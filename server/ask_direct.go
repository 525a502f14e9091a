package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// misfits is how often a client is asked on a line that stays open, until its
// values fit the form. Where each time is a round of its own, the client decides.
const misfits = 3

// direct sends questions as requests of the server's, all at once, and waits for
// all of them. It returns those that were declined, and the first error of
// another kind.
func (a *asking) direct(ctx context.Context, questions []*question) (declined []error, err error) {
	encoded := make([][]byte, len(questions))
	for i, q := range questions {
		if encoded[i], err = a.x.encode(q); err != nil {
			return nil, err // before anything is asked
		}
	}
	outcome := make([]error, len(questions))
	var all sync.WaitGroup
	for i, q := range questions[1:] {
		all.Go(func() { outcome[i+1] = a.put(ctx, q, encoded[i+1]) })
	}
	outcome[0] = a.put(ctx, questions[0], encoded[0])
	all.Wait()
	for _, err := range outcome {
		switch {
		case errors.Is(err, mcp.ErrDeclined):
			declined = append(declined, err)
		case err != nil:
			return nil, err
		}
	}
	return declined, nil
}

// put asks one question until it has an answer that fits.
func (a *asking) put(ctx context.Context, q *question, params []byte) error {
	for try := 1; ; try++ {
		answer, err := a.request(ctx, q, params)
		if err != nil {
			return err
		}
		err = a.taken(q, answer)
		var misfit *misfitError
		switch {
		case err == nil || errors.Is(err, mcp.ErrDeclined):
			if !q.mark.Raw {
				a.learn(q.key, record{q.mark, answer})
			}
			return err
		case !errors.As(err, &misfit):
			return fmt.Errorf("ask for %q: %w: %w", q.key, mcp.ErrInvalidResponse, err)
		case try == misfits:
			return fmt.Errorf("ask for %q: %w: %d times the values did not fit: %w", q.key, mcp.ErrInvalidResponse, try, misfit)
		}
		q.remark = misfit.Error()
		if params, err = a.x.encode(q); err != nil {
			return err
		}
	}
}

// request sends one request and returns its result. An error the client answers
// stands for a user who could not be asked, where the kind of question has a word
// for that (MR-06, SAMP-07).
func (a *asking) request(ctx context.Context, q *question, params []byte) (json.RawMessage, error) {
	m, err := a.x.peer.request(ctx, q.method, params)
	switch {
	case err != nil && errors.Is(err, mcp.ErrCannotAsk):
		return nil, noWay(q.key, err)
	case err != nil:
		return nil, fmt.Errorf("ask for %q: %w", q.key, err)
	case m.Error == nil:
		return json.RawMessage(m.Result), nil
	}
	said := &mcp.Error{Code: mcp.Code(m.Error.Code), Message: m.Error.Message, Data: m.Error.Data}
	failure := a.x.era.Failure(q.method, said)
	switch {
	case q.method == mcp.MethodElicit:
		return nil, &DeclinedError{Key: q.key, Action: mcp.ActionCancel, Reason: said.Error()}
	case errors.Is(failure, mcp.ErrDeclined):
		return nil, &DeclinedError{Key: q.key, Action: mcp.ActionDecline, Reason: said.Message}
	default:
		// The client's code is no answer to the client's own request.
		return nil, fmt.Errorf("ask for %q: the client answered: %s", q.key, said.Error())
	}
}

// readRaw says why an answer is none to a question of this method.
func readRaw(era wire.Era, method string, answer []byte) error {
	switch method {
	case mcp.MethodElicit:
		return readElicit(era, answer, new(mcp.ElicitResult))
	case mcp.MethodCreateMessage:
		return readMessage(era, answer, new(mcp.CreateMessageResult))
	default:
		return readRoots(era, answer, new(mcp.ListRootsResult))
	}
}
